"""What a table says of itself, and how damage to it is told."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from goofspiel.errors import DamagedTableError, TableVersionError
from goofspiel.rules import Rules
from goofspiel.store.blocks import GEOMETRY, Geometry
from goofspiel.store.encoding import DTYPES
from goofspiel.store.locations import is_read_only

FORMAT = 4
MANIFEST_FORMAT = 4  # since then every block says of itself which it is
_RULES_FORMAT = 3  # what earlier tables are written in when they go on
KEEP = ("all", "last")  # levels

_KINDS = {"format": int, "rules": str, "dtype": str, "solver": str, "keep": str, "complete": bool, "geometry": dict}


@dataclass(frozen=True, slots=True)
class Header:
    """What a table says of itself."""

    format: int
    rules: Rules
    dtype: str
    solver: str
    keep: str
    complete: bool
    geometry: Geometry = GEOMETRY

    @property
    def has_manifest(self) -> bool:
        return self.format >= MANIFEST_FORMAT

    def attribute(self) -> dict[str, Any]:
        """As it is written."""
        return asdict(self) | {"format": max(self.format, _RULES_FORMAT), "rules": str(self.rules)}


def read_header(path: Path, attribute: Any) -> Header:
    """The header, if it is one that this version can read; a ValueError if it is damaged."""
    if isinstance(attribute, dict) and type(version := attribute.get("format")) is int and version > FORMAT:
        raise TableVersionError(f"{path} has format {version}, this version of goofspiel reads up to {FORMAT}")
    found = _with_rules(attribute) if isinstance(attribute, dict) else None
    if not isinstance(found, dict) or {name: type(field) for name, field in found.items()} != _KINDS:
        raise ValueError(f"its header is {attribute!r}")
    if found["dtype"] not in DTYPES:
        raise ValueError(f"dtype must be one of {', '.join(DTYPES)}, not {found['dtype']!r}")
    if found["keep"] not in KEEP:
        raise ValueError(f"keep must be one of {KEEP}, not {found['keep']!r}")
    if found["format"] < 1:
        raise ValueError(f"format must be 1 to {FORMAT}, not {found['format']}")
    return Header(**found | {"rules": Rules.parse(found["rules"]), "geometry": _geometry(found["geometry"])})


def _with_rules(attribute: dict[str, Any]) -> dict[str, Any] | None:
    """Earlier formats named cards and objective, and knew one geometry; the first knew no `keep`."""
    if attribute.get("format") not in (1, 2):
        return attribute
    early = {"keep": "all"} | attribute if attribute["format"] == 1 else dict(attribute)
    cards, objective = early.pop("cards", None), early.pop("objective", None)
    if type(cards) is not int or type(objective) is not str or "rules" in early or "geometry" in early:
        return None
    return early | {"rules": f"{cards} {objective}", "geometry": asdict(GEOMETRY)}


def _geometry(fields: dict[str, Any]) -> Geometry:
    if {name: type(field) for name, field in fields.items()} != dict.fromkeys(Geometry.__slots__, int):
        raise ValueError(f"geometry must have the numbers {', '.join(Geometry.__slots__)}, not {fields!r}")
    if min(fields.values()) < 1:
        raise ValueError(f"geometry must have numbers above 0, not {fields!r}")
    return Geometry(**fields)


@contextmanager
def damage(path: Path, *, delete: str = "", repair: str = "") -> Iterator[None]:
    """A `ValueError` of what is read is damage to it; the message names it, and what repairs it.

    Any other error is no damage: what is damaged may be deleted.
    """
    try:
        yield
    except ValueError as error:
        if is_read_only(path):
            raise DamagedTableError(f"{path} is damaged: {error}") from error
        remedy = f" (delete it, then {delete}; --repair does both)" if delete else ""
        remedy = f" ({repair} --repair mends it)" if repair else remedy
        raise DamagedTableError(f"{path} is damaged{remedy}: {error}") from error
