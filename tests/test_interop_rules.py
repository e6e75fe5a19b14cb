"""OpenSpiel's games of known orders and fewer rounds, and what they pay: all of it judged by its own states."""

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms.expected_game_score import policy_value
from open_spiel.python.algorithms.exploitability import nash_conv
from open_spiel.python.policy import UniformRandomPolicy
from reference import solve_game
from spiel import FORMS, game_of, playouts, read_position

from goofspiel.batch import PositionBatch, places
from goofspiel.cards import mask_of
from goofspiel.errors import PositionError, RulesError
from goofspiel.interop.histories import game_to, other_game_to
from goofspiel.interop.open_spiel import (
    BotPlayer,
    OptimalBot,
    OptimalPolicy,
    PolicyPlayer,
    position_of,
    returns_scale,
    rules_of,
    state_at,
)
from goofspiel.players.players import Player, TablePlayer, UniformPlayer, checked_mixes
from goofspiel.position import Position
from goofspiel.records.record import Round
from goofspiel.rules import Rules
from goofspiel.tablebase import Answer, open_tablebase
from goofspiel.tablebase.base import next_upcards

ORDERS = ("random", "ascending", "descending")
# Cards, order, rounds (-1: all): every game of up to four cards that OpenSpiel plays to its end.
KINDS = [(cards, order, rounds) for cards in (1, 2, 3, 4) for order in ORDERS for rounds in (*range(1, cards - 1), -1)]
KIND = pytest.mark.parametrize(("cards", "order", "rounds"), KINDS)
OTHERS = [kind for kind in KINDS if kind[1:] != ("random", -1)]  # those that are not as usual


# --- values and mixes


def bid_pairs(state: pyspiel.State) -> list[list[pyspiel.State]]:
    """The states after every pair of bids, by player 0's bid and player 1's."""
    if not state.is_simultaneous_node():
        return [
            [first.child(bid) for bid in first.legal_actions()] for first in map(state.child, state.legal_actions())
        ]
    table = []
    for mine in state.legal_actions(0):
        table.append([state.clone() for _ in state.legal_actions(1)])
        for after, theirs in zip(table[-1], state.legal_actions(1), strict=True):
            after.apply_actions([mine, theirs])
    return table


def values_from(state: pyspiel.State, found: list[tuple[pyspiel.State, Fraction]]) -> Fraction:
    """What a state is worth to player 0, from OpenSpiel's returns alone; all states after it are noted, too."""
    if state.is_terminal():
        value = Fraction(state.returns()[0])
    elif state.is_chance_node():
        actions, chances = zip(*state.chance_outcomes(), strict=True)
        assert max(chances) == pytest.approx(1 / len(actions)) == min(chances)
        value = sum((values_from(state.child(action), found) for action in actions), Fraction(0)) / len(actions)
    else:
        value, *_ = solve_game([[values_from(after, found) for after in row] for row in bid_pairs(state)])
    found.append((state, value))
    return value


@FORMS
@pytest.mark.parametrize("objective", ["points", "win"])
@KIND
def test_every_state_is_worth_what_open_spiel_s_own_states_say(
    cards: int, order: str, rounds: int, objective: str, turns: bool
) -> None:
    game = game_of(cards, objective, turns=turns, order=order, rounds=rounds)
    policy = OptimalPolicy(game)
    found: list[tuple[pyspiel.State, Fraction]] = []
    values_from(game.new_initial_state(), found)
    known: dict[Position, Fraction] = {}
    for state, value in found:
        position = position_of(state, 0)
        if position in known:
            assert known[position] == value  # no matter which game led there
            continue
        known[position] = value
        assert policy.state_value(state) == pytest.approx(float(value), abs=1e-11)


@pytest.mark.parametrize("objective", ["points", "win"])
@pytest.mark.parametrize(("cards", "order", "rounds"), OTHERS)
def test_no_reply_gains_anything(cards: int, order: str, rounds: int, objective: str) -> None:
    game = game_of(cards, objective, turns=True, order=order, rounds=rounds)
    assert nash_conv(game, OptimalPolicy(game)) <= 1e-9
    if cards > 1:
        assert nash_conv(game, UniformRandomPolicy(game)) > 0.1  # the judge does find what can be gained


@FORMS
@pytest.mark.parametrize(("cards", "order", "rounds"), [(3, "descending", -1), (4, "ascending", 2), (3, "random", 1)])
def test_values_where_the_first_has_bid(cards: int, order: str, rounds: int, turns: bool) -> None:
    """As OpenSpiel works out what the policy returns, also between the bids of the turn-based form."""
    game = game_of(cards, turns=turns, order=order, rounds=rounds)
    policy = OptimalPolicy(game)
    for state in playouts(game, games=20, seed=1):
        expected = (
            state.returns() if state.is_terminal() else policy_value(state, [policy, policy] if turns else policy)
        )
        assert policy.state_value(state) == pytest.approx(expected[0], abs=1e-12)


@pytest.mark.parametrize(("order", "rounds"), [("descending", -1), ("ascending", 5), ("random", 3)])
def test_larger_games_are_asked_one_by_one(order: str, rounds: int) -> None:
    game = game_of(8, order=order, rounds=rounds)
    policy, table = OptimalPolicy(game), open_tablebase(rules_of(game))
    asked = 0
    for state in playouts(game, games=6, seed=2):
        for player in (0, 1) if state.is_simultaneous_node() else ():
            mix = policy.action_probabilities(state, player)
            answer = table.probe(position_of(state, player))
            assert isinstance(answer, Answer)
            assert (np.array(list(mix.values())) @ np.array(answer.matrix)).min() >= answer.value - 1e-9
            asked += 1
    assert asked >= 36


def test_a_table_must_be_that_of_the_game() -> None:
    game = game_of(4, order="descending")
    for other in (
        Rules(4),
        Rules(4, order="ascending"),
        Rules(4, order="descending", rounds=2),
        Rules(4, ties="carry"),
    ):
        with pytest.raises(
            RulesError, match="the policy is for '4 order=descending', the table is not: open_tablebase"
        ):
            OptimalPolicy(game, tablebase=open_tablebase(other))
    table = open_tablebase(rules_of(game))
    assert OptimalPolicy(game, tablebase=table).state_value(game.new_initial_state()) == 0


def test_a_state_of_other_rules_is_refused() -> None:
    policy = OptimalPolicy(game_of(4, order="descending"))
    for other in (game_of(4), game_of(4, order="ascending"), game_of(4, order="descending", rounds=2)):
        with pytest.raises(RulesError, match=r"the state is of goofspiel\(.*\), the policy for goofspiel\("):
            policy.state_value(other.new_initial_state())


# --- rules, states and positions


def test_the_rules_of_a_game() -> None:
    for cards, order, rounds in KINDS:
        for objective, turns in product(("points", "win"), (False, True)):
            rules = rules_of(game_of(cards, objective, turns=turns, order=order, rounds=rounds))
            known = None if order == "random" else order
            assert rules == Rules(cards, order=known, rounds=None if rounds < 0 else rounds, objective=objective)


@FORMS
@KIND
def test_a_state_is_the_position_that_it_says(cards: int, order: str, rounds: int, turns: bool) -> None:
    """And the other way round."""
    game = game_of(cards, turns=turns, order=order, rounds=rounds)
    for state in playouts(game, games=25, seed=cards):
        for player in (0, 1):
            position = position_of(state, player)
            assert position == read_position(state, player, rules_of(game))
            assert position_of(state_at(game, position, player=player), player) == position


def test_positions_without_a_state() -> None:
    game = game_of(4, order="descending")
    rules = rules_of(game)
    with pytest.raises(PositionError, match=r"OpenSpiel turns up known prizes at once, none .*: 'A23/A23/32A -'"):
        state_at(game, Position("A23/A23/32A -", rules))
    with pytest.raises(PositionError, match=r"OpenSpiel plays the last cards itself, none of its states .*: 'A/A/- A'"):
        state_at(game, Position("A/A/- A", rules))
    with pytest.raises(PositionError, match=r"no game '4 order=descending' comes to this position: 'A23/A23/2A 3 4'"):
        state_at(game, Position("A23/A23/2A 3 4", rules))
    with pytest.raises(PositionError, match=r"with 3 cards in a hand the prizes come in the order 32A: 'A23/A23/23 4'"):
        state_at(game, Position("A23/A23/23 4"))
    assert position_of(state_at(game, Position("A23/A23/A2 3")), 0) == Position("A23/A23/2A 3", rules)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("cards", [2, 3, 4, 5])
def test_open_spiel_does_not_end_a_game_one_turn_short(cards: int, order: str) -> None:
    """Why it is refused: OpenSpiel plays the last cards for a prize that is gone, and then waits for bids forever."""
    state = pyspiel.load_game(
        "goofspiel", {"num_cards": cards, "num_turns": cards - 1, "points_order": order}
    ).new_initial_state()
    while state.is_chance_node() or state.legal_actions(0):
        if state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
        else:
            state.apply_actions([state.legal_actions(0)[0], state.legal_actions(1)[-1]])
    assert not state.is_terminal()


# --- games that lead to a position


@cache
def all_games(rules: Rules) -> dict[Position, set[tuple[Round, ...]]]:
    """All positions that games come to, and all games that come there."""
    found = defaultdict(set)

    def walk(position: Position, played: tuple[Round, ...]) -> None:
        found[position].add(played)
        for upcard in next_upcards(position, rules):
            shown = position.turn_up(upcard)
            found[shown].add((*played, Round(upcard)))
            for mine, theirs in product(shown.my_cards, shown.their_cards):
                walk(shown.play(mine, theirs), (*played, Round(upcard, mine, theirs)))

    walk(Position.start(rules), ())
    return dict(found)


KNOWN: list[str | tuple[int, ...]] = ["descending", "ascending", (2, 4, 1, 3), (1, 4, 2, 3)]


@pytest.mark.parametrize(
    "rules",
    [
        *(Rules(4, order=order, rounds=rounds) for order in KNOWN for rounds in (None, 2)),
        *(Rules(4, rounds=rounds) for rounds in (1, 2)),
        Rules(3, rounds=2),
        Rules(3, prizes=(1, 1, 3)),
        Rules(4, order=(2, 1, 3, 1), prizes=(1, 1, 2, 3)),
    ],
    ids=str,
)
def test_games_are_found_exactly_where_there_are_any(rules: Rules) -> None:
    games = all_games(rules)
    for position, there in games.items():
        game, other = game_to(position, rules), other_game_to(position, rules)
        assert game.rounds in there
        assert game.position == position
        assert (other is None) == (len(there) == 1)
        assert other is None or (other.rounds in there and other != game and other.position == position)
    refused = 0
    for position in {position.replaced(lead=0) for position in games if not position.upcard}:
        held = [mask_of(hand) for hand in combinations(range(1, rules.cards + 1), position.level)]
        for mine, theirs, lead in product(held, held, range(-rules.total, rules.total + 1)):
            asked = position.replaced(mine=mine, theirs=theirs, lead=lead)
            if asked not in games:
                refused += 1
                with pytest.raises(PositionError, match="comes to this position: "):
                    game_to(asked, rules)
    assert refused


def test_games_with_pots_are_not_looked_for() -> None:
    with pytest.raises(RulesError, match="found where ties are discarded, not for '4 carry'"):
        game_to(Position.start(4), Rules(4, ties="carry"))


# --- players


@FORMS
@pytest.mark.parametrize(("order", "rounds"), [("descending", -1), ("ascending", 2), ("random", 2)])
def test_policies_and_bots_as_players(order: str, rounds: int, turns: bool) -> None:
    game = game_of(4, turns=turns, order=order, rounds=rounds)
    rules = rules_of(game)
    table = TablePlayer(open_tablebase(rules))
    by_level = defaultdict(list)
    for position in sorted(all_games(rules), key=str):
        if position.upcard:
            by_level[position.level].append(position)
    for player_id, positions in product((0, 1), by_level.values()):
        batch = PositionBatch.of(positions[:40], places(rules))
        policies: list[tuple[Player, Player]] = [
            (PolicyPlayer(UniformRandomPolicy(game), game, player_id=player_id), UniformPlayer()),
            (PolicyPlayer(OptimalPolicy(game), game, player_id=player_id), table),
            (BotPlayer(OptimalBot(game, player_id), game, player_id=player_id), table),
        ]
        for player, same in policies:
            assert checked_mixes(player, batch) == pytest.approx(checked_mixes(same, batch), abs=1e-12)


# --- total points


@pytest.mark.parametrize(("cards", "gained"), [(2, 2.0), (3, 238 / 45), (4, 6.181367537)])
def test_total_points_are_another_game(cards: int, gained: float) -> None:
    """Each side wants points of its own, and a tie costs both: who plays for the difference could gain a lot."""
    game = game_of(cards, "total_points", turns=True)
    assert game.get_type().utility == pyspiel.GameType.Utility.GENERAL_SUM
    for use in (OptimalPolicy, returns_scale, lambda game: OptimalBot(game, 0)):
        with pytest.raises(RulesError, match=r"^returns_type must be .*, not total_points: a tie costs both sides, "):
            use(game)
    policy = OptimalPolicy(game, objective="points")
    assert nash_conv(game, policy) == pytest.approx(gained, abs=1e-9)
    with pytest.raises(RulesError, match="it is no zero-sum game: turn_based"):
        policy.state_value(game.new_initial_state())


def test_what_is_optimal_for_the_difference_is_so_where_total_points_are_paid() -> None:
    """The difference of both returns is our value, whatever is paid."""
    game, paid = game_of(3, "total_points"), game_of(3)
    policy, value = OptimalPolicy(game, objective="points"), OptimalPolicy(paid).state_value
    compared = 0
    for state in playouts(game, games=30, seed=3):
        mine, theirs = state.returns() if state.is_terminal() else policy_value(state, policy)
        assert position_of(state, 1) == position_of(state, 0).swap()
        same = state_at(paid, position_of(state, 0))
        assert (mine - theirs) * returns_scale(paid) == pytest.approx(value(same), abs=1e-12)
        compared += 1
    assert compared > 100
