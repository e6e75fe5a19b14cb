"""The best that anyone can do against a player: its exploitability, and the response as a player of its own."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from operator import index

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch
from goofspiel.best_response.hand_pairs import I_WIN, THEY_WIN, Flags, HandPairSpace, Numbers, after_bids
from goofspiel.best_response.policy import PolicyEvaluator, asks_a_function
from goofspiel.best_response.reachable import reachable
from goofspiel.errors import PlayerError, SolveError
from goofspiel.interrupts import defer_sigint
from goofspiel.plan import size_text
from goofspiel.players.players import (
    BidUpcardPlayer,
    OverridePlayer,
    Player,
    TablePlayer,
    UniformPlayer,
    card_at,
    checked_mixes,
    one_card,
)
from goofspiel.position import Position
from goofspiel.rules import Objective, cards_of, check_cards
from goofspiel.solver.resources import available_memory, available_threads
from goofspiel.states.prize_sets import total, totals
from goofspiel.states.subsets import Masks, ranks

TIE = 1e-12  # bids that earn the same up to this: the lowest is taken
MOST_CALLS = 100_000_000  # of a user's function: an hour of calls that take no time at all
BLOCK = 1 << 16  # values at a time: what a core keeps close
WORKING_ARRAYS = 16  # of one value for each hand pair and lead: what a thread works with, at most

Report = Callable[[int, int], None]


@dataclass(frozen=True)
class BestBid:
    """The best bid for an upcard at the start, what it gains, and the player's mix that it answers."""

    upcard: int
    """The first prize."""
    bid: int
    """The best bid for it; of several, the lowest."""
    value: float
    """What it gains in a game."""
    mix: Mapping[int, float]
    """The player's mix that it answers: card → probability."""


@dataclass(frozen=True, eq=False)
class Response:
    """A best response to a player, and what it gains. It is a player: at every position it bids one card for certain.

    It knows the positions of the game it was worked out for, and no others.
    """

    player: Player
    """Whom it answers."""
    cards: int
    """The number of cards of the game."""
    objective: Objective
    """What it maximises."""
    _course: HandPairSpace = field(repr=False)
    _values: list[Floats] = field(repr=False)  # by level: before the upcard; points without the lead
    _flags: list[Flags] | None = field(
        repr=False
    )  # by level: which positions occur, when not all leads were worked out

    @property
    def name(self) -> str:
        """Whom it answers."""
        return f"respond:{self.player.name}"

    @property
    def uses_lead(self) -> bool:
        """To win, or when the other player does."""
        return self._course.leads

    @property
    def value(self) -> float:
        """What it gains in a game: expected points, or P(win) − P(loss)."""
        return float(self._values[-1][0])

    @property
    def exploitability(self) -> float:
        """What it gains above the value of the game, which is 0: both sides hold the same."""
        return self.value

    def values(self, positions: Iterable[Position]) -> Floats:
        """What positions are worth to the response, which sees them as its own; a lead in points counts."""
        asked = PositionBatch.of(list(positions))
        self._check(asked)
        result = np.empty(len(asked))
        kind = asked.level * 2 + (asked.upcard > 0)
        for which in np.unique(kind).tolist():
            here = np.flatnonzero(kind == which)
            some = asked[here]
            if which % 2:
                result[here] = self.earnings(some).max(axis=1)
            else:
                result[here] = self._worth(which // 2, some) + self._counted(some.lead)
        return result

    def earnings(self, asked: PositionBatch) -> Floats:
        """What each of my cards earns, with best bids later on, `[position][card]`. All hands have equally many."""
        self._check(asked)
        return self._against(checked_mixes(self.player, asked.swap()), asked)

    def _against(self, mixes: Floats, asked: PositionBatch) -> Floats:
        """What each of my cards earns against mixes."""
        level = mixes.shape[1]
        earned = np.zeros((len(asked), level))
        mine, theirs = [_cards_of(hand, level) for hand in (asked.mine, asked.theirs)]
        for rank, (my_card, my_rest) in enumerate(mine):
            for their_rank, (their_card, their_rest) in enumerate(theirs):
                won = np.sign(my_card - their_card) * asked.upcard
                after = PositionBatch(my_rest, their_rest, asked.deck, asked.upcard, asked.lead + won)
                worth = self._worth(level - 1, after) + self._counted(won)
                earned[:, rank] += mixes[:, their_rank] * worth
        return earned + self._counted(asked.lead)[:, None]

    def mixes(self, asked: PositionBatch) -> Floats:
        """A best card for certain; of several, the lowest."""
        earned = self.earnings(asked)
        return one_card(_lowest_best(earned), earned.shape[1])

    def first_moves(self) -> tuple[BestBid, ...]:
        """For each upcard at the start of the game."""
        found = []
        for upcard in range(1, self.cards + 1):
            start = Position.start(self.cards, upcard)
            asked = PositionBatch.of([start])
            mix = checked_mixes(self.player, asked.swap())
            earned = self._against(mix, asked)
            bid = start.my_cards[int(_lowest_best(earned)[0])]
            by_card = dict(zip(start.my_cards, mix[0].tolist(), strict=True))
            found.append(BestBid(upcard, bid, float(earned.max()), by_card))
        return tuple(found)

    def _counted(self, points: NDArray[np.integer]) -> Floats:
        """Points as they count towards values."""
        return points.astype(np.float64) * (self.objective == Objective.POINTS)

    def _worth(self, level: int, asked: PositionBatch) -> Floats:
        """The kept values of positions before their upcard."""
        values, here = self._values[level], self._course.levels[level]
        worth = values[here.place(asked.mine, asked.theirs, asked.deck, asked.lead)]
        return np.where(self._course.decided(asked.deck, asked.lead), np.sign(asked.lead), worth)

    def _check(self, asked: PositionBatch) -> None:
        """Refuse positions that the game does not come to."""
        all_prizes = (asked.deck | (np.int64(1) << asked.upcard >> 1)).astype(np.uint16)
        strange = (asked.mine | asked.theirs | all_prizes) >> self.cards > 0
        if self._course.leads:
            strange |= np.abs(asked.lead) > total(self.cards) - totals(all_prizes)
            if self._flags is not None:
                open_ = np.flatnonzero(~strange & ~self._course.decided(all_prizes, asked.lead))
                for level in np.unique(asked.level[open_]).tolist():
                    some = open_[asked.level[open_] == level]
                    place = self._course.levels[level].place(
                        asked.mine[some], asked.theirs[some], all_prizes[some], asked.lead[some]
                    )
                    strange[some] = ~self._flags[level][place]
        if strange.any():
            position = str(asked.position(int(np.flatnonzero(strange)[0])))
            raise PlayerError(f"{self.name} knows the positions of a game of {self.cards} cards, not {position!r}")


def respond(
    player: Player,
    *,
    cards: int,
    objective: Objective | str = Objective.POINTS,
    threads: int | None = None,
    progress: Report = lambda done, whole: None,
) -> Response:
    """A best response to a player in the game of `cards` cards.

    The player is asked once about every position that can occur. A built-in one is asked on several threads, a user's
    own in this one only. `progress` hears how many of these questions are done, and how many there are.
    """
    course = HandPairSpace(check_cards(cards), Objective(objective), player.uses_lead or objective == Objective.WIN)
    built_in = is_built_in(player)
    threads = available_threads() if threads is None else index(threads)
    if threads < 1:
        raise SolveError(f"threads must be 1 or more, not {threads}")
    flagged = player.uses_lead and not built_in  # our own players take any lead; a function may rely on the rules
    _check_memory(player, course, threads if built_in else 1, flagged=flagged)
    flags = reachable(course) if flagged else None
    askings = [PolicyEvaluator(player, level, flags[level.level] if flags else None) for level in course.levels]
    counts = [sum(map(asking.count, range(len(asking.level.sets)))) for asking in askings[1:]]
    whole, done = sum(counts), 0
    if asks_a_function(player) and whole > MOST_CALLS:
        raise SolveError(
            f"a best response with {cards} cards would ask {player.name} {whole:,} times, more than {MOST_CALLS:,}: "
            f"take fewer cards{', or say uses_lead = False if it does not look at the lead' * player.uses_lead}"
        )
    values = [np.zeros(course.levels[0].size)]  # nothing is left to win; to win, only a lead of 0 has a place

    def told(more: int) -> None:
        nonlocal done
        done += more
        progress(done, whole)

    progress(0, whole)
    for asking in askings[1:]:
        values.append(np.zeros(asking.level.size))
        step = _Step(asking, asking.level.rows_after(), values[-2], values[-1])
        if built_in:
            _on_threads(step.run, range(len(asking.level.sets)), threads, told)
        else:
            for which in range(len(asking.level.sets)):
                step.run(which, told)
    return Response(player, course.cards, course.objective, course, values, flags)


def is_built_in(player: Player) -> bool:
    """Whether a player is one of ours: it takes any position, on any thread."""
    if type(player) is OverridePlayer:
        return is_built_in(player.base)
    if type(player) is Response:
        return is_built_in(player.player)
    return type(player) in (TablePlayer, UniformPlayer, BidUpcardPlayer)


@dataclass(frozen=True, eq=False)
class _Step:
    """Work out a level from the one below."""

    asking: PolicyEvaluator
    rows: Numbers  # [my rank][their rank][pair], see `HandPairLevel.rows_after`
    below: Floats
    values: Floats

    def run(self, which: int, told: Callable[[int], None] = lambda answered: None) -> int:
        """Fill in a prize set; how many questions that took."""
        level = self.asking.level
        course, prize_set, reach = level.course, int(level.sets[which]), int(level.reach[which])
        out = level.part(self.values, which)
        under = course.levels[level.level - 1]
        for upcard in cards_of(prize_set):
            left = int(ranks()[prize_set ^ 1 << upcard - 1])
            after = after_bids(under.part(self.below, left), reach, upcard * course.leads, ends=(-1.0, 1.0))
            if course.objective == Objective.POINTS:
                by_winner = after.reshape(3, -1)
                by_winner[THEY_WIN] -= upcard
                by_winner[I_WIN] += upcard
            _add_best(out, self.asking.mixes(which, upcard, told=told), self.rows, after)
        out /= level.level
        return self.asking.count(which)


def _add_best(out: Floats, mixes: Floats, rows: Numbers, after: Floats) -> None:
    """Add what the best card of each pair earns at each lead."""
    pairs, leads = out.shape
    some = max(BLOCK // leads, 1)
    room = np.empty((3, some, leads))
    for start in range(0, pairs, some):
        stop = min(start + some, pairs)
        best, earned, part = room[:, : stop - start]
        for mine, row in enumerate(rows[:, :, start:stop]):
            into = earned if mine else best
            for theirs, successor in enumerate(row):
                worth = part if theirs else into
                np.take(after, successor, axis=0, out=worth, mode="clip")
                worth *= mixes[theirs, start:stop]
                if theirs:
                    into += worth
            if mine:
                np.maximum(best, earned, out=best)
        out[start:stop] += best


def _on_threads(run: Callable[[int], int], numbers: range, threads: int, told: Callable[[int], None]) -> None:
    """Run for all numbers, and tell what that gives."""
    with defer_sigint() as deliver_sigint, ThreadPoolExecutor(threads) as pool:
        try:
            for future in as_completed([pool.submit(run, number) for number in numbers]):
                told(future.result())
                deliver_sigint()
        finally:
            pool.shutdown(cancel_futures=True)


def _lowest_best(earned: Floats) -> NDArray[np.intp]:
    """The lowest of the best cards."""
    return np.asarray((earned >= earned.max(axis=1, keepdims=True) - TIE).argmax(axis=1))


def _cards_of(hand: Masks, level: int) -> list[tuple[NDArray[np.int32], Masks]]:
    """The card of each rank, and the hands without it."""
    cards = [card_at(hand, np.full(len(hand), rank)) for rank in range(level)]
    return [(card, (hand ^ np.int64(1) << card - 1).astype(np.uint16)) for card in cards]


def _check_memory(player: Player, course: HandPairSpace, threads: int, *, flagged: bool) -> None:
    """Refuse what does not fit."""
    positions = sum(level.size for level in course.levels)
    largest = max(len(level.hands) ** 2 * (2 * int(level.reach.max()) + 1) for level in course.levels)
    rows = max(level.level**2 * len(level.hands) ** 2 for level in course.levels)
    needed = positions * (8 + flagged) + 8 * rows + 8 * WORKING_ARRAYS * threads * largest
    free = available_memory()
    if needed > free:
        raise SolveError(
            f"a best response to {player.name} with {course.cards} cards needs {size_text(needed)} of memory for "
            f"{positions:,} positions, and {size_text(free)} are free: take fewer cards"
        )
