"""Positions side by side: the fields of many positions as arrays, and what a table must hold to answer them."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Flags, Ints
from goofspiel.cards import MAX_CARDS, cards_of
from goofspiel.errors import MissingTableError, PositionError
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.states.prize_states import PrizeCourse, totals
from goofspiel.states.space import LevelSpace, Shown, level_space
from goofspiel.states.subsets import Masks

CARDS = tuple(range(1, MAX_CARDS + 1))


@dataclass(frozen=True, slots=True, eq=False)
class PositionBatch:
    """The fields of `Position`, one element a position; decks are masks of the places of all prizes, ascending.

    Who plays a game by its rules says so in `rules`.
    """

    mine: Masks
    theirs: Masks
    deck: Masks
    upcard: Ints
    lead: Ints
    pot: Ints
    prizes: tuple[int, ...] = CARDS
    rules: Rules | None = None

    @staticmethod
    def of(
        positions: Sequence[Position], prizes: tuple[int, ...] = CARDS, *, rules: Rules | None = None
    ) -> "PositionBatch":
        """The positions, in their order; the prizes are those of the rules, if there are any, and by default cards."""
        prizes = places(rules) if rules else prizes
        fields = [(p.mine, p.theirs, _mask(p.deck, prizes), p.upcard, p.lead, p.pot) for p in positions]
        mine, theirs, deck, upcard, lead, pot = np.array(fields, dtype=np.int32).reshape(-1, 6).T
        masks = mine.astype(np.uint16), theirs.astype(np.uint16), deck.astype(np.uint16)
        return PositionBatch(*masks, upcard, lead, pot, prizes, rules)

    def __getitem__(self, some: NDArray[np.intp]) -> "PositionBatch":
        hands, shown = (self.mine[some], self.theirs[some], self.deck[some]), (self.upcard[some], self.lead[some])
        return PositionBatch(*hands, *shown, self.pot[some], self.prizes, self.rules)

    def __len__(self) -> int:
        return len(self.mine)

    @staticmethod
    def start(count: int, rules: Rules) -> "PositionBatch":
        """The opening of a game, so many times, the upcard still to be drawn."""
        everything = np.full(count, (1 << rules.cards) - 1, dtype=np.uint16)
        deck = np.full(count, (1 << len(rules.prizes)) - 1, dtype=np.uint16)
        nothing = np.zeros(count, dtype=np.int32)
        return PositionBatch(everything, everything, deck, nothing, nothing, nothing, places(rules), rules)

    def turn_up(self, upcard: Ints) -> "PositionBatch":
        """The positions after these prizes of their decks are turned up."""
        if self.prizes is CARDS:
            deck = self.deck ^ _bit(upcard)
        else:
            # Of prizes that are worth the same, the one at the highest place goes.
            deck = self.deck.copy()
            for prize in np.unique(upcard).tolist():
                same = sum(1 << place for place, value in enumerate(self.prizes) if value == prize)
                here = upcard == prize
                highest = np.frexp((deck[here] & np.uint16(same)).astype(np.float64))[1]
                deck[here] ^= _bit(highest.astype(np.int32))
        return PositionBatch(self.mine, self.theirs, deck, upcard, self.lead, self.pot, self.prizes, self.rules)

    def turn_down(self) -> "PositionBatch":
        """The positions before their upcards were turned up."""
        back = (np.int64(1) << self.upcard_place + 1 >> 1).astype(np.uint16)
        fields = np.zeros_like(self.upcard), self.lead, self.pot, self.prizes, self.rules
        return PositionBatch(self.mine, self.theirs, self.deck | back, *fields)

    def play(self, mine: Ints, theirs: Ints, *, carry: bool = False) -> "PositionBatch":
        """The positions after these bids, the next upcards still to be drawn."""
        nothing = np.zeros_like(self.upcard)
        won = np.sign(mine - theirs)
        lead = self.lead + won * (self.upcard + self.pot)
        pot = np.where(won, 0, self.upcard + self.pot).astype(np.int32) if carry else nothing
        hands = self.mine ^ _bit(mine), self.theirs ^ _bit(theirs)
        return PositionBatch(*hands, self.deck, nothing, lead, pot, self.prizes, self.rules)

    def swap(self) -> "PositionBatch":
        """The same positions as the other player sees them."""
        fields = self.deck, self.upcard, -self.lead, self.pot, self.prizes, self.rules
        return PositionBatch(self.theirs, self.mine, *fields)

    def position(self, which: int, rules: Rules | None = None) -> Position:
        """One of the positions, its deck as the rules have it: the given ones, which must know it, or the batch's."""
        if rules is None and self.prizes == CARDS:
            fields = (self.mine, self.theirs, self.deck, self.upcard, self.lead)
            return Position.from_masks(*(int(field[which]) for field in fields), pot=int(self.pot[which]), check=False)
        hands = cards_of(int(self.mine[which])), cards_of(int(self.theirs[which]))
        left = int(self.deck[which])
        deck = [prize for place, prize in enumerate(self.prizes) if left >> place & 1]
        shown, lead, pot = int(self.upcard[which]), int(self.lead[which]), int(self.pot[which])
        return Position.of(*hands, deck, shown, lead=lead, pot=pot, rules=rules or self.rules)

    def shown(self, lead: Ints | None = None) -> Shown:
        """What is bid for, perhaps at other leads."""
        return Shown(self.deck, self.pot, self.upcard, self.lead if lead is None else lead)

    @property
    def level(self) -> NDArray[np.uint8]:
        """The cards of each hand."""
        return np.bitwise_count(self.mine)

    @property
    def upcard_place(self) -> Ints:
        """The place of each upcard among all prizes: of those that are worth the same, the first that is not left."""
        if self.prizes == CARDS:
            return self.upcard - 1
        place = np.full(len(self), -1, dtype=np.int32)
        for prize in np.unique(self.upcard[self.upcard > 0]).tolist():
            same = [place for place, value in enumerate(self.prizes) if value == prize]
            here = self.upcard == prize
            held = self.deck[here] & np.uint16(sum(1 << place for place in same))
            place[here] = same[0] + np.bitwise_count(held)
        return place

    @property
    def left(self) -> NDArray[np.int64]:
        """What the prizes are worth that are not won yet."""
        return totals(self.deck, self.prizes) + self.upcard + self.pot

    def check(self, rules: Rules) -> None:
        """Refuse arrays that are none of positions, and positions that the rules do not know."""
        for name in ("mine", "theirs", "deck", "upcard", "lead", "pot"):
            field = np.asarray(getattr(self, name))
            if field.dtype.kind not in "iu" or field.shape != np.shape(self.mine) or field.ndim != 1:
                raise PositionError(f"{name} must be an array of whole numbers, one a position")
        if self.prizes != CARDS and len(unknown := np.setdiff1d(self.deck, _decks(self.prizes))):
            prizes = f"the prizes {list(self.prizes)}, of equal ones the first"
            raise PositionError(f"decks are masks of {prizes}, not {int(unknown[0])}")
        level, shown = self.level, self.upcard > 0
        wrong = (np.bitwise_count(self.theirs) != level) | (level < rules.last_level + shown)
        wrong |= (np.bitwise_count(self.deck) + shown != level + rules.prizes_left(0)) | ~self._can_be_up(rules)
        wrong |= self.pot < 0 if rules.has_pots else self.pot != 0
        if not rules.nests:
            wrong |= (self.mine | self.theirs).astype(np.int64) >> rules.cards != 0
        if wrong.any():
            self.position(int(np.flatnonzero(wrong)[0]), rules)

    def _can_be_up(self, rules: Rules) -> Flags:
        """Whether each upcard is none yet, or a prize that is not in the deck as well; the next one, if it is known."""
        found: Flags = self.upcard == 0
        if rules.order is not None:
            played = np.maximum(rules.cards - self.level.astype(np.intp), 0)
            deck = np.array([_mask(rules.order[gone:], self.prizes) for gone in range(len(rules.order) + 2)])
            order = np.array([*rules.order, 0])
            found &= self.deck == deck[played]
            found |= (self.upcard == order[played]) & (self.deck == deck[played + 1])
        elif self.prizes == CARDS:
            shown = (self.upcard > 0) & (self.upcard <= MAX_CARDS)
            found |= shown & (self.deck >> (self.upcard - 1 & 15) & 1 == 0)
        else:
            for prize in set(self.prizes):
                same = np.uint16(sum(1 << place for place, value in enumerate(self.prizes) if value == prize))
                found |= (self.upcard == prize) & (self.deck & same != same)
        return found

    def cards_needed(self, rules: Rules) -> NDArray[np.int64]:
        """The least number of cards of a table that holds each: its prizes, the order of its hands, its lead and pot.

        Rules whose games do not nest have one table, which holds all positions that they know.
        """
        if not rules.nests:
            return np.where(self._known_to(rules), rules.cards, MAX_CARDS + 1)
        highest_prize = np.maximum(np.frexp(self.deck.astype(np.float64))[1], self.upcard)
        held = np.bitwise_count(self.mine | self.theirs)
        needed: NDArray[np.int64] = np.maximum(np.maximum(highest_prize, held), 1).astype(np.int64)
        if rules.has_leads:
            left = self.left
            # The lead was won with prizes that are gone; when it is larger than those that are left, it is decided.
            reached = np.where(rules.is_decided(self.lead, left), 0, left + np.abs(self.lead))
            needed = np.maximum(needed, np.searchsorted(_SUMS, reached))
        for which in np.flatnonzero(self.pot):
            shown = 1 << int(self.upcard[which]) >> 1
            gone = ~(int(self.deck[which]) | shown)
            needed[which] = _cards_for_pot(int(self.pot[which]), gone, int(held[which]), int(needed[which]))
        return needed

    def _known_to(self, rules: Rules) -> Flags:
        """Whether the lead and the pot of each can be reached, or are decided, in a game that does not nest."""
        level, left = self.level, self.left
        known: Flags = np.abs(self.lead) <= rules.total - left
        for which in np.unique(level).tolist():
            here = np.flatnonzero(level == which)
            if rules.is_over(which):
                continue
            some, space = self[here], level_space(rules, which)
            shown = some.upcard > 0
            fits = np.ones(len(here), dtype=bool)
            most = np.zeros(len(here), dtype=np.int64)
            for after, where in ((some.upcard > 0, space.below), (some.upcard == 0, space)):
                if not after.any():
                    continue
                row = where.row_of(some.deck[after], (some.pot + some.upcard)[after] if rules.has_pots else 0)
                held = np.bitwise_count(some.mine | some.theirs)[after] - shown[after]
                fits[after] = (row >= 0) & (held <= rules.cards - where.states.tied[row])
                most[after] = where.states.most[row] + (0 if rules.has_pots else some.upcard[after])
            known[here] = fits & (known[here] | rules.is_decided(some.lead, most))
        return known


_SUMS = np.cumsum(np.arange(MAX_CARDS + 1))
_SUMS_OF_CARDS: list[int] = _SUMS.tolist()


@lru_cache(maxsize=4096)
def _cards_for_pot(pot: int, gone: int, held: int, least: int) -> int:
    """The least number of cards, no less than given, with which so much can be in the pot.

    With s tied prizes in it, as many equal cards are gone from both hands, which hold so many cards together.
    """
    for cards in range(least, MAX_CARDS + 1):
        fewest = _fewest(pot, gone & (1 << cards) - 1)
        if fewest is not None and held + fewest <= cards:
            return cards
    return MAX_CARDS + 1


def _fewest(total: int, prizes: int) -> int | None:
    """How few of the prizes make a total."""
    fewest = {0: 0}
    for prize in cards_of(prizes):
        for reached, count in list(fewest.items()):
            fewest[reached + prize] = min(count + 1, fewest.get(reached + prize, MAX_CARDS))
    return fewest.get(total)


@lru_cache(maxsize=64)
def _decks(prizes: tuple[int, ...]) -> Masks:
    """All masks of decks: of prizes that are worth the same, those at the lowest places are left."""
    found = np.arange(1 << len(prizes), dtype=np.uint32)
    for place, (prize, after) in enumerate(pairwise(prizes)):
        if prize == after:
            found = found[(found >> place & 3) != 2]
    return found.astype(np.uint16)


@lru_cache(maxsize=1 << 17)
def _mask(deck: tuple[int, ...], prizes: tuple[int, ...]) -> int:
    if prizes is CARDS:
        mask = 0
        for card in deck:
            mask |= 1 << card - 1 if card <= MAX_CARDS else 0
        return mask
    return PrizeCourse(prizes, None, False, 0, 0).mask(deck)


def _bit(card: Ints) -> Masks:
    return np.uint16(1) << (card - 1).astype(np.uint16)


def places(rules: Rules) -> tuple[int, ...]:
    """The prizes whose places masks name: those of the rules, or all cards, of which games that nest have the first."""
    return CARDS if rules.nests else rules.prizes


def deal(rules: Rules, count: int, random: np.random.Generator) -> Ints:
    """The prizes of games in the order in which they are turned up, `[game][round]`; what is left over comes last."""
    prizes = np.tile(np.array(rules.order or rules.prizes, dtype=np.int32), (count, 1))
    return prizes if rules.order else random.permuted(prizes, axis=1)


def batch_of(positions: Sequence[Position], space: LevelSpace) -> PositionBatch:
    """Positions whose masks are those of a space."""
    return PositionBatch.of(positions, space.start.course.prizes)


def cards_needed(position: Position, rules: Rules) -> int:
    """The least number of cards of a table of such rules that holds the position."""
    if not rules.nests or position.pot:
        return int(PositionBatch.of([position], places(rules)).cards_needed(rules)[0])
    # The same as for many, without arrays: one position is asked more often than anything else.
    prizes = _mask(position.deck, CARDS) | 1 << position.upcard >> 1
    needed = max(prizes.bit_length(), (position.mine | position.theirs).bit_count(), 1)
    if rules.has_leads:
        left = sum(cards_of(prizes))
        if not rules.is_decided(position.lead, left):
            needed = max(needed, bisect_left(_SUMS_OF_CARDS, left + abs(position.lead)))
    return needed


def no_such_game(position: Position, rules: Rules) -> MissingTableError:
    """What is wrong with a position that no table of such rules holds."""
    what = "lead and pot" if position.pot and rules.has_leads else "pot" if position.pot else "lead"
    game = f"no game of up to {MAX_CARDS} cards" if rules.nests else f"no game of the rules {str(rules)!r}"
    return MissingTableError(f"{str(position)!r}: {game} comes to such a {what}")
