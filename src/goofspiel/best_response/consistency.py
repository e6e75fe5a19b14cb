"""Ask a player again at a sample of positions: one that then answers otherwise has no best response.

The sample is always the same one for a game: as many positions of each level, drawn from a fixed seed, each
with leads that games lead to. A player that does not look at the lead is asked at several of them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch, deal
from goofspiel.cards import card_name
from goofspiel.errors import PlayerError
from goofspiel.players.players import Player, checked_mixes
from goofspiel.rules import Rules
from goofspiel.states.prize_states import PrizeStates
from goofspiel.states.space import level_space

SAMPLE = 240  # positions at most
LEAST = 64  # positions in a small game,
SHARE = 64  # and in a larger one no more than one in so many
FEWEST = 24  # questions that are asked again
GAMES = 32  # that are drawn for each position, to see which leads it can have
SAME = 1e-5  # probabilities that differ by no more are the same: a network rounds otherwise in another batch


@dataclass(frozen=True, eq=False)
class ConsistencyCheck:
    """A sample of positions, and what the player answered there: `begin` before all others are asked, then `end`."""

    player: Player
    rules: Rules

    @property
    def count(self) -> int:
        """How many questions it asks."""
        return (2 + self._again) * self._size + sum(len(batch) for _, batch in self._other_leads)

    def begin(self, on_answers: Callable[[int], None] = lambda more: None) -> None:
        """Ask the sample twice, the second time in reverse, and at other leads; a `PlayerError` if answers differ."""
        answers = self._answers
        on_answers(self._size)
        for _ in range(self._again):
            self.end(on_answers)
        if not self.player.uses_lead:
            for batch, first, (which, other) in zip(self._batches, answers, self._other_leads, strict=True):
                if len(other):
                    compare_answers(self.player, batch[which], first[which], other, checked_mixes(self.player, other))
                    on_answers(len(other))

    def end(self, on_answers: Callable[[int], None] = lambda more: None) -> None:
        """Ask the sample once more."""
        for batch, first in zip(reversed(self._batches), reversed(self._answers), strict=True):
            back = np.arange(len(batch))[::-1]
            compare_answers(self.player, batch[back], first[back], batch[back], checked_mixes(self.player, batch[back]))
            on_answers(len(batch))

    @property
    def _size(self) -> int:
        return sum(map(len, self._batches))

    @property
    def _again(self) -> int:
        """How often to ask again: with two cards there are two positions, and a drawn card may well be the same."""
        return max(FEWEST // max(self._size, 1), 1)

    @cached_property
    def _answers(self) -> list[Floats]:
        return [checked_mixes(self.player, batch) for batch in self._batches]

    @cached_property
    def _drawn(self) -> list[tuple[PositionBatch, NDArray[np.int32]]]:
        """For each level positions, and for each of them leads `[position][lead]` that count."""
        rules = self.rules
        levels = range(max(rules.last_level + 1, 2), rules.cards + 1)
        whole = sum(int(_states(rules, level).upcards.sum()) * comb(rules.cards, level) ** 2 for level in levels)
        each = min(max(whole // SHARE, LEAST), SAMPLE) // max(len(levels), 1)
        rng = np.random.default_rng(rules.cards)
        return [_draw(rules, level, each, rng) for level in levels]

    @cached_property
    def _batches(self) -> list[PositionBatch]:
        if not self.player.uses_lead:
            return [batch for batch, _ in self._drawn]
        return [replace(batch, lead=leads[:, 0]) for batch, leads in self._drawn]

    @cached_property
    def _other_leads(self) -> list[tuple[NDArray[np.intp], PositionBatch]]:
        """Positions of the sample at their lowest, highest and another lead, and which they are; none if it looks."""
        found = []
        for batch, leads in self._drawn if not self.player.uses_lead else []:
            wanted = [sorted({min(row), max(row), row[0]} - {0}) for row in leads.tolist()]
            some = [(which, lead) for which, row in enumerate(wanted) for lead in row]
            which, lead = np.array(some, dtype=np.int32).reshape(-1, 2).T
            found.append((which.astype(np.intp), replace(batch[which.astype(np.intp)], lead=lead)))
        return found


def compare_answers(player: Player, batch: PositionBatch, first: Floats, again: PositionBatch, second: Floats) -> None:
    """A `PlayerError` for the first position whose answers differ; `again` may have other leads."""
    wrong = np.flatnonzero((np.abs(first - second) > SAME).any(axis=1))
    if not len(wrong):
        return
    which = int(wrong[0])
    position, other = batch.position(which), again.position(which)
    if position != other:
        said = [_said(position.my_cards, mixes[which].tolist()) for mixes in (first, second)]
        raise PlayerError(
            f"player {player.name} says that it does not look at the lead, but answers {str(position)!r} with "
            f"{said[0]} and {str(other)!r} with {said[1]}: say uses_lead = True"
        )
    hint = " (many samples of a drawn card estimate it: --samples)"
    answers = first[which].tolist(), second[which].tolist()
    raise inconsistent(player.name, str(position), position.my_cards, *answers, drawn_hint=hint)


def inconsistent(
    name: str, seen: str, hand: tuple[int, ...], first: list[float], second: list[float], *, drawn_hint: str = ""
) -> PlayerError:
    """What to say of a player that answers the same question in two ways."""
    drawn = max(first) == max(second) == 1
    wanted = (
        f"its mix, card → probability, not a card that it draws{drawn_hint}" if drawn else "the same mix every time"
    )
    return PlayerError(
        f"player {name} answers {seen!r} with {_said(hand, first)}, and when asked again with {_said(hand, second)}: "
        f"only matches can be played with it; for an exact result it must return {wanted}"
    )


def _draw(rules: Rules, level: int, count: int, rng: np.random.Generator) -> tuple[PositionBatch, NDArray[np.int32]]:
    """Different positions of a level, and leads that games lead to; to win, those that do not decide the game."""
    gone = rules.cards - level
    cards = np.tile(np.arange(1, rules.cards + 1, dtype=np.int32), (2, count, 1))
    mine, theirs = rng.permuted(cards, axis=2)
    prizes = deal(rules, count, rng)
    # Games to the position: the cards that are gone, bid against each other and for prizes in any order.
    games = np.zeros((count, GAMES, gone), dtype=np.int32)
    bids = rng.permuted(games + theirs[:, None, :gone], axis=2)
    bid_for = games + prizes[:, None, :gone]
    if rules.order is None:
        bid_for = rng.permuted(bid_for, axis=2)
    batch = PositionBatch.start(count * GAMES, rules)
    for played in range(gone):
        mine_now = np.repeat(mine[:, played], GAMES)
        batch = batch.turn_up(bid_for[:, :, played].ravel())
        batch = batch.play(mine_now, bids[:, :, played].ravel(), carry=rules.has_pots)
    batch = batch.turn_up(np.repeat(prizes[:, gone], GAMES))
    after = _states(rules, level - 1)
    left = batch.upcard + batch.pot + after.most[after.number(batch.deck)]
    leads, pots = batch.lead.reshape(count, GAMES), batch.pot.reshape(count, GAMES)
    # The pot is that of the first game that is not decided.
    open_ = ~np.asarray(rules.is_decided(leads, left.reshape(count, GAMES)))
    first = open_.argmax(axis=1)[:, None]
    open_ &= pots == np.take_along_axis(pots, first, axis=1)
    batch = batch[np.arange(count) * GAMES + first[:, 0]]
    fields = batch.mine, batch.theirs, batch.deck, batch.upcard, batch.pot
    _, different = np.unique(np.stack([field.astype(np.int64) for field in fields]), axis=1, return_index=True)
    some = np.sort(different)[open_[np.sort(different)].any(axis=1)]
    one = np.take_along_axis(leads, first, axis=1)
    return replace(batch[some], lead=np.zeros(len(some), dtype=np.int32)), np.where(open_, leads, one)[some]


def _states(rules: Rules, level: int) -> PrizeStates:
    return level_space(rules, level).states


def _said(cards: tuple[int, ...], mix: list[float]) -> str:
    """A card, or the probabilities of those that may be bid."""
    if max(mix) == 1:
        return card_name(cards[mix.index(1)])
    return ", ".join(f"{card_name(card)}: {p:.6g}" for card, p in zip(cards, mix, strict=True) if p)
