"""The study of parity: shares by hand, claims that a table breaks, and verdicts."""

from itertools import permutations
from statistics import mean

import numpy as np
import pytest
from fixtures import Made, Tablebases
from study import picked

from goofspiel.render.first_moves import FirstMove, first_move
from goofspiel.rules import Objective, Rules
from goofspiel.studies.parity import Parity, _survival


def test_shares_of_parity_by_hand(made: Made) -> None:
    # From the paper's table of five cards, four digits: the bids of the upcard's parity, added up.
    by_hand = [0.0470 + 0.1203, 0.0770, 0.1182, 0.0735 + 0.2043, 0.1123 + 0.8636]
    rows = picked(made("parity", cards=range(1, 9)), objective="points", cards=5)
    assert [row["upcard"] for row in rows] == [1, 2, 3, 4, 5]
    assert [row["same_parity"] for row in rows] == pytest.approx(by_hand, abs=3 * 0.51e-4)
    assert [row["more_than_double"] for row in rows] == pytest.approx([0.1203, 0, 0, 0, 0], abs=0.51e-4)
    # Above 3N/4 are 4 and 5; below N/2 and of the other parity are 1 and 2.
    assert [row["low_other_parity"] for row in rows][3:] == pytest.approx([0.1226, 0.0241], abs=0.51e-4)
    assert [row["low_other_parity"] for row in rows][:3] == [None] * 3


def test_the_highest_upcard_never_gets_the_next_two_cards(made: Made) -> None:
    rows = [row for row in made("parity", cards=range(1, 9)).data.records() if row["upcard"] == row["cards"]]
    assert [(row["objective"], row["cards"]) for row in rows] == [(o, n) for o in Objective for n in range(5, 9)]
    assert all(row["next_two"] == 0 for row in rows)


def test_claims_are_judged_by_the_table(tablebase: Tablebases) -> None:
    found = first_move(tablebase(6))
    good = Parity(found)
    assert good.next_two() == 0
    assert good.favoured() == (2, 2)
    assert [(upcard, bid) for upcard, bid, _ in good.exceptions()] == [(5, 2)]
    turned = found.probability.copy()
    turned[:, 5] = [0.1, 0.1, 0.2, 0.3, 0.2, 0.1]  # on the 6: 1 and 3 where it should be 2
    turned[:, 4] = [0, 0, 0.2, 0, 0.8, 0]
    bad = Parity(FirstMove(Rules(6), turned, found.unique, 0.0))
    assert bad.next_two() == pytest.approx(0.5)
    assert bad.favoured() == (0, 2)
    assert {(upcard, bid) for upcard, bid, _ in bad.exceptions()} == {(6, 1)}
    assert bad.same_parity()[4] == pytest.approx(1)
    assert bad.same_parity()[5] == pytest.approx(0.5)


def test_verdicts_of_parity(made: Made) -> None:
    verdicts = made("parity", cards=range(1, 9)).verdicts
    assert sum("N−1 or N−2: holds for 5 to 8 cards" in verdict for verdict in verdicts) == 2
    assert any(
        "points: a high upcard gets no low bid" in verdict and "fails for 5 to 8" in verdict for verdict in verdicts
    )
    assert verdicts[-1].startswith("Parity survives when both play to win")
    assert "shuffled over the bids: 0.7" in verdicts[-1]


def test_shuffled_is_the_mean_over_all_orders(tablebase: Tablebases) -> None:
    found = first_move(tablebase(5))
    for column, sampled in zip(found.probability.T.tolist(), Parity(found).shuffled(), strict=True):
        used = column[: max(bid for bid, p in enumerate(column) if p > 0) + 1]
        shares = [sum(order[::2]) for order in permutations(used)]
        assert sampled == pytest.approx(mean(max(share, 1 - share) for share in shares), abs=0.02)
        assert sampled >= 0.5


def test_parity_fades_where_all_bids_are_alike(tablebase: Tablebases) -> None:
    points = Parity(first_move(tablebase(8)))
    win = Parity(FirstMove(Rules(8, objective=Objective.WIN), np.full((8, 8), 1 / 8), points.table.unique, 0.0))
    assert _survival([points], [win])[0].startswith("Parity fades")
    assert _survival([points], [points])[0].startswith("Parity survives")
