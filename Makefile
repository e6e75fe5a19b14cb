# Everything runs in a virtual environment of its own, made when it is missing.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
TYPESCRIPT := 5.9.3
CPP := native/*.cpp native/*.hpp benchmarks/*.cpp tests/*.cpp

# Tests are run by so many processes, each a module at a time, in the order of tests/conftest.py.
WORKERS ?= 3
SPREAD := --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder

# What does not wait for each other is fetched and installed at the same time.
MAKEFLAGS += --jobs=3

# Tests start hundreds of commands, which are quicker when Python keeps what it has compiled, and when NumPy's BLAS has no
# threads that wait for work.
unexport PYTHONDONTWRITEBYTECODE
test soak: export OPENBLAS_NUM_THREADS = 1

.PHONY: run test soak browser nginx bench results lint format wheel docs clean

run: $(VENV)/.installed
	@$(BIN)/goofspiel solve 13 --resume
	@$(BIN)/goofspiel table 13

test: lint browser
	$(BIN)/pytest $(SPREAD)

# The tests that repeat something, in full: every kill, damage, position, game and drawn request. They count what they
# did.
soak: $(VENV)/.installed-test browser
	$(BIN)/pytest $(SPREAD) --soak

# The tests of the page drive Debian's Chromium, those of static hosts its nginx. Without them they fail, and say so.
browser: nginx
	@command -v chromium >/dev/null \
	|| { test "$$(id -u)" = 0 && apt-get -qq update && apt-get -qq -y install --no-install-recommends chromium; } \
	|| echo "no Chromium here, which the tests of the page need: apt-get install chromium" >&2

# RUNLEVEL=1: installed, but not started.
nginx:
	@command -v nginx >/dev/null || test -x /usr/sbin/nginx \
	|| { test "$$(id -u)" = 0 && apt-get -qq update \
	&& RUNLEVEL=1 apt-get -qq -y install --no-install-recommends nginx-light; } \
	|| echo "no nginx here, which the tests of static hosts need: apt-get install nginx-light" >&2

lint: $(VENV)/.installed-test $(VENV)/.installed-typescript-$(TYPESCRIPT)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CPP)
	$(VENV)/typescript/node_modules/.bin/tsc --project jsconfig.json

bench: $(VENV)/.installed-bench
	$(BIN)/python benchmarks/run.py

# What the solved tables of the store say: docs/results, the figure of 13 cards, and all pages that name their numbers.
# Numbers that took a solve stay as they were measured; each script says which tables it misses.
results: $(VENV)/.installed-test
	for script in points win carry exact hidden ladder players studies; do $(BIN)/python docs/results/$$script.py || exit 1; done
	$(BIN)/goofspiel table 13 --figure docs/images/first-move-13.png
	$(BIN)/python docs/generate.py

format: $(VENV)/.installed-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/clang-format -i $(CPP)

# An sdist and a wheel in dist/, built in isolation and tested where there is no compiler. From Python 3.12 on, the wheel
# is for all later versions.
wheel: | $(VENV)/.pip
	$(BIN)/pip install --quiet --group wheel
	$(BIN)/python packaging/wheel.py dist

# The documentation as a site, in build/site.
docs: $(VENV)/.installed-test
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) build dist

# An editable install knows its packages by name: a new one needs another.
SOURCES := pyproject.toml CMakeLists.txt $(wildcard native/*) $(wildcard src/goofspiel/*/__init__.py)

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "goofspiel needs Python 3.11 or later, set PYTHON=")'
	$(PYTHON) -m venv $(VENV)

# A pip that knows dependency groups: the one that comes with a new environment may be too old. `make run` needs none.
$(VENV)/.pip: | $(BIN)/python
	$(BIN)/pip install --quiet --upgrade "pip>=25.1"
	@touch $@

$(VENV)/.installed: $(SOURCES) | $(BIN)/python
	$(BIN)/pip install --quiet --editable .
	@touch $@

$(VENV)/.installed-test: $(SOURCES) | $(VENV)/.pip
	$(BIN)/pip install --quiet --editable '.[cluster,completion,env,openspiel,plots,web]' --group test
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-bench: $(SOURCES) | $(VENV)/.pip
	$(BIN)/pip install --quiet --editable '.[openspiel,plots,web]' --group bench
	@touch $@ $(VENV)/.installed

# TypeScript checks the page's modules as the browser gets them; nothing is built with it.
$(VENV)/.installed-typescript-$(TYPESCRIPT): | $(BIN)/python
	@command -v npm >/dev/null \
	|| { echo "no npm here, which installs the checker of the page's modules: apt-get install npm" >&2; exit 1; }
	@npm install --loglevel=error --no-fund --no-audit --no-package-lock --prefix $(VENV)/typescript \
	typescript@$(TYPESCRIPT) >/dev/null
	@touch $@
