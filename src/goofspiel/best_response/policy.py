"""Ask a player about all hand pairs and leads of a round, as seldom as possible."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Flags, Floats, Numbers
from goofspiel.best_response.hand_pairs import HandPairLevel, PrizeRound
from goofspiel.players.human import ForgetfulPlayer, MixturePlayer, PredictablePlayer, SafeExploiter
from goofspiel.players.players import (
    BidUpcardPlayer,
    FunctionPlayer,
    OverridePlayer,
    Player,
    TablePlayer,
    UniformPlayer,
    checked_mixes,
)
from goofspiel.states import matchups
from goofspiel.states.subsets import Masks

BATCH = 1 << 18  # positions that a player is asked about at a time: bounds the memory
SLOW_BATCH = 1 << 9  # of a function, which takes them one by one: there is progress in between

_BY_RULE = 1 << 40  # beyond all other keys


@dataclass(frozen=True, eq=False)
class PolicyEvaluator:
    """How a player is asked about the positions of a level, seen from its own side."""

    player: Player
    level: HandPairLevel
    flags: Flags | None = None  # of the positions that can occur; without, it is asked about all

    def count(self, which: int) -> int:
        """The positions of a prize state to ask about, before those that are alike are left out."""
        if self.level.level == 1:
            return 0  # the last card is no choice
        rounds = len(self.level.rounds(which))
        if self.flags is not None:
            return rounds * int(self._wanted(which, self.flags).sum())
        return rounds * int(self.level.kept_counts[self.level.ties_of(which)]) * len(self._leads(which))

    def mixes(
        self, which: int, prize_round: PrizeRound, *, on_answers: Callable[[int], None] = lambda more: None
    ) -> Floats:
        """The player's mixes in a round of a prize state, `[card][kept pair][lead]`; zeros where it was not asked.

        One lead stands for all when the player does not use it. `on_answers` is called with the number of positions
        that were answered since.
        """
        ties = self.level.ties_of(which)
        if self.level.level == 1:
            return np.ones((1, int(self.level.kept_counts[ties]), 1))
        mine, theirs = (hands[self.level.kept[ties]] for hands in self.level.pairs)
        first, same = self._alike[prize_round.upcard, ties]
        leads = self._leads(which)
        wanted = np.ones((len(first), len(leads)), dtype=np.bool_)
        if self.flags is not None:
            wanted = self._wanted(which, self.flags)[first]
        row, column = np.nonzero(wanted)
        found = np.zeros((self.level.level, *wanted.shape))
        size = SLOW_BATCH if asks_a_function(self.player) else BATCH
        for start in range(0, len(row), size):
            rows, columns = row[start : start + size], column[start : start + size]
            pair = first[rows]
            batch = self.level.shown(prize_round, theirs[pair], mine[pair], -leads[columns])
            found[:, rows, columns] = checked_mixes(self.player, batch).T
            on_answers(len(batch))
        return found if same is None else found.take(same, axis=1)

    def _wanted(self, which: int, flags: Flags) -> Flags:
        """The kept pairs and leads of a prize state that can occur."""
        found = self.level.part(flags, which)
        return found if self.player.uses_lead else np.asarray(found.any(axis=1, keepdims=True))

    def _leads(self, which: int) -> NDArray[np.int32]:
        leads = self.level.leads_of(which) if self.player.uses_lead else np.zeros(1)
        return leads.astype(np.int32)

    @cached_property
    def _alike(self) -> dict[tuple[int, int], tuple[NDArray[np.intp], NDArray[np.intp] | None]]:
        """By upcard and tied rounds in the pot: the pairs to ask about, and which of them stands for each pair."""
        found: dict[tuple[int, int], tuple[NDArray[np.intp], NDArray[np.intp] | None]] = {}
        for ties, some in enumerate(self.level.kept):
            mine, theirs = (hands[some] for hands in self.level.pairs)
            for upcard in set(self.level.space.rules.prizes):
                keys = _same_mixes(self.player, theirs, mine, upcard)
                if keys is None:
                    found[upcard, ties] = np.arange(len(mine)), None
                else:
                    _, first, same = np.unique(keys, return_index=True, return_inverse=True)
                    found[upcard, ties] = first, same
        return found


def asks_a_function(player: Player) -> bool:
    """Whether each position is a call of a user's function."""
    return isinstance(player, FunctionPlayer) or any(map(asks_a_function, inner_players(player)))


def inner_players(player: Player) -> tuple[Player, ...]:
    """Those that one of ours asks."""
    if isinstance(player, MixturePlayer):
        return tuple(part for _, part in player.parts)
    if isinstance(player, SafeExploiter):
        return player.base, player.target
    if isinstance(player, OverridePlayer | ForgetfulPlayer | PredictablePlayer):
        return (player.base,)
    return ()


def _same_mixes(player: Player, mine: Masks, theirs: Masks, upcard: int) -> Numbers | None:
    """Numbers for hand pairs, equal only where the player has the same mix; None when nothing is known of it.

    Deck, pot and lead are the same for all of them.
    """
    if type(player) in (UniformPlayer, BidUpcardPlayer):
        return mine.astype(np.int64) if isinstance(player, BidUpcardPlayer) else np.zeros(len(mine), dtype=np.int64)
    if type(player) is TablePlayer:  # only the order of the cards matters
        my_pattern, their_pattern = matchups.patterns_of(mine, theirs)
        return my_pattern.astype(np.int64) << 16 | their_pattern
    if type(player) in (ForgetfulPlayer, PredictablePlayer, MixturePlayer, SafeExploiter):
        return _together(_same_mixes(*seat, upcard) for seat in _seats(player, mine, theirs))
    if type(player) is OverridePlayer and (base := _same_mixes(player.base, mine, theirs, upcard)) is not None:
        if upcard not in player.rules:
            return base
        needed = np.uint16(sum(1 << card - 1 for card in player.rules[upcard]))
        return np.where(mine & needed == needed, _BY_RULE + mine.astype(np.int64), base)
    return None


def _seats(player: Player, mine: Masks, theirs: Masks) -> Iterator[tuple[Player, Masks, Masks]]:
    """Whom one of ours asks, about which hands."""
    for inner in inner_players(player):
        if isinstance(player, ForgetfulPlayer):
            yield inner, mine, mine
        elif isinstance(player, SafeExploiter) and inner is player.target:
            yield inner, theirs, mine
        else:
            yield inner, mine, theirs


def _together(keys: Iterable[Numbers | None]) -> Numbers | None:
    """Numbers that are equal only where all the others are."""
    found: Numbers | None = None
    for key in keys:
        if key is None:
            return None
        dense = _numbered(key)
        found = dense if found is None else _numbered(found * (dense.max(initial=0) + 1) + dense)
    return found


def _numbered(keys: Numbers) -> Numbers:
    """From 0, without holes."""
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)
