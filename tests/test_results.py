"""The pages of results: they say what the committed csv files say, and refuse to mix a table with another's solve."""

import importlib
import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from fixtures import Tablebases

from goofspiel.hidden.one_sided import worth_of_seeing
from goofspiel.render.first_moves import first_move
from goofspiel.rules import Objective
from goofspiel.tablebase import Tablebase

if TYPE_CHECKING:
    from solved import Results

ROOT = Path(__file__).parent.parent
DOCS, RESULTS = ROOT / "docs", ROOT / "docs/results"
sys.path += [str(DOCS), str(RESULTS)]
solved, points, win, generate = map(importlib.import_module, ("solved", "points", "win", "generate"))
PAGES = {Objective.POINTS: points, Objective.WIN: win}
BOTH = pytest.mark.parametrize("objective", list(Objective))


@BOTH
def test_pages_are_current(objective: Objective) -> None:
    page = (RESULTS / f"{objective}.md").read_text(encoding="utf-8")
    assert PAGES[objective].page(solved.Results(objective)) == page, f"run: python docs/results/{objective}.py"


@BOTH
def test_every_first_move_has_its_command_its_bound_and_its_uniqueness(objective: Objective) -> None:
    results = solved.Results(objective)
    page = (RESULTS / f"{objective}.md").read_text(encoding="utf-8")
    assert results.cards[:12] == list(range(2, 14))
    for cards in results.cards:
        section = " ".join(page.partition(f"\n## {cards} cards\n")[2].partition("\n## ")[0].split())
        assert f"`goofspiel table {cards}{results.option}`; from {objective}-{cards}, every value within " in section
        assert "unique" in section
        assert f"]({objective}/first-move-{cards}.csv)" in section


@BOTH
def test_written_mixes_are_mixes(objective: Objective) -> None:
    results = solved.Results(objective)
    for cards in results.cards:
        table = results.read_table(cards)
        assert table.shape == (cards, cards)
        assert table.min() >= 0
        assert table.sum(axis=0) == pytest.approx(np.ones(cards), abs=1e-12)


@BOTH
@pytest.mark.parametrize("cards", [3, 4, 5, 6])
def test_written_tables_are_those_of_a_table_solved_now(
    tablebase: Tablebases, objective: Objective, cards: int
) -> None:
    found, written = first_move(tablebase(cards, objective=objective)), solved.Results(objective).read_first_move(cards)
    assert written.unique == found.unique
    assert written.probability == pytest.approx(found.probability, abs=1e-9 if objective == Objective.POINTS else 1e-5)


def test_the_mixes_of_large_tables_are_as_unique_as_is_written(table13: Tablebase, win10: Tablebase) -> None:
    for table in (table13, win10):
        found, written = first_move(table), solved.Results(table.objective).read_first_move(table.cards)
        assert written.unique == found.unique == (True,) * table.cards
        assert written.probability == pytest.approx(found.probability, abs=1e-9 if table is table13 else 1e-5)


def record(results: "Results", cards: int, bound: float) -> None:
    """A folder with one recorded solve."""
    results.folder.mkdir(exist_ok=True)
    run = dict.fromkeys(solved.RUN_COLUMNS, "0") | {"cards": str(cards), "value_bound": repr(bound)}
    solved.write_csv(results.folder / "runs.csv", solved.RUN_COLUMNS, [run])


@BOTH
def test_a_table_and_its_recorded_solve_must_agree(
    tablebase: Tablebases,
    objective: Objective,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    results = solved.Results(objective, tmp_path)
    monkeypatch.setattr(solved, "is_complete", lambda rules: rules.cards == 4)
    bound = tablebase(4, objective=objective).bound.value

    with pytest.raises(SystemExit, match=f"has no solve of {objective}-4: goofspiel solve 4") as missing:
        results.update([])
    record(results, 4, 2 * bound)
    with pytest.raises(
        SystemExit, match=rf"{objective}-4 has every value within {bound!r}, .*says {2 * bound!r}"
    ) as other:
        results.update([])
    for refusal in (missing, other):
        assert "\n" not in str(refusal.value)
    assert results.cards == []

    record(results, 4, bound)
    results.update([])
    assert results.cards == [4]
    assert results.bound(4) == bound
    assert list(results.read_mixes()) == [4]
    said = capsys.readouterr().err.splitlines()
    assert [line.partition(" ")[0] for line in said] == [f"{objective}-{cards}" for cards in range(2, 14) if cards != 4]
    assert all("the page lacks it; to solve it: goofspiel solve" in line for line in said)

    monkeypatch.setattr(solved, "is_complete", lambda rules: False)
    results.update([])
    assert f"{objective}-4 is not solved in" in capsys.readouterr().err
    assert results.cards == [4]


def test_what_was_not_looked_at_is_not_called_unique(tmp_path: Path) -> None:
    shutil.copytree(RESULTS / "points", tmp_path / "points")
    results = solved.Results(Objective.POINTS, tmp_path)
    assert "every mix is unique" in " ".join(results.table_lines(5))
    assert "the mix on 2 is one of several" in " ".join(results.table_lines(3))
    mixes = results.read_mixes()
    for unknown, said, unique in (
        (
            "1 4",
            "whether the mix on 1, 4 is unique is not decided, all others are unique",
            (None, True, True, None, True),
        ),
        ("1 2 3 4 5", "whether the mixes are unique is not decided; gaps", (None,) * 5),
    ):
        mixes[5]["not_decided"] = unknown
        solved.write_csv(tmp_path / "points/mixes.csv", solved.MIX_COLUMNS, list(mixes.values()))
        assert said in " ".join(results.table_lines(5))
        assert results.read_first_move(5).unique == unique
    (tmp_path / "points/mixes.csv").unlink()
    assert "every mix is unique" not in " ".join(results.table_lines(5))
    assert results.read_first_move(5).unique == (None,) * 5


def test_what_a_table_cannot_tell_is_not_decided(
    tablebase: Tablebases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = solved.Results(Objective.WIN, tmp_path)
    found = solved.first_move_of(results.rules(4))
    record(results, 4, tablebase(4, objective="win").bound.value)
    monkeypatch.setattr(solved, "is_complete", lambda rules: rules.cards == 4)
    monkeypatch.setattr(solved, "first_move_of", lambda *_: replace(found, unique=(True, None, False, True)))
    results.update([])
    assert results.read_first_move(4).unique == (True, None, False, True)


def test_the_paper_s_table_beside_ours(tmp_path: Path) -> None:
    cells = points.paper_cells(solved.Results(Objective.POINTS))
    assert len({(cell.upcard, cell.bid) for cell in cells}) == len(cells) == 13 * 13
    others = [cell for cell in cells if not cell.agrees]
    assert all(abs(cell.here - float(cell.printed)) < 0.001 for cell in others)  # one unit of the last digit
    page = (RESULTS / "points.md").read_text(encoding="utf-8")
    section = page.partition("\n## The paper's table of 13 cards\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (\d+) \| (\d+) \| (\S+) \|", section, re.MULTILINE)
    assert rows == [(str(cell.upcard), str(cell.bid), cell.printed) for cell in sorted(others)]
    assert "prints .088" in (ROOT / "tests/data/first_moves.txt").read_text(encoding="utf-8")
    assert ("5", "4", ".088") in rows  # the number of the paper, not the one that the tests correct it to

    shutil.copytree(RESULTS / "points", tmp_path / "points")
    file = tmp_path / "points/first-move-13.csv"
    file.write_text(re.sub(r"^13,0\.0,", "13,0.1,", file.read_text(), flags=re.MULTILINE))
    moved = {cell[:2] for cell in points.paper_cells(solved.Results(Objective.POINTS, tmp_path)) if not cell.agrees}
    assert moved == {cell[:2] for cell in others} | {(1, 13)}


def test_generated_numbers_within_a_line() -> None:
    text = "solved <!-- generated: solved points -->0<!-- end --> and <!-- generated: bound win 13 -->0<!-- end -->."
    most = max(int(run["cards"]) for run in solved.Results(Objective.POINTS).read_runs())
    bound = solved.Results(Objective.WIN).bound(13)
    found = re.fullmatch(
        r"solved <!--[^>]+-->(\d+)<!-- end --> and <!--[^>]+-->(.+)·10(.+)<!-- end -->\.", generate.current(text)
    )
    assert found
    assert int(found[1]) == most
    power = int(found[3].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))
    assert float(found[2]) * 10**power == pytest.approx(bound, rel=0.05)


@BOTH
def test_measured_times_are_those_of_the_runs(objective: Objective) -> None:
    runs = {int(run["cards"]): run for run in solved.Results(objective).read_runs()}
    for line in generate.PARTS["forecast"](str(objective)).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells[0].isdigit():
            run = runs.get(int(cells[0]))
            assert (cells[-1] == "") is (run is None)
            if run:
                assert float(cells[-1].partition(" ")[0].replace(",", "")) == pytest.approx(
                    float(run["cpu_seconds"]), abs=0.06
                )
                assert ("blocks" in cells[-2]) is (run["blocks_found"] != "0")


def test_digits_of_the_first_bid_are_those_of_the_exact_page() -> None:
    said = re.search(r"five cards needs up to (\d+) digits", (DOCS / "why/exactness.md").read_text(encoding="utf-8"))
    assert said
    exact = (RESULTS / "exact.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| 5 \|.*\b{said[1]} digits", exact, re.MULTILINE)


def test_make_results_makes_everything() -> None:
    target = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nresults:")[2].partition("\n\n")[0]
    scripts = {path.stem for path in RESULTS.glob("*.py") if "__main__" in path.read_text(encoding="utf-8")}
    made = re.search(r"for script in ([\w ]+);", target)
    assert made
    assert set(made[1].split()) == scripts
    assert "--figure docs/images/first-move-13.png" in target
    assert target.rstrip().endswith("docs/generate.py"), "what is generated from the results comes after them"


def test_what_seeing_is_worth_is_what_is_found_now() -> None:
    """Of the games that take a second, and on the page as it is kept."""
    hidden = importlib.import_module("hidden")
    kept = json.loads((RESULTS / "hidden-seeing.json").read_text(encoding="utf-8"))
    page = (RESULTS / "hidden.md").read_text(encoding="utf-8")
    assert "\n".join(hidden.seeing_lines(kept)) in page, "run: python docs/results/hidden.py"
    for one in kept:
        assert -1e-9 <= one["high"] - one["low"] <= 5e-3
        if one["rules"][0] in "34":
            now = worth_of_seeing(one["rules"])
            assert (one["low"], one["high"]) == pytest.approx((now.low, now.high), abs=1e-9)
