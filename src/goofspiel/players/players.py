"""Players: a position in, a mix out, many positions at a time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from operator import index
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch, places
from goofspiel.cards import card_name
from goofspiel.errors import GoofspielError, PlayerError
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.states.subsets import BITS, Masks, sizes
from goofspiel.tablebase import Tablebase
from goofspiel.tablebase.rounds import SolvedRounds

SUM_TOLERANCE = 1e-6  # probabilities may miss 1 by this much; they are then scaled

Mix: TypeAlias = int | Mapping[int, float] | Sequence[float]
"""What a function of the user's own may return: a card; card → probability; a probability for each card of the hand."""
Chooser: TypeAlias = Callable[[Position], Mix]
"""A function of the user's own: a position in, a bid or a mix out."""


class Player(Protocol):
    """Anything that bids. It sees the positions from its own side, and never the other's bid."""

    @property
    def name(self) -> str:
        """What to call it."""

    @property
    def uses_lead(self) -> bool:
        """Whether its mixes depend on the lead."""

    def mixes(self, batch: PositionBatch) -> Floats:
        """A probability for each card of my hand, ascending, `[position][card]`.

        All positions show an upcard, and all hands have equally many cards.
        """


@dataclass(frozen=True, eq=False)
class TablePlayer:
    """Plays an optimal mix of a solved table."""

    tablebase: Tablebase
    """The table it asks."""

    @property
    def name(self) -> str:
        """Which table it plays by."""
        return f"optimal:{self.tablebase.objective}"

    @property
    def uses_lead(self) -> bool:
        """For points the lead does not matter."""
        return self.tablebase.rules.has_leads

    def mixes(self, batch: PositionBatch) -> Floats:
        """An optimal mix for each position."""
        return self.solve(batch).mine

    def solve(self, batch: PositionBatch) -> SolvedRounds:
        """All that the table knows of positions of the game that it is of."""
        table = self.tablebase.rules
        if batch.prizes != places(table) or (batch.rules and not knows(table, batch.rules)):
            asked = f"the game {str(batch.rules)!r}" if batch.rules else "a game with other prizes"
            raise PlayerError(f"player {self.name} knows the game {str(table)!r}, and is asked in {asked}")
        return self.tablebase.solve_rounds(batch)


@dataclass(frozen=True)
class UniformPlayer:
    """Bids any card of its hand, each as likely as the others."""

    name: str = "uniform"
    """What to call it."""
    uses_lead: bool = False
    """It does not look at the lead."""

    def mixes(self, batch: PositionBatch) -> Floats:
        """The same probability for every card."""
        level = _level(batch)
        return np.full((len(batch), level), 1 / level)


@dataclass(frozen=True)
class BidUpcardPlayer:
    """Bids the upcard plus a step: that card or the next higher one that it holds; its lowest when it holds none.

    Where the prizes are not the cards, each prize has the card of its rank: the lowest card is for the lowest prize,
    the highest for the highest. What is in the pot makes no difference.
    """

    step: int = 0
    """How much more than the upcard it bids."""
    uses_lead: bool = False
    """It does not look at the lead."""

    @property
    def name(self) -> str:
        """With the step."""
        return f"match{self.step:+}" if self.step else "match"

    def mixes(self, batch: PositionBatch) -> Floats:
        """One card for certain."""
        level = _level(batch)
        prizes = len(batch.prizes)
        cards = batch.rules.cards if batch.rules and not batch.rules.nests else prizes
        card = -(
            -(batch.upcard_place.astype(np.int64) + 1) * cards // prizes
        )  # of more prizes than cards, some share one
        wanted = np.clip(card + self.step, 1, BITS + 1)
        below = (np.int64(1) << (wanted - 1)) - 1
        rank = sizes()[(batch.mine & below).astype(np.uint16)].astype(np.intp)
        return one_card(np.where(rank == level, 0, rank), level)


@dataclass(frozen=True, eq=False)
class FunctionPlayer:
    """Asks a function of the user's own, one position at a time.

    The function takes a `Position` and returns a card, or card → probability, or a probability for each card of the
    hand.
    """

    choose: Chooser
    """The function."""
    name: str
    """What to call it."""
    uses_lead: bool = True
    """Whether the function looks at the lead; if not, far fewer positions need to be asked."""
    rules: Rules | None = None
    """Which game it plays, if it plays only one."""
    is_person: bool = False
    """Whether it plays one game after the other, and cannot be asked again."""

    def mixes(self, batch: PositionBatch) -> Floats:
        """What the function answers, as mixes."""
        level = _level(batch)
        mixes = np.zeros((len(batch), level))
        for which in range(len(batch)):
            position = batch.position(which, self.rules)
            mixes[which] = self._read(position, self._ask(position))
        return mixes

    def _ask(self, position: Position) -> Any:
        try:
            return self.choose(position)
        except GoofspielError as error:
            raise self._wrong(position, f"failed: {error}") from error
        except Exception as error:
            raise self._wrong(position, f"failed: {type(error).__name__}: {error}") from error

    def _read(self, position: Position, answer: Any) -> list[float]:
        cards = position.my_cards
        if answer is None:
            raise self._wrong(position, "gave no answer")
        if isinstance(answer, Mapping):
            if strange := [card for card in answer if card not in cards]:
                raise self._wrong(position, f"bid {_named(strange[0])}, which is not in its hand")
            return [self._probability(position, answer.get(card, 0.0)) for card in cards]
        if isinstance(answer, (Sequence, np.ndarray)) and not isinstance(answer, str):
            if len(answer) != len(cards):
                raise self._wrong(position, f"gave {len(answer)} probabilities for {len(cards)} cards")
            return [self._probability(position, probability) for probability in answer]
        try:
            card = index(answer)
        except TypeError:
            raise self._wrong(position, f"answered {answer!r}, which is no card and no mix") from None
        if card not in cards:
            raise self._wrong(position, f"bid {_named(card)}, which is not in its hand")
        return [float(held == card) for held in cards]

    def _probability(self, position: Position, probability: Any) -> float:
        try:
            return float(probability)
        except (TypeError, ValueError):
            raise self._wrong(position, f"gave {probability!r} as a probability") from None

    def _wrong(self, position: Position, what: str) -> PlayerError:
        return PlayerError(f"player {self.name} {what}: {str(position)!r}")


@dataclass(frozen=True, eq=False)
class OverridePlayer:
    """Follows rules where they apply, and otherwise plays like another player.

    A rule is for an upcard: card → probability. It applies as long as all its cards are in the hand.
    """

    base: Player
    """Who plays where no rule applies."""
    rules: Mapping[int, Mapping[int, float]]
    """Upcard → its mix."""
    name: str
    """What to call it."""

    @property
    def uses_lead(self) -> bool:
        """As the other player does."""
        return self.base.uses_lead

    def mixes(self, batch: PositionBatch) -> Floats:
        """By the rules, or as the other player."""
        mixes = np.empty((len(batch), _level(batch)))
        free = np.ones(len(batch), dtype=bool)
        for upcard, mix in self.rules.items():
            needed = np.uint16(sum(1 << card - 1 for card in mix))
            here = np.flatnonzero((batch.upcard == upcard) & (batch.mine & needed == needed))
            free[here] = False
            mixes[here] = 0.0
            for card, probability in mix.items():
                mixes[here, sizes()[batch.mine[here] & np.uint16((1 << card - 1) - 1)]] = probability
        if free.any():
            rest = np.flatnonzero(free)
            mixes[rest] = self.base.mixes(batch[rest])
        return mixes


@cache  # players ask again and again about the game that they play
def knows(table: Rules, game: Rules) -> bool:
    """Whether a table of one game answers in another: whatever the objective, and any number of cards if it nests."""
    return Rules.of(game, objective=table.objective) == (table.with_cards(game.cards) if table.nests else table)


def raw_mixes(player: Player, batch: PositionBatch) -> Floats:
    """What a player answers, an array of the right shape; a `PlayerError` that names it otherwise."""
    level = _level(batch)
    try:
        mixes = np.asarray(player.mixes(batch), dtype=np.float64)
    except GoofspielError:
        raise
    except Exception as error:
        raise PlayerError(
            f"player {player.name} failed: {type(error).__name__}: {error}: {str(batch.position(0))!r} or another"
        ) from error
    if mixes.shape != (len(batch), level):
        raise PlayerError(
            f"player {player.name} gave an array of shape {mixes.shape} instead of ({len(batch)}, {level}): "
            f"{str(batch.position(0))!r} and others"
        )
    return mixes


def checked_mixes(player: Player, batch: PositionBatch) -> Floats:
    """The mixes of a player, sums exactly 1; a `PlayerError` that names player and position when they are none."""
    mixes = raw_mixes(player, batch)
    total = mixes.sum(axis=1)
    wrong = ~(np.abs(total - 1) <= SUM_TOLERANCE) | ~(mixes >= -SUM_TOLERANCE).all(axis=1)
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        position, mix = batch.position(first), mixes[first]
        said = ", ".join(f"{card_name(c)}: {p:.6g}" for c, p in zip(position.my_cards, mix.tolist(), strict=True))
        why = "is not a number" if np.isnan(mix).any() else "is negative" if (mix < 0).any() else "does not sum to 1"
        raise PlayerError(f"player {player.name} gave a mix that {why} ({said}): {str(position)!r}")
    mixes = np.maximum(mixes, 0.0)
    return np.asarray(mixes / mixes.sum(axis=1, keepdims=True))


def draw(mixes: Floats, chance: Floats) -> NDArray[np.intp]:
    """Which card of each hand to bid, from numbers drawn between 0 and 1: never one of probability 0."""
    reached = np.cumsum(mixes, axis=1)
    rank = (reached <= chance[:, None] * reached[:, -1:]).sum(axis=1)
    last = mixes.shape[1] - 1 - np.argmax(mixes[:, ::-1] > 0, axis=1)
    return np.asarray(np.minimum(rank, last))


def chance(what: str) -> float:
    """A number from 0 to 1 that looks drawn by chance, and is the same on every machine."""
    return (int.from_bytes(sha256(what.encode()).digest()[:8], "big") >> 11) / 2**53


def card_at(hand: Masks, rank: NDArray[np.intp]) -> NDArray[np.int32]:
    """The card of each hand that has so many cards of the hand below it."""
    left = hand.copy()
    for step in range(int(rank.max(initial=0))):
        more = rank > step
        left[more] &= left[more] - np.uint16(1)
    lowest = left & (~left + np.uint16(1))
    return (np.bitwise_count(lowest - np.uint16(1)) + 1).astype(np.int32)


def one_card(rank: NDArray[np.intp], level: int) -> Floats:
    """Mixes that bid the card of this rank for certain."""
    mixes = np.zeros((len(rank), level))
    mixes[np.arange(len(rank)), rank] = 1.0
    return mixes


def check_player(player: Any) -> Player:
    """A player, which is not its name."""
    if callable(getattr(player, "mixes", None)):
        found: Player = player
        return found
    instead = f": load_player({player!r}, rules) gives one" if isinstance(player, str) else ""
    raise TypeError(f"a Player is wanted, not {player!r}{instead}")


def told_apart(first: str, second: str) -> tuple[str, str]:
    """What to call two players beside each other: equal names are numbered."""
    return (f"{first} (1)", f"{second} (2)") if first == second else (first, second)


def _level(batch: PositionBatch) -> int:
    return int(batch.mine[0]).bit_count() if len(batch) else 0


def _named(card: Any) -> str:
    try:
        return card_name(card)
    except (GoofspielError, TypeError):
        return repr(card)
