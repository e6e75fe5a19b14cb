"""What seeing the other's bids is worth to one side alone: the proof against plain games, two solvers, known values."""

from itertools import permutations

import numpy as np
import pytest
from test_hidden import random_mixes

from goofspiel.arrays import Floats
from goofspiel.errors import ResourceError, RulesError
from goofspiel.hidden import one_sided
from goofspiel.hidden.certificate import best_reply_gain, reply_gain_to_seeing, seeing_reply_gain
from goofspiel.hidden.information import InformationSet
from goofspiel.hidden.one_sided import worth_of_seeing
from goofspiel.hidden.sets import InformationSets, information_sets
from goofspiel.rules import Rules

GAMES = [
    "3 hidden",
    "3 win carry hidden",
    "4 hidden order=descending",
    "4 carry hidden rounds=2",
    "4 win hidden order=2,4,1,3",
]


def seen_by_other(rules: Rules, played: tuple[tuple[int, int, int], ...], prize: int) -> InformationSet:
    """What the one knows who sees only outcomes, after rounds of prize, the other's bid, its own."""
    return InformationSet(rules, tuple((p, b, (b > a) - (b < a)) for p, a, b in played), prize)


def plain_best(rules: Rules, mixes: Floats) -> float:
    """What the best reply gains that sees all bids: all games are played, slow and obvious."""
    sets = information_sets(rules)

    def go_on(played: tuple[tuple[int, int, int], ...], left: tuple[int, ...], lead: int, pot: int) -> float:
        if len(played) == rules.rounds:
            return float(rules.at_the_end(lead))
        hand = [card for card in range(1, rules.cards + 1) if card not in {a for _, a, _ in played}]
        total = 0.0
        prizes = left[:1] if rules.order else left
        for number, prize in enumerate(prizes):
            seen = seen_by_other(rules, played, prize)
            chances = [1.0] if len(hand) == 1 else mixes[seen.cells(sets)].tolist()
            rest = left[:number] + left[number + 1 :]
            earned = []
            for card in hand:
                worth = 0.0
                for other, chance in zip(seen.hand, chances, strict=True):
                    sign = (card > other) - (card < other)
                    after = pot + prize if sign == 0 and rules.has_pots else 0
                    worth += chance * go_on((*played, (prize, card, other)), rest, lead + sign * (prize + pot), after)
                earned.append(worth)
            total += max(earned) / len(prizes)
        return total

    return go_on((), rules.order or rules.prizes, 0, 0)


def blind(sets: InformationSets, mixes: Floats) -> list[Floats]:
    """A policy that sees all bids and makes no use of it: [prizes][its bids][the other's][card]."""
    found = []
    for here in sets.depths:
        tracks = here.tracks
        listed = list(permutations(range(1, tracks.cards + 1), tracks.rounds))
        ways = np.array(listed, dtype=np.int64).reshape(len(listed), tracks.rounds)
        cells = mixes[here.first_sequence : here.first_sequence + here.sequences]
        by_track = cells.reshape(len(here.prizes), tracks.count, here.actions)
        which = [tracks.find(np.tile(mine, (len(ways), 1)), np.sign(mine - ways)) for mine in ways]
        found.append(by_track[:, np.array(which)])
    return found


@pytest.mark.parametrize("text", GAMES)
def test_the_proof_of_who_does_not_see(text: str) -> None:
    rules = Rules.parse(text)
    for seed in range(3):
        mixes = random_mixes(information_sets(rules), seed)
        found = seeing_reply_gain(rules, mixes)
        assert found == pytest.approx(plain_best(rules, mixes), abs=1e-12)
        assert found >= best_reply_gain(rules, mixes) - 1e-12  # who sees more gains no less


@pytest.mark.parametrize("text", GAMES)
def test_the_proof_of_who_sees(text: str) -> None:
    """Of a policy that makes no use of what it sees, the other gains what it gains where nobody sees."""
    rules = Rules.parse(text)
    sets = information_sets(rules)
    for seed in range(3):
        mixes = random_mixes(sets, seed)
        assert reply_gain_to_seeing(rules, blind(sets, mixes)) == pytest.approx(
            best_reply_gain(rules, mixes), abs=1e-12
        )


@pytest.mark.parametrize("text", [*GAMES, "1 hidden", "2 hidden", "4 hidden", "4 hidden prizes=1,1,2,5"])
def test_the_program_proves_its_value(text: str) -> None:
    found = worth_of_seeing(text)
    assert found.gap <= 1e-9
    assert found.low <= found.high + 1e-12
    assert found.value >= -1e-12  # seeing more never hurts


def test_known_values() -> None:
    """Up to 3 cards the cards of the prizes are best, whatever is seen; with 4 shuffled, seeing is worth something."""
    assert worth_of_seeing("3 hidden").value == pytest.approx(0, abs=1e-12)
    assert worth_of_seeing("4 hidden order=descending").value == pytest.approx(0, abs=1e-12)
    assert worth_of_seeing("4 hidden").value == pytest.approx(0.0574158029, abs=1e-9)


@pytest.mark.parametrize("text", ["4 hidden", "5 win hidden order=descending"])
def test_iterations_come_to_the_same_value(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    by_program = worth_of_seeing(text)
    monkeypatch.setattr(one_sided, "PROGRAM", 0)
    gaps: list[float] = []
    found = worth_of_seeing(text, gap=3e-3, on_progress=lambda iterations, gap: gaps.append(gap))
    assert gaps[-1] == pytest.approx(found.gap, abs=1e-12)  # by two ways
    assert gaps[0] > gaps[-1]
    assert 0 < found.gap <= 3e-3
    assert found.low - 1e-9 <= by_program.value <= found.high + 1e-9


def test_what_cannot_be_asked() -> None:
    with pytest.raises(RulesError, match="bids are open in '4'"):
        worth_of_seeing(4)
    with pytest.raises(ResourceError, match="'13 hidden' is out of reach"):
        worth_of_seeing("13 hidden")
