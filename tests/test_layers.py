"""The layout of the source: who may import whom, how modules open, how long they are, what they load."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import goofspiel

SOURCE = Path(goofspiel.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))

# In the order of the data's way: each imports only from those before it.
LAYERS = [
    *("arrays", "errors", "interrupts", "rules", "position", "states", "batch", "games", "store", "solver"),
    *("tablebase", "players", "records", "matches", "best_response", "render", "studies", "interop", "terminal"),
    *("roster", "play", "web", "cli"),
]
EVERYWHERE = {"__version__", "_kernel"}  # a constant, and the native module, which imports nothing of ours
HEAVY = {"flint", "numpy", "zarr", "google_crc32c", "rich", "highspy", "matplotlib", "platformdirs", "pyspiel"}
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


def test_every_module_has_a_layer():
    assert {layer_of(path) for path in MODULES} - {"__init__"} == set(LAYERS)


@pytest.mark.parametrize("path", [path for path in MODULES if path != SOURCE / "__init__.py"], ids=name_of)
def test_a_module_imports_only_from_layers_above_it(path):
    own = LAYERS.index(layer_of(path))
    found = {layer: LAYERS.index(layer) for layer in imported_layers(path.read_text(encoding="utf-8"))}
    assert {layer for layer, place in found.items() if place > own} == set()


def test_the_layer_test_sees_every_kind_of_import():
    source = (
        "import goofspiel.cli\nfrom goofspiel import games, _kernel\ndef f():\n  from goofspiel.store.lock import x\n"
    )
    assert sorted(imported_layers(source)) == ["cli", "games", "store"]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_one_sentence_opens_a_module(path):
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert docstring, "no docstring"
    first, *rest = docstring.split("\n")
    assert first.endswith((".", "?"))
    assert rest[:1] in ([], [""]), "the sentence does not end on the first line"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_is_no_longer_than_400_lines(path):
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
def test_heavy_modules_are_loaded_only_when_used(program):
    program += "\nimport sys; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    loaded = {name.split(".")[0] for name in done.stderr.split()}
    assert "goofspiel" in loaded
    assert loaded & HEAVY == set()


def test_what_is_loaded_later_is_there():
    for name in goofspiel.__all__:
        assert getattr(goofspiel, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = goofspiel.nonsense
