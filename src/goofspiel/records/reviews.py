"""Review a game: what the draw brought, what my bids gained or cost against how the other side plays, what was chance.

A value is what a position is worth to me under optimal play, the lead included. In a round it moves three times: by
the draw of the upcard; by what my bid earns on average against the mix that the other side bids by; and by what became
of it because mixes are drawn from. The moves add up to the result of the game. How a player bids is known where it is
given, and else estimated from its other bids. What a bid would have cost against perfect play is told besides.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from typing import Any

from goofspiel.arrays import Floats
from goofspiel.cards import card_name
from goofspiel.errors import RecordError
from goofspiel.notebook import Tabular
from goofspiel.players.modelling import Evidence, Observed, mixes_at
from goofspiel.players.players import Player
from goofspiel.position import Position
from goofspiel.records.record import GameRecord, Round
from goofspiel.rules import Objective, Rules
from goofspiel.store import Table
from goofspiel.tablebase import Tablebase
from goofspiel.tablebase.answer import Answer, ByCard, interchangeable_groups
from goofspiel.tablebase.base import most_left

COST_TOLERANCE = 1e-9  # points, or P(win) − P(loss): a regret below this is rounding, and costs nothing


@dataclass(frozen=True)
class Side:
    """How one of the players bids."""

    name: str | None
    """The player it is known to be; None: its mixes are estimated."""
    shares: tuple[tuple[str, float], ...] = ()
    """Where they are estimated: how often it bids as which player, the most frequent first."""
    contradiction: str = ""
    """A player that it was said to be, and the bid that this one never makes."""

    @property
    def is_known(self) -> bool:
        """Whether its mixes are those of a player, not estimates."""
        return self.name is not None


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
    my_play: ByCard[float]
    """The mix that I bid by: card → probability; an estimate unless I am a known player."""
    their_play: ByCard[float]
    """The mix that they bid by, likewise."""
    my_play_is_known: bool
    """Whether `my_play` is the mix of a known player. Else my bid counts as chosen, not as drawn."""
    their_play_is_known: bool
    """Whether `their_play` is the mix of a known player."""

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
        """What my bid would have cost against an optimal mix of theirs; 0 for every card of the support."""
        return self._charged(self.answer, self.round.mine)

    @property
    def their_cost(self) -> float:
        """What their bid would have cost them against an optimal mix of mine."""
        return self._charged(self.their_answer, self.round.theirs)

    @cached_property
    def gain(self) -> float:
        """What my bid is worth on average against how they bid, beyond the value; negative is a cost.

        Of a known player it is what its mix is worth: which card was drawn from it is chance.
        """
        if self.round.is_open:
            return 0.0
        bids = self.my_play.items() if self.my_play_is_known else [(self.round.mine, 1.0)]
        gained = fsum(share * self._earned(card) for card, share in bids if share) - self.value
        return gained if abs(gained) > self.tolerance else 0.0

    @property
    def chance(self) -> float:
        """What became of the bids because one side, or both, drew from a mix."""
        return (self.value_after - self.value) - self.gain

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
            my_play=self.their_play,
            their_play=self.my_play,
            my_play_is_known=self.their_play_is_known,
            their_play_is_known=self.my_play_is_known,
        )

    def _earned(self, card: int) -> float:
        """What a card of mine is worth against how they bid."""
        row = self.answer.matrix[self.position.my_cards.index(card)]
        return fsum(worth * share for worth, share in zip(row, self.their_play.values(), strict=True))

    def _charged(self, answer: Answer[float], bid: int) -> float:
        if self.round.is_open or answer.regret[bid] <= self.tolerance:
            return 0.0
        return answer.regret[bid]


@dataclass(frozen=True)
class Review(Tabular):
    """A game, round by round. What is good for me is positive; costs are at least 0.

    `value` is `start + draw_luck + gain + chance`; at an opening both players have the same chances.
    """

    record: GameRecord
    """The game."""
    rules: Rules
    """Which game it is, and what was to be maximised."""
    rounds: tuple[ReviewedRound, ...]
    """Each round, in order."""
    mine: Side
    """How I bid."""
    theirs: Side
    """How they bid."""
    start: float = 0.0
    """What the game was worth to me where it began: 0 at an opening."""

    @property
    def objective(self) -> Objective:
        """What was to be maximised."""
        return self.rules.objective

    def heading(self) -> str:
        """What stands above its table."""
        costs = f"my bids cost {self.cost:.4f}, theirs {self.their_cost:.4f} {self.objective.unit}"
        return f"{self.record}: against perfect play, {costs}"

    def columns(self) -> dict[str, list[Any]]:
        """The rounds: prize, bids, and what they cost."""
        names = ("number", "draw_luck", "gain", "chance", "cost", "their_cost", "value_after")
        bids = {name: [getattr(one.round, name) for one in self.rounds] for name in ("upcard", "mine", "theirs")}
        return bids | {name: [getattr(one, name) for one in self.rounds] for name in names}

    @property
    def cost(self) -> float:
        """What all my bids would have cost against perfect play."""
        return fsum(reviewed.cost for reviewed in self.rounds)

    @property
    def their_cost(self) -> float:
        """What all their bids would have cost against perfect play."""
        return fsum(reviewed.their_cost for reviewed in self.rounds)

    @property
    def draw_luck(self) -> float:
        """What all upcards brought me."""
        return fsum(reviewed.draw_luck for reviewed in self.rounds)

    @property
    def gain(self) -> float:
        """What all my bids gained against how they bid, or, negative, cost."""
        return fsum(reviewed.gain for reviewed in self.rounds)

    @property
    def chance(self) -> float:
        """What was drawn from mixes brought me."""
        return fsum(reviewed.chance for reviewed in self.rounds)

    @property
    def value(self) -> float:
        """What the game is worth to me where it stands; when it is over, its result."""
        return self.rounds[-1].value_after if self.rounds else self.start

    @property
    def result(self) -> float | None:
        """How the game ended: the point difference, for win 1, 0 or −1; None as long as it is not over."""
        return self.value if self.record.is_over else None

    @property
    def worst(self) -> ReviewedRound | None:
        """The round whose bid would have cost most against perfect play, the first of them; None if none would."""
        worst = max(self.rounds, key=lambda reviewed: reviewed.cost, default=None)
        return worst if worst and worst.cost else None

    def swap(self) -> "Review":
        """The other player's review: what was mine is theirs, values change their sign."""
        rounds = tuple(reviewed.swap() for reviewed in self.rounds)
        return Review(self.record.swap(), self.rules, rounds, self.theirs, self.mine, _negative(self.start))

    @cached_property
    def settled_after(self) -> int | None:
        """The round after which nothing could change the result, whatever was bid or drawn.

        None where it was open to the last choice: a last card is no choice.
        """
        return self._first(lambda position: is_settled(position, self.rules))

    @cached_property
    def won_after(self) -> int | None:
        """The round after which it was certain who wins, whatever was bid or drawn; None as above."""
        return self._first(lambda position: abs(position.lead) > most_left(position, self.rules))

    def _first(self, holds: Callable[[Position], bool]) -> int | None:
        played = [after for _, bids, after in self.record.steps() if not bids.is_open]
        open_ = (number for number, after in enumerate(played, start=1) if after.level > 1 and holds(after))
        return next((number for number in open_ if not self.rules.is_over(played[number - 1].level)), None)


def is_settled(position: Position, rules: Rules) -> bool:
    """Whether nothing can change the result any more: for certain where this says so, whatever the rules.

    The lead may be out of reach, or one hand may beat the other whatever is bid, where all that is left will be won.
    """
    if rules.is_decided(position.lead, most_left(position, rules)):
        return True
    mine, theirs = position.my_cards, position.their_cards
    all_comes = rules.order is not None or rules.last_level == 0
    return all_comes and bool(mine) and (min(mine) > max(theirs) or max(mine) < min(theirs))


def review(
    record: GameRecord, tablebase: Tablebase, *, mine: Player | None = None, theirs: Player | None = None
) -> Review:
    """Review my play in a game, for the objective of the table.

    - `mine`, `theirs`: who played, where that is a player whose mixes are known. Of anybody else, and of one who
      cannot have made these bids, they are estimated: those of a round from the bids of all the others.

    Optimal mixes need not be unique: what a bid costs is measured against one optimal mix of the other side, the one
    that a probe of the position shows.
    """
    _check_same_game(record.rules, tablebase.rules)
    steps = list(record.steps())
    values = tablebase.values([*(before for before, _, _ in steps), record.position]).tolist()
    start = 0.0
    if record.began is not None:
        values[0] = start = tablebase.probe(record.began).value  # its upcard may be no draw of this game
    tolerance = _tolerance(tablebase)
    shown = [before.turn_up(played.upcard) for before, played, _ in steps]
    bids = [played for _, played, _ in steps]
    my_side, my_mixes = _side(mine, shown, [played.mine for played in bids], tablebase, record.rules)
    seen = [position.swap() for position in shown]
    their_side, their_mixes = _side(theirs, seen, [played.theirs for played in bids], tablebase, record.rules)
    rounds = []
    for number, (position, played) in enumerate(zip(shown, bids, strict=True), start=1):
        answer = tablebase.probe(position)
        assert isinstance(answer, Answer)  # an upcard is shown
        after = answer.value if played.is_open else values[number]
        fields = number, played, answer, answer.swap(), values[number - 1], after, tolerance
        plays = my_mixes[number - 1], their_mixes[number - 1], my_side.is_known, their_side.is_known
        rounds.append(ReviewedRound(*fields, *plays))
    return Review(record, tablebase.rules, tuple(rounds), my_side, their_side, start)


def _side(
    player: Player | None, positions: Sequence[Position], bids: Sequence[int], tablebase: Tablebase, rules: Rules
) -> tuple[Side, list[ByCard[float]]]:
    """How one of the players bids, and its mix in every round."""
    mixes, side = [], Side(None)
    if player is not None:
        mixes, side = mixes_at(player, positions, rules), Side(player.name)
        for number, (position, bid, mix) in enumerate(zip(positions, bids, mixes, strict=True), start=1):
            if bid and not _share(position, bid, mix):
                never = f"{player.name}, who never bids the {card_name(bid)} in round {number}"
                side = Side(None, contradiction=never)
                break
    if not side.is_known:
        made = [Observed(position, bid) for position, bid in zip(positions, bids, strict=True)]
        evidence = Evidence.of(made, tablebase, rules)
        mixes = evidence.foreseen()
        shares = zip((one.name for one in evidence.players), evidence.shares().tolist(), strict=True)
        side = replace(side, shares=tuple(sorted(shares, key=lambda share: -share[1])))
    by_card = [
        ByCard(dict(zip(position.my_cards, mix.tolist(), strict=True)))
        for position, mix in zip(positions, mixes, strict=True)
    ]
    return side, by_card


def _share(position: Position, bid: int, mix: Floats) -> float:
    """How likely a mix makes a bid, or one that is interchangeable with it."""
    _, groups = interchangeable_groups(position.mine, position.theirs)
    group = groups[position.my_cards.index(bid)]
    return fsum(share for share, other in zip(mix.tolist(), groups, strict=True) if other == group)


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
