"""What it takes to solve a game with hidden bids: sequences, memory, time, known before any of it is made."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import comb, factorial, perm

import numpy as np

from goofspiel.errors import ResourceError
from goofspiel.hidden.tracks import last_depth
from goofspiel.rules import Rules
from goofspiel.solver.plan import size_text
from goofspiel.solver.resources import memory_for

PROGRAM = 40_000  # sequences: up to here a linear program is solved in seconds
COUNTED = 8  # cards: up to here tracks are counted, above they are bounded
SET_BYTES, SEQUENCE_BYTES, PAIR_BYTES, TRACK_BYTES = 50, 120, 80, 60  # of memory, measured at 6 and 7 cards
PAIR_SECONDS, SEQUENCE_SECONDS = 1.7e-9, 1.2e-8  # of an iteration, measured
ITERATIONS = 1500  # that 7 cards in a known order, and 5 shuffled, take to a gap of 0.001 points
PROGRAM_SECONDS = 1.5e-8  # times the square of the sequences: 20 s for 37,038


@dataclass(frozen=True, slots=True)
class HiddenForecast:
    """What a solve takes."""

    rules: Rules
    information_sets: int
    sequences: int
    pairs: int
    """Pairs of ways to have played before the last choice, for all orders of prizes."""
    memory_bytes: int
    cpu_seconds: float
    """On one core, to the gap that is asked for by default."""
    counted: bool
    """Whether these are counts; otherwise no game has more."""

    @property
    def by_program(self) -> bool:
        """Whether it is small enough for a linear program."""
        return self.sequences <= PROGRAM

    def to_text(self) -> str:
        """For a reader."""
        up_to = "" if self.counted else "up to "
        way = "a linear program" if self.by_program else f"about {ITERATIONS:,} iterations"
        return (
            f"{up_to}{_count_text(self.information_sets)} information sets, {_count_text(self.sequences)} sequences a "
            f"player, {_count_text(self.pairs)} pairs; {size_text(self.memory_bytes)} of memory, "
            f"{_time_text(self.cpu_seconds)} by {way}"
        )


def check_reach(rules: Rules, memory: int | None = None) -> HiddenForecast:
    """What a game takes; one that does not fit into the memory is refused."""
    expected, may = hidden_forecast(rules), memory_for(memory)
    if expected.memory_bytes > may:
        raise ResourceError(
            f"{str(rules)!r} is out of reach, {size_text(may)} of memory may be used: {expected.to_text()}"
        )
    return expected


def hidden_forecast(rules: Rules) -> HiddenForecast:
    """What it takes to solve a game with hidden bids."""
    cards, last = rules.cards, last_depth(rules)
    counts = _track_counts(cards) if cards <= COUNTED else _track_bounds(cards)
    orders = [_prize_orders(rules, rounds + 1) for rounds in range(last + 1)]
    sets = [orders[rounds] * counts[rounds] for rounds in range(last + 1)]
    sequences = sum(some * (cards - rounds) for rounds, some in enumerate(sets))
    met = perm(cards, last) ** 2
    pairs = met * orders[last]
    width = cards - last
    memory = 1 << 26
    memory += sum(sets) * SET_BYTES + sequences * SEQUENCE_BYTES + met * PAIR_BYTES
    memory += counts[last] * ((1 << cards) + TRACK_BYTES)
    memory += orders[last] * 3**last * min(met, 4 ** (2 * width - 2)) * width * width * 8 // 4
    seconds = ITERATIONS * 2 * (pairs * (width / 2) ** 2 * PAIR_SECONDS + sequences * SEQUENCE_SECONDS)
    if sequences <= PROGRAM:
        seconds = PROGRAM_SECONDS * sequences**2
    return HiddenForecast(rules, sum(sets), sequences, pairs, memory, seconds, cards <= COUNTED)


def _prize_orders(rules: Rules, rounds: int) -> int:
    """In how many ways the first prizes may come: equal ones are one."""
    if rules.order:
        return 1
    ways = [1] + [0] * rounds  # ways to fill so many rounds, by the prizes considered so far
    for prize in set(rules.prizes):
        there = rules.prizes.count(prize)
        ways = [
            sum(ways[total - some] * comb(total, some) for some in range(min(there, total) + 1))
            for total in range(rounds + 1)
        ]
    return ways[rounds]


@lru_cache(maxsize=16)
def _track_counts(cards: int) -> tuple[int, ...]:
    """How many tracks there are after 0, 1, … rounds: of each set of bids and outcomes that can be, all orders."""
    counts = [0] * (cards + 1)
    kinds = np.array(list(product(range(4), repeat=cards)), dtype=np.int8)  # of each card: not played, lost, tied, won
    lost, tied, won = (kinds == kind for kind in (1, 2, 3))
    fits = np.ones(len(kinds), dtype=bool)
    # Hall's condition: of the other's cards, those up to `low` and those from `high` on must do for the bids that
    # won against nothing higher, and those that lost against nothing lower.
    for low in range(cards + 1):
        for high in range(low + 1, cards + 2):
            needs = won[:, : low + 1].sum(axis=1) + lost[:, max(high - 2, 0) :].sum(axis=1)
            has = low - tied[:, :low].sum(axis=1) + (cards - high + 1) - tied[:, high - 1 :].sum(axis=1)
            fits &= needs <= has
    played = (kinds > 0).sum(axis=1)
    for rounds in range(cards + 1):
        counts[rounds] = int((fits & (played == rounds)).sum()) * factorial(rounds)
    return tuple(counts)


def _track_bounds(cards: int) -> tuple[int, ...]:
    """No more than so many tracks."""
    return tuple(perm(cards, rounds) * min(3**rounds, perm(cards, rounds)) for rounds in range(cards + 1))


def _count_text(count: int) -> str:
    """A count, readable."""
    return f"{count:,}" if count < 10**15 else f"{count:.1e}"


def _time_text(seconds: float) -> str:
    """A time, readable."""
    for size, unit in ((86400 * 365.25, "years"), (86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"about {seconds / size:,.0f} {unit}"
    return f"about {max(seconds, 0.1):.1f} s"
