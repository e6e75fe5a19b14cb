"""What a player loses at least, where a best response is out of reach: games of a local best response, sampled.

At every position the response knows the player's mix there, and what follows as far as its horizon; beyond it, it takes
the exact values of perfect play. It is one way to play among others, so what it gains in the mean is never more than
what a best response gains. Its games are not counted as they end but by what each bid gains, over all bids and upcards
that might have come: bids against the player's mix, less the value of the position. Such gains add up to the result in
the mean, since the value of a position before its upcard is the mean of what follows; they vary far less.

The player is asked twice at each position: what it says first is believed, what it says then is played. So a player
that draws its card is not looked through, and the bound holds for it, too.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch
from goofspiel.best_response.policy import asks_a_function
from goofspiel.best_response.response import is_built_in
from goofspiel.best_response.tabulation import after_upcards, distinct
from goofspiel.errors import OptionError, RulesError
from goofspiel.matches.statistics import Estimate, Sums
from goofspiel.notebook import Tabular
from goofspiel.players.players import Player, card_at, check_player, checked_mixes, draw, knows
from goofspiel.players.policy_file import joined
from goofspiel.players.tabulated import key_of
from goofspiel.rules import Rules
from goofspiel.tablebase import Tablebase

AT_ONCE = 1 << 10  # games side by side
FEW = 8  # of a function's: there is progress in between
MOST_KNOWN = 1 << 20  # positions whose answers are remembered
MOST_POSITIONS = 1 << 16  # that the games of a batch look at side by side


@dataclass(frozen=True)
class LocalResponse(Tabular):
    """What a local best response gains against a player."""

    player: str
    """Whom it answers."""
    rules: Rules
    """Which game it is."""
    games: int
    """How many were played."""
    horizon: int
    """How many rounds it looks ahead."""
    samples: int
    """How often the player is asked before a bid."""
    seed: int
    """What the games were drawn from."""
    gain: Estimate
    """What it gains in a game: the player's exploitability is no less than the true mean."""
    bound: float
    """What inexact values of the table may add to the mean."""
    questions: int = field(compare=False)
    """How many answers the player gave."""

    def heading(self) -> str:
        """What stands above its table."""
        bound = f"at least {self.at_least:.4f} {self.rules.objective.unit}, with 97.5 % confidence"
        return f"exploitability of {self.player} in the game {self.rules}: {bound}"

    def columns(self) -> dict[str, list[Any]]:
        """One row."""
        gain = {name: [getattr(self.gain, name)] for name in ("mean", "low", "high")}
        return gain | {name: [getattr(self, name)] for name in ("games", "horizon", "samples", "questions")}

    @property
    def at_least(self) -> float:
        """The exploitability is at least this, with 97.5 % confidence; 0 is true of anyone."""
        return min(max(self.gain.low - self.bound, 0.0), self.rules.payoff_bound)


def local_response(
    player: Player,
    tablebase: Tablebase,
    rules: Rules | int | str | None = None,
    *,
    games: int = 1000,
    horizon: int = 1,
    samples: int = 1,
    seed: int = 0,
    on_progress: Callable[[int, int], None] = lambda done, whole: None,
) -> LocalResponse:
    """Play games of a local best response against a player: a lower bound of its exploitability, with its confidence.

    - `tablebase`: holds the values beyond the horizon, and says what is maximised.
    - `horizon`: how many rounds the response looks ahead; each more asks the player far more often.
    - `samples`: how often a player that draws is asked for what is believed of it.
    """
    check_player(player)
    game = Rules.of(tablebase.rules if rules is None else rules, objective=tablebase.rules.objective)
    if not knows(tablebase.rules, game):
        raise RulesError(f"the table {tablebase.path.name} has no values of the game {str(game)!r}")
    for name, number in (("games", games), ("horizon", horizon), ("samples", samples)):
        if number < 1:
            raise OptionError(f"{name} must be 1 or more, not {number}")
    walk = _LocalGames(player, tablebase, game, horizon, samples)
    widest = (game.cards**2 * len(set(game.prizes))) ** (horizon - 1)
    size = max(min(FEW if asks_a_function(player) else AT_ONCE, MOST_POSITIONS // widest), 1)
    gains = Sums()
    for start in range(0, games, size):
        gains.add(walk.play(seed, range(start, min(start + size, games))))
        on_progress(gains.count, games)
    bound = 2 * game.rounds * tablebase.bound.value
    return LocalResponse(player.name, game, games, horizon, samples, seed, gains.estimate(), bound, walk.questions)


@dataclass(eq=False)
class _LocalGames:
    player: Player
    tablebase: Tablebase
    rules: Rules
    horizon: int
    samples: int
    questions: int = 0
    _known: dict[int, Floats] = field(default_factory=dict)  # what is believed, by the key of a position

    def play(self, seed: int, numbers: range) -> Floats:
        """What the response gains in some games."""
        rules, count = self.rules, len(numbers)
        chances = [np.random.default_rng([seed, number]) for number in numbers]
        prizes = np.array(rules.order or rules.prizes, dtype=np.int32)
        decks = np.stack([prizes if rules.order else chance.permutation(prizes) for chance in chances])
        drawn = np.stack([chance.random(rules.rounds) for chance in chances])
        batch, gain = PositionBatch.start(count, rules), np.zeros(count)
        for number in range(min(rules.rounds, rules.cards - 1)):  # the last card is no choice
            batch = batch.turn_up(decks[:, number])
            solved = self.tablebase.solve_rounds(batch)
            payoffs = solved.payoffs()
            believed = self._believed(batch)
            looked = payoffs if self.horizon == 1 else self._looked(batch, self.horizon)
            rank = np.einsum("gij,gj->gi", looked, believed).argmax(axis=1)
            played = believed if is_built_in(self.player) else self._asked(batch)
            gain += np.einsum("gj,gj->g", payoffs[np.arange(count), rank], played) - solved.value
            theirs = card_at(batch.theirs, draw(played, drawn[:, number]))
            batch = batch.play(card_at(batch.mine, rank), theirs, carry=rules.has_pots)
        return gain

    def _asked(self, batch: PositionBatch) -> Floats:
        self.questions += len(batch)
        return checked_mixes(self.player, batch.swap())

    def _believed(self, batch: PositionBatch) -> Floats:
        """What the player said: at each position it is believed for all games."""
        if is_built_in(self.player):
            return self._asked(batch)
        keys = key_of(self.rules, self.player.uses_lead)(batch).tolist()
        first = {key: place for place, key in reversed(list(enumerate(keys))) if key not in self._known}
        if first:
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
                return self._believed(batch)
            some = batch[np.array(list(first.values()))]
            said = np.asarray(sum(self._asked(some) for _ in range(self.samples)) / self.samples)
            self._known.update(zip(first, said, strict=True))
        return np.stack([self._known[key] for key in keys])

    def _looked(self, batch: PositionBatch, horizon: int) -> Floats:
        """What each pair of bids is worth, with so many rounds looked ahead: `[position][my card][their card]`."""
        if horizon == 1:
            return self.tablebase.solve_rounds(batch).payoffs()
        level = int(batch.level[0])
        pairs = [(mine, theirs) for mine in range(level) for theirs in range(level)]
        cards = [
            [card_at(hand, np.full(len(batch), rank)) for rank in range(level)] for hand in (batch.mine, batch.theirs)
        ]
        after = [batch.play(cards[0][mine], cards[1][theirs], carry=self.rules.has_pots) for mine, theirs in pairs]
        worth = self._worth(joined(after), horizon - 1)
        return worth.reshape(level, level, len(batch)).transpose(2, 0, 1)

    def _worth(self, before: PositionBatch, horizon: int) -> Floats:
        """What positions before their upcards are worth to the response."""
        level = int(before.level[0])
        if level <= 1 or self.rules.is_over(level):
            return self.tablebase.values(before)
        first, which = distinct(before, self.rules)
        shown, row, weight = after_upcards(before[first], self.rules)
        earned = np.einsum("gij,gj->gi", self._looked(shown, horizon), self._believed(shown)).max(axis=1)
        worth: Floats = np.bincount(row, weights=earned * weight, minlength=len(first)).astype(np.float64)
        return worth[which]
