"""Players to and from OpenSpiel: optimal bots over there, its policies and bots as players here."""

import random
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any
from zlib import crc32

import numpy as np
import pyspiel
import pytest
from answers import with_upcard
from command import one_line
from fixtures import Tablebases
from open_spiel.python.algorithms import evaluate_bots
from open_spiel.python.algorithms.cfr import CFRSolver
from open_spiel.python.algorithms.exploitability import nash_conv
from open_spiel.python.bots.uniform_random import UniformRandomBot
from open_spiel.python.policy import Policy, UniformRandomPolicy
from spiel import FORMS, OBJECTIVES, drawn_position, game_of, reachable

from goofspiel.batch import PositionBatch
from goofspiel.best_response.response import respond
from goofspiel.errors import GoofspielError, PlayerError
from goofspiel.interop.open_spiel import (
    BotPlayer,
    OptimalBot,
    OptimalPolicy,
    PolicyPlayer,
    position_of,
    returns_scale,
    state_at,
)
from goofspiel.matches.playing import play_match
from goofspiel.players.players import FunctionPlayer, TablePlayer, UniformPlayer, checked_mixes
from goofspiel.position import Position

# --- the bot


@FORMS
@OBJECTIVES
def test_bots_play_the_same_games_again(objective: str, turns: bool) -> None:
    game = game_of(4, objective, turns=turns)

    def play(seed: int) -> Iterator[list[int]]:
        bots = [OptimalBot(game, player, seed=seed) for player in (0, 1)]
        chance = np.random.RandomState(seed)
        for _ in range(200):
            state = game.new_initial_state()
            returns = evaluate_bots.evaluate_bots(state, bots, chance)
            assert state.is_terminal()
            assert returns[0] == -returns[1]
            yield state.history()

    games = list(play(7))
    assert games == list(play(7))
    assert games[:20] != list(islice(play(8), 20))
    openings = [history[1:3] for history in games]
    assert any(mine != theirs for mine, theirs in openings)  # one seed, but each draws for itself


def test_bots_play_where_open_spiel_runs_them() -> None:
    game = game_of(4, "win")
    bots = [OptimalBot(game, 0, seed=1), pyspiel.make_uniform_random_bot(1, 2)]
    total = sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)[0] for seed in range(300))
    assert total > 0  # optimal play does not lose to any other, and wins from this one


def test_a_bot_draws_by_its_policy() -> None:
    game = game_of(4)
    state = state_at(game, Position.start(4, 2))
    bot = OptimalBot(game, 1, seed=9)
    assert bot.player_id() == 1
    assert bot.provides_policy()
    policy = dict(bot.get_policy(state))
    assert policy == OptimalPolicy(game).action_probabilities(state, 1)
    draws = 3000
    counts = dict.fromkeys(policy, 0)
    for _ in range(draws):
        told, action = bot.step_with_policy(state)
        assert dict(told) == policy
        counts[action] += 1
    for action, probability in policy.items():
        spread = (draws * probability * (1 - probability)) ** 0.5
        assert abs(counts[action] - draws * probability) <= 5 * spread
    assert bot.provides_force_action()
    bot.force_action(state, 0)
    bot.restart()
    assert bot.step(state) in policy


# --- OpenSpiel's players here


@OBJECTIVES
def test_the_policy_comes_back_as_the_player_that_it_was(objective: str, tablebase: Tablebases) -> None:
    """The same mixes where there is one optimal mix, and elsewhere equally good ones."""
    three = [position for position in reachable(3) if position.upcard]
    choose = random.Random(10)
    five = [drawn_position(5, choose.randint(2, 5), choose) for _ in range(40)]
    alike = 0
    for cards, positions in ((3, three), (5, five)):
        table = tablebase(cards, objective=objective)
        game = game_of(cards, objective, turns=cards == 5)
        player = PolicyPlayer(OptimalPolicy(game), game, player_id=int(cards == 5))
        for position in positions:
            asked = PositionBatch.of([position])
            (mix,) = checked_mixes(player, asked)
            answer = with_upcard(table.probe(position))
            assert (mix @ np.array(answer.matrix)).min() >= answer.value - 1e-9
            if answer.unique:
                alike += 1
                assert mix == pytest.approx(TablePlayer(table).mixes(asked)[0], abs=1e-7)
    assert alike > len(three + five) / 2


@FORMS
@OBJECTIVES
def test_open_spiel_s_uniform_policy_is_our_uniform_player(objective: str, turns: bool) -> None:
    game = game_of(3, objective, turns=turns)
    for player_id in (0, 1):
        player = PolicyPlayer(UniformRandomPolicy(game), game, player_id=player_id)
        assert (player.name, player.uses_lead) == ("openspiel:UniformRandomPolicy", True)
        gain = respond(player, 3, objective=objective).value
        assert gain == pytest.approx(respond(UniformPlayer(), 3, objective=objective).value, abs=1e-12)
        if turns:  # OpenSpiel works out best responses in this form only
            theirs = nash_conv(game, UniformRandomPolicy(game)) / 2 / returns_scale(game)
            assert gain == pytest.approx(theirs, abs=1e-12)


@OBJECTIVES
@pytest.mark.parametrize("solver", [CFRSolver, pyspiel.CFRSolver], ids=["Python", "C++"])
def test_what_a_half_learnt_policy_loses(objective: str, solver: type[Any]) -> None:
    """With three cards a position tells all that happened, and both sides' losses are what OpenSpiel says."""
    game = game_of(3, objective, turns=True)
    learner = solver(game)
    for _ in range(10):
        learner.evaluate_and_update_policy()
    policy = learner.average_policy()
    judge = pyspiel.nash_conv if solver is pyspiel.CFRSolver else nash_conv
    players = [PolicyPlayer(policy, game, player_id=player) for player in (0, 1)]
    lost = [respond(player, 3, objective=objective).value * returns_scale(game) for player in players]
    assert sum(lost) == pytest.approx(judge(game, policy), abs=1e-12)
    assert min(lost) > 0.01


FOUR = game_of(4, turns=True)
APART = (
    r"^player learnt failed: it has no mix for a position, but one for each game that leads there, as '([A234 ]+)' and "
    r"'(?!\1)[A234 ]+'; what such a policy loses is told by open_spiel\.python\.algorithms\.exploitability\.nash_conv: "
    r"'[A234]+/[A234]+/[A234]+ [A234](?: -?\d+)?'"
)


@cache
def learnt_at_four(iterations: int) -> pyspiel.CFRPlusSolver:
    """A learner that CFR+ has taught four cards; its policies need it to stay."""
    learner = pyspiel.CFRPlusSolver(FOUR)
    for _ in range(iterations):
        learner.evaluate_and_update_policy()
    return learner


@pytest.mark.parametrize("player_id", [0, 1])
def test_a_learnt_policy_has_no_mix_for_a_position_with_four_cards(player_id: int) -> None:
    policy = learnt_at_four(100).average_policy()
    assert pyspiel.nash_conv(FOUR, policy) == pytest.approx(0.0142878, abs=1e-6)
    player = PolicyPlayer(policy, FOUR, player_id=player_id, name="learnt")
    for ask in (lambda: respond(player, 4), lambda: play_match(player, UniformPlayer(), 4, games=64)):
        with pytest.raises(GoofspielError, match=APART) as caught:
            ask()
        one_line(caught)


def averaged(policy: Policy, seat: int, *, both: bool) -> FunctionPlayer:
    """A player that mixes as the policy does on average at a position, its games weighted by the policy's own reach."""
    sums: dict[Position, dict[int, float]] = defaultdict(lambda: defaultdict(float))

    def walk(state: pyspiel.State, own: float, other: float) -> None:
        if not state.is_player_node():
            for action in state.legal_actions():
                walk(state.child(action), own, other)
            return
        mix = dict(policy.get_state_policy(state))
        mine = state.current_player() == seat
        for action, p in mix.items():
            if mine:
                sums[position_of(state, seat)][action + 1] += p * max(own * (other if both else 1), 1e-30)
            walk(state.child(action), own * (p if mine else 1), other * (1 if mine else p))

    walk(FOUR.new_initial_state(), 1.0, 1.0)

    def mix(position: Position) -> dict[int, float]:
        found = sums[position] or {position.my_cards[0]: 1}  # OpenSpiel plays the last cards itself
        return {card: weight / sum(found.values()) for card, weight in found.items()}

    return FunctionPlayer(mix, "averaged")


def test_no_average_over_games_loses_what_the_policy_does() -> None:
    """Why policies that tell games apart are refused: weighted by reach, of the policy alone or of both sides."""
    policy = learnt_at_four(100).average_policy()
    for both, seems in ((False, 0.0624), (True, 0.0176)):
        lost = sum(respond(averaged(policy, seat, both=both), 4).value for seat in (0, 1)) * returns_scale(FOUR)
        assert lost == pytest.approx(seems, abs=1e-4)
        assert lost > 1.2 * pyspiel.nash_conv(FOUR, policy)


class ByPosition(Policy):  # type: ignore[misc]  # of a module without types
    """A mix like noise that depends on all that a position tells, and on nothing else."""

    def __init__(self, game: pyspiel.Game) -> None:
        super().__init__(game, [0, 1])

    def action_probabilities(self, state: pyspiel.State, player_id: int | None = None) -> dict[int, float]:
        position = position_of(state, state.current_player() if player_id is None else player_id)
        weights = {card - 1: 1 + crc32(f"{position} {card}".encode()) % 7 for card in position.my_cards}
        return {action: weight / sum(weights.values()) for action, weight in weights.items()}


@OBJECTIVES
@pytest.mark.parametrize("cards", [3, 4])
def test_a_policy_that_tells_no_games_apart_loses_what_open_spiel_says(cards: int, objective: str) -> None:
    game = game_of(cards, objective, turns=True)
    policy = ByPosition(game)
    players = [PolicyPlayer(policy, game, player_id=player) for player in (0, 1)]
    lost = [respond(player, cards, objective=objective).value * returns_scale(game) for player in players]
    table = {}

    def walk(state: pyspiel.State) -> None:
        if state.is_player_node():
            table[state.information_state_string()] = list(policy.action_probabilities(state).items())
        for action in state.legal_actions():
            walk(state.child(action))

    walk(game.new_initial_state())
    assert sum(lost) == pytest.approx(pyspiel.nash_conv(game, pyspiel.TabularPolicy(table)), abs=1e-9)
    assert min(lost) > 0.01


class LowestBot(pyspiel.Bot):  # type: ignore[misc]
    """Bids its lowest card, and does not tell why."""

    def __init__(self, player: int) -> None:
        super().__init__()
        self.player = player

    def restart_at(self, state: pyspiel.State) -> None:
        pass

    def step(self, state: pyspiel.State) -> int:
        return int(state.legal_actions(self.player)[0])


@FORMS
@pytest.mark.parametrize("player_id", [0, 1])
def test_bots_as_players(turns: bool, player_id: int) -> None:
    game = game_of(5, turns=turns)
    choose = random.Random(11)
    for level in (5, 4, 3, 2, 1):
        asked = PositionBatch.of([drawn_position(5, level, choose) for _ in range(5)])
        uniform = UniformPlayer().mixes(asked)
        bots = [
            UniformRandomBot(player_id, np.random.RandomState(1)),
            pyspiel.make_uniform_random_bot(player_id, 1),
            pyspiel.make_stateful_random_bot(game, player_id, 1),
        ]
        for bot in bots[: 2 + turns]:  # the last one cannot be asked about bids made at the same moment
            assert (checked_mixes(BotPlayer(bot, game, player_id=player_id), asked) == uniform).all()
        lowest = checked_mixes(BotPlayer(LowestBot(player_id), game, player_id=player_id), asked)
        assert (lowest[:, 0] == 1).all()
        optimal = BotPlayer(OptimalBot(game, player_id), game, player_id=player_id)
        policy = PolicyPlayer(OptimalPolicy(game), game, player_id=player_id)
        assert (checked_mixes(optimal, asked) == checked_mixes(policy, asked)).all()


def test_a_bot_plays_a_match() -> None:
    game = game_of(4)
    player = BotPlayer(OptimalBot(game, 0), game, name="bot")
    result = play_match(player, UniformPlayer(), 4, games=200, seed=1)
    assert result.players == ("bot", "uniform")
    assert result.games == 200
    assert result.points.low > 0


def test_a_bot_that_draws_its_bids_has_no_best_response() -> None:
    """It does not tell its policy, and a search with few simulations does not always find the same."""
    game = game_of(4, turns=True)
    search = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 1), 2.0, 5, 10, False, 1, False)
    assert not search.provides_policy()
    player = BotPlayer(search, game, name="search")
    with pytest.raises(
        PlayerError, match=r"^player search answers '.*' with ., and when asked again with .: "
    ) as caught:
        respond(player, 4)
    one_line(caught)
    assert play_match(player, UniformPlayer(), 4, games=20).games == 20


LOWEST = FunctionPlayer(lambda position: position.my_cards[0], "lowest")


class Remembers(LowestBot):
    """Bids its highest card if the first prize of the game was even, else its lowest; it may tell so."""

    def __init__(self, tells: bool) -> None:
        super().__init__(0)
        self.tells = tells

    def provides_policy(self) -> bool:
        return self.tells

    def step(self, state: pyspiel.State) -> int:
        return int(state.legal_actions(0)[-1 if state.history()[0] % 2 else 0])

    def step_with_policy(self, state: pyspiel.State) -> tuple[list[tuple[int, float]], int]:
        return [(self.step(state), 1.0)], self.step(state)


def test_a_bot_that_tells_games_apart_has_no_best_response() -> None:
    for tells, said in ((False, "and when asked again with"), (True, "one for each game that leads there")):
        with pytest.raises(PlayerError, match=said):
            respond(BotPlayer(Remembers(tells), FOUR), 4)
    # With three cards there is nothing to remember where there is something to choose.
    assert respond(BotPlayer(Remembers(tells=False), game_of(3)), 3).value > 0
    assert respond(BotPlayer(LowestBot(0), game_of(4)), 4).value == respond(LOWEST, 4).value


def test_a_bot_that_cannot_start_anywhere_is_no_player() -> None:
    class Forgotten(LowestBot):
        restart_at = pyspiel.Bot.restart_at

    player = BotPlayer(Forgotten(0), game_of(3), name="forgotten")
    with pytest.raises(PlayerError, match=r"player forgotten failed: a bot must have a restart_at, .*: 'A23/A23/A3 2'"):
        player.mixes(PositionBatch.of([Position.start(3, 2)]))


def test_positions_that_no_game_comes_to_have_no_answer() -> None:
    player = PolicyPlayer(UniformRandomPolicy(game_of(3)), game_of(3), name="uniform")
    for position in ("A2/A2/A 2 3", "24/A2/A 2"):
        with pytest.raises(PlayerError, match=f"player uniform failed: .*: '{position}'"):
            player.mixes(PositionBatch.of([Position(position)]))


def test_bids_that_are_no_cards_of_the_hand_are_refused() -> None:
    class Cheat(LowestBot):
        def step(self, state: pyspiel.State) -> int:
            return 2

    player = BotPlayer(Cheat(0), game_of(3))
    assert player.name == "openspiel:Cheat"
    with pytest.raises(PlayerError, match="player openspiel:Cheat bid 3, which is not in its hand: 'A2/A2/A 2'"):
        player.mixes(PositionBatch.of([Position("A2/A2/A 2")]))


def test_policies_may_name_cards_that_are_gone_with_probability_0() -> None:
    class Padded(UniformRandomPolicy):  # type: ignore[misc]
        def action_probabilities(self, state: pyspiel.State, player_id: int | None = None) -> dict[int, float]:
            held: dict[int, float] = super().action_probabilities(state, player_id)
            return dict.fromkeys(range(4), 0.0) | held

    game = game_of(4)
    asked = PositionBatch.of([Position("A24/A23/A4 2 -3")])
    assert checked_mixes(PolicyPlayer(Padded(game), game), asked).tolist() == [[1 / 3] * 3]
