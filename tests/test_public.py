"""What is public is documented: every name that the packages offer is on the page of the API, and says what it is."""

import ast
import doctest
import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import pytest

from goofspiel import Objective, Rules

ROOT = Path(__file__).parent.parent
API = (ROOT / "docs/reference/api.md").read_text(encoding="utf-8")
MODULES = ("goofspiel", "goofspiel.games", "goofspiel.play")
HEADING = re.compile(r"^## (\S+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
ENTRY = re.compile(r"^::: (\S+)$", re.MULTILINE)
# Shown on pages about how tables are made; the page of the API says that they are no part of it.
INSIDE = {
    ("goofspiel.states", "matchups"),
    ("goofspiel.states.space", "level_space"),
    ("goofspiel.store", "make_layout"),
}
PUBLIC = [(module, name) for module in MODULES for name in import_module(module).__all__ if name != "__version__"]


def documented() -> Iterator[Any]:
    """The objects of the page; of a module, all that are defined in it."""
    for path in re.findall(r"^::: (\S+)$", API, re.MULTILINE):
        try:
            found = import_module(path)
        except ModuleNotFoundError:
            module, _, name = path.rpartition(".")
            found = getattr(import_module(module), name)
        yield found
        if isinstance(found, ModuleType):
            yield from (member for member in vars(found).values() if getattr(member, "__module__", "") == path)


ON_THE_PAGE = list(documented())


@pytest.mark.parametrize(("module", "name"), PUBLIC, ids=lambda part: part)
def test_a_public_name_is_documented(module: str, name: str) -> None:
    found = getattr(import_module(module), name)
    if not inspect.isroutine(found) and not inspect.isclass(found) and not inspect.ismodule(found):
        assert name in API  # a type, or a constant
        return
    assert inspect.getdoc(found)
    assert any(found is there for there in ON_THE_PAGE) or f"## {module}.{name}\n" in API


@pytest.mark.parametrize(("module", "name"), PUBLIC, ids=lambda part: part)
def test_what_a_public_class_can_do_says_what_it_does(module: str, name: str) -> None:
    found = getattr(import_module(module), name)
    for member, value in vars(found).items() if inspect.isclass(found) else ():
        if not member.startswith("_") and (inspect.isroutine(value) or isinstance(value, property)):
            assert inspect.getdoc(value), member


def promised() -> dict[str, list[str]]:
    """What the page of the API lists below each module."""
    return {module: ENTRY.findall(body) for module, body in HEADING.findall(API)}


def imports(source: str) -> Iterator[tuple[str, str]]:
    """The (module, name) of each `from goofspiel… import name`, and of each `import goofspiel….`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "goofspiel":
            yield from ((str(node.module), alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            inner = (alias.name for alias in node.names if alias.name.startswith("goofspiel."))
            yield from ((module, "") for module in inner)


def taught() -> Iterator[tuple[str, str, str]]:
    """Where pages and examples import something, and what."""
    for example in sorted((ROOT / "examples").glob("*.py")):
        yield from ((example.name, *found) for found in imports(example.read_text(encoding="utf-8")))
    for page in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]):
        for block in re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            source = "".join(example.source for example in doctest.DocTestParser().get_examples(block))
            yield from ((page.relative_to(ROOT).as_posix(), *found) for found in imports(source))


TAUGHT = sorted(set(taught()))


@pytest.mark.parametrize(("place", "module", "name"), TAUGHT, ids=lambda part: part)
def test_what_pages_and_examples_import_is_promised(place: str, module: str, name: str) -> None:
    if (module, name) in INSIDE:
        return
    listed = [entry.rpartition(".")[2] for entry in promised().get(module, [])]
    assert name in listed or f"{module}.{name}" in promised(), f"{place}: docs/reference/api.md lacks it"


def test_pages_and_examples_were_read() -> None:
    assert {place for place, *_ in TAUGHT} >= {"network.py", "docs/how-to/hidden-bids.md", "CONTRIBUTING.md"}
    assert {(module, name) for _, module, name in TAUGHT} >= INSIDE


@pytest.mark.parametrize("module", [name for name in promised() if name.startswith("goofspiel")])
def test_what_stands_below_a_module_is_imported_from_it(module: str) -> None:
    """All functions, at least; classes of results need no import."""
    for entry in promised()[module]:
        if entry == module:
            continue
        home, _, name = entry.rpartition(".")
        found = getattr(import_module(home), name)
        if inspect.isfunction(found):
            assert getattr(import_module(module), name) is found, entry


def test_every_error_is_in_the_package() -> None:
    errors = import_module("goofspiel.errors")
    raised = [name for name, value in vars(errors).items() if inspect.isclass(value)]
    assert raised
    assert set(raised) <= set(import_module("goofspiel").__all__)
    page = (ROOT / "docs/reference/python.md").read_text(encoding="utf-8").partition("\n## Errors\n")[2]
    assert [name for name in raised if f"`{name}`" not in page and f"`gs.{name}`" not in page] == []


# What every function means by a name; each takes it by keyword, unless it is what the function is about.
KEYWORDS: dict[str, tuple[type, ...]] = {
    "store": (Path, str, NoneType),
    "objective": (Objective, str, NoneType),
    "threads": (int, NoneType),
    "seed": (int,),
    "games": (int,),
    "samples": (int,),
    "resume": (bool,),
    "keep": (str,),
    "memory": (int, NoneType),
    "patience": (float, NoneType),
}


def parameters() -> Iterator[tuple[str, inspect.Parameter]]:
    """Those of the public functions."""
    for module, name in PUBLIC:
        found = getattr(import_module(module), name)
        if inspect.isfunction(found):
            for parameter in inspect.signature(found).parameters.values():
                yield f"{module}.{name}({parameter.name})", parameter


def parts(hint: Any) -> set[Any]:
    return set(get_args(hint)) if isinstance(hint, UnionType) or get_origin(hint) is Union else {hint}


def test_a_keyword_means_the_same_with_every_function() -> None:
    seen = set()
    for where, parameter in parameters():
        said = parts(parameter.annotation)
        if parameter.name == "rules":
            assert said >= {Rules, int, str}, where  # whoever takes rules takes their text or a number of cards
        elif parameter.name.startswith("on_"):
            assert any(get_origin(one) is Callable for one in said), where
        elif parameter.name in KEYWORDS:
            seen.add(parameter.name)
            assert parameter.kind is parameter.KEYWORD_ONLY, where
            assert said <= set(KEYWORDS[parameter.name]), where
    assert seen == set(KEYWORDS)
