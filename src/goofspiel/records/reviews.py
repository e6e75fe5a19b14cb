"""Review a game: what each bid cost, and what was luck.

A value is what a position is worth to me under optimal play, the lead included. In a round it moves three times: by
the draw of the upcard, by what the two bids give away against an optimal mix of the other side, and by how these two
bids happened to meet. The moves add up to the result of the game.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum

from goofspiel.errors import RecordError
from goofspiel.position import Position
from goofspiel.records.record import GameRecord, Round
from goofspiel.rules import Objective, Rules
from goofspiel.store import Table
from goofspiel.tablebase import Tablebase
from goofspiel.tablebase.answer import Answer, ByCard

COST_TOLERANCE = 1e-9  # points, or P(win) − P(loss): a regret below this is rounding, and costs nothing


@dataclass(frozen=True)
class ReviewedRound:
    """A round of a game, as one of the players sees it. An open round has cost nothing yet, and stays where it is."""

    number: int
    """Of the round, from 1."""
    round: Round
    """The upcard and both bids."""
    answer: Answer[float]
    """The answer for the position with its upcard."""
    their_answer: Answer[float]
    """The same mixes as the other player sees them."""
    value_before: float
    """What the position was worth to me before the upcard was drawn."""
    value_after: float
    """What it was worth after the bids."""
    tolerance: float
    """A regret up to this costs nothing."""

    @property
    def position(self) -> Position:
        """What I saw: the position with its upcard."""
        return self.answer.position

    @property
    def value(self) -> float:
        """What the position is worth to me once the upcard is known."""
        return self.answer.value

    @property
    def draw_luck(self) -> float:
        """What the upcard brought me."""
        return self.value - self.value_before

    @property
    def cost(self) -> float:
        """What my bid gave away against an optimal mix of theirs; 0 for every card of the support."""
        return self._charged(self.answer, self.round.mine)

    @property
    def their_cost(self) -> float:
        """What their bid gave away, which I gained."""
        return self._charged(self.their_answer, self.round.theirs)

    @property
    def bid_luck(self) -> float:
        """What I gained because these two bids met, beyond what each of them is worth on average."""
        return (self.value_after - self.value) - (self.their_cost - self.cost)

    @cached_property
    def mix(self) -> ByCard[float]:
        """An optimal mix of mine. Of interchangeable cards the one that I bid, or the lowest, stands for all."""
        return _mix_with(self.answer, self.round.mine)

    @cached_property
    def their_mix(self) -> ByCard[float]:
        """An optimal mix of theirs, in the same way."""
        return _mix_with(self.their_answer, self.round.theirs)

    @property
    def probability(self) -> float | None:
        """How likely an optimal mix bids my card, or one that is interchangeable with it; None in an open round."""
        return None if self.round.is_open else self.mix[self.round.mine]

    @property
    def best(self) -> tuple[int, ...]:
        """My cards that cost nothing, ascending."""
        return tuple(card for card, regret in self.answer.regret.items() if regret <= self.tolerance)

    def swap(self) -> "ReviewedRound":
        """The same round as the other player sees it."""
        return replace(
            self,
            round=self.round.swap(),
            answer=self.their_answer,
            their_answer=self.answer,
            value_before=_negative(self.value_before),
            value_after=_negative(self.value_after),
        )

    def _charged(self, answer: Answer[float], bid: int) -> float:
        if self.round.is_open or answer.regret[bid] <= self.tolerance:
            return 0.0
        return answer.regret[bid]


@dataclass(frozen=True)
class Review:
    """A game, round by round. Costs are at least 0; luck is good for me when it is positive.

    `value` is `draw_luck - cost + their_cost + bid_luck`: both players begin with the same chances.
    """

    record: GameRecord
    """The game."""
    rules: Rules
    """Which game it is, and what was to be maximised."""
    rounds: tuple[ReviewedRound, ...]
    """Each round, in order."""

    @property
    def objective(self) -> Objective:
        """What was to be maximised."""
        return self.rules.objective

    @property
    def cost(self) -> float:
        """What all my bids gave away."""
        return fsum(reviewed.cost for reviewed in self.rounds)

    @property
    def their_cost(self) -> float:
        """What all their bids gave away."""
        return fsum(reviewed.their_cost for reviewed in self.rounds)

    @property
    def draw_luck(self) -> float:
        """What all upcards brought me."""
        return fsum(reviewed.draw_luck for reviewed in self.rounds)

    @property
    def bid_luck(self) -> float:
        """What I gained by the way in which bids met."""
        return fsum(reviewed.bid_luck for reviewed in self.rounds)

    @property
    def value(self) -> float:
        """What the game is worth to me where it stands; when it is over, its result."""
        return self.rounds[-1].value_after if self.rounds else 0.0

    @property
    def result(self) -> float | None:
        """How the game ended: the point difference, for win 1, 0 or −1; None as long as it is not over."""
        return self.value if self.record.is_over else None

    @property
    def worst(self) -> ReviewedRound | None:
        """The round in which I gave away most, the first of them; None when I gave away nothing."""
        worst = max(self.rounds, key=lambda reviewed: reviewed.cost, default=None)
        return worst if worst and worst.cost else None

    def swap(self) -> "Review":
        """The other player's review: costs change places, values and luck their sign."""
        return Review(self.record.swap(), self.rules, tuple(reviewed.swap() for reviewed in self.rounds))


def review(record: GameRecord, tablebase: Tablebase) -> Review:
    """Review my play in a game, for the objective of the table.

    Optimal mixes need not be unique: what a bid costs is measured against one optimal mix of the other side, the one
    that a probe of the position shows.
    """
    _check_same_game(record.rules, tablebase.rules)
    steps = list(record.steps())
    values = tablebase.values([*(before for before, _, _ in steps), record.position]).tolist()
    tolerance = _tolerance(tablebase)
    rounds = []
    for number, (before, played, _) in enumerate(steps, start=1):
        answer = tablebase.probe(before.turn_up(played.upcard))
        assert isinstance(answer, Answer)  # an upcard is shown
        after = answer.value if played.is_open else values[number]
        rounds.append(ReviewedRound(number, played, answer, answer.swap(), values[number - 1], after, tolerance))
    return Review(record, tablebase.rules, tuple(rounds))


def _check_same_game(played: Rules, asked: Rules) -> None:
    """Refuse a table of another game, its objective apart; where games nest, of any number of cards."""
    same = Rules.of(played, objective=asked.objective)
    if asked != (same.with_cards(asked.cards) if same.nests else same):
        raise RecordError(f"the record is of the game {str(played)!r}, the table of {str(asked)!r}")


def _tolerance(tablebase: Tablebase) -> float:
    """What stored values may differ by because they are rounded: on both sides of a regret, at each level."""
    table = Table.open(tablebase.path)
    return max(COST_TOLERANCE, 2 * sum(level.encoding.rounding for level in table.layout.levels))


def _mix_with(answer: Answer[float], bid: int) -> ByCard[float]:
    """My mix; when cards are interchangeable with the bid, the bid has all of their probability."""
    mix = dict(answer.mine)
    for group in answer.interchangeable:
        if bid in group:
            whole = fsum(mix[card] for card in group)
            mix |= {card: whole if card == bid else 0.0 for card in group}
    return ByCard(mix)


def _negative(number: float) -> float:
    return -number + 0.0  # no negative zero
