"""Policies on disk: a folder with a header, the mixes of all information sets, and while it is solved a checkpoint.

Format 1. `header.json` says format, rules, solver (version), method, iterations, and the gap, which is null until the
policy is proved. `mixes` and `checkpoint` are files of numbers, little-endian: a magic word of 16 bytes, the first 16
bytes of the sha256 of the rules, the iterations done and how many numbers there are, 8 bytes each; then the numbers, in
double precision; a crc32c of all that. `mixes` has a number for each sequence, in the order of `sets`, then as many
again: what the sequence gains when both follow the mixes, times how likely the other and chance come there.
`checkpoint` has regrets and predictions of one learner, then of the other, and the average plan. A file that exists is
whole.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from struct import Struct
from typing import Any

import google_crc32c
import numpy as np

from goofspiel.arrays import Floats
from goofspiel.errors import DamagedTableError, MissingTableError, RulesError, TableVersionError
from goofspiel.hidden.sets import InformationSets, information_sets
from goofspiel.rules import Bids, Rules
from goofspiel.store.locations import file_bytes, read_whole, written_whole
from goofspiel.store.paths import policy_path, solve_command

FORMAT = 1
MAGIC = b"GOOFSPIELHIDDEN1"
_HEAD = Struct("<16s16sQQ")  # magic word, rules, iterations, numbers
_CHECKSUM_BYTES = 4
_KINDS: Mapping[str, Any] = {
    "format": int,
    "rules": str,
    "solver": str,
    "method": str,
    "iterations": int,
    "gap": (float, type(None)),
}


@dataclass(frozen=True)
class PolicyHeader:
    """What a policy says of itself."""

    rules: Rules
    solver: str
    method: str
    """`LP`, or how regrets were matched."""
    iterations: int
    gap: float | None
    """What best replies to both sides gain; None until it is proved."""

    @property
    def complete(self) -> bool:
        """Whether it is solved."""
        return self.gap is not None


@dataclass(frozen=True, eq=False)
class HiddenPolicy:
    """A mix for every information set of a game with hidden bids, and the proof of how good it is."""

    header: PolicyHeader
    mixes: Floats
    """[sequence]"""
    values: Floats
    """[sequence]: what it gains when both follow the mixes, times how likely the other and chance come there."""
    path: Path | None = None

    @property
    def rules(self) -> Rules:
        """Which game it is of."""
        return self.header.rules

    @property
    def gap(self) -> float:
        """What best replies to both sides gain: 0 is perfect."""
        assert self.header.gap is not None
        return self.header.gap

    @property
    def sets(self) -> InformationSets:
        """The information sets of the game."""
        return information_sets(self.rules)

    def __repr__(self) -> str:
        return f"HiddenPolicy({str(self.rules)!r}, gap={self.header.gap})"


def check_hidden_bids(rules: Rules) -> Rules:
    """The rules, if bids stay hidden."""
    if rules.bids is not Bids.HIDDEN:
        raise RulesError(f"bids are open in {str(rules)!r}: it has a table, and no policy")
    return rules


def read_header(path: Path, rules: Rules | None = None) -> PolicyHeader:
    """What the policy in a folder says of itself, checked to be the one that is asked for."""
    file = path / "header.json"
    try:
        fields = json.loads(read_whole(file))
    except (FileNotFoundError, NotADirectoryError):
        raise MissingTableError(f"there is no policy {path}") from None
    except ValueError as error:
        raise DamagedTableError(f"{file} is damaged: {error}") from None
    if isinstance(fields, dict) and isinstance(version := fields.get("format"), int) and version > FORMAT:
        raise TableVersionError(f"{path} has format {version}, this version of goofspiel reads up to {FORMAT}")
    if not isinstance(fields, dict) or fields.keys() != _KINDS.keys():
        raise DamagedTableError(f"{file} has a damaged header: {str(fields)[:80]}")
    if not all(isinstance(fields[name], kind) for name, kind in _KINDS.items()):
        raise DamagedTableError(f"{file} has a damaged header: {fields!r}")
    del fields["format"]
    try:
        header = PolicyHeader(**fields | {"rules": Rules.parse(fields["rules"])})
    except RulesError as error:
        raise DamagedTableError(f"{file} is damaged: {error}") from None
    if header.rules != (rules or header.rules) or policy_path(path.parent, header.rules) != path:
        raise DamagedTableError(f"{path} holds the policy of another game: {str(header.rules)!r}")
    return header


def write_header(path: Path, header: PolicyHeader) -> None:
    """Keep what a policy says of itself."""
    fields = {name: getattr(header, name) for name in _KINDS if name != "format"}
    with written_whole(path / "header.json", sync=True) as file:
        file.write(json.dumps({"format": FORMAT} | fields | {"rules": str(header.rules)}, indent=2).encode())


def write_policy(path: Path, policy: HiddenPolicy) -> None:
    """Keep a policy: its mixes, then the header that says that they are proved; a checkpoint is not needed any more."""
    _write_numbers(path / "mixes", policy.rules, policy.header.iterations, [policy.mixes, policy.values])
    write_header(path, policy.header)
    (path / "checkpoint").unlink(missing_ok=True)


def read_policy(path: Path, rules: Rules | None = None) -> HiddenPolicy:
    """The policy in a folder."""
    header = read_header(path, rules)
    if not header.complete:
        raise MissingTableError(f"{path} is partly solved: {resume_command(path, header.rules)} goes on with it")
    count = information_sets(header.rules).sequences
    _, numbers = _read_numbers(path / "mixes", header.rules, 2 * count)
    return HiddenPolicy(header, numbers[:count], numbers[count:], path)


def resume_command(path: Path, rules: Rules) -> str:
    """The command that goes on with a policy."""
    return solve_command(rules, path.parent, resume=True)


def write_checkpoint(path: Path, rules: Rules, iterations: int, arrays: list[Floats]) -> None:
    """Keep how far a solve is."""
    _write_numbers(path / "checkpoint", rules, iterations, arrays)


def read_checkpoint(path: Path, rules: Rules, count: int) -> tuple[int, Floats] | None:
    """How far a solve is, and its numbers; None when it has not begun."""
    if file_bytes(path / "checkpoint") is None:
        return None
    return _read_numbers(path / "checkpoint", rules, count)


def policy_bytes(path: Path) -> int:
    """What a policy takes on disk."""
    return sum(file_bytes(path / name) or 0 for name in ("header.json", "mixes", "checkpoint"))


def _write_numbers(path: Path, rules: Rules, iterations: int, arrays: list[Floats]) -> None:
    checksum = 0
    with written_whole(path, sync=True) as file:
        for part in (_head(rules, iterations, sum(one.size for one in arrays)), *arrays):
            raw = part if isinstance(part, bytes) else np.ascontiguousarray(part, dtype="<f8").tobytes()
            checksum = google_crc32c.extend(checksum, raw)
            file.write(raw)
        file.write(checksum.to_bytes(_CHECKSUM_BYTES, "little"))


def _read_numbers(path: Path, rules: Rules, count: int) -> tuple[int, Floats]:
    try:
        raw = read_whole(path)
    except FileNotFoundError:
        raise DamagedTableError(f"{path} is missing: {_again(path, rules)}") from None
    data = raw[:-_CHECKSUM_BYTES]
    if len(raw) != _HEAD.size + 8 * count + _CHECKSUM_BYTES:
        raise DamagedTableError(f"{path} is damaged, its length is not that of its numbers: {_again(path, rules)}")
    if google_crc32c.value(data).to_bytes(_CHECKSUM_BYTES, "little") != raw[len(data) :]:
        raise DamagedTableError(f"{path} is damaged, its checksum does not match: {_again(path, rules)}")
    iterations = _HEAD.unpack_from(data)[2]
    if data[: _HEAD.size] != _head(rules, iterations, count):
        raise DamagedTableError(f"{path} is of another game than {str(rules)!r}: {_again(path, rules)}")
    return int(iterations), np.frombuffer(data, dtype="<f8", offset=_HEAD.size).copy()


def _again(path: Path, rules: Rules) -> str:
    return f"delete {path.parent}, then {solve_command(rules, path.parent.parent)}"


def _head(rules: Rules, iterations: int, count: int) -> bytes:
    return _HEAD.pack(MAGIC, sha256(str(rules).encode()).digest()[:16], iterations, count)
