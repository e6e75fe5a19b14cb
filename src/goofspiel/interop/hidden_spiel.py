"""OpenSpiel with `imp_info=True`: players of hidden bids as policies and bots there, policies from there as players.

Any `points_order`, `returns_type` and `num_turns`, both forms of the game. OpenSpiel's actions count cards from 0.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from goofspiel.arrays import Floats, Numbers
from goofspiel.errors import PlayerError, PositionError, RulesError
from goofspiel.hidden.information import InformationSet, information_set_at
from goofspiel.hidden.players import HiddenPlayer, policy_player
from goofspiel.hidden.sets import InformationSets, information_sets
from goofspiel.hidden.solving import open_policy
from goofspiel.interop.spiel_bot import Policy, PolicyBot, probabilities
from goofspiel.interop.spiel_states import (
    Game,
    SpielGame,
    State,
    checked_player,
    game_of,
    no_zero_sum,
    rounds_of,
    state_to_bid,
)
from goofspiel.players.players import SUM_TOLERANCE
from goofspiel.rules import Objective, Rules

__all__ = ["HiddenBot", "HiddenSpielPolicy", "PolicyHiddenPlayer", "hidden_rules_of", "information_set_of"]


def hidden_rules_of(game: Game) -> Rules:
    """Our rules of a game of OpenSpiel's with `imp_info=True`, for points where it pays total points."""
    return _hidden(game).rules


def _hidden(game: Game) -> SpielGame:
    return game_of(game, hidden=True)


def information_set_of(state: State, player: int) -> InformationSet:
    """What a player knows in a state in which it bids."""
    rules = hidden_rules_of(state.get_game())
    return _seen(state, rules, checked_player(player))


def _seen(state: State, rules: Rules, player: int) -> InformationSet:
    seen, upcard = [], 0
    for up, *bids in rounds_of(state, rules):
        mine, theirs = bids[player], bids[1 - player]
        if not mine or not theirs:
            upcard = up
        else:
            seen.append((up, mine, (mine > theirs) - (mine < theirs)))
    if not upcard:
        raise PositionError(f"nobody bids in this state: {str(state)!r}")
    return InformationSet(rules, tuple(seen), upcard)


class HiddenSpielPolicy(Policy):  # type: ignore[misc]
    """Players of hidden bids as a policy of OpenSpiel's; by default both follow the solved policy of the game.

    It plays for what the game pays; `objective` must be given where that is total points, and may be given elsewhere.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[HiddenPlayer] | None = None,
        *,
        objective: Objective | str | None = None,
        store: Path | str | None = None,
    ) -> None:
        super().__init__(game, [0, 1])
        self._game = _hidden(game)
        self._rules = Rules.of(self._game.rules, objective=objective)
        if players is None:
            if self._game.scale is None and objective is None:
                raise no_zero_sum(game, but=" where no objective is given")
            players = (policy_player(open_policy(self._rules, store=store)),) * 2
        if len(players) != 2:
            raise PlayerError(f"a game has 2 players, not {len(players)}")
        self._players = tuple(players)
        self._sets = information_sets(self._rules)
        self._fitting: set[str] = set()

    def action_probabilities(self, state: State, player_id: int | None = None) -> dict[int, float]:
        """A mix: action → probability. Where both bid at the same moment, it must be said for whom."""
        player = state.current_player()
        if state.is_simultaneous_node():
            player = checked_player(player_id)
        elif player < 0:
            raise PositionError(f"nobody bids in this state: {str(state)!r}")
        if (text := str(game := state.get_game())) not in self._fitting:
            if _hidden(game) != self._game:
                raise RulesError(f"the state is of {game}, the policy for {self.game}")
            self._fitting.add(text)
        asked = _seen(state, self._rules, player)
        depth, seen, track = asked.where(self._sets)
        which = np.array([seen * self._sets.depths[depth].tracks.count + track])
        mix = self._players[player].mixes(self._sets, depth, which)[0].tolist()
        return {card - 1: chance for card, chance in zip(asked.hand, mix, strict=True)}


class HiddenBot(PolicyBot):
    """Plays one side of a game by `HiddenSpielPolicy`. It remembers nothing, so that it may be asked at any state."""

    def __init__(self, game: Game, player_id: int, *, seed: int | None = None, **options: Any) -> None:
        super().__init__(HiddenSpielPolicy(game, **options), player_id, seed)


class PolicyHiddenPlayer:
    """A policy of OpenSpiel's for a game with `imp_info=True` as a player here, asked as player `player_id`.

    Of the states that a player cannot tell apart, it is asked at one.
    """

    def __init__(self, policy: Any, game: Game, *, player_id: int = 0, name: str | None = None) -> None:
        self.rules, self._spiel, self._player = hidden_rules_of(game), game, checked_player(player_id)
        self._policy, self.name = policy, name or f"openspiel:{type(policy).__name__}"

    def mixes(self, sets: InformationSets, depth: int, which: Numbers) -> Floats:
        """What the policy answers."""
        if Rules.of(self.rules, objective=sets.rules.objective) != sets.rules:
            raise PlayerError(f"player {self.name} knows the game {str(self.rules)!r}, not {str(sets.rules)!r}")
        asked, places = np.unique(which, return_inverse=True)
        found = np.array([self._mix(information_set_at(sets, depth, int(one))) for one in asked])
        return np.asarray(found[places.reshape(-1)])

    def _mix(self, asked: InformationSet) -> list[float]:
        fitting = zip(asked.rounds, _bids_that_fit(asked), strict=True)
        rounds = [*((prize, mine, theirs) for (prize, mine, _), theirs in fitting), (asked.upcard, 0, 0)]
        answer = probabilities(self._policy, state_to_bid(self._spiel, rounds, self._player), self._player)
        mix = [answer.get(card - 1, 0.0) for card in asked.hand]
        if min(mix) < 0 or abs(sum(mix) - 1) > SUM_TOLERANCE:
            raise PlayerError(f"player {self.name} has chances that do not sum to 1 at {str(asked)!r}: {mix}")
        return [chance / sum(mix) for chance in mix]


def _bids_that_fit(asked: InformationSet) -> tuple[int, ...]:
    """Bids of the other that lead to what was seen."""
    cards = range(1, asked.rules.cards + 1)

    def go_on(bids: tuple[int, ...]) -> tuple[int, ...] | None:
        if len(bids) == len(asked.rounds):
            return bids
        _, mine, sign = asked.rounds[len(bids)]
        fitting = (card for card in cards if card not in bids and (mine > card) - (mine < card) == sign)
        return next((found for card in fitting if (found := go_on((*bids, card))) is not None), None)

    found = go_on(())
    if found is None:
        raise PositionError(f"no bids of the other can have led to these outcomes: {str(asked)!r}")
    return found
