"""What a table says of itself, and how damage to it is told."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goofspiel.errors import DamagedTableError, MissingTableError, TableVersionError
from goofspiel.plan import DTYPES
from goofspiel.rules import Objective, check_cards
from goofspiel.store.layout import METADATA

FORMAT = 2
KEEP = ("all", "last")  # levels


@dataclass(frozen=True, slots=True)
class Header:
    """What a table says of itself."""

    format: int
    cards: int
    objective: Objective
    dtype: str
    solver: str
    keep: str
    complete: bool


def read_header(path: Path, attribute: Any) -> Header:
    """The header, if it is one that this version can read."""
    if isinstance(attribute, dict) and type(version := attribute.get("format")) is int and version > FORMAT:
        raise TableVersionError(f"{path} has format {version}, this version of goofspiel reads up to {FORMAT}")
    kinds = {"format": int, "cards": int, "objective": str, "dtype": str, "solver": str, "keep": str, "complete": bool}
    if isinstance(attribute, dict) and attribute.get("format") == 1:
        attribute = {"keep": "all"} | attribute
    if not isinstance(attribute, dict) or {name: type(field) for name, field in attribute.items()} != kinds:
        raise DamagedTableError(f"{path / METADATA} has a damaged header: {attribute!r}")
    with damage(path / METADATA):
        check_cards(attribute["cards"])
        if attribute["dtype"] not in DTYPES:
            raise ValueError(f"dtype must be one of {DTYPES}, not {attribute['dtype']!r}")
        if attribute["keep"] not in KEEP:
            raise ValueError(f"keep must be one of {KEEP}, not {attribute['keep']!r}")
        return Header(**{**attribute, "objective": Objective(attribute["objective"])})


def header_attribute(header: Header) -> dict[str, Any]:
    return {name: getattr(header, name) for name in Header.__slots__} | {"objective": str(header.objective)}


@contextmanager
def damage(path: Path, *, mend: str = "", repair: str = "") -> Iterator[None]:
    """Whatever goes wrong while reading is damage to what is read; the message names it, and what mends it."""
    try:
        yield
    except (MissingTableError, DamagedTableError, OSError, MemoryError):
        raise
    except Exception as error:  # zarr and its codecs raise all kinds
        remedy = f" (delete it, then {mend}; --repair does both)" if mend else ""
        remedy = f" ({repair} --repair mends it)" if repair else remedy
        raise DamagedTableError(f"{path} is damaged{remedy}: {error}") from error
