"""To and from OpenSpiel: positions of states, states of positions, policies, bots and players."""

import random
import re
import subprocess
import sys
from itertools import combinations, islice, product

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import evaluate_bots
from open_spiel.python.algorithms.cfr import CFRSolver
from open_spiel.python.algorithms.expected_game_score import policy_value
from open_spiel.python.algorithms.exploitability import nash_conv
from open_spiel.python.bots.uniform_random import UniformRandomBot
from open_spiel.python.policy import UniformRandomPolicy

from goofspiel.errors import PlayerError, PositionError, RulesError
from goofspiel.interop.histories import game_to
from goofspiel.interop.open_spiel import (
    BotPlayer,
    OptimalBot,
    OptimalPolicy,
    PolicyPlayer,
    position_of,
    returns_scale,
    state_at,
)
from goofspiel.play.match import play_match
from goofspiel.play.players import TablePlayer, UniformPlayer, checked_mixes
from goofspiel.play.respond import respond
from goofspiel.position import Position
from goofspiel.questions import Questions
from goofspiel.rules import mask_of

RETURNS = {"points": "point_difference", "win": "win_loss"}
FORMS = pytest.mark.parametrize("turns", [False, True], ids=["simultaneous", "turn-based"])
OBJECTIVES = pytest.mark.parametrize("objective", ["points", "win"])


def game_of(cards, objective="points", *, turns=False):
    load = pyspiel.load_game_as_turn_based if turns else pyspiel.load_game
    return load("goofspiel", {"num_cards": cards, "returns_type": RETURNS[objective]})


def bid_at_random(state, choose):
    """A state of the game after the next action, drawn."""
    after = state.clone()
    if after.is_simultaneous_node():
        after.apply_actions([choose.choice(after.legal_actions(player)) for player in (0, 1)])
    else:
        after.apply_action(choose.choice(after.legal_actions()))
    return after


def playouts(game, *, games, seed):
    """All states of some games at random."""
    choose = random.Random(seed)
    for _ in range(games):
        state = game.new_initial_state()
        yield state
        while not state.is_terminal():
            state = bid_at_random(state, choose)
            yield state


def all_states(state):
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


def read_position(state, player):
    """The position of a state, from what OpenSpiel writes about it."""
    seen = state.information_state_string(player)
    fields = {name: list(map(int, numbers.split())) for name, numbers in re.findall(r"^(.+): ([\d ]*)$", seen, re.M)}
    turned_up = fields["Point card sequence"]
    shown = [] if state.is_chance_node() or state.is_terminal() else turned_up[-1:]
    deck = set(range(1, state.get_game().num_distinct_actions() + 1)) - set(turned_up)
    points = fields["Points"]
    position = Position.of(fields["P0 hand"], fields["P1 hand"], deck, *shown, lead=points[0] - points[1])
    return position if player == 0 else position.swap()


def reachable(cards):
    """All positions that a game of so many cards comes to."""
    found = new = {Position.start(cards)}
    while new:
        after = set()
        for position in new:
            if position.upcard:
                after |= {position.play(a, b) for a, b in product(position.my_cards, position.their_cards)}
            else:
                after |= {position.turn_up(card) for card in position.deck_cards}
        new = after - found
        found = found | new
    return found


def drawn_position(cards, level, choose):
    """A position of a game at random, its upcard shown."""
    position = Position.start(cards)
    while True:
        position = position.turn_up(choose.choice(position.deck_cards))
        if position.level == level:
            return position
        position = position.play(choose.choice(position.my_cards), choose.choice(position.their_cards))


# States and positions


@FORMS
@pytest.mark.parametrize("cards", range(1, 7))
def test_a_state_is_the_position_that_it_says(cards, turns):
    for state in playouts(game_of(cards, turns=turns), games=60, seed=cards):
        for player in (0, 1):
            assert position_of(state, player) == read_position(state, player)


def test_joint_actions_are_read_as_well():
    state = game_of(3).new_initial_state()
    state.apply_action(1)
    state.apply_action(5)  # OpenSpiel's number of the bids 3 and 2
    assert position_of(state, 0) == Position("A2/A3/A3 - 2")
    assert position_of(state, 1) == Position("A3/A2/A3 - -2")


@pytest.mark.parametrize("cards", [1, 2, 3, 4])
def test_a_game_leads_to_a_position_exactly_when_there_is_one(cards):
    expected = reachable(cards)
    whole = cards * (cards + 1) // 2
    asked = set()
    for level in range(cards + 1):
        sets = [mask_of(chosen) for chosen in combinations(range(1, cards + 1), level)]
        for mine, theirs, prizes, lead in product(sets, sets, sets, range(-whole - 1, whole + 2)):
            asked.add(Position.from_masks(mine, theirs, prizes, 0, lead))
    asked |= {position.turn_up(card) for position in asked for card in position.deck_cards[:1]}
    for position in asked:
        if position in expected:
            assert game_to(position, cards).position == position
        else:
            with pytest.raises(PositionError, match=f"no game of {cards} cards comes to this position"):
                game_to(position, cards)
    assert {position for position in expected if not position.upcard} <= asked


@pytest.mark.parametrize("cards", [8, 13, 16])
def test_a_game_is_found_for_every_position_of_larger_games(cards):
    choose = random.Random(cards)
    for _ in range(100):
        position = drawn_position(cards, choose.randint(1, cards), choose)
        assert game_to(position, cards).position == position
    whole_game = position.play(position.my_cards[0], position.their_cards[0])
    while not whole_game.is_over:
        shown = whole_game.turn_up(whole_game.deck_cards[0])
        whole_game = shown.play(shown.my_cards[0], shown.their_cards[-1])
    assert game_to(whole_game, cards).position == whole_game


@FORMS
def test_a_position_has_a_state_for_each_player(turns):
    game = game_of(5, turns=turns)
    for state in playouts(game, games=40, seed=1):
        for player in (0, 1):
            position = position_of(state, player)
            assert position_of(state_at(game, position, player=player), player) == position


def test_a_position_without_a_state():
    with pytest.raises(PositionError, match=r"OpenSpiel plays the last cards itself, .*: 'A/A/- A'"):
        state_at(game_of(2), Position("A/A/- A"))
    with pytest.raises(PositionError, match=r"no game of 3 cards comes to this position: 'A2/A2/A2 - 3'"):
        state_at(game_of(3), Position("A2/A2/A2 - 3"))
    with pytest.raises(PositionError, match=r"a game of 3 cards has no such cards: 'A4/A2/A2 -'"):
        state_at(game_of(3), Position("A4/A2/A2 -"))
    assert position_of(state_at(game_of(1), Position("A/A/- A")), 0) == Position("A/A/- A")


# The policy


@FORMS
@OBJECTIVES
def test_the_policy_guarantees_the_value_of_every_position(objective, turns, tablebase):
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
                answer = table.probe(position_of(state, player))
                earned = np.array(list(mix.values())) @ np.array(answer.matrix)
                assert earned.min() >= answer.value - 1e-9


@OBJECTIVES
def test_both_forms_of_the_game_get_the_same_answers(objective):
    at_once, in_turn = game_of(4, objective), game_of(4, objective, turns=True)
    policy, other = OptimalPolicy(at_once), OptimalPolicy(in_turn)
    for state in playouts(in_turn, games=20, seed=3):
        if state.current_player() >= 0:
            player = state.current_player()
            same = state_at(at_once, position_of(state, player), player=player)
            mix = policy.action_probabilities(same, player)
            assert other.action_probabilities(state) == other.action_probabilities(state, player) == mix
            assert policy(state) == mix  # a policy takes states of either form


def test_the_second_to_bid_does_not_know_the_first_bid():
    game = game_of(5, "win", turns=True)
    policy = OptimalPolicy(game)
    asked = 0
    for state in playouts(game, games=20, seed=4):
        if state.current_player() == 0:
            answers = [policy.action_probabilities(state.child(bid)) for bid in state.legal_actions()]
            assert all(answer == answers[0] for answer in answers)
            asked += len(answers) > 1
    assert asked > 50


def test_answers_may_be_changed_by_who_gets_them():
    state = state_at(game_of(3), Position("A23/A23/A3 2"))
    policy = OptimalPolicy(game_of(3))
    mix = policy.action_probabilities(state, 0)
    before = dict(mix)
    mix.clear()
    assert policy.action_probabilities(state, 0) == before


@pytest.mark.parametrize("kept", [0, 3])
def test_a_policy_that_forgets_answers_alike(kept, monkeypatch):
    game = game_of(4, "win", turns=True)
    policy = OptimalPolicy(game)
    states = [state for state in playouts(game, games=10, seed=5) if state.current_player() >= 0]
    expected = [policy(state) for state in states]
    monkeypatch.setattr("goofspiel.interop.open_spiel.KEPT_MIXES", kept)
    forgetful = OptimalPolicy(game)
    assert [forgetful(state) for state in states] == expected
    assert [forgetful(state) for state in reversed(states)] == expected[::-1]


def test_games_too_large_to_solve_together_are_asked_one_by_one(tablebase):
    game = game_of(9)
    policy, table = OptimalPolicy(game), tablebase(9)
    choose = random.Random(6)
    for level in (9, 6, 5, 2):
        position = drawn_position(9, level, choose)
        mix = policy.action_probabilities(state_at(game, position), 0)
        answer = table.probe(position)
        earned = np.array(list(mix.values())) @ np.array(answer.matrix)
        assert earned.min() >= answer.value - 1e-9


@FORMS
@OBJECTIVES
def test_the_value_of_a_state_is_what_the_policy_returns(objective, turns):
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


def test_values_are_in_the_units_of_the_game(tablebase):
    position = Position("23/A3/A 2 -3")  # three points are still to be won
    for objective, scale in (("points", 0.5), ("win", 1.0)):
        game = game_of(3, objective)
        assert returns_scale(game) == returns_scale(game_of(3, objective, turns=True)) == scale
        value = tablebase(3, objective=objective).probe(position).value
        assert OptimalPolicy(game).state_value(state_at(game, position)) == pytest.approx(scale * value, abs=1e-12)


def test_a_policy_may_play_for_something_else(tablebase):
    game = game_of(4, "win")
    state = state_at(game, Position.start(4, 2))
    to_win, for_points = OptimalPolicy(game), OptimalPolicy(game, objective="points")
    for policy, objective in ((to_win, "win"), (for_points, "points")):
        answer = tablebase(4, objective=objective).probe(Position.start(4, 2))
        mix = policy.action_probabilities(state, 0)
        assert mix == pytest.approx({card - 1: p for card, p in answer.mine.items()}, abs=1e-7)
    with pytest.raises(RulesError, match=r"plays for points, which is not what the game pays: goofspiel\(num_cards=4"):
        for_points.state_value(state)


def test_a_larger_table_answers_as_well(tablebase):
    state = state_at(game_of(4), Position.start(4, 3))
    small, large = OptimalPolicy(game_of(4)), OptimalPolicy(game_of(4), tablebase=tablebase(6))
    assert large.tablebase.cards == 6
    assert small.action_probabilities(state, 0) == pytest.approx(large.action_probabilities(state, 0), abs=1e-9)
    with pytest.raises(RulesError, match="the policy plays for win, not for points: open_tablebase"):
        OptimalPolicy(game_of(4, "win"), tablebase=tablebase(6))


# What is refused


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
        ("goofspiel(num_cards=5,num_turns=3)", "num_turns must be all 5, not 3: goofspiel(num_cards=5,num_turns=3)"),
        ("goofspiel(points_order=descending)", "points_order must be random, not descending: goofspiel("),
        (
            "goofspiel(imp_info=True)",
            "imp_info must be False: with bids that stay hidden it is another game: goofspiel(",
        ),
        (
            "goofspiel(returns_type=total_points)",
            "returns_type must be point_difference or win_loss, not total_points: it must be a zero-sum game: goof",
        ),
    ],
)
def test_another_game_is_refused(name, reason):
    game = pyspiel.load_game(name)
    for use in (
        OptimalPolicy,
        returns_scale,
        lambda game: OptimalBot(game, 0),
        lambda game: PolicyPlayer(None, game),
        lambda game: BotPlayer(None, game),
        lambda game: position_of(game.new_initial_state(), 0),
    ):
        with pytest.raises(RulesError, match="^" + re.escape(reason)) as refused:
            use(game)
        assert "\n" not in str(refused.value)


def test_what_changes_nothing_is_not_refused():
    for name in ("goofspiel(num_cards=3,egocentric=True)", "goofspiel(num_cards=3,num_turns=3)"):
        game = pyspiel.load_game(name)
        assert OptimalPolicy(game).state_value(game.new_initial_state()) == 0


def test_who_bids_must_be_clear():
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


def test_a_state_of_another_game_is_refused():
    policy = OptimalPolicy(game_of(3))
    for other in (game_of(4), game_of(3, "win")):
        with pytest.raises(RulesError, match=r"the state is of goofspiel\(.*\), the policy for goofspiel\("):
            policy.action_probabilities(state_at(other, Position.start(other.num_distinct_actions(), 2)), 0)


def test_without_open_spiel_one_line_says_what_to_install():
    program = "import sys; sys.modules['pyspiel'] = None\nimport goofspiel.interop\nimport goofspiel.interop.open_spiel"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    *_, last = done.stderr.splitlines()
    assert last.endswith("GoofspielError: OpenSpiel needs the openspiel extra: pip install 'goofspiel[openspiel]'")


# The bot


@FORMS
@OBJECTIVES
def test_bots_play_the_same_games_again(objective, turns):
    game = game_of(4, objective, turns=turns)

    def play(seed):
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


def test_bots_play_where_open_spiel_runs_them():
    game = game_of(4, "win")
    bots = [OptimalBot(game, 0, seed=1), pyspiel.make_uniform_random_bot(1, 2)]
    total = sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)[0] for seed in range(300))
    assert total > 0  # optimal play does not lose to any other, and wins from this one


def test_a_bot_draws_by_its_policy():
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


# OpenSpiel's players here


@OBJECTIVES
def test_the_policy_comes_back_as_the_player_that_it_was(objective, tablebase):
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
            asked = Questions.of([position])
            (mix,) = checked_mixes(player, asked)
            answer = table.probe(position)
            assert (mix @ np.array(answer.matrix)).min() >= answer.value - 1e-9
            if answer.unique:
                alike += 1
                assert mix == pytest.approx(TablePlayer(table).mixes(asked)[0], abs=1e-7)
    assert alike > len(three + five) / 2


@FORMS
@OBJECTIVES
def test_open_spiel_s_uniform_policy_is_our_uniform_player(objective, turns):
    game = game_of(3, objective, turns=turns)
    for player_id in (0, 1):
        player = PolicyPlayer(UniformRandomPolicy(game), game, player_id=player_id)
        assert (player.name, player.uses_lead) == ("openspiel:UniformRandomPolicy", True)
        gain = respond(player, cards=3, objective=objective).value
        assert gain == pytest.approx(respond(UniformPlayer(), cards=3, objective=objective).value, abs=1e-12)
        if turns:  # OpenSpiel works out best responses in this form only
            theirs = nash_conv(game, UniformRandomPolicy(game)) / 2 / returns_scale(game)
            assert gain == pytest.approx(theirs, abs=1e-12)


@OBJECTIVES
@pytest.mark.parametrize("solver", [CFRSolver, pyspiel.CFRSolver], ids=["Python", "C++"])
def test_what_a_half_learnt_policy_loses(objective, solver):
    """With three cards a position tells all that happened, and both sides' losses are what OpenSpiel says."""
    game = game_of(3, objective, turns=True)
    learner = solver(game)
    for _ in range(10):
        learner.evaluate_and_update_policy()
    policy = learner.average_policy()
    judge = pyspiel.nash_conv if solver is pyspiel.CFRSolver else nash_conv
    players = [PolicyPlayer(policy, game, player_id=player) for player in (0, 1)]
    lost = [respond(player, cards=3, objective=objective).value * returns_scale(game) for player in players]
    assert sum(lost) == pytest.approx(judge(game, policy), abs=1e-12)
    assert min(lost) > 0.01


class LowestBot(pyspiel.Bot):
    """Bids its lowest card, and does not tell why."""

    def __init__(self, player):
        super().__init__()
        self.player = player

    def restart_at(self, state):
        pass

    def step(self, state):
        return state.legal_actions(self.player)[0]


@FORMS
@pytest.mark.parametrize("player_id", [0, 1])
def test_bots_as_players(turns, player_id):
    game = game_of(5, turns=turns)
    choose = random.Random(11)
    for level in (5, 4, 3, 2, 1):
        asked = Questions.of([drawn_position(5, level, choose) for _ in range(5)])
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


def test_a_bot_plays_a_match():
    game = game_of(4)
    player = BotPlayer(OptimalBot(game, 0), game, name="bot")
    result = play_match(player, UniformPlayer(), cards=4, games=200, seed=1)
    assert result.players == ("bot", "uniform")
    assert result.games == 200
    assert result.points.low > 0


def test_a_bot_that_cannot_start_anywhere_is_no_player():
    class Forgotten(LowestBot):
        restart_at = pyspiel.Bot.restart_at

    player = BotPlayer(Forgotten(0), game_of(3), name="forgotten")
    with pytest.raises(PlayerError, match=r"player forgotten failed: a bot must have a restart_at, .*: 'A23/A23/A3 2'"):
        player.mixes(Questions.of([Position.start(3, 2)]))


def test_positions_that_no_game_comes_to_have_no_answer():
    player = PolicyPlayer(UniformRandomPolicy(game_of(3)), game_of(3), name="uniform")
    for position in ("A2/A2/A 2 3", "24/A2/A 2"):
        with pytest.raises(PlayerError, match=f"player uniform failed: .*: '{position}'"):
            player.mixes(Questions.of([Position(position)]))


def test_bids_that_are_no_cards_of_the_hand_are_refused():
    class Cheat(LowestBot):
        def step(self, state):
            return 2

    player = BotPlayer(Cheat(0), game_of(3))
    assert player.name == "openspiel:Cheat"
    with pytest.raises(PlayerError, match="player openspiel:Cheat bid 3, which is not in its hand: 'A2/A2/A 2'"):
        player.mixes(Questions.of([Position("A2/A2/A 2")]))


def test_policies_may_name_cards_that_are_gone_with_probability_0():
    class Padded(UniformRandomPolicy):
        def action_probabilities(self, state, player_id=None):
            return dict.fromkeys(range(4), 0.0) | super().action_probabilities(state, player_id)

    game = game_of(4)
    asked = Questions.of([Position("A24/A23/A4 2 -3")])
    assert checked_mixes(PolicyPlayer(Padded(game), game), asked).tolist() == [[1 / 3] * 3]
