"""Exact tables on disk: a folder, and in it for each prize set a file of rationals.

`header.json` says format, cards, objective, solver (version), complete. `level-JJ/SSSS` holds the values of prize set
SSSS of level JJ before its upcard, [matchup][lead] as in the floating-point tables: a magic word, the count, the length
in bytes of each numerator and denominator, then these, and a crc32c of it all. A file that exists is whole.
"""

import json
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

import google_crc32c
import numpy as np
from flint import fmpq

from goofspiel import prizes
from goofspiel.errors import DamagedTableError, MissingTableError, TableVersionError
from goofspiel.exact.rationals import from_bytes, to_bytes
from goofspiel.rules import Objective, check_cards
from goofspiel.store import default_store, exact_table_path
from goofspiel.store.shards import written_whole

FORMAT = 1
MAGIC = b"GOOFSPIELEXACT01"
_LENGTH = np.dtype("<u4")
_KINDS = {"format": int, "cards": int, "objective": str, "solver": str, "complete": bool}  # of the header's fields


@dataclass(frozen=True, slots=True)
class ExactHeader:
    """What an exact table says of itself."""

    format: int
    cards: int
    objective: Objective
    solver: str
    complete: bool


class ExactTable:
    """An exact table: made with `create` or `open`."""

    def __init__(self, path: Path, header: ExactHeader) -> None:
        self.path = path
        self.header = header

    @staticmethod
    def create(path: Path, cards: int, objective: Objective, *, solver: str) -> "ExactTable":
        """An empty table; what is already there is left alone."""
        table = ExactTable(path, ExactHeader(FORMAT, cards, objective, solver, complete=False))
        table._write_header()
        return table

    @staticmethod
    def open(path: Path) -> "ExactTable":
        """A table that exists."""
        file = path / "header.json"
        try:
            fields = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise MissingTableError(f"there is no exact table {path}") from None
        except ValueError as error:
            raise DamagedTableError(f"{file} is damaged: {error}") from None
        if isinstance(fields, dict) and type(version := fields.get("format")) is int and version > FORMAT:
            raise TableVersionError(f"{path} has format {version}, this version reads up to {FORMAT}")
        if not isinstance(fields, dict) or {name: type(field) for name, field in fields.items()} != _KINDS:
            raise DamagedTableError(f"{file} has a damaged header: {fields!r}")
        try:
            header = ExactHeader(**fields | {"objective": Objective(fields["objective"])})
            check_cards(header.cards)
        except ValueError as error:
            raise DamagedTableError(f"{file} is damaged: {error}") from None
        if exact_table_path(path.parent, header.cards, header.objective) != path:
            raise DamagedTableError(f"{path} holds another table: {header.objective}, {header.cards} cards")
        return ExactTable(path, header)

    @cached_property
    def cards(self) -> int:
        return self.header.cards

    def _write_header(self) -> None:
        with written_whole(self.path / "header.json") as file:
            file.write(json.dumps(asdict(self.header), indent=2).encode())

    def mark_complete(self) -> None:
        """Say that every prize set is there."""
        self.header = replace(self.header, complete=True)
        self._write_header()

    def file(self, level: int, prize_set: int) -> Path:
        """The file of a prize set."""
        return self.path / f"level-{level:02}" / f"{prize_set:04}"

    def is_done(self, level: int, prize_set: int) -> bool:
        return self.file(level, prize_set).is_file()

    def done_count(self) -> int:
        """How many prize sets are solved."""
        return sum(
            self.is_done(level, number)
            for level in range(1, self.cards)
            for number in range(prizes.count(self.cards, level))
        )

    def write(self, level: int, prize_set: int, values: list[fmpq]) -> None:
        """Keep the values of a prize set, whole or not at all."""
        parts = [part for value in values for part in to_bytes(value)]
        lengths = np.array([len(part) for part in parts], dtype=_LENGTH)
        data = b"".join([MAGIC, len(values).to_bytes(4, "little"), lengths.tobytes(), *parts])
        with written_whole(self.file(level, prize_set)) as file:
            file.write(data)
            file.write(google_crc32c.value(data).to_bytes(4, "little"))

    def read(self, level: int, prize_set: int) -> list[fmpq]:
        """The values of a prize set."""
        path = self.file(level, prize_set)
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            raise MissingTableError(f"{path} is not solved yet") from None
        data, checksum = raw[:-4], raw[-4:]
        if not data.startswith(MAGIC) or google_crc32c.value(data).to_bytes(4, "little") != checksum:
            raise DamagedTableError(f"{path} is damaged: its checksum does not match (delete it, then solve --resume)")
        at = len(MAGIC) + 4
        count = int.from_bytes(data[len(MAGIC) : at], "little")
        lengths = np.frombuffer(data, dtype=_LENGTH, count=2 * count, offset=at).tolist()
        at += _LENGTH.itemsize * 2 * count
        values = []
        for numerator, denominator in zip(lengths[::2], lengths[1::2], strict=True):
            middle, end = at + numerator, at + numerator + denominator
            values.append(from_bytes(data[at:middle], data[middle:end]))
            at = end
        return values


def path_of(cards: int, objective: Objective, store: Path | str | None) -> Path:
    """The folder of an exact table."""
    return exact_table_path(default_store() if store is None else Path(store), cards, objective)
