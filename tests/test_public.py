"""What is public is documented: every name that the packages offer is on the page of the API, and says what it is."""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

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
