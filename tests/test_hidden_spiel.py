"""Hidden bids against OpenSpiel, really installed: its exploitability, its own linear program, its policies."""

from pathlib import Path

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as spiel_policy
from open_spiel.python.algorithms import sequence_form_lp
from open_spiel.python.algorithms.exploitability import nash_conv

from goofspiel.errors import PlayerError, PositionError, RulesError
from goofspiel.hidden.certificate import best_reply_gain
from goofspiel.hidden.players import ArrayPlayer, all_mixes
from goofspiel.hidden.sets import InformationSets, information_sets
from goofspiel.hidden.solving import open_policy
from goofspiel.interop.hidden_spiel import (
    HiddenBot,
    HiddenSpielPolicy,
    PolicyHiddenPlayer,
    hidden_rules_of,
    information_set_of,
)
from goofspiel.rules import Rules

SCALE = {"point_difference": 0.5, "win_loss": 1.0}


def load(
    cards: int, order: str, returns: str = "point_difference", *, turns: int = -1, forms: bool = True
) -> pyspiel.Game:
    parameters = {"num_cards": cards, "points_order": order, "returns_type": returns, "num_turns": turns}
    make = pyspiel.load_game_as_turn_based if forms else pyspiel.load_game
    return make("goofspiel", parameters | {"imp_info": True})


def random_player(sets: InformationSets, seed: int) -> ArrayPlayer:
    raw = np.random.default_rng(seed).random(sets.sequences)
    return ArrayPlayer(f"drawn {seed}", sets.rules, raw / np.add.reduceat(raw, sets.firsts[:-1])[sets.owners])


GAMES = [
    (3, "random", "point_difference", -1),
    (3, "ascending", "win_loss", -1),
    (4, "descending", "point_difference", -1),
    (4, "ascending", "point_difference", -1),
    (4, "descending", "win_loss", -1),
    (4, "random", "point_difference", -1),
    (4, "random", "point_difference", 2),
    (5, "descending", "win_loss", 3),
]


@pytest.mark.parametrize(("cards", "order", "returns", "turns"), GAMES)
def test_our_policies_are_optimal_by_its_count(
    cards: int, order: str, returns: str, turns: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    game = load(cards, order, returns, turns=turns)
    store = tmp_path_factory.mktemp("policies")
    assert abs(nash_conv(game, HiddenSpielPolicy(game, store=store))) <= 1e-9


@pytest.mark.parametrize(("cards", "order", "returns", "turns"), GAMES)
def test_gaps_of_drawn_policies_are_its_exploitability(cards: int, order: str, returns: str, turns: int) -> None:
    game = load(cards, order, returns, turns=turns)
    rules = hidden_rules_of(game)
    players = [random_player(information_sets(rules), seed) for seed in (1, 2)]
    ours = sum(best_reply_gain(rules, player.all_mixes) for player in players)
    assert nash_conv(game, HiddenSpielPolicy(game, players)) == pytest.approx(ours * SCALE[returns], abs=1e-12)


def test_its_own_linear_program_finds_the_same() -> None:
    game = load(4, "descending")
    value, other, *policies = sequence_form_lp.solve_zero_sum_game(game)
    assert value == pytest.approx(0, abs=1e-8)
    assert other == pytest.approx(0, abs=1e-8)
    rules = hidden_rules_of(game)
    for player, policy in enumerate(policies):
        # Where its plan never comes, its solver leaves rounding errors, also below 0.
        found = np.maximum(policy.action_probability_array, 0)
        policy.action_probability_array = found / found.sum(axis=1, keepdims=True)
        taken = PolicyHiddenPlayer(policy, game, player_id=player)
        mixes = all_mixes(taken, information_sets(rules))
        assert best_reply_gain(rules, mixes) == pytest.approx(0, abs=1e-6)  # its solver's tolerance


@pytest.mark.parametrize("forms", [False, True])
def test_a_policy_goes_there_and_back(forms: bool) -> None:
    game = load(4, "random", turns=2, forms=forms)
    sets = information_sets(hidden_rules_of(game))
    player = random_player(sets, 3)
    policy = HiddenSpielPolicy(game, [player, player])
    for side in (0, 1):
        back = PolicyHiddenPlayer(policy, game, player_id=side)
        assert np.allclose(all_mixes(back, sets), player.all_mixes, atol=1e-15)
    uniform = PolicyHiddenPlayer(spiel_policy.UniformRandomPolicy(game), game)
    assert np.allclose(all_mixes(uniform, sets), 1 / np.repeat(np.diff(sets.firsts), np.diff(sets.firsts)))


def test_total_points_need_an_objective(tmp_path: Path) -> None:
    game = load(3, "descending", "total_points", forms=False)
    assert hidden_rules_of(game) == Rules.parse("3 hidden order=descending")
    with pytest.raises(RulesError, match=r"returns_type must be .* where no objective is given"):
        HiddenSpielPolicy(game, store=tmp_path)
    policy = HiddenSpielPolicy(game, store=tmp_path, objective="win")
    state = game.new_initial_state()
    assert sum(policy.action_probabilities(state, 0).values()) == pytest.approx(1)


def test_bots_play_whole_games(tmp_path: Path) -> None:
    game = load(4, "descending", forms=False)
    bots = [HiddenBot(game, side, seed=1, store=tmp_path) for side in (0, 1)]
    state = game.new_initial_state()
    while not state.is_terminal():
        for side in (0, 1):
            assert information_set_of(state, side).hand == tuple(card + 1 for card in state.legal_actions(side))
        state.apply_actions([bot.step(state) for bot in bots])
    assert sum(state.returns()) == 0
    with pytest.raises(PositionError, match="nobody bids in this state"):
        information_set_of(state, 0)


def test_other_games_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match="imp_info must be True: bids that are shown make another game"):
        hidden_rules_of(pyspiel.load_game("goofspiel(num_cards=4)"))
    game = load(4, "descending", forms=False)
    policy = HiddenSpielPolicy(game, store=tmp_path)
    with pytest.raises(RulesError, match="the state is of"):
        policy.action_probabilities(load(4, "ascending", forms=False).new_initial_state(), 0)
    with pytest.raises(PlayerError, match="knows the game"):
        all_mixes(PolicyHiddenPlayer(policy, game), open_policy("3 hidden", store=tmp_path).sets)
