"""The layout of the source: who may import whom, how modules open, how long they are, what they load."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import goofspiel

SOURCE = Path(goofspiel.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
PACKAGES = sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))

# In the order of the data's way: each imports only from those before it.
LAYERS = [
    *(
        "arrays",
        "errors",
        "notebook",
        "interrupts",
        "system",
        "cards",
        "objective",
        "grammar",
        "rules",
        "notation",
        "position",
        "states",
        "batch",
        "games",
    ),
    *("store", "solver"),
    *(
        "tablebase",
        "players",
        "records",
        "matches",
        "best_response",
        "hidden",
        "render",
        "studies",
        "interop",
        "terminal",
    ),
    *("roster", "play", "env", "site", "web", "cli", "__main__"),
]
EVERYWHERE = {"__version__", "_kernel"}  # a constant, and the native module, which imports nothing of ours
HEAVY = {
    "flint",
    "numpy",
    "zarr",
    "google_crc32c",
    "rich",
    "highspy",
    "matplotlib",
    "platformdirs",
    "pyspiel",
    "gymnasium",
    "pettingzoo",
}
HEAVY |= {"cachetools", "fastapi", "pydantic", "starlette", "uvicorn"}


def name_of(path: Path) -> str:
    return str(path.relative_to(SOURCE))


def layer_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_layers(source: str) -> Iterator[str]:
    """The parts of goofspiel that a source imports, in functions too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import, line {node.lineno}"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            package, *rest = name.split(".")
            if package == "goofspiel" and rest[:1] != [] and rest[0] not in EVERYWHERE:
                yield rest[0]


def test_every_module_has_a_layer() -> None:
    assert {layer_of(path) for path in MODULES} - {"__init__"} == set(LAYERS)


@pytest.mark.parametrize("path", [path for path in MODULES if path != SOURCE / "__init__.py"], ids=name_of)
def test_a_module_imports_only_from_layers_above_it(path: Path) -> None:
    own = LAYERS.index(layer_of(path))
    found = {layer: LAYERS.index(layer) for layer in imported_layers(path.read_text(encoding="utf-8"))}
    assert {layer for layer, place in found.items() if place > own} == set()


def imports_within(package: str) -> dict[str, set[str]]:
    """The modules of a package, each with those of the same package that it imports, in functions too."""
    modules = {path.stem: path for path in (SOURCE / package).glob("*.py") if path.stem != "__init__"}
    found: dict[str, set[str]] = {}
    for name, path in modules.items():
        imported = re.findall(
            rf"^\s*(?:from|import) goofspiel\.{package}\.(\w+)", path.read_text("utf-8"), re.MULTILINE
        )
        # `from goofspiel.states import matchups, prize_sets` names modules, too.
        for names in re.findall(
            rf"^\s*from goofspiel\.{package} import ([\w, ]+)", path.read_text("utf-8"), re.MULTILINE
        ):
            imported += [word.strip() for word in names.split(",") if word.strip() in modules]
        found[name] = set(imported)
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_inside_a_package_data_flows_one_way_too(package: str) -> None:
    within = imports_within(package)
    assert sum(map(len, within.values())) > 0 or len(within) < 3, "nothing was seen"
    tuple(TopologicalSorter(within).static_order())  # raises CycleError, which names the circle


@pytest.mark.parametrize("package", PACKAGES)
def test_no_name_of_a_package_hides_one_of_its_modules(package: str) -> None:
    module = importlib.import_module(f"goofspiel.{package}")
    for path in (SOURCE / package).glob("[!_]*.py"):
        found = getattr(module, path.stem, None)
        assert found is None or inspect.ismodule(found), f"goofspiel.{package}.{path.stem}"


def test_the_layer_test_sees_every_kind_of_import() -> None:
    source = (
        "import goofspiel.cli\nfrom goofspiel import games, _kernel\ndef f():\n  from goofspiel.store.lock import x\n"
    )
    assert sorted(imported_layers(source)) == ["cli", "games", "store"]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_one_sentence_opens_a_module(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert docstring, "no docstring"
    first, *rest = docstring.split("\n")
    assert first.endswith((".", "?"))
    assert rest[:1] in ([], [""]), "the sentence does not end on the first line"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_is_no_longer_than_400_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


@pytest.mark.parametrize(
    "program",
    [
        "import goofspiel",
        "import goofspiel; goofspiel.Position('24/A3/Q K').swap()",
        "import goofspiel.cli",
        "import goofspiel.cli\ntry: goofspiel.cli.main(['--help'])\nexcept SystemExit: pass",
        "import goofspiel.cli\ntry: goofspiel.cli.main(['solve', '--help'])\nexcept SystemExit: pass",
    ],
)
def test_heavy_modules_are_loaded_only_when_used(program: str) -> None:
    program += "\nimport sys; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    loaded = {name.split(".")[0] for name in done.stderr.split()}
    assert "goofspiel" in loaded
    assert loaded & HEAVY == set()


def test_what_is_loaded_later_is_there() -> None:
    for name in goofspiel.__all__:
        assert getattr(goofspiel, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = goofspiel.nonsense
