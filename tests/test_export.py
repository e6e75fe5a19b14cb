"""Data for learners: every position once, what is written is what the tablebase says, whatever the format."""

import json
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from answers import with_upcard
from command import PATIENCE, start, the_json
from fixtures import Call

import goofspiel as gs
from goofspiel.batch import PositionBatch
from goofspiel.errors import OptionError
from goofspiel.interop import dataset
from goofspiel.interop.dataset import COLUMNS, export
from goofspiel.rules import Rules
from goofspiel.tablebase.enumeration import LevelPositions

RULES = ["5", "4 win", "4 carry", "4 win carry", "4 prizes=1,1,2,5", "5 order=descending rounds=3"]

TELLS_ITS_PEAK = (
    sys.executable,
    "-c",
    "from goofspiel.cli import main\n"
    "from goofspiel.solver import peak_memory\n"
    "assert main() == 0\n"
    "print(peak_memory())",
)


def keys_of(batch: PositionBatch) -> list[str]:
    return [str(batch.position(which)) for which in range(len(batch))]


@pytest.mark.parametrize("text", RULES)
def test_every_position_has_one_number(text: str) -> None:
    rules, tablebase = Rules.parse(text), gs.open_tablebase(text)
    for level in range(rules.last_level + 1, rules.cards + 1):
        positions = tablebase.positions(level)
        found = keys_of(positions[:])
        assert len(found) == len(set(found)) == len(positions)
        for key in found[:: max(1, len(found) // 40)]:
            assert tablebase.holds(gs.Position(key, rules))
        some = np.arange(0, len(positions), 3)
        assert keys_of(positions.some(some)) == found[::3]


def test_all_games_of_points_are_there() -> None:
    """Each matchup of a level with each prize set and upcard; and equal hands, which no table holds."""
    layout = gs.open_tablebase(6)._table.layout
    for level in layout.levels:
        equal = level.space.rows * level.level
        assert len(LevelPositions(Rules(6), level.level)) == level.games + equal
    openings = {str(gs.Position.start(6, upcard)) for upcard in range(1, 7)}
    assert set(keys_of(LevelPositions(Rules(6), 6)[:])) == openings


def test_numbers_that_are_none() -> None:
    with pytest.raises(IndexError, match="levels are 1 to 4, not 5"):
        LevelPositions(Rules(4), 5)
    with pytest.raises(IndexError, match="positions are 0 to"):
        LevelPositions(Rules(4), 2).some(np.array([10**6]))


def rows_of(folder: Path) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]]:
    parts = [np.load(path) for path in sorted(folder.glob("*.npz"))]
    return {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}


@pytest.mark.parametrize("text", RULES)
@pytest.mark.parametrize(("which", "count"), [("all", None), ("uniform", 50), ("play", 12)])
def test_what_is_written_is_what_the_tablebase_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, which: str, count: int | None
) -> None:
    monkeypatch.setattr(dataset, "ROWS", 64)
    monkeypatch.setattr(dataset, "AT_ONCE", 40)
    rules, tablebase = Rules.parse(text), gs.open_tablebase(text)
    index = export(tablebase, tmp_path / "out", which=which, count=count, seed=3)
    rows = rows_of(tmp_path / "out")
    assert index["rows"] == len(rows["value"]) > 0
    if which == "all":
        levels = range(rules.last_level + 1, rules.cards + 1)
        assert index["rows"] == sum(len(tablebase.positions(level)) for level in levels)
    else:
        assert index["rows"] == (count or 0) * (rules.rounds if which == "play" else 1)
    assert index == json.loads((tmp_path / "out/index.json").read_text(encoding="utf-8"))
    assert sum(file["rows"] for file in index["files"]) == index["rows"]
    for file in index["files"]:
        assert sha256((tmp_path / "out" / file["file"]).read_bytes()).hexdigest() == file["sha256"]
    for at in np.random.default_rng(1).integers(index["rows"], size=15).tolist():
        row = {name: column[at] for name, column in rows.items()}
        hands = [[c + 1 for c in range(rules.cards) if int(row[side]) >> c & 1] for side in ("mine", "theirs")]
        deck = [prize for place, prize in enumerate(rules.prizes) if int(row["deck"]) >> place & 1]
        upcard, lead, pot = (int(row[name]) for name in ("upcard", "lead", "pot"))
        position = gs.Position.of(hands[0], hands[1], deck, upcard, lead=lead, pot=pot, rules=rules)
        answer = with_upcard(tablebase.probe(position))
        assert float(row["value"]) == pytest.approx(answer.value, abs=1e-9)
        for name in ("my_mix", "their_mix"):
            assert np.sum(row[name]) == pytest.approx(1, abs=1e-6)
        assert np.flatnonzero(~np.isnan(row["regret"])).tolist() == [card - 1 for card in hands[0]]


@pytest.mark.parametrize(("form", "least"), [("npz", 200), ("parquet", 300)])
@pytest.mark.parametrize(("which", "count"), [("--positions", "200000"), ("--games", "20000")])
def test_no_more_memory_is_used_than_asked_for(
    store: Path, tmp_path: Path, form: str, least: int, which: str, count: str
) -> None:
    """What is written is the same, in smaller files; with all the memory it wants it uses more."""
    gs.open_tablebase(9)
    rows, peaks = [], []
    for memory in (f"{least}MiB", "2GiB"):
        words = ["export", str(tmp_path / memory), "--cards", "9", which, count, "--format", form, "--quiet"]
        words += ["--memory", memory]
        said, error = start(*words, store=store, program=TELLS_ITS_PEAK).communicate(timeout=PATIENCE)
        assert error == ""
        peaks.append(int(said.split()[-1]))
        parts = sorted((tmp_path / memory).glob(f"*.{form}"))
        rows.append(_values_of(parts))
        assert len(parts) > 1 or memory == "2GiB"
    assert peaks[0] <= least << 20
    assert peaks[0] < peaks[1]
    assert np.array_equal(rows[0], rows[1])


def _values_of(parts: list[Path]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    if parts[0].suffix == ".npz":
        return np.concatenate([np.load(part)["value"] for part in parts])
    parquet = pytest.importorskip("pyarrow.parquet")
    return np.concatenate([parquet.read_table(part).column("value").to_numpy() for part in parts])


def test_too_little_memory_is_refused_in_one_line(call: Call, tmp_path: Path) -> None:
    code, _, error = call("export", tmp_path / "out", "--cards", 4, "--memory", "100MiB")
    assert (code, error.count("\n")) == (1, 1)
    assert "an export of '4' takes 16" in error
    assert "not 100.0 MiB" in error
    assert not (tmp_path / "out").exists()


def test_parquet_says_the_same(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    tablebase = gs.open_tablebase(4)
    for form in ("npz", "parquet"):
        export(tablebase, tmp_path / form, form=form)
    table = parquet.read_table(tmp_path / "parquet/part-00000.parquet")
    rows = rows_of(tmp_path / "npz")
    assert table.column("value").to_pylist() == rows["value"].tolist()
    assert table.column("my_mix").to_pylist() == rows["my_mix"].tolist()


def test_the_command(call: Call, tmp_path: Path) -> None:
    said = the_json(call("export", tmp_path / "a", "--cards", 4, "--json", "--positions", 30, "--seed", 5, "--quiet"))
    again = the_json(call("export", tmp_path / "b", "--cards", 4, "--json", "--positions", 30, "--seed", 5, "--quiet"))
    assert (said["rows"], said["rules"]) == (30, "4")
    assert said["files"][0]["rows"] == again["files"][0]["rows"]
    assert (rows_of(tmp_path / "a")["value"] == rows_of(tmp_path / "b")["value"]).all()
    assert "drawn from all that differ" in (tmp_path / "a/README.md").read_text(encoding="utf-8")
    code, _, error = call("export", tmp_path / "a", "--cards", 4)
    assert (code, error.count("\n")) == (1, 1)
    assert "is not empty" in error
    code, _, error = call("export", tmp_path / "c", "--cards", 4, "--positions", 3, "--games", 3)
    assert code == 2
    code, _, told = call("export", tmp_path / "d", "--cards", 4, "--games", 3)
    assert (code, told.splitlines()[-1]) == (0, "writing 100% 12 positions")


def test_options_that_make_no_sense(tmp_path: Path) -> None:
    tablebase = gs.open_tablebase(3)
    for options in ({"which": "some"}, {"form": "xml"}, {"which": "uniform"}, {"count": 3}):
        with pytest.raises(OptionError):
            export(tablebase, tmp_path, **options)
