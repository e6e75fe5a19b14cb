"""To and from OpenSpiel: positions of states, states of positions, the optimal policy, and what is refused."""

import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product
from types import SimpleNamespace

import numpy as np
import pyspiel
import pytest
from answers import with_upcard
from fixtures import Tablebases
from open_spiel.python.algorithms.expected_game_score import policy_value
from spiel import FORMS, OBJECTIVES, drawn_position, game_of, playouts, reachable, read_position

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
    state_at,
)
from goofspiel.position import Position


def all_states(state: pyspiel.State) -> Iterator[pyspiel.State]:
    """A state, and all that can come after it."""
    yield state
    if state.is_simultaneous_node():
        for bids in product(state.legal_actions(0), state.legal_actions(1)):
            after = state.clone()
            after.apply_actions(list(bids))
            yield from all_states(after)
    else:
        for action in state.legal_actions():
            yield from all_states(state.child(action))


# --- states and positions


@FORMS
@pytest.mark.parametrize("cards", range(1, 7))
def test_a_state_is_the_position_that_it_says(cards: int, turns: bool) -> None:
    for state in playouts(game_of(cards, turns=turns), games=60, seed=cards):
        for player in (0, 1):
            assert position_of(state, player) == read_position(state, player)


def test_joint_actions_are_read_as_well() -> None:
    state = game_of(3).new_initial_state()
    state.apply_action(1)
    state.apply_action(5)  # OpenSpiel's number of the bids 3 and 2
    assert position_of(state, 0) == Position("A2/A3/A3 - 2")
    assert position_of(state, 1) == Position("A3/A2/A3 - -2")


@pytest.mark.parametrize("cards", [1, 2, 3, 4])
def test_a_game_leads_to_a_position_exactly_when_there_is_one(cards: int) -> None:
    expected = reachable(cards)
    whole = cards * (cards + 1) // 2
    asked = set()
    for level in range(cards + 1):
        sets = [mask_of(chosen) for chosen in combinations(range(1, cards + 1), level)]
        for mine, theirs, prizes, lead in product(sets, sets, sets, range(-whole - 1, whole + 2)):
            asked.add(Position.from_masks(mine, theirs, prizes, 0, lead))
    asked |= {position.turn_up(card) for position in asked for card in position.deck[:1]}
    for position in asked:
        if position in expected:
            assert game_to(position, cards).position == position
        else:
            with pytest.raises(PositionError, match=f"no game of {cards} cards? comes to this position"):
                game_to(position, cards)
    assert {position for position in expected if not position.upcard} <= asked


@pytest.mark.parametrize("cards", [1, 2, 3, 4])
def test_another_game_leads_to_a_position_exactly_when_there_is_one(cards: int) -> None:
    differing: Counter[str] = Counter()
    for position in reachable(cards):
        game, other = game_to(position, cards), other_game_to(position, cards)
        assert (other is None) == (position.level >= cards - 1)  # two rounds may have been played the other way round
        if other is not None:
            assert other.position == position
            assert other != game
            assert other == other_game_to(position, cards)
            differing["order"] += sorted(other.rounds) == sorted(game.rounds)
            differing["prizes or bids"] += sorted(other.rounds) != sorted(game.rounds)
            differing["wins"] += (
                len({sum(one.mine > one.theirs for one in played.rounds) for played in (game, other)}) > 1
            )
    assert cards < 4 or min(differing.values()) > 20


@pytest.mark.parametrize("cards", [8, 13, 16])
def test_a_game_is_found_for_every_position_of_larger_games(cards: int) -> None:
    choose = random.Random(cards)
    for _ in range(100):
        position = drawn_position(cards, choose.randint(1, cards), choose)
        assert game_to(position, cards).position == position
        other = other_game_to(position, cards)
        assert other is None or other.position == position
    whole_game = position.play(position.my_cards[0], position.their_cards[0])
    while not whole_game.is_over:
        shown = whole_game.turn_up(whole_game.deck[0])
        whole_game = shown.play(shown.my_cards[0], shown.their_cards[-1])
    assert game_to(whole_game, cards).position == whole_game


@FORMS
def test_a_position_has_a_state_for_each_player(turns: bool) -> None:
    game = game_of(5, turns=turns)
    for state in playouts(game, games=40, seed=1):
        for player in (0, 1):
            position = position_of(state, player)
            assert position_of(state_at(game, position, player=player), player) == position


def test_a_position_without_a_state() -> None:
    with pytest.raises(PositionError, match=r"OpenSpiel plays the last cards itself, .*: 'A/A/- A'"):
        state_at(game_of(2), Position("A/A/- A"))
    with pytest.raises(PositionError, match=r"no game of 3 cards comes to this position: 'A2/A2/A2 - 3'"):
        state_at(game_of(3), Position("A2/A2/A2 - 3"))
    with pytest.raises(PositionError, match=r"a game of 3 cards has no such cards: 'A4/A2/A2 -'"):
        state_at(game_of(3), Position("A4/A2/A2 -"))
    assert position_of(state_at(game_of(1), Position("A/A/- A")), 0) == Position("A/A/- A")


# --- the policy


@FORMS
@OBJECTIVES
def test_the_policy_guarantees_the_value_of_every_position(objective: str, turns: bool, tablebase: Tablebases) -> None:
    """At every state it bids what can be bid, and loses no more than the value to any bid of the other."""
    table = tablebase(5, objective=objective)
    game = game_of(5, objective, turns=turns)
    policy = OptimalPolicy(game, tablebase=table)
    for state in playouts(game, games=25, seed=2):
        for player in (0, 1) if state.is_simultaneous_node() else [state.current_player()]:
            if player >= 0:
                mix = policy.action_probabilities(state, player)
                assert list(mix) == state.legal_actions(player)
                assert sum(mix.values()) == pytest.approx(1, abs=1e-12)
                answer = with_upcard(table.probe(position_of(state, player)))
                earned = np.array(list(mix.values())) @ np.array(answer.matrix)
                assert earned.min() >= answer.value - 1e-9


@OBJECTIVES
def test_both_forms_of_the_game_get_the_same_answers(objective: str) -> None:
    at_once, in_turn = game_of(4, objective), game_of(4, objective, turns=True)
    policy, other = OptimalPolicy(at_once), OptimalPolicy(in_turn)
    for state in playouts(in_turn, games=20, seed=3):
        if state.current_player() >= 0:
            player = state.current_player()
            same = state_at(at_once, position_of(state, player), player=player)
            mix = policy.action_probabilities(same, player)
            assert other.action_probabilities(state) == other.action_probabilities(state, player) == mix
            assert policy(state) == mix  # a policy takes states of either form


def test_the_second_to_bid_does_not_know_the_first_bid() -> None:
    game = game_of(5, "win", turns=True)
    policy = OptimalPolicy(game)
    asked = 0
    for state in playouts(game, games=20, seed=4):
        if state.current_player() == 0:
            answers = [policy.action_probabilities(state.child(bid)) for bid in state.legal_actions()]
            assert all(answer == answers[0] for answer in answers)
            asked += len(answers) > 1
    assert asked > 50


def test_answers_may_be_changed_by_who_gets_them() -> None:
    state = state_at(game_of(3), Position("A23/A23/A3 2"))
    policy = OptimalPolicy(game_of(3))
    mix = policy.action_probabilities(state, 0)
    before = dict(mix)
    mix.clear()
    assert policy.action_probabilities(state, 0) == before


@pytest.mark.parametrize("kept", [0, 3])
def test_a_policy_that_forgets_answers_alike(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    game = game_of(4, "win", turns=True)
    policy = OptimalPolicy(game)
    states = [state for state in playouts(game, games=10, seed=5) if state.current_player() >= 0]
    expected = [policy(state) for state in states]
    monkeypatch.setattr("goofspiel.interop.open_spiel.KEPT_MIXES", kept)
    forgetful = OptimalPolicy(game)
    assert [forgetful(state) for state in states] == expected
    assert [forgetful(state) for state in reversed(states)] == expected[::-1]


def test_games_too_large_to_solve_together_are_asked_one_by_one(tablebase: Tablebases) -> None:
    game = game_of(9)
    policy, table = OptimalPolicy(game), tablebase(9)
    choose = random.Random(6)
    for level in (9, 6, 5, 2):
        position = drawn_position(9, level, choose)
        mix = policy.action_probabilities(state_at(game, position), 0)
        answer = with_upcard(table.probe(position))
        earned = np.array(list(mix.values())) @ np.array(answer.matrix)
        assert earned.min() >= answer.value - 1e-9


@FORMS
@OBJECTIVES
def test_the_value_of_a_state_is_what_the_policy_returns(objective: str, turns: bool) -> None:
    """As OpenSpiel works it out, to the end of every game."""
    game = game_of(3, objective, turns=turns)
    policy = OptimalPolicy(game)
    policies = [policy, policy] if turns else policy  # as OpenSpiel wants them
    states = list(all_states(game.new_initial_state()))
    assert len(states) > 100
    for state in states:
        value = policy.state_value(state)
        expected = state.returns() if state.is_terminal() else policy_value(state, policies)
        assert value == pytest.approx(expected[0], abs=1e-6 if objective == "win" else 1e-12)


def test_values_are_in_the_units_of_the_game(tablebase: Tablebases) -> None:
    position = Position("23/A3/A 2 -3")  # three points are still to be won
    for objective, scale in (("points", 0.5), ("win", 1.0)):
        game = game_of(3, objective)
        assert returns_scale(game) == returns_scale(game_of(3, objective, turns=True)) == scale
        value = tablebase(3, objective=objective).probe(position).value
        assert OptimalPolicy(game).state_value(state_at(game, position)) == pytest.approx(scale * value, abs=1e-12)


def test_a_policy_may_play_for_something_else(tablebase: Tablebases) -> None:
    game = game_of(4, "win")
    state = state_at(game, Position.start(4, 2))
    to_win, for_points = OptimalPolicy(game), OptimalPolicy(game, objective="points")
    for policy, objective in ((to_win, "win"), (for_points, "points")):
        answer = with_upcard(tablebase(4, objective=objective).probe(Position.start(4, 2)))
        mix = policy.action_probabilities(state, 0)
        assert mix == pytest.approx({card - 1: p for card, p in answer.mine.items()}, abs=1e-7)
    with pytest.raises(RulesError, match=r"plays for points, which is not what the game pays: goofspiel\(num_cards=4"):
        for_points.state_value(state)


def test_a_larger_table_answers_as_well(tablebase: Tablebases) -> None:
    state = state_at(game_of(4), Position.start(4, 3))
    small, large = OptimalPolicy(game_of(4)), OptimalPolicy(game_of(4), tablebase=tablebase(6))
    assert large.tablebase.cards == 6
    assert small.action_probabilities(state, 0) == pytest.approx(large.action_probabilities(state, 0), abs=1e-9)
    with pytest.raises(RulesError, match=r"the policy is for '4 win', the table is not: open_tablebase\(6, "):
        OptimalPolicy(game_of(4, "win"), tablebase=tablebase(6))


# --- what is refused


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("kuhn_poker", "the game must be goofspiel or its turn-based form, not kuhn_poker: kuhn_poker()"),
        (
            "turn_based_simultaneous_game(game=oshi_zumo())",
            "the game must be goofspiel or its turn-based form, not oshi_zumo: turn_based",
        ),
        (
            "misere(game=goofspiel(num_cards=3))",
            "the game must be goofspiel or its turn-based form, not misere: misere(",
        ),
        ("goofspiel(num_cards=17)", "num_cards must be 1 to 16, not 17: goofspiel(num_cards=17)"),
        ("goofspiel(num_cards=0)", "num_cards must be 1 to 16, not 0: goofspiel(num_cards=0)"),
        ("goofspiel(players=3)", "players must be 2, not 3: goofspiel(players=3)"),
        ("goofspiel(num_cards=5,num_turns=0)", "num_turns must be 1 to 5, or -1 for all, not 0: goofspiel(num_cards=5"),
        ("goofspiel(num_cards=5,num_turns=6)", "num_turns must be 1 to 5, or -1 for all, not 6: goofspiel(num_cards=5"),
        (
            "goofspiel(num_cards=5,num_turns=4)",
            "num_turns must not be 4, one less than num_cards: such a game has no end in OpenSpiel: goofspiel(num_card",
        ),
        (
            "goofspiel(imp_info=True)",
            "imp_info must be False: with bids that stay hidden it is another game: goofspiel(",
        ),
    ],
)
def test_another_game_is_refused(name: str, reason: str) -> None:
    """Even where OpenSpiel has no state of it."""
    game = pyspiel.load_game(name)
    for use in (
        OptimalPolicy,
        returns_scale,
        lambda game: OptimalBot(game, 0),
        lambda game: PolicyPlayer(None, game),
        lambda game: BotPlayer(None, game),
        lambda game: state_at(game, Position("A/A/A -")),
        lambda game: position_of(SimpleNamespace(get_game=lambda: game), 0),
    ):
        with pytest.raises(RulesError, match="^" + re.escape(reason)) as refused:
            use(game)
        assert "\n" not in str(refused.value)


def test_what_changes_nothing_is_not_refused() -> None:
    for name in ("goofspiel(num_cards=3,egocentric=True)", "goofspiel(num_cards=3,num_turns=3)"):
        game = pyspiel.load_game(name)
        assert OptimalPolicy(game).state_value(game.new_initial_state()) == 0


def test_who_bids_must_be_clear() -> None:
    at_once, in_turn = game_of(3), game_of(3, turns=True)
    policy = OptimalPolicy(at_once)
    start = Position("A23/A23/A3 2")
    for player in (None, 2, -1, -2):
        with pytest.raises(RulesError, match=f"player must be 0 or 1, not {player}"):
            policy.action_probabilities(state_at(at_once, start), player)
    with pytest.raises(PositionError, match="player 0 is to bid, not 1: 'A23/A23/A3 2'"):
        policy.action_probabilities(state_at(in_turn, start), 1)
    for game, position in product((at_once, in_turn), ("A23/A23/A23 -", "-/-/- - 4")):
        for player in (None, 0):
            with pytest.raises(PositionError, match=f"nobody bids here: '{position}'"):
                policy.action_probabilities(state_at(game, Position(position)), player)
    for use in (
        lambda: position_of(state_at(at_once, start), 2),
        lambda: OptimalBot(at_once, 2),
        lambda: state_at(at_once, start, player=2),
        lambda: PolicyPlayer(policy, at_once, player_id=2),
    ):
        with pytest.raises(RulesError, match="player must be 0 or 1, not 2"):
            use()


def test_a_state_of_another_game_is_refused() -> None:
    policy = OptimalPolicy(game_of(3))
    for other in (game_of(4), game_of(3, "win")):
        with pytest.raises(RulesError, match=r"the state is of goofspiel\(.*\), the policy for goofspiel\("):
            policy.action_probabilities(state_at(other, Position.start(other.num_distinct_actions(), 2)), 0)


def test_without_open_spiel_one_line_says_what_to_install() -> None:
    program = "import sys; sys.modules['pyspiel'] = None\nimport goofspiel.interop\nimport goofspiel.interop.open_spiel"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    *_, last = done.stderr.splitlines()
    assert last.endswith("GoofspielError: OpenSpiel needs the openspiel extra: pip install 'goofspiel[openspiel]'")
