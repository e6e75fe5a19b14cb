"""The study of a chip's worth: every definition from real hands, and the estimate."""

import csv
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from statistics import mean

import pytest
import reference
from fixtures import Made
from study import PUBLISHED, ROUNDING, picked

from goofspiel import solve
from goofspiel.studies.chip import DEFINITIONS, _departure, estimate, follows, openings_missing, study_chip
from goofspiel.studies.request import Request
from goofspiel.studies.study import Cell, as_number


def worth(mine: Iterable[int], theirs: Iterable[int], prizes: Iterable[int]) -> Fraction:
    return reference.value(tuple(mine), tuple(theirs), tuple(prizes))


def slow_chip(cards: int) -> tuple[dict[str, Fraction], dict[str, dict[int, Fraction]]]:
    """Every definition from real hands, in fractions: (whole, by level)."""
    by_level: dict[str, dict[int, Fraction]] = {name: {} for name in ("raised", "ahead", "slope")}
    sums = {name: [Fraction(0), Fraction(0)] for name in by_level}
    everything = range(1, cards + 1)
    for level in range(1, cards):
        hands = list(combinations(everything, level))
        raised, ahead, products, squares = [], [], Fraction(0), 0
        for prizes in hands:
            for mine in hands:
                for card in mine:
                    if card + 1 <= cards and card + 1 not in mine:
                        raised.append(worth(sorted({*mine, card + 1} - {card}), mine, prizes))
                for theirs in hands:
                    more = sum(mine) - sum(theirs)
                    value = worth(mine, theirs, prizes)
                    ahead += [value] if more == 1 else []
                    products += more * value
                    squares += more * more
        for name, total, weight in (
            ("raised", sum(raised, Fraction(0)), len(raised)),
            ("ahead", sum(ahead, Fraction(0)), len(ahead)),
            ("slope", products, squares),
        ):
            by_level[name][level] = total / weight
            sums[name] = [sums[name][0] + total, sums[name][1] + weight]
    return {name: total / weight for name, (total, weight) in sums.items()}, by_level


@pytest.mark.parametrize("cards", [2, 3, 4])
def test_chips_of_whole_levels_from_real_hands(made: Made, cards: int) -> None:
    whole, by_level = slow_chip(cards)
    study = made("chip", cards=range(1, 6))
    for name, value in whole.items():
        (row,) = picked(study, definition=name, cards=cards, level=None)
        assert row["value"] == pytest.approx(float(value), abs=ROUNDING)
        for level, one in by_level[name].items():
            (row,) = picked(study, definition=name, cards=cards, level=level)
            assert row["value"] == pytest.approx(float(one), abs=ROUNDING)


@pytest.mark.parametrize("cards", [2, 3])
def test_chips_of_the_opening_from_real_hands(made: Made, cards: int) -> None:
    everything = range(1, cards + 1)
    doubled = [2 * card for card in everything]  # room for half a rank
    raised = [
        worth(sorted(card + (card == doubled[place]) for card in doubled), doubled, everything)
        for place in range(cards)
    ]
    after = [
        worth([c for c in everything if c != low], [c for c in everything if c != low + 1], prizes)
        for low in range(1, cards)
        for prizes in combinations(everything, cards - 1)
    ]
    expected = {
        "opening": mean(raised),
        "top": raised[-1],
        "shift": worth(range(2, cards + 2), everything, everything) / cards,
        "after": mean(after),
    }
    study = made("chip", cards=range(1, 6))
    for name, value in expected.items():
        (row,) = picked(study, definition=name, cards=cards, level=None)
        assert row["value"] == pytest.approx(float(value), abs=ROUNDING), name


def distances(row: dict[str, Cell]) -> dict[str, float]:
    """How far each definition is from the estimate."""
    return {name: abs(as_number(row[name]) - as_number(row["estimate"])) for name in DEFINITIONS}


def test_the_estimate_and_which_comes_closest(made: Made) -> None:
    study = made("chip", cards=range(1, 6))
    assert {row["definition"] for row in study.data.records()} == set(DEFINITIONS)
    for row in study.summary.records():
        assert row["estimate"] == pytest.approx(1 + 1 / (2 * as_number(row["cards"]) - 2))
        off = distances(row)
        assert off[str(row["closest"])] == min(off.values())
    assert study.verdicts[0].startswith("'after' follows the estimate")
    assert study.verdicts[1].startswith("Closest to the estimate is 'after'")
    before, last = map(distances, study.summary.records()[-2:])
    assert "From the last number of cards but one to the last, only" in study.verdicts[3]
    for name in DEFINITIONS:
        assert (f"'{name}'" in study.verdicts[3]) == (last[name] < before[name])


def test_what_follows_the_estimate() -> None:
    exactly = {cards: estimate(cards) for cards in range(2, 9)}
    assert follows(exactly)
    assert follows(exactly | {2: 7.0})  # only the end counts
    assert follows({cards: 1 + 1.9 * (value - 1) for cards, value in exactly.items()})
    assert not follows({cards: 1 + 2.1 * (value - 1) for cards, value in exactly.items()})
    assert not follows(exactly | {8: 1.0})


def test_how_the_closest_leaves_the_estimate() -> None:
    # The published numbers: above 1 and near at first, below 1 at the end.
    with (PUBLISHED / "chip.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["definition"] == "after" and not row["level"]]
    values = {int(row["cards"]): float(row["value"]) for row in rows}
    below = min(cards for cards, value in values.items() if value < 1)
    assert f"it falls below 1, where the estimate never is, from {below} cards on" in _departure(values)
    assert not _departure({cards: estimate(cards) for cards in range(2, 9)})


def test_a_table_of_which_the_last_level_was_kept(tmp_path: Path) -> None:
    """What follows the first round is there, and the opening of one card less; means over all levels are not."""
    solve(6, store=tmp_path, keep="last")
    found, whole = (study_chip(Request(cards=range(1, 7), store=store)) for store in (tmp_path, None))
    (last, other) = (study.summary.records()[-1] for study in (found, whole))
    assert [name for name in other if last[name] != other[name]] == ["raised", "ahead", "slope"]
    assert [last[name] for name in ("raised", "ahead", "slope")] == [None] * 3
    assert found.summary.records()[:-1] == whole.summary.records()[:-1]
    assert picked(found, cards=6, level=5) == picked(whole, cards=6, level=5)
    assert picked(found, cards=6, level=4) == []
    assert "Of 6 cards only the last level was kept; raised, ahead, slope need all of them." in found.notes
    assert not any("only the last level" in note for note in whole.notes)
    assert any("at R = 5" in verdict for verdict in found.verdicts)  # the largest table that has those levels
    assert any("at R = 6" in verdict for verdict in whole.verdicts)


def test_what_is_said_of_openings_that_no_table_has(tmp_path: Path) -> None:
    assert openings_missing([], tmp_path) == []
    (said,) = openings_missing([14], tmp_path)
    assert said.endswith(f"which is not solved: goofspiel solve 15 --store {tmp_path}")
    said, largest = openings_missing([14, 16], tmp_path)
    assert "goofspiel solve 15" in said
    assert largest == "What an opening of 16 cards is worth with one card raised is in no table: it has one card more."
    assert openings_missing([16], tmp_path) == [largest]
