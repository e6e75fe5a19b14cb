"""The study of ties: what is said of small games, against mixes of slow games in fractions."""

from fractions import Fraction
from functools import cache

import house
import pytest
import reference
from fixtures import Made
from study import ROUNDING, STORED, picked

from goofspiel.rules import Objective, Rules, Ties
from goofspiel.studies.study import as_number

CARDS = (3, 4)


@cache
def first_game(cards: int, objective: Objective, ties: Ties, upcard: int) -> reference.Matrix:
    """What each pair of first bids is worth, mine down."""
    rules = Rules(cards, objective=objective, ties=ties)
    return house.payoff(house.start(rules), upcard, rules)


def optimal(matrix: reference.Matrix) -> reference.Mix | None:
    """The optimal mix of a symmetric game, both sides' own; None where there are several."""
    found = reference.optimal_vertices(matrix)
    return found[0] if len(found) == 1 else None


def slow_row(cards: int, objective: Objective, upcard: int) -> list[Fraction] | None:
    """The numbers of a first round; None where they depend on which mix is found."""
    games = [first_game(cards, objective, ties, upcard) for ties in (Ties.DISCARD, Ties.CARRY)]
    discard, carry = (optimal(game) for game in games)
    if discard is None or carry is None:
        return None
    tie = [sum((p * p for p in mix), Fraction(0)) for mix in (discard, carry)]  # both sides have the same mix
    moved = sum((max(p - q, Fraction(0)) for p, q in zip(discard, carry, strict=True)), Fraction(0))
    earned = [
        sum((p * row[column] for p, row in zip(discard, games[1], strict=True)), Fraction(0)) for column in range(cards)
    ]
    against = sum((p * e for p, e in zip(carry, earned, strict=True)), Fraction(0))
    return [*tie, moved, -against, -min(earned)]  # the value of the game is 0


NUMBERS = ("tie_discarded", "tie_carried", "difference", "discard_mix_gives_up", "discard_mix_gives_up_at_worst")


@pytest.mark.parametrize("objective", Objective)
def test_numbers_of_first_rounds_from_slow_games(made: Made, objective: Objective) -> None:
    study = made("ties", cards=CARDS)
    tolerance = STORED if objective is Objective.WIN else ROUNDING
    compared = []
    for cards in CARDS:
        rows = picked(study, objective=str(objective), cards=cards)
        assert [row["upcard"] for row in rows] == list(range(1, cards + 1))
        for row in rows:
            slow = slow_row(cards, objective, row["upcard"])
            if slow is not None:
                assert [row[name] for name in NUMBERS] == pytest.approx([float(one) for one in slow], abs=tolerance)
                compared.append(slow)
    assert len(compared) >= 5
    assert any(slow[0] != slow[1] and slow[4] > 0 for slow in compared)  # not only where both rules bid alike


def test_the_summary_has_the_means(made: Made) -> None:
    study = made("ties", cards=CARDS)
    assert [(row["objective"], row["cards"]) for row in study.summary.records()] == [
        (str(objective), cards) for objective in Objective for cards in CARDS
    ]
    for row in study.summary.records():
        rows = picked(study, objective=row["objective"], cards=row["cards"])
        for name in NUMBERS:
            mean = sum(as_number(one[name]) for one in rows) / len(rows)
            assert as_number(row[name]) == pytest.approx(mean, abs=ROUNDING)
        rarer = sum(as_number(one["tie_carried"]) < as_number(one["tie_discarded"]) for one in rows)
        assert row["rarer"] == f"{rarer} of {row['cards']}"
        most = max(as_number(one["difference"]) for one in rows)
        assert as_number(rows[int(as_number(row["upcard"])) - 1]["difference"]) == most


def test_verdicts_say_what_the_summary_says(made: Made) -> None:
    study = made("ties", cards=CARDS)
    for objective in Objective:
        last = [row for row in study.summary.records() if row["objective"] == str(objective)][-1]
        (said,) = [line for line in study.verdicts if line.startswith(f"{objective}: with 4 cards")]
        assert f"{as_number(last['tie_carried']):.3f} where ties are carried over" in said
        assert f"{as_number(last['tie_discarded']):.3f} where they are discarded" in said
        (costs,) = [line for line in study.verdicts if line.startswith(f"{objective}: who plays")]
        assert f"gives up {as_number(last['discard_mix_gives_up']):.4f} against an optimal mix" in costs
