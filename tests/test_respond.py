"""Best responses: known results, a slow and obvious recursion, and the response as a player."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import comb
from types import SimpleNamespace
from zlib import crc32

import numpy as np
import pytest
from bots import noting
from command import one_line
from courses import ROUNDING, Choice, slow_match, slow_response
from fixtures import Repeats, Tablebases, Tally

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch
from goofspiel.best_response.consistency import ConsistencyCheck
from goofspiel.best_response.hand_pairs import HandPairSpace
from goofspiel.best_response.policy import PolicyEvaluator
from goofspiel.best_response.response import respond
from goofspiel.cards import cards_of
from goofspiel.errors import OptionError, PlayerError, ResourceError, RulesError
from goofspiel.players.players import (
    BidUpcardPlayer,
    Chooser,
    FunctionPlayer,
    Player,
    TablePlayer,
    UniformPlayer,
)
from goofspiel.position import Position
from goofspiel.roster import load_player
from goofspiel.rules import Rules

BOTH = pytest.mark.parametrize("objective", ["points", "win"])


def erratic(position: Position) -> dict[int, float]:
    """A mix like noise that depends on everything, the lead too; many cards are never bid."""
    weights = [crc32(f"{position} {card}".encode()) % 7 // 2 for card in position.my_cards]
    weights[crc32(str(position).encode()) % len(weights)] += 1
    return {card: weight / sum(weights) for card, weight in zip(position.my_cards, weights, strict=True)}


def erratic_without_lead(position: Position) -> dict[int, float]:
    return erratic(position.replaced(lead=0))


erratic_without_lead.uses_lead = False  # type: ignore[attr-defined]


@dataclass
class Hidden:
    """A player that nothing is known of: it is asked about every position."""

    player: Player

    @property
    def name(self) -> str:
        return self.player.name

    @property
    def uses_lead(self) -> bool:
        return self.player.uses_lead

    def mixes(self, batch: PositionBatch) -> Floats:
        return self.player.mixes(batch)


def mix_of(player: Player, positions: list[Position]) -> Choice:
    """What a player bids at some positions, as a function."""
    found = {}
    for level in {position.level for position in positions}:
        asked = [position for position in positions if position.level == level]
        for position, mix in zip(asked, player.mixes(PositionBatch.of(asked)).tolist(), strict=True):
            found[position] = dict(zip(position.my_cards, mix, strict=True))
    return found.__getitem__


@cache
def all_positions(cards: int) -> set[Position]:
    """Every position that a game can come to, with and without an upcard."""
    found, new = set(), {Position.start(cards)}
    while new:
        found |= new
        new = {after for position in new for after in successors(position)} - found
    return found


def rounds(cards: int) -> list[Position]:
    """Those of them with an upcard."""
    return [position for position in all_positions(cards) if position.upcard]


def successors(position: Position) -> list[Position]:
    if position.upcard:
        return [position.play(mine, theirs) for mine in position.my_cards for theirs in position.their_cards]
    return [position.turn_up(card) for card in position.deck]


def points_between(first: Player, second: Player, cards: int) -> float:
    """What a player gains in points against another, when neither uses the lead."""

    def mix(player: Player, position: Position) -> list[tuple[int, float]]:
        found = player.mixes(PositionBatch.of([position]))[0].tolist()
        return [(card, p) for card, p in zip(position.my_cards, found, strict=True) if p]

    @cache
    def rest(mine: int, theirs: int, deck: tuple[int, ...]) -> float:
        total = 0.0
        for upcard in deck:
            position = Position.of(cards_of(mine), cards_of(theirs), deck).turn_up(upcard)
            for bid, p in mix(first, position):
                for card, q in mix(second, position.swap()):
                    after = position.play(bid, card)
                    total += p * q * (after.lead + rest(after.mine, after.theirs, after.deck))
        return total / max(len(deck), 1)

    start = Position.start(cards)
    return rest(start.mine, start.theirs, start.deck)


def decided(position: Position) -> bool:
    return abs(position.lead) > sum(position.deck) + position.upcard


# Ross 1971: to bid the upcard is the best response to a uniform player.
@pytest.mark.parametrize("cards", range(2, 8))
def test_the_best_response_to_uniform_is_to_match(cards: int) -> None:
    found = respond(UniformPlayer(), cards)
    assert found.value == pytest.approx((cards**2 - 1) / 6, abs=ROUNDING)
    assert points_between(BidUpcardPlayer(), UniformPlayer(), cards) == pytest.approx(found.value, abs=ROUNDING)
    assert [move.bid for move in found.first_moves()] == list(range(1, cards + 1))


# Who bids one more wins everything but the highest prize, and loses that with the ace.
@pytest.mark.parametrize("cards", range(4, 9))
def test_the_best_response_to_match_is_to_bid_one_more(cards: int) -> None:
    found = respond(BidUpcardPlayer(), cards)
    assert found.value == cards * (cards - 3) / 2
    assert points_between(BidUpcardPlayer(1), BidUpcardPlayer(), cards) == found.value


@pytest.mark.parametrize(("cards", "expected"), [(1, 0), (2, 1 / 2), (3, 2 / 3), (4, 215 / 288)])
def test_how_often_a_uniform_player_is_beaten(cards: int, expected: float) -> None:
    assert respond(UniformPlayer(), cards, objective="win").value == pytest.approx(expected, abs=ROUNDING)


# nash_conv of OpenSpiel 2.0.2 for the uniform policy. Its points are half of ours.
@pytest.mark.parametrize(
    ("objective", "unit", "expected"),
    [("points", 2, {2: 0.5, 3: 4 / 3, 4: 2.5, 5: 4}), ("win", 1, {2: 1, 3: 4 / 3, 4: 1.4930556})],
)
def test_twice_the_exploitability_is_what_open_spiel_finds(
    objective: str, unit: int, expected: dict[int, float]
) -> None:
    for cards, nash_conv in expected.items():
        found = respond(UniformPlayer(), cards, objective=objective)
        assert 2 * found.exploitability / unit == pytest.approx(nash_conv, abs=1e-7)


@pytest.mark.parametrize(
    ("objective", "cards"), [*(("points", n) for n in range(2, 8)), *(("win", n) for n in range(2, 7))]
)
def test_nobody_gains_anything_against_the_table_but_what_its_bound_allows(
    tablebase: Tablebases, objective: str, cards: int
) -> None:
    table = tablebase(cards, objective=objective)
    found = respond(TablePlayer(table), cards, objective=objective)
    assert -table.bound.exploitability <= found.exploitability <= table.bound.exploitability


def test_who_plays_for_points_can_be_beaten_by_who_plays_to_win(tablebase: Tablebases) -> None:
    for objective, other in (("points", "win"), ("win", "points")):
        assert respond(TablePlayer(tablebase(4, objective=objective)), 4, objective=other).value > 0.01


@BOTH
@pytest.mark.parametrize("choose", [erratic, erratic_without_lead])
@pytest.mark.parametrize("cards", [1, 2, 3, 4])
def test_every_position_as_in_the_slow_recursion(cards: int, choose: Choice, objective: str) -> None:
    asked: Counter[Position] = Counter()

    def counting(position: Position) -> dict[int, float]:
        asked[position] += 1
        return choose(position)

    player = FunctionPlayer(counting, "erratic", getattr(choose, "uses_lead", True))
    found = respond(player, cards, objective=objective)
    questions = {p for p in all_positions(cards) if p.upcard and p.level > 1}
    if not player.uses_lead:
        questions = {p.replaced(lead=0) for p in questions}
    elif objective == "win":
        questions = {p for p in questions if not decided(p)}
    assert asked.keys() >= questions  # each, and only what can occur
    assert {p for p in asked if player.uses_lead or p.lead} <= all_positions(cards)
    again = ConsistencyCheck(player, Rules(cards, objective=objective)).count
    assert asked.total() == len(questions) + again  # once, but for a sample
    expected = slow_response(choose, objective)
    positions = sorted(all_positions(cards), key=str)
    assert found.values(positions) == pytest.approx([expected(p) for p in positions], abs=ROUNDING)
    assert found.value == found.exploitability == found.values([Position.start(cards)])[0]


@BOTH
def test_random_players_as_in_the_slow_recursion(objective: str, repeats: Repeats, tally: Tally) -> None:
    """Each has another mix at every position; what it loses at worst, and what its best response earns."""
    count = repeats(2, 60)
    tally("random players", count)
    positions = sorted(all_positions(3), key=str)
    for seed in range(count):
        chance = np.random.default_rng([seed, objective == "win"])
        weights = {p: chance.exponential(size=p.level) * chance.integers(2, size=p.level) + 1e-9 for p in positions}
        mixes = {p: dict(zip(p.my_cards, (some / some.sum()).tolist(), strict=True)) for p, some in weights.items()}
        found = respond(FunctionPlayer(mixes.__getitem__, f"random {seed}", True), 3, objective=objective)
        expected = slow_response(mixes.__getitem__, objective)
        assert found.values(positions) == pytest.approx([expected(p) for p in positions], abs=ROUNDING)
        earned = slow_match(mix_of(found, rounds(3)), mixes.__getitem__, objective)
        assert earned(Position.start(3)) == pytest.approx(found.value, abs=ROUNDING)


@BOTH
@pytest.mark.parametrize("choose", [erratic, erratic_without_lead])
def test_a_response_that_plays_earns_its_value(choose: Choice, objective: str) -> None:
    player = FunctionPlayer(choose, "erratic", getattr(choose, "uses_lead", True))
    found = respond(player, 4, objective=objective)
    earned = slow_match(mix_of(found, rounds(4)), choose, objective)
    assert earned(Position.start(4)) == pytest.approx(found.value, abs=ROUNDING)
    assert found.value > 0.1
    assert found.name == "respond:erratic"
    assert found.uses_lead is (player.uses_lead or objective == "win")


def test_of_several_best_cards_the_lowest_is_bid() -> None:
    for player, objective, notation, lowest in (
        (FunctionPlayer(lambda position: position.my_cards[-1], "highest"), "points", "A2/34/A 2 7", 1),  # both lose
        (UniformPlayer(), "win", "23/A4/A 2 7", 2),  # already won
    ):
        position = Position(notation)
        mix = mix_of(respond(player, 4, objective=objective), [position])(position)
        assert {card for card in mix if mix[card]} == {lowest}


@BOTH
def test_a_response_to_a_response(objective: str) -> None:
    first = load_player("respond:match", 4, objective=objective)
    second = respond(first, 4, objective=objective)
    expected = slow_response(mix_of(first, rounds(4)), objective)
    positions = [p for p in all_positions(4) if not p.is_over]
    assert second.values(positions) == pytest.approx([expected(p) for p in positions], abs=ROUNDING)
    assert second.name == "respond:respond:match"


@BOTH
@pytest.mark.parametrize("name", ["uniform", "match", "match-1", "uniform,3=A*0.25+2*0.75", "match+1,4=A,2=3"])
def test_what_is_known_of_a_player_only_saves_questions(name: str, objective: str) -> None:
    player = load_player(name, 5)
    found, slowly = (respond(p, 5, objective=objective) for p in (player, Hidden(player)))
    for one, other in zip(found._values, slowly._values, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("rules", ["", ",5=A", ",3=2*0.5+A*0.5,4=A"])
@BOTH
def test_positions_of_equal_order_are_asked_about_once(objective: str, rules: str) -> None:
    player = load_player(f"optimal{rules}", 5, objective=objective)
    level = HandPairSpace(Rules(5, objective=objective), player.uses_lead).levels[3]
    for which in range(len(level.states)):
        for prize_round in level.rounds(which):
            found, expected = (PolicyEvaluator(p, level).mixes(which, prize_round) for p in (player, Hidden(player)))
            assert found == pytest.approx(expected, abs=ROUNDING)


def test_threads_change_nothing() -> None:
    player = load_player("match+1,3=A", 6)
    one, two = (respond(player, 6, objective="win", threads=threads) for threads in (1, 2))
    assert all(np.array_equal(*values) for values in zip(one._values, two._values, strict=True))


def test_progress_counts_the_questions() -> None:
    asked: list[Position] = []
    heard: list[tuple[int, int]] = []
    player = FunctionPlayer(noting(lambda position: position.my_cards[0], asked), "lowest")
    respond(player, 4, on_progress=lambda *state: heard.append(state))
    assert heard[-1] == (len(asked), len(asked))
    assert heard == sorted(heard)
    assert {whole for _, whole in heard} == {len(asked)}
    heard.clear()
    respond(UniformPlayer(), 4, objective="win", on_progress=lambda *state: heard.append(state))
    assert heard[-1][0] == heard[-1][1]
    assert heard == sorted(heard)


@BOTH
def test_a_rule_can_be_exploited(objective: str) -> None:
    player = load_player("optimal,3=A", 4, objective=objective)
    found = respond(player, 4, objective=objective)
    assert found.exploitability > 0.1
    assert {move.upcard: move.mix for move in found.first_moves()}[3] == {1: 1, 2: 0, 3: 0, 4: 0}
    assert sum(move.value for move in found.first_moves()) / 4 == pytest.approx(found.value, abs=ROUNDING)


@BOTH
@pytest.mark.parametrize("rule", ["4=A", "2=4", "3=A*0.5+2*0.5"])
def test_a_response_earns_its_value_against_a_table_with_a_rule(objective: str, rule: str) -> None:
    """Games with several optimal mixes: the table answers the same, whatever else it is asked with."""
    player = load_player(f"optimal,{rule}", 4, objective=objective)
    found = respond(player, 4, objective=objective)

    @cache
    def asked_alone(position: Position) -> dict[int, float]:
        return mix_of(player, [position])(position)

    earned = slow_match(mix_of(found, rounds(4)), asked_alone, objective)
    assert earned(Position.start(4)) == pytest.approx(found.value, abs=ROUNDING)


@pytest.mark.parametrize("name", ["uniform", "match", "optimal"])
def test_a_rule_that_never_applies_changes_nothing(name: str) -> None:
    free, locked = (respond(load_player(n, 4), 4) for n in (name, f"{name},K=A"))
    assert all(np.array_equal(*values) for values in zip(free._values, locked._values, strict=True))


def test_values_of_a_response_count_the_lead() -> None:
    found = respond(UniformPlayer(), 4)
    assert found.values([Position("A2/34/A2 - 3"), Position("A2/34/A2 -")]) @ [1, -1] == pytest.approx(3)
    assert found.values([]).tolist() == []


@pytest.mark.parametrize(
    ("choose", "notation"),
    [
        (erratic, "A5/23/2 3"),
        (erratic, "A2/23/2 5"),
        (erratic, "A234/A234/A24 3 3"),  # nothing was won yet
        (erratic, "A23/A23/A2 3 4"),  # equal bids
        (erratic, "A23/A24/A2 3 3"),  # the 4 was bid, for the 4
        (erratic_without_lead, "A5/23/2 3"),
    ],
)
def test_a_response_knows_only_its_game(choose: Choice, notation: str) -> None:
    found = respond(FunctionPlayer(choose, "mine", getattr(choose, "uses_lead", True)), 4)
    asks: list[Callable[[], Floats]] = [
        lambda: found.mixes(PositionBatch.of([Position(notation)])),
        lambda: found.values([Position(notation)]),
    ]
    for ask in asks:
        with pytest.raises(PlayerError) as caught:
            ask()
        assert one_line(caught) == f"respond:mine knows the positions of a game of 4 cards, not {notation!r}"


@pytest.mark.parametrize(
    ("choose", "said"),
    [
        (lambda position: 9, "player mine bid 9, which is not in its hand: 'A2/A2/"),
        (lambda position: {1: 0.5}, "player mine gave a mix that does not sum to 1 (A: 0.5, 2: 0): 'A2/A2/"),
        (lambda position: 1 / 0, "player mine failed: ZeroDivisionError: division by zero: 'A2/A2/"),
    ],
)
def test_what_a_function_does_wrong_is_named(choose: Chooser, said: str) -> None:
    with pytest.raises(PlayerError) as caught:
        respond(FunctionPlayer(choose, "mine"), 2)
    assert one_line(caught).startswith(said)


def test_what_a_player_of_ones_own_does_wrong_is_named() -> None:
    player = SimpleNamespace(name="mine", uses_lead=False, mixes=lambda batch: np.ones((len(batch), 3)))
    with pytest.raises(PlayerError, match=r"an array of shape \((\d+), 3\) instead of \(\1, 2\)") as caught:
        respond(player, 3)
    one_line(caught)


def test_what_does_not_fit_is_refused_before_it_is_begun() -> None:
    asked: list[Position] = []
    player = FunctionPlayer(noting(lambda _: 1, asked), "mine")
    with pytest.raises(
        ResourceError, match=r"^a best response to mine in a game of 16 cards needs [0-9.]+ TiB of memory"
    ) as caught:
        respond(player, 16)
    one_line(caught)
    assert not asked


def test_a_function_is_not_asked_for_days() -> None:
    asked: list[Position] = []
    player = FunctionPlayer(noting(lambda _: 1, asked), "mine", uses_lead=False)
    questions = sum(comb(10, level) ** 3 * level for level in range(2, 11))
    with pytest.raises(ResourceError) as caught:
        respond(player, 10)
    assert one_line(caught) == (
        f"a best response in a game of 10 cards would ask mine {questions:,} times, more than 100,000,000: "
        "take fewer cards"
    )
    assert not asked


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(RulesError, match="number of cards must be 1 to 16, not 17"):
        respond(UniformPlayer(), 17)
    with pytest.raises(OptionError, match="threads must be 1 or more, not 0"):
        respond(UniformPlayer(), 3, threads=0)
    with pytest.raises(RulesError, match="objective must be points or win, not 'money'"):
        respond(UniformPlayer(), 3, objective="money")
    with pytest.raises(RulesError, match="hidden"):
        respond(UniformPlayer(), "4 hidden")


@BOTH
def test_the_game_may_be_said_in_every_way(objective: str) -> None:
    rules = Rules(4, objective=objective)
    found = [
        respond(UniformPlayer(), rules),
        respond(UniformPlayer(), str(rules)),
        respond(UniformPlayer(), 4, objective=objective),
        respond(UniformPlayer(), 4, objective=objective),
    ]
    assert {response.rules for response in found} == {rules}
    assert {(response.cards, str(response.objective)) for response in found} == {(4, objective)}
    assert len({response.value for response in found}) == 1


def test_a_round_of_a_prize_set_leads_to_what_remains() -> None:
    space = HandPairSpace(Rules(5))
    for level in space.levels[1:]:
        for which, prize_set in enumerate(level.states.left.tolist()):
            rounds = level.rounds(which)
            assert [prize_round.upcard for prize_round in rounds] == list(cards_of(prize_set))
            for upcard, pot, untied, tied, copies in rounds:
                assert (untied, pot, copies) == (tied, 0, 1)
                assert level.below.states.left[untied] == prize_set ^ 1 << upcard - 1
