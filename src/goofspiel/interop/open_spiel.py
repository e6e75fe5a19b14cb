"""OpenSpiel: its policies and bots as players here, optimal play from here as policies and bots there.

OpenSpiel's game is one of ours when two players play it with open hands, whatever the order of the prizes and the
number of rounds; any other is refused. Both its forms will do: the one in which both bid at the same moment, and the
turn-based one, in which player 1 bids after player 0 without seeing the bid. OpenSpiel's actions count cards from 0.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from goofspiel.batch import PositionBatch, places
from goofspiel.best_response.consistency import SAME
from goofspiel.errors import PlayerError, PositionError, RulesError
from goofspiel.interop.histories import game_to, other_game_to
from goofspiel.interop.spiel_bot import Policy, PolicyBot, probabilities, pyspiel
from goofspiel.interop.spiel_states import (
    Game,
    State,
    checked_player,
    game_of,
    no_zero_sum,
    position_of,
    returns_scale,
    rules_of,
    state_at,
    state_to_bid,
    to_log,
    to_position,
)
from goofspiel.players.players import FunctionPlayer, Mix
from goofspiel.position import Position
from goofspiel.rules import Objective, Rules
from goofspiel.states.subsets import all_subsets
from goofspiel.tablebase import Tablebase, open_tablebase
from goofspiel.tablebase.exact import ExactTablebase
from goofspiel.tablebase.opening import candidates

__all__ = [
    "BotPlayer",
    "OptimalBot",
    "OptimalPolicy",
    "PolicyPlayer",
    "position_of",
    "returns_scale",
    "rules_of",
    "state_at",
    "to_log",
]

KEPT_MIXES = 1 << 17
# Up to so many cards all mixes are kept, at most 83,630, and found for many positions at a time: such a game is mostly
# asked about by a walk through all of it.
SMALL = {False: 6, True: 5}  # by whether leads count
EXACT = 4  # cards: up to here a policy to win is that of an exact table; others are kept in single precision


class OptimalPolicy(Policy):  # type: ignore[misc]
    """Optimal play of both players as a policy, for both forms of the game.

    It plays for what the game pays; `objective` makes it play for something else, and must be given where the game pays
    total points. `tablebase` is the table to ask; without it, that of the game is opened in the store, to win with up
    to four cards an exact one. Where several mixes are optimal it plays one of them, always the same.
    """

    def __init__(
        self,
        game: Game,
        *,
        objective: Objective | str | None = None,
        store: Path | str | None = None,
        tablebase: Tablebase | ExactTablebase | None = None,
    ) -> None:
        super().__init__(game, [0, 1])
        self._game = game_of(game)
        self._rules = Rules.of(self._game.rules, objective=objective)
        if self._game.scale is None and objective is None:
            raise no_zero_sum(game, but=" where no objective is given")
        if tablebase is None:
            if self._rules.has_leads and self._rules.cards <= EXACT:
                tablebase = open_tablebase(self._rules, store=store, exact=True)
            else:
                tablebase = open_tablebase(self._rules, store=store)
        elif not any(candidates(self._rules, [tablebase.rules])):
            raise RulesError(f"the policy is for {str(self._rules)!r}, the table is not: {tablebase!r}")
        self.tablebase = tablebase
        self._fitting: set[str] = set()  # games as OpenSpiel writes them
        self._mixes: dict[Position, dict[int, float]] = {}  # action → probability

    def action_probabilities(self, state: State, player_id: int | None = None) -> dict[int, float]:
        """An optimal mix: action → probability. Where both bid at the same moment, it must be said for whom."""
        self._check(state)
        player = state.current_player()
        if state.is_simultaneous_node():
            player = checked_player(player_id)
        elif player < 0:
            raise PositionError(f"nobody bids here: {str(position_of(state, 0))!r}")
        elif player_id not in (None, player):
            raise PositionError(f"player {player} is to bid, not {player_id}: {str(position_of(state, player))!r}")
        position = to_position(state, self._rules, player)
        if position.lead and not self._rules.has_leads:
            position = position.replaced(lead=0)
        if position not in self._mixes:
            self._solve(position)
        return dict(self._mixes[position])

    def state_value(self, state: State) -> float:
        """What player 0 can expect from a state when both go on by the policy, in OpenSpiel's unit."""
        self._check(state)
        if self._game.scale is None:
            raise no_zero_sum(self.game)
        if self._rules != self._game.rules:
            raise RulesError(
                f"the policy plays for {self._rules.objective}, which is not what the game pays: {self.game}"
            )
        position = to_position(state, self._rules, 0)
        after, weights = [position], [1.0]
        if state.current_player() == 1:  # of the turn-based form: player 0 has bid, and player 1 does not know what
            mix = self.action_probabilities(state)
            bid = state.history()[-1] + 1
            after, weights = [position.play(bid, action + 1) for action in mix], list(mix.values())
        return float(np.dot(weights, self.tablebase.values(after))) * self._game.scale

    def _check(self, state: State) -> None:
        """Refuse a state of another game; the other form of the game is none."""
        game = state.get_game()
        if (text := str(game)) not in self._fitting:
            if game_of(game) != self._game:
                raise RulesError(f"the state is of {game}, the policy for {self.game}")
            self._fitting.add(text)

    def _solve(self, position: Position) -> None:
        """Find the mix of a position, and in a small game those of all others with the same prizes."""
        asked = [position]
        cards, has_leads = self._rules.cards, self._rules.has_leads
        if not isinstance(self.tablebase, ExactTablebase) and cards <= SMALL[has_leads]:
            hands = all_subsets(cards, position.level).tolist()
            gone = self._rules.total - sum(position.prizes)
            leads = range(-gone, gone + 1) if has_leads else range(1)
            asked = [
                position.replaced(mine=mine, theirs=theirs, lead=lead)
                for mine, theirs, lead in product(hands, hands, leads)
            ]
        while self._mixes and len(self._mixes) > KEPT_MIXES - len(asked):
            del self._mixes[next(iter(self._mixes))]  # the oldest
        if isinstance(self.tablebase, ExactTablebase):
            for answer in map(self.tablebase.probe, asked):
                mine: Mapping[int, Fraction] = getattr(answer, "mine", {})
                self._mixes[answer.position] = {card - 1: float(p) for card, p in mine.items()}
            return
        batch = PositionBatch.of(asked, places(self._rules))
        for one, mix in zip(asked, self.tablebase.solve_rounds(batch).mine.tolist(), strict=True):
            self._mixes[one] = {card - 1: p for card, p in zip(one.my_cards, mix, strict=True)}


class OptimalBot(PolicyBot):
    """Plays one side of a game by `OptimalPolicy`. The same seed, the same bids; the other side draws others.

    It remembers nothing of a game, so that it may be asked at any state; starting a game anew does not start its random
    numbers anew.
    """

    def __init__(
        self,
        game: Game,
        player_id: int,
        *,
        seed: int | None = None,
        objective: Objective | str | None = None,
        store: Path | str | None = None,
        tablebase: Tablebase | ExactTablebase | None = None,
    ) -> None:
        super().__init__(OptimalPolicy(game, objective=objective, store=store, tablebase=tablebase), player_id, seed)

    def provides_force_action(self) -> bool:
        """Any bid may be made in its place."""
        return True

    def force_action(self, state: State, action: int) -> None:
        """Nothing is remembered."""


class PolicyPlayer(FunctionPlayer):
    """A policy of OpenSpiel's as a player.

    It is asked as player `player_id`, at states of two games that lead to the position (`game_to`, `other_game_to`).
    A policy that answers them differently is refused, as a learnt one may with 4 cards or more: it has no mix for the
    position. What it loses is told by OpenSpiel's `nash_conv`.
    """

    def __init__(self, policy: Any, game: Game, *, player_id: int = 0, name: str | None = None) -> None:
        rules, player = rules_of(game), checked_player(player_id)

        def mix(state: State) -> dict[int, float]:
            return probabilities(policy, state, player)

        super().__init__(lambda position: _mix_at(position, game, player, mix), name or _name(policy), rules=rules)


class BotPlayer(FunctionPlayer):
    """A bot of OpenSpiel's as a player.

    Positions come in any order, so the bot must be able to start at any state: it needs `restart_at`, which may do
    nothing when the bot remembers nothing. A bot that tells its policy is asked for it, as a `PolicyPlayer` is. Any
    other is asked for a bid, in one of these two games, which is drawn. If it draws its bids or tells the games apart,
    its bids differ: `respond` notices and refuses it; matches can be played.
    """

    def __init__(self, bot: Any, game: Game, *, player_id: int = 0, name: str | None = None) -> None:
        rules, player = rules_of(game), checked_player(player_id)
        draw = Random(0)

        def restarted(state: State) -> Any:
            try:
                bot.restart_at(state)
            except pyspiel.SpielError:
                raise PlayerError("a bot must have a restart_at, to be asked at any state") from None
            return bot

        def choose(position: Position) -> Mix:
            if bot.provides_policy():
                return _mix_at(position, game, player, lambda state: dict(restarted(state).step_with_policy(state)[0]))
            if position.level == 1:
                return position.my_cards[0]
            other = other_game_to(position, rules) if draw.random() < 0.5 else None
            state = state_to_bid(game, (other or game_to(position, rules)).rounds, player)
            return int(restarted(state).step(state)) + 1

        super().__init__(choose, name or _name(bot), rules=rules)


def _name(asked: Any) -> str:
    return f"openspiel:{type(asked).__name__}"


def _mix_at(position: Position, game: Game, player: int, mix: Callable[[State], dict[int, float]]) -> Mix:
    """What a policy answers in one game that leads to a position; a `PlayerError` if it does not in another."""
    if position.level == 1:
        return position.my_cards[0]
    rules = rules_of(game)
    record, other = game_to(position, rules), other_game_to(position, rules)
    found = mix(state_to_bid(game, record.rounds, player))
    if other is not None:
        again = mix(state_to_bid(game, other.rounds, player))
        if any(abs(found.get(action, 0.0) - again.get(action, 0.0)) > SAME for action in found | again):
            raise PlayerError(
                f"it has no mix for a position, but one for each game that leads there, as {str(record)!r} and "
                f"{str(other)!r}; what such a policy loses is told by open_spiel.python.algorithms.exploitability."
                "nash_conv"
            )
    return {action + 1: probability for action, probability in found.items() if probability}
