"""Data for learners: positions with values, mixes and regrets, complete or sampled, in files of equal size."""

import json
from collections.abc import Callable, Iterator
from hashlib import file_digest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goofspiel import __version__
from goofspiel.batch import PositionBatch, deal
from goofspiel.cards import MAX_CARDS
from goofspiel.errors import GoofspielError, OptionError
from goofspiel.players.players import card_at, draw
from goofspiel.solver.plan import size_text
from goofspiel.tablebase import Tablebase
from goofspiel.tablebase.enumeration import LevelPositions

FORMATS = ("npz", "parquet")
WAYS = ("all", "uniform", "play")
ROWS = 1 << 18  # of a file, at most
AT_ONCE = 1 << 15  # positions that are drawn, or asked about, at most
GAMES = 1 << 12  # that are played side by side
MEMORY = 1 << 30  # bytes
BASE_BYTES = {"npz": 160 << 20, "parquet": 256 << 20}  # of Python and what it has loaded, pyarrow among it
LEAST_AT_ONCE = 1 << 9  # positions: fewer are not worth their while

COLUMNS = {
    "mine": "my hand: bit c is card c + 1",
    "theirs": "their hand, likewise",
    "deck": "the prizes not yet turned up: bit k is the k-th prize of the rules, ascending",
    "upcard": "the prize that is up",
    "lead": "my points minus theirs",
    "pot": "prizes of tied rounds that the next winner takes",
    "value": "what the position is worth to me, its lead included",
    "gap": "the proof of both mixes: 0 is perfect",
    "my_mix": "an optimal mix of mine, a probability for each card 1 … cards; 0 for one that I do not hold",
    "their_mix": "an optimal mix of theirs, likewise",
    "regret": "what each of my cards loses against their_mix; not a number for one that I do not hold",
}


def export(
    tablebase: Tablebase,
    folder: Path,
    *,
    which: str = "all",
    count: int | None = None,
    seed: int = 0,
    form: str = "npz",
    memory: int = MEMORY,
    on_progress: Callable[[int, int], None] = lambda done, whole: None,
) -> dict[str, Any]:
    """Write positions to a folder; what its index says.

    - `which`: `all` positions that differ; `uniform`, so many of them drawn, each as likely; or `play`, those of so
      many games that perfect players play against each other.
    - `count`: of positions, or of games.
    - `form`: `npz`, or `parquet`, which needs pyarrow.
    - `memory`: use no more bytes, of which `cache_share` are for the tablebase; with little, files are smaller. What is
      written does not depend on it.
    """
    if which not in WAYS or form not in FORMATS:
        raise OptionError(f"{' or '.join(WAYS)} as {' or '.join(FORMATS)}, not {which!r} as {form!r}")
    if (count is None) != (which == "all"):
        raise OptionError("a count says how many are drawn or played: all are all" if count else "how many?")
    if folder.exists() and any(folder.iterdir()):
        raise OptionError(f"{folder} is not empty")
    at_once, most_rows = _portions(tablebase, memory, form)
    write = _writer(form)
    folder.mkdir(parents=True, exist_ok=True)
    files: list[dict[str, Any]] = []
    kept: list[dict[str, NDArray[Any]]] = []
    rows = 0
    whole, batches = _batches(tablebase, which, count or 0, seed)

    def flush(part: list[dict[str, NDArray[Any]]]) -> None:
        path = folder / f"part-{len(files):05}.{form}"
        write(path, {name: np.concatenate([one[name] for one in part]) for name in COLUMNS})
        files.append({"file": path.name, "rows": sum(map(_rows, part)), "sha256": _digest(path)})

    for batch in batches:
        for start in range(0, len(batch), at_once):
            kept.append(_columns(tablebase, batch[np.arange(start, min(start + at_once, len(batch)))]))
            rows += _rows(kept[-1])
            if sum(map(_rows, kept)) >= most_rows:
                flush(kept)
                kept = []
            on_progress(rows, whole)
    if kept:
        flush(kept)
    index = {
        "rules": str(tablebase.rules),
        **{"rows": rows, "which": which, "count": count, "seed": None if which == "all" else seed, "format": form},
        **{"goofspiel": __version__, "value_bound": tablebase.bound.value, "columns": COLUMNS, "files": files},
    }
    (folder / "index.json").write_text(json.dumps(index, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "README.md").write_text(_card(index), encoding="utf-8")
    return index


def _batches(tablebase: Tablebase, which: str, count: int, seed: int) -> tuple[int, Iterator[PositionBatch]]:
    """How many positions there are, and the positions."""
    rules, random = tablebase.rules, np.random.default_rng(seed)
    if which == "play":
        return count * rules.rounds, _played(tablebase, count, random)
    levels = [LevelPositions(rules, level) for level in range(rules.last_level + 1, rules.cards + 1)]
    sizes = [len(positions) for positions in levels]
    if which == "all":
        parts = ((positions, start) for positions in levels for start in range(0, len(positions), AT_ONCE))
        return sum(sizes), (positions[start : start + AT_ONCE] for positions, start in parts)
    shares = random.multinomial(count, np.array(sizes) / sum(sizes))
    return count, (
        positions.some(random.integers(size, size=min(AT_ONCE, share - start)))
        for positions, size, share in zip(levels, sizes, shares.tolist(), strict=True)
        for start in range(0, share, AT_ONCE)
    )


def cache_share(memory: int, form: str) -> int:
    """How many of so many bytes a tablebase may keep of what it read."""
    return max(memory - BASE_BYTES[form], 0) // 4


def _portions(tablebase: Tablebase, memory: int, form: str) -> tuple[int, int]:
    """How many positions are asked about at once, and how many rows a file has at least, except for the last."""
    cards = tablebase.rules.cards
    position = 8 * (6 * cards * cards + 24 * MAX_CARDS)  # bytes at work: payoffs several times, answers by card
    row = 5 * (28 + 12 * cards)  # bytes in a file, and while it is written
    left = memory - BASE_BYTES[form] - cache_share(memory, form)
    least = BASE_BYTES[form] + LEAST_AT_ONCE * (position + row) * 8 // 3
    if memory < least:
        raise OptionError(f"an export of {str(tablebase.rules)!r} takes {size_text(least)}, not {size_text(memory)}")
    return min(AT_ONCE, left // 2 // position), max(min(ROWS, left // 2 // row), 1)


def _played(tablebase: Tablebase, games: int, random: np.random.Generator) -> Iterator[PositionBatch]:
    """The positions of games between perfect players, round by round, as the first of them sees them."""
    rules = tablebase.rules
    for start in range(0, games, GAMES):
        count = min(GAMES, games - start)
        decks = deal(rules, count, random)
        batch = PositionBatch.start(count, rules)
        for number in range(rules.rounds):
            batch = batch.turn_up(decks[:, number])
            yield batch
            solved = tablebase.solve_rounds(batch)
            bids = [
                card_at(hand, draw(mix, random.random(count)))
                for hand, mix in ((batch.mine, solved.mine), (batch.theirs, solved.theirs))
            ]
            batch = batch.play(bids[0], bids[1], carry=rules.has_pots)


def _columns(tablebase: Tablebase, batch: PositionBatch) -> dict[str, NDArray[Any]]:
    found, cards = tablebase.probe_many(batch), tablebase.rules.cards
    shown = {name: getattr(batch, name).astype(np.int16) for name in ("upcard", "lead", "pot")}
    hands = {name: getattr(batch, name) for name in ("mine", "theirs", "deck")}
    by_card = {"my_mix": found.mine, "their_mix": found.theirs, "regret": found.regret}
    narrow = {name: values[:, :cards].astype(np.float32) for name, values in by_card.items()}
    return hands | shown | {"value": found.value, "gap": found.gap} | narrow


def _rows(part: dict[str, NDArray[Any]]) -> int:
    return len(part["value"])


def _writer(form: str) -> Callable[[Path, dict[str, NDArray[Any]]], None]:
    if form == "npz":
        return lambda path, columns: np.savez(path, **columns)  # type: ignore[arg-type]
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise GoofspielError("parquet needs pyarrow: pip install pyarrow, or write npz") from None

    def write(path: Path, columns: dict[str, NDArray[Any]]) -> None:
        arrays = {
            name: pyarrow.array(of) if of.ndim == 1 else pyarrow.FixedSizeListArray.from_arrays(of.ravel(), of.shape[1])
            for name, of in columns.items()
        }
        pyarrow.parquet.write_table(pyarrow.table(arrays), path)

    return write


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _card(index: dict[str, Any]) -> str:
    """The data card."""
    how = {
        "all": "All positions that show an upcard and differ: hands whose cards are in the same order are one, and so "
        "are a position and the same seen from the other side.",
        "uniform": f"{index['count']:,} positions" if index["count"] else "",
        "play": f"The positions of {index['count']:,} games between perfect players" if index["count"] else "",
    }[index["which"]]
    if index["which"] != "all":
        drawn = ", drawn from all that differ, each as likely"
        how += f"{drawn if index['which'] == 'uniform' else ', as the first sees them'}; seed {index['seed']}."
    lines = [f"# Goofspiel, solved: {index['rows']:,} positions of the rules `{index['rules']}`", "", how, ""]
    bound, version = index["value_bound"], index["goofspiel"]
    lines += [f"Every value is within {bound:.2g} of the true one. Made by goofspiel {version}."]
    lines += ["", "| column | meaning |", "| --- | --- |"]
    lines += [f"| `{name}` | {meaning} |" for name, meaning in COLUMNS.items()]
    return "\n".join(lines) + "\n"
