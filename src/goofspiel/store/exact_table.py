"""Exact tables on disk: a folder, and in it for each prize set a file of rationals.

Format 3. `header.json` says format, rules, solver (version), complete. `level-JJ/SSSS` holds the values of prize set
SSSS of level JJ before its upcard, [matchup][lead] as in the floating-point tables. All numbers are little-endian:
- a magic word of 16 bytes; the objective, 6 bytes, filled up with zeros; cards and level, a byte each; the number of
  the prize set and how many values there are, 4 bytes each; where the game is not the usual one, another magic word,
  and the first 16 bytes of the sha256 of its rules;
- for each value the lengths in bytes of its numerator and its denominator, 4 bytes each;
- for each value its numerator, in two's complement, and its denominator, in lowest terms;
- a crc32c of all that.
A file that exists is whole. Format 2 said cards and objective instead of rules; its tables are read as they are.
Format 1 did not say what a file is of; its tables are refused.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from struct import Struct
from typing import Any

import google_crc32c
import numpy as np
from flint import fmpq

from goofspiel.cards import counted
from goofspiel.errors import DamagedTableError, MissingTableError, TableVersionError
from goofspiel.games.rationals import from_bytes, to_bytes
from goofspiel.rules import Rules
from goofspiel.states.space import level_space
from goofspiel.store.locations import sync_all, written_whole
from goofspiel.store.paths import going_on, solve_command, table_path

FORMAT, LEAST_FORMAT = 3, 2
MAGIC, HOUSE_MAGIC = b"GOOFSPIELEXACT02", b"GOOFSPIELEXACT03"
_HEAD = Struct("<16s6sBBII")  # magic word, objective, cards, level, prize set, values
_IDENTITY_BYTES = 16
_LENGTH = np.dtype("<u4")
_CHECKSUM_BYTES = 4
_KINDS = {"format": int, "rules": str, "solver": str, "complete": bool}  # of the header's fields


@dataclass(frozen=True, slots=True)
class ExactHeader:
    """What an exact table says of itself."""

    format: int
    rules: Rules
    solver: str
    complete: bool


class ExactTable:
    """An exact table: made with `create` or `open`."""

    def __init__(self, path: Path, header: ExactHeader) -> None:
        self.path = path
        self.header = header

    @staticmethod
    def create(path: Path, rules: Rules, *, solver: str) -> "ExactTable":
        """An empty table; what is already there is left alone."""
        table = ExactTable(path, ExactHeader(FORMAT, rules, solver, complete=False))
        table._write_header()
        return table

    @staticmethod
    def open(path: Path, rules: Rules | None = None) -> "ExactTable":
        """A table that exists, checked to be the one that is asked for."""
        file, command = path / "header.json", going_on(path, rules)
        remedy = f" (delete it, then {command})" if command else ""
        if path.exists() and not path.is_dir():
            raise DamagedTableError(f"{path} is not an exact table: it is not a directory")
        try:
            fields = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise MissingTableError(f"there is no exact table {path}") from None
        except ValueError as error:
            raise DamagedTableError(f"{file} is damaged{remedy}: {error}") from None
        if isinstance(fields, dict) and type(version := fields.get("format")) is int and version > FORMAT:
            raise TableVersionError(f"{path} has format {version}, this version of goofspiel reads up to {FORMAT}")
        found = _as_format_3(fields)
        if found is None or {name: type(field) for name, field in found.items()} != _KINDS:
            raise DamagedTableError(f"{file} is damaged{remedy}: its header is {fields!r}")
        try:
            header = ExactHeader(**found | {"rules": Rules.parse(found["rules"])})
        except ValueError as error:
            raise DamagedTableError(f"{file} is damaged{remedy}: {error}") from None
        if table_path(path.parent, rules or header.rules, exact=True) != path or header.rules != (
            rules or header.rules
        ):
            raise DamagedTableError(f"{path} holds another table: {header.rules}")
        if header.format < LEAST_FORMAT:
            command = solve_command(header.rules, path.parent, exact=True)
            raise TableVersionError(
                f"{path} has format {header.format}, this version of goofspiel reads format {LEAST_FORMAT} and later: "
                f"delete it, then {command}"
            )
        return ExactTable(path, header)

    @property
    def rules(self) -> Rules:
        """Which game it is of."""
        return self.header.rules

    def _write_header(self) -> None:
        with written_whole(self.path / "header.json", sync=True) as file:
            fields = asdict(self.header) | {"format": FORMAT, "rules": str(self.rules)}
            file.write(json.dumps(fields, indent=2).encode())

    def mark_complete(self) -> None:
        """Say that every prize set is there, once all are on the disk."""
        sync_all(self.path)
        self.header = replace(self.header, complete=True)
        self._write_header()

    def file(self, level: int, prize_set: int) -> Path:
        """The file of a prize set."""
        return self.path / f"level-{level:02}" / f"{prize_set:04}"

    def is_done(self, level: int, prize_set: int) -> bool:
        return self.file(level, prize_set).is_file()

    def prize_sets(self) -> list[tuple[int, int]]:
        """All (level, prize set)."""
        levels = range(self.rules.last_level + 1, self.rules.cards)
        return [(level, number) for level in levels for number in range(level_space(self.rules, level).rows)]

    def done_count(self) -> int:
        """How many prize sets are solved."""
        return sum(self.is_done(*which) for which in self.prize_sets())

    def disk_bytes(self) -> int:
        """What the prize sets that are solved take on disk."""
        return sum(self.file(*which).stat().st_size for which in self.prize_sets() if self.is_done(*which))

    def digest(self) -> str:
        """The sha256 of what a complete table is, then of all its files, in their order: copies have the same."""
        found = sha256(str(self.rules).encode())
        for which in self.prize_sets():
            self.read(*which)  # which complains of one that is missing or damaged
            found.update(self.file(*which).read_bytes())
        return found.hexdigest()

    @property
    def resume_command(self) -> str:
        """The command that solves what is missing or damaged."""
        return solve_command(self.rules, self.path.parent, exact=True, resume=True)

    def write(self, level: int, prize_set: int, values: Sequence[fmpq]) -> None:
        """Keep the values of a prize set, whole or not at all."""
        parts = [part for value in values for part in to_bytes(value)]
        lengths = np.array([len(part) for part in parts], dtype=_LENGTH)
        data = b"".join([self._head(level, prize_set, len(values)), lengths.tobytes(), *parts])
        with written_whole(self.file(level, prize_set)) as file:
            file.write(data)
            file.write(_checksum(data))

    def read(self, level: int, prize_set: int) -> list[fmpq]:
        """The values of a prize set."""
        path = self.file(level, prize_set)
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            if self.header.complete:
                raise DamagedTableError(
                    f"{path} is missing from a complete table: {self.resume_command} mends it"
                ) from None
            raise MissingTableError(f"{path} is not solved yet") from None
        space = level_space(self.rules, level)
        count = space.columns_with(int(space.states.tied[prize_set])) * (2 * space.largest_lead(prize_set) + 1)
        try:
            return _values(raw, head=self._head(level, prize_set, count))
        except (ValueError, ZeroDivisionError) as error:
            raise DamagedTableError(f"{path} is damaged ({self.resume_command} mends it): {error}") from None

    def _head(self, level: int, prize_set: int, count: int) -> bytes:
        fields = str(self.rules.objective).encode(), self.rules.cards, level, prize_set, count
        if self.rules.is_usual:
            return _HEAD.pack(MAGIC, *fields)
        return _HEAD.pack(HOUSE_MAGIC, *fields) + sha256(str(self.rules).encode()).digest()[:_IDENTITY_BYTES]


def _values(raw: bytes, *, head: bytes) -> list[fmpq]:
    """The values in the bytes of a file, which must begin as given."""
    data = raw[:-_CHECKSUM_BYTES]
    if raw[len(data) :] != _checksum(data):
        raise ValueError("its checksum does not match")
    if not data.startswith(head):
        raise ValueError(f"it holds {_what(data)} instead of {_what(head)}")
    count = _HEAD.unpack_from(head)[-1]
    lengths = np.frombuffer(data, dtype=_LENGTH, count=2 * count, offset=len(head))
    at = len(head) + lengths.nbytes
    if at + lengths.sum(dtype=np.int64) != len(data):
        raise ValueError("its length is not that of its numbers")
    values = []
    for numerator, denominator in lengths.reshape(-1, 2).tolist():
        middle, end = at + numerator, at + numerator + denominator
        values.append(from_bytes(data[at:middle], data[middle:end]))
        at = end
    return values


def _what(data: bytes) -> str:
    """What a file is of, from its beginning."""
    if not data.startswith((MAGIC, HOUSE_MAGIC)) or len(data) < _HEAD.size:
        return f"no values of format {FORMAT}"
    magic, objective, cards, level, prize_set, count = _HEAD.unpack_from(data)
    name = objective.rstrip(b"\0").decode(errors="backslashreplace")
    what = f"{counted(count, 'value')} of {name}, {counted(cards, 'card')}, level {level}, prize set {prize_set}"
    return f"{what}, rules {data[_HEAD.size :][:_IDENTITY_BYTES].hex()[:8]}" if magic == HOUSE_MAGIC else what


def _checksum(data: bytes) -> bytes:
    return int(google_crc32c.value(data)).to_bytes(_CHECKSUM_BYTES, "little")


def _as_format_3(fields: Any) -> dict[str, Any] | None:
    """Earlier formats named cards and objective."""
    if not isinstance(fields, dict) or fields.get("format") not in (1, 2):
        return fields if isinstance(fields, dict) else None
    early = dict(fields)
    cards, objective = early.pop("cards", None), early.pop("objective", None)
    if type(cards) is not int or type(objective) is not str:
        return None
    return early | {"rules": f"{cards} {objective}"}
