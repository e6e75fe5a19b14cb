"""What is public is documented: every name that the packages offer is on the page of the API, and says what it is."""

import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import pytest

from goofspiel import Objective, Rules

API = (Path(__file__).parent.parent / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
MODULES = ("goofspiel", "goofspiel.games", "goofspiel.play")
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
