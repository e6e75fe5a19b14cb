"""Many games side by side, as learners want them: what each player sees as numbers, a step, what it was worth."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Flags, Floats, Ints
from goofspiel.batch import PositionBatch, deal
from goofspiel.errors import PlayerError
from goofspiel.rules import Rules
from goofspiel.states.subsets import Masks
from goofspiel.store.blocks import check_open_bids
from goofspiel.tablebase import Tablebase

Singles = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What a table says of the positions of one side: all by game, cards as columns 0 … cards − 1."""

    value: Floats
    mix: Floats
    """An optimal mix."""
    regret: Floats
    """Of each card, what it falls short of the value against an optimal mix; NaN of what is not in the hand."""


class Step(NamedTuple):
    """What a round brought."""

    reward: Floats
    """To the first player; to the second its negative."""
    is_over: bool


class GamesSideBySide:
    """So many games, all in the same round; cards are numbered from 0 for who bids."""

    def __init__(self, rules: Rules, count: int, *, judge: Tablebase | None = None) -> None:
        self.rules, self.count, self._judge = check_open_bids(rules), count, judge
        self._random = np.random.default_rng()
        self._decks: Ints = np.zeros((count, 0), dtype=np.int32)
        self.batch = PositionBatch.start(count, rules)

    @property
    def features(self) -> int:
        """The numbers that a player sees: both hands, the deck, the upcard, lead and pot."""
        return 2 * (self.rules.cards + len(self.rules.prizes)) + 2

    def reset(self, seed: int | None = None) -> None:
        """Begin anew, from a seed if there is one."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self._decks = deal(self.rules, self.count, self._random)
        self.batch = PositionBatch.start(self.count, self.rules).turn_up(self._decks[:, 0])

    def random(self) -> Floats:
        """A number from 0 to 1 for each game."""
        return self._random.random(self.count)

    def seen(self, side: int) -> Singles:
        """What a side sees, [game][number]: its hand, theirs, the deck, the upcard, the lead and the pot as shares."""
        batch, cards, prizes = self.batch.swap() if side else self.batch, self.rules.cards, len(self.rules.prizes)
        shown = np.zeros((self.count, prizes), dtype=bool)
        if batch.upcard.any():
            shown[np.arange(self.count), batch.upcard_place] = True
        points = np.stack([batch.lead, batch.pot], axis=1) / self.rules.total
        hands = bits(batch.mine, cards), bits(batch.theirs, cards), bits(batch.deck, prizes), shown
        return np.concatenate([*hands, points], axis=1, dtype=np.float32)

    def legal(self, side: int) -> NDArray[np.int8]:
        """Which cards a side holds, [game][card]."""
        return bits(self.batch.theirs if side else self.batch.mine, self.rules.cards).astype(np.int8)

    def judged(self, side: int) -> Judged | None:
        """What the table says of the positions, if there is one."""
        if self._judge is None or not self.batch.upcard.any():
            return None
        batch = self.batch.swap() if side else self.batch
        solved = self._judge.solve_rounds(batch)
        held, shape = bits(batch.mine, self.rules.cards), (self.count, self.rules.cards)
        mix, regret = np.zeros(shape), np.full(shape, np.nan)
        mix[held] = solved.mine.ravel()
        regret[held] = solved.regret.ravel()
        return Judged(solved.value, mix, regret)

    def step(self, mine: NDArray[np.integer], theirs: NDArray[np.integer]) -> Step:
        """Both bid; the next upcard is turned up, if the game goes on."""
        batch, rules = self.batch, self.rules
        for hand, bid in ((batch.mine, mine), (batch.theirs, theirs)):
            _check_held(hand, bid, rules)
        cards = (np.asarray(bid, dtype=np.int32) + 1 for bid in (mine, theirs))
        after = batch.play(*cards, carry=rules.has_pots)
        played = rules.cards - int(batch.level[0]) + 1
        is_over = played == rules.rounds
        if rules.has_leads:
            reward = np.asarray(rules.at_the_end(after.lead), dtype=np.float64) * is_over
        else:
            reward = (after.lead - batch.lead).astype(np.float64)
        self.batch = after if is_over else after.turn_up(self._decks[:, played])
        return Step(reward, is_over)


def bits(masks: Masks, width: int) -> Flags:
    """Masks as flags, [mask][bit]."""
    return (masks[:, None] >> np.arange(width, dtype=np.uint16) & 1).astype(bool)


def _check_held(hand: Masks, bid: NDArray[np.integer], rules: Rules) -> None:
    held = (np.asarray(bid) >= 0) & (np.asarray(bid) < rules.cards)
    held[held] = hand[held] >> np.asarray(bid)[held].astype(np.uint16) & 1
    if not held.all():
        which = int(np.flatnonzero(~held)[0])
        cards = np.flatnonzero(bits(hand[which : which + 1], rules.cards)[0]).tolist()
        raise PlayerError(f"action {bid[which]} is no card of the hand: one of {', '.join(map(str, cards))}")
