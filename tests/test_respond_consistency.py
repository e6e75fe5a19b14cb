"""A player that answers otherwise when it is asked again has no best response: that is noticed and said in one line."""

import random
import re
from collections import Counter
from collections.abc import Callable
from itertools import count
from math import comb

import numpy as np
import pytest
from bots import lowest, noting
from command import one_line

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch
from goofspiel.best_response.consistency import ConsistencyCheck
from goofspiel.best_response.expectation import expected_value, play_exactly
from goofspiel.best_response.response import respond
from goofspiel.errors import PlayerError
from goofspiel.interop.histories import game_to
from goofspiel.players.players import FunctionPlayer, OverridePlayer, Player, UniformPlayer
from goofspiel.position import Position
from goofspiel.rules import Rules

POSITION = r"'[A2-9]+/[A2-9]+/(?:[A2-9]+|-) [A2-9](?: -?\d+)?'"
DRAWN = (
    rf"^player \S+ answers {POSITION} with [A2-9], and when asked again with [A2-9]: only matches can be played with "
    r"it; for an exact result it must return its mix, card → probability, not a card that it draws "
    r"\(many samples of a drawn card estimate it: --samples\)$"
)
LIED = (
    rf"^player liar says that it does not look at the lead, but answers ({POSITION}) with [A2-9] and ({POSITION}) "
    r"with [A2-9]: say uses_lead = True$"
)


def drawing(uses_lead: bool = True, seed: int = 1) -> FunctionPlayer:
    """Uniform, but it returns a card that it draws instead of its mix."""
    draw = random.Random(seed)
    return FunctionPlayer(lambda position: draw.choice(position.my_cards), "drawn", uses_lead)


class DrawsMany:
    """The same for many positions at a time."""

    name = "many"
    uses_lead = False

    def __init__(self) -> None:
        self.draw = np.random.default_rng(1)

    def mixes(self, batch: PositionBatch) -> Floats:
        level = int(batch.mine[0]).bit_count()
        return np.eye(level)[self.draw.integers(level, size=len(batch))]


@pytest.mark.parametrize("objective", ["points", "win"])
@pytest.mark.parametrize("uses_lead", [False, True])
@pytest.mark.parametrize("cards", range(2, 8))
def test_a_drawn_card_is_no_mix(cards: int, uses_lead: bool, objective: str) -> None:
    asked: list[Position] = []
    draws = drawing(uses_lead, seed=cards).choose
    player = FunctionPlayer(noting(draws, asked), "drawn", uses_lead)
    with pytest.raises(PlayerError, match=DRAWN) as caught:
        respond(player, cards, objective=objective)
    one_line(caught)
    assert len(asked) < 500  # noticed before the long work is begun


@pytest.mark.parametrize("cards", [2, 3])
def test_a_drawn_card_is_noticed_in_the_smallest_games_by_any_seed(cards: int) -> None:
    for seed in range(300):
        with pytest.raises(PlayerError, match=DRAWN):
            respond(drawing(seed=seed), cards)


def test_whoever_draws_is_noticed() -> None:
    for player in (DrawsMany(), OverridePlayer(drawing(), {3: {1: 1.0}}, "locked")):
        with pytest.raises(PlayerError, match=DRAWN):
            respond(player, 4)


@pytest.mark.parametrize("exactly", [expected_value, play_exactly])
def test_whole_games_with_a_drawn_card_are_not_worked_out(exactly: Callable[[Player, Player, int], object]) -> None:
    pairs: list[tuple[Player, Player]] = [(drawing(), UniformPlayer()), (UniformPlayer(), drawing(uses_lead=False))]
    for players in pairs:
        with pytest.raises(PlayerError, match=DRAWN):
            exactly(*players, 4)


def test_a_mix_that_changes_from_call_to_call_is_noticed() -> None:
    calls = count()

    def drifts(position: Position) -> dict[int, float]:
        share = 1 / (1 + 1e-3 * next(calls))
        return dict(zip(position.my_cards[:2], (share, 1 - share), strict=True))

    with pytest.raises(
        PlayerError, match=r"with A: 0\.\d+, .* again with A: 0\.\d+, .* return the same mix every time$"
    ) as caught:
        respond(FunctionPlayer(drifts, "drifts"), 3)
    one_line(caught)


@pytest.mark.parametrize("uses_lead", [False, True])
def test_a_bot_that_changes_its_mind_in_between_is_noticed(uses_lead: bool) -> None:
    """It learns, say: the sample is asked once more at the end."""
    calls = count()
    player = FunctionPlayer(lambda p: p.my_cards[0 if next(calls) < 1000 else -1], "learns", uses_lead)
    with pytest.raises(PlayerError, match=r"^player learns answers .* with A, and when asked again with "):
        respond(player, 5)


@pytest.mark.parametrize("objective", ["points", "win"])
@pytest.mark.parametrize(
    "looks", [lambda lead: lead > 0, lambda lead: lead < 0, lambda lead: abs(lead) > 3, lambda lead: lead == 0]
)
@pytest.mark.parametrize("cards", [4, 5, 6, 7])
def test_who_looks_at_the_lead_may_not_deny_it(cards: int, looks: Callable[[int], bool], objective: str) -> None:
    player = FunctionPlayer(lambda p: p.my_cards[-1 if looks(p.lead) else 0], "liar", uses_lead=False)
    with pytest.raises(PlayerError, match=LIED) as caught:
        respond(player, cards, objective=objective)
    said = re.match(LIED, one_line(caught))
    assert said
    first, second = said.groups()
    assert first != second
    assert second.startswith(first[:-1])  # the same position at another lead


@pytest.mark.parametrize("objective", ["points", "win"])
@pytest.mark.parametrize("cards", [1, 2, 3, 4, 6, 9])
def test_the_sample_can_occur_and_is_always_the_same(cards: int, objective: str) -> None:
    rules = Rules(cards, objective=objective)
    for uses_lead in (False, True):
        asked: list[list[Position]] = [[], []]
        for into in asked:
            check = ConsistencyCheck(FunctionPlayer(noting(lowest, into), "x", uses_lead), rules)
            check.begin()
            check.end()
            assert len(into) == check.count
        assert asked[0] == asked[1]
        found = Counter(asked[0])
        for position in found:
            if uses_lead or position.lead:  # who does not look at the lead is asked at 0, which need not occur
                assert game_to(position, cards).position == position
                assert not rules.is_decided(position.lead, sum(position.deck) + position.upcard)
        assert {position.level for position in found} == set(range(2, cards + 1))
        assert set(found.values()) <= ({1, 3} if cards > 2 else {14})


@pytest.mark.parametrize(("cards", "whole", "more"), [(6, 45_336, 986), (7, 367_017, 1_062)])
def test_the_sample_is_as_small_as_the_documentation_says(cards: int, whole: int, more: int) -> None:
    assert sum(level * comb(cards, level) ** 3 for level in range(2, cards + 1)) == whole
    assert ConsistencyCheck(FunctionPlayer(lowest, "lowest", uses_lead=False), Rules(cards)).count == more


def test_rounding_is_no_other_answer() -> None:
    """A network in single precision answers a little otherwise in another batch."""
    calls = count()

    def rounds(position: Position) -> list[float]:
        noise = 1e-6 * (next(calls) % 2)
        return [1 / position.level + noise, *[1 / position.level] * (position.level - 2), 1 / position.level - noise]

    assert respond(FunctionPlayer(rounds, "rounds"), 4).value == pytest.approx(2.5, abs=1e-4)


def test_our_own_players_are_not_asked_again() -> None:
    class Spy(UniformPlayer):
        pass

    heard = []
    respond(UniformPlayer(), 4, on_progress=lambda *state: heard.append(state))
    assert heard[-1] == (628, 628)
    respond(Spy(), 4, on_progress=lambda *state: heard.append(state))
    assert heard[-1] == (628 + 180, 628 + 180)
