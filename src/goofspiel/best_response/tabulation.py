"""Write down a player's policy: ask it at every position that it can come to, each once, and nowhere else.

From the opening on, a position leads to those that follow the cards which the player bids there, whatever the other
side bids and whatever is turned up. A player that bids one card comes to a small part of all positions.
"""

import queue
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch, deal
from goofspiel.best_response.consistency import compare_answers
from goofspiel.errors import OptionError, ResourceError
from goofspiel.interrupts import defer_sigint
from goofspiel.players.players import Player, card_at, check_player, checked_mixes, draw
from goofspiel.players.policy_file import Header, PolicyWriter, joined
from goofspiel.players.tabulated import LevelPolicy, TabulatedPlayer, key_of, mean_of_parts, part_sizes
from goofspiel.rules import Rules
from goofspiel.solver.resources import available_memory
from goofspiel.store.blocks import check_open_bids

MOST_CALLS = 100_000_000  # of one player: an hour of calls that take no time at all
FIRST_CHUNK, LARGEST_CHUNK = 4, 1 << 14  # positions that are asked and written down at a time
CHUNK_SECONDS = 0.5  # that a chunk should take
WAIT_SECONDS = 0.2  # until Ctrl-C is looked for
COPIES = 4  # of what a level holds: while it is asked, and the next one found
AGAIN_AT_ONCE = 8  # positions of a level that are asked a second time when it is done
AGAIN_LEAST, AGAIN_MOST, AGAIN_SHARE = 24, 240, 64  # that are asked once more in the end: of so many one
MOST_SAMPLES = 1_000_000

OnProgress = Callable[[int, int, int], None]
"""Called with the answers so far, those that are known to be needed, and the cards in a hand of those asked now."""


def tabulate(
    players: Player | Sequence[Player],
    rules: Rules | int | str,
    *,
    samples: int = 1,
    path: Path | str | None = None,
    resume: bool = False,
    on_progress: OnProgress = lambda done, whole, level: None,
) -> TabulatedPlayer:
    """The policy of a player, as a table that plays: it is asked once at each position that it can come to.

    - `players`: the player; or several copies of it, which are asked side by side, each on a thread of its own.
    - `samples`: ask so often, of a player that draws its bids; a mix is the share of the answers. With 1, some
      positions are asked again: a `PlayerError` if it answers otherwise, or looks at the lead and says that it does
      not.
    - `path`: write the answers to this file as they come; `resume`: go on with it. `policy:FILE` plays it.
    """
    several = isinstance(players, Sequence) and not isinstance(players, str)
    copies = list(map(check_player, players if several else [players]))  # type: ignore[arg-type]
    if not copies or not 1 <= samples <= MOST_SAMPLES:
        raise OptionError(f"samples must be 1 to {MOST_SAMPLES:,}, not {samples}" if copies else "no player to ask")
    header = Header(copies[0].name, check_open_bids(Rules.of(rules)), copies[0].uses_lead, samples)
    with ExitStack() as stack:
        writer = None
        if path is not None:
            writer = stack.enter_context(PolicyWriter(Path(path), header, resume=resume))
        walk = _Walk(copies, header, writer, on_progress)
        player = walk.run()
        if writer is None or not writer.is_whole:
            if samples == 1:
                walk.ask_again(player)
            if writer:
                writer.end(player.count)
    return player


@dataclass(eq=False)
class _Walk:
    copies: list[Player]
    header: Header
    writer: PolicyWriter | None
    on_progress: OnProgress
    done: int = 0
    chunk: int = FIRST_CHUNK
    levels: dict[int, LevelPolicy] = field(default_factory=dict)

    def run(self) -> TabulatedPlayer:
        rules = self.header.rules
        before = PositionBatch.start(1, rules)
        with ExitStack() as stack:
            pool = stack.enter_context(ThreadPoolExecutor(len(self.copies)))
            for level in range(rules.cards, max(rules.last_level, 1), -1):
                batch = after_upcards(before, rules)[0]
                self._check(level, len(batch))
                self.levels[level] = found = self._answered(pool, level, batch)
                before = self._followers(found)
        return TabulatedPlayer(*self.header, levels=self.levels)

    def _check(self, level: int, count: int) -> None:
        name, game, asked = self.header.player, str(self.header.rules), self.header.samples * (self.done + count)
        if asked > MOST_CALLS:
            raise ResourceError(
                f"{name} would be asked {asked:,} times or more in the game {game!r}, more than {MOST_CALLS:,}: take "
                "fewer cards, or sample games: --games"
            )
        needed = COPIES * count * (24 + 8 * level * len(part_sizes(self.header.samples)))
        if needed > available_memory():
            raise ResourceError(
                f"the policy of {name} in the game {game!r} takes more memory than there is: {count:,} positions with "
                f"{level} cards in a hand; take fewer cards, or sample games: --games"
            )

    def _answered(self, pool: ThreadPoolExecutor, level: int, batch: PositionBatch) -> LevelPolicy:
        """What the player answers, as far as it is not in the file already."""
        keys = key_of(self.header.rules, self.header.uses_lead)(batch)
        known = self.writer.levels.get(level) if self.writer else None
        missing = np.arange(len(batch)) if known is None else np.flatnonzero(~np.isin(keys, known.keys))
        self.done += len(batch) - len(missing)
        self.on_progress(self.done, self.done + len(missing), level)
        asked, parts = self._ask_all(pool, level, batch, missing)
        if known is not None:
            wanted = np.flatnonzero(np.isin(known.keys, keys))  # a changed player no longer comes to the others
            asked, parts = [known.batch[wanted], *asked], [known.parts[:, wanted], *parts]
        there = joined(asked)
        found = LevelPolicy.sorted(
            key_of(self.header.rules, self.header.uses_lead)(there), there, np.concatenate(parts, axis=1)
        )
        if self.header.samples == 1 and len(missing):
            self._compare(found, np.linspace(len(batch) - 1, 0, min(AGAIN_AT_ONCE, len(batch))).astype(np.intp))
        return found

    def _ask_all(
        self, pool: ThreadPoolExecutor, level: int, batch: PositionBatch, missing: NDArray[np.intp]
    ) -> tuple[list[PositionBatch], list[Floats]]:
        """Ask in chunks, several copies side by side; written down as they come."""
        free: queue.SimpleQueue[Player] = queue.SimpleQueue()
        for player in self.copies:
            free.put(player)
        asked: list[PositionBatch] = []
        parts: list[Floats] = []
        start, whole = 0, self.done + len(missing)
        with defer_sigint() as deliver_sigint:
            running: dict[Future[tuple[Floats, float]], PositionBatch] = {}
            while start < len(missing) or running:
                while start < len(missing) and len(running) < len(self.copies):
                    some = batch[missing[start : start + self.chunk]]
                    running[pool.submit(self._ask, free, some)] = some
                    start += len(some)
                for future in wait(running, WAIT_SECONDS, FIRST_COMPLETED).done:
                    some = running.pop(future)
                    answers, seconds = future.result()
                    if self.writer:
                        self.writer.add(level, some, answers)
                    asked.append(some)
                    parts.append(answers)
                    self.done += len(some)
                    self.on_progress(self.done, whole, level)
                    factor = min(max(CHUNK_SECONDS / max(seconds, 1e-9), 0.25), 4)
                    self.chunk = min(max(int(len(some) * factor), 1), LARGEST_CHUNK)
                deliver_sigint()
        return asked, parts

    def _ask(self, free: "queue.SimpleQueue[Player]", some: PositionBatch) -> tuple[Floats, float]:
        player = free.get()
        started = time.monotonic()
        try:
            sizes = part_sizes(self.header.samples)
            parts = [sum(checked_mixes(player, some) for _ in range(size)) / size for size in sizes]
            return np.stack(parts), time.monotonic() - started
        finally:
            free.put(player)

    def _followers(self, found: LevelPolicy) -> PositionBatch:
        """The positions before their upcards that follow the bids, each once."""
        rules, level = self.header.rules, int(found.batch.level[0])
        mixes = mean_of_parts(found.parts, self.header.samples)
        every = []
        for mine in range(level):
            some = found.batch[np.flatnonzero(mixes[:, mine] > 0)]
            for theirs in range(level) if len(some) else ():
                bids = [
                    card_at(hand, np.full(len(some), rank)) for hand, rank in ((some.mine, mine), (some.theirs, theirs))
                ]
                after = some.play(bids[0], bids[1], carry=rules.has_pots)
                if not self.header.uses_lead:
                    after = replace(after, lead=np.zeros_like(after.lead))
                every.append(self._distinct(after))
        return self._distinct(joined(every))

    def _distinct(self, batch: PositionBatch) -> PositionBatch:
        return batch[distinct(batch, self.header.rules, uses_lead=self.header.uses_lead)[0]]

    def _compare(self, found: LevelPolicy, some: NDArray[np.intp]) -> None:
        batch, player = found.batch[some], self.copies[-1]
        compare_answers(player, batch, found.parts[0][some], batch, checked_mixes(player, batch))

    def ask_again(self, player: TabulatedPlayer) -> None:
        """Ask positions of games that it plays, at their own leads; a `PlayerError` if the answers differ."""
        again = min(max(player.count // AGAIN_SHARE, AGAIN_LEAST), AGAIN_MOST)
        random = np.random.default_rng(0)
        levels = sorted(self.levels, reverse=True)
        if not levels:
            return
        games = -(-again // len(levels))
        for copy, batch in zip(self.copies * again, _games(player, games, random), strict=False):
            at_zero = batch if player.uses_lead else replace(batch, lead=np.zeros_like(batch.lead))
            back = np.arange(len(batch))[::-1]
            compare_answers(
                copy, at_zero[back], player.mixes(batch)[back], batch[back], checked_mixes(copy, batch[back])
            )


def _games(player: TabulatedPlayer, count: int, random: np.random.Generator) -> "list[PositionBatch]":
    """The positions of games against somebody who bids anything, round by round, as the player sees them."""
    rules, found = player.rules, []
    decks = deal(rules, count, random)
    batch = PositionBatch.start(count, rules)
    for number in range(min(rules.rounds, rules.cards - 1)):
        batch = batch.turn_up(decks[:, number])
        found.append(batch)
        theirs = np.full((count, rules.cards - number), 1.0)
        bids = [
            card_at(hand, draw(mixes, random.random(count)))
            for hand, mixes in ((batch.mine, player.mixes(batch)), (batch.theirs, theirs))
        ]
        batch = batch.play(bids[0], bids[1], carry=rules.has_pots)
    return found


def after_upcards(before: PositionBatch, rules: Rules) -> tuple[PositionBatch, NDArray[np.intp], Floats]:
    """All that may be turned up next; for each of these, which of the positions it follows, and how likely."""
    if rules.order is not None:
        prize = rules.order[rules.cards - int(before.level[0])]
        shown = before.turn_up(np.full(len(before), prize, dtype=np.int32))
        return shown, np.arange(len(before)), np.ones(len(before))
    batches, rows, weights = [], [], []
    left = np.bitwise_count(before.deck)
    for prize in sorted(set(rules.prizes)):
        mask = np.uint16(sum(1 << place for place, value in enumerate(before.prizes) if value == prize))
        copies = np.bitwise_count(before.deck & mask)
        some = np.flatnonzero(copies)
        if len(some):
            batches.append(before[some].turn_up(np.full(len(some), prize, dtype=np.int32)))
            rows.append(some)
            weights.append(copies[some] / left[some])
    return joined(batches), np.concatenate(rows), np.concatenate(weights)


def distinct(
    batch: PositionBatch, rules: Rules, *, uses_lead: bool = True
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each distinct position first stands, and for each position which of these it is."""
    _, first, which = np.unique(key_of(rules, uses_lead)(batch), return_index=True, return_inverse=True)
    return first, which
