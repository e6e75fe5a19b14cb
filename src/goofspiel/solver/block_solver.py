"""The matrix games of one level, handed to the kernel block by block."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from goofspiel import _kernel
from goofspiel.arrays import Floats, Ints, Values
from goofspiel.errors import OptionError, ProofError, SolveError
from goofspiel.solver.children import Children, tied_rows
from goofspiel.solver.lead_rounds import LeadChildren, LeadRounds
from goofspiel.states.matchups import Successors
from goofspiel.states.prize_states import Rounds
from goofspiel.store.blocks import Block, LevelLayout
from goofspiel.store.encoding import Encoding

KERNEL = "GOOFSPIEL_KERNEL"  # in the environment: the build of the kernel to use, instead of the best for this CPU
SMALL_BLOCK = 1 << 18  # games: not worth cutting into slices


class BlockWork(Protocol):
    """A block that is being solved. Its matchups can be cut into slices: the result does not depend on the cuts."""

    @property
    def block(self) -> Block: ...

    @property
    def values(self) -> Floats:
        """The result, [row][column][lead], complete when all slices are solved."""
        ...

    def cuts(self, threads: int) -> list[int]:
        """The edges of the slices that keep so many threads busy."""
        ...

    def solve(self, begin: int, end: int) -> float:
        """Solve a slice; the largest gap of its games. The interpreter is free meanwhile."""
        ...


class LevelSolver:
    """What all blocks of a level share: the successors of its matchups."""

    def __init__(self, level: LevelLayout, *, kernel: str = "") -> None:
        self.level = level
        self._kernel = runnable(kernel)
        self._stopped = np.zeros(1, dtype=np.int32)  # the kernel looks at it too
        self._successors = level.space.successors()
        self.below = Encoding(level.encoding.dtype, level.space.below.payoff_bound)
        self._by_ties: dict[int, Successors] = {}

    def stop(self) -> None:
        """Give up blocks that are being solved, as soon as they notice."""
        self._stopped[0] = 1

    def start(self, block: Block, children: Children, buffer: Floats | None = None) -> BlockWork:
        """A block, nothing solved yet; its result goes into the `buffer`, if there is one."""
        shape = self.level.block_shape(block)
        if buffer is None:
            out = np.zeros(shape)
        else:
            out = buffer.reshape(-1)[: np.prod(shape)].reshape(shape)
            out.fill(0)
        some = self._successors_of(block)
        if self.level.rules.has_leads:
            rounds = self.level.space.rounds(self.level.rows_of(block))
            return LeadWork(block, self.level, some, rounds, out, self._kernel, self._stopped, children, self.below)
        return self._round_work(block, children, some, out)

    def start_slice(self, block: Block, children: Children, *shares: float) -> "tuple[RoundWork, int]":
        """A slice of a block without leads, between two shares of its cells; and its first column.

        Its values lie together, [row][column of the slice][0].
        """
        shapes, offsets, codes = self._successors_of(block)
        begin, end = np.searchsorted(offsets, offsets[-1] * np.array(shares)).tolist()
        some = Successors(shapes[begin:end], offsets[begin : end + 1], codes)
        out = np.zeros((block.stop - block.start, end - begin, 1))
        return self._round_work(block, children, some, out), begin

    def _round_work(self, block: Block, children: Children, some: Successors, out: Floats) -> "RoundWork":
        level = self.level
        rounds, below = level.space.rounds(level.rows_of(block)), level.space.below
        rows, won = children.rows(0, below.bands.row[rounds.won])
        rows = rows.reshape(len(rows), -1)
        tied, tied_of = None, None
        if level.rules.has_pots:
            # After a tie, the hands have lost one more card that both held.
            width = below.columns_with(level.bands[block.band].ties + 1)
            tied, tied_of = tied_rows(children, below, rounds.tied, width, rows.dtype)
        return RoundWork(
            block,
            level,
            some,
            rounds,
            out,
            self._kernel,
            self._stopped,
            _for_kernel(rows),
            won,
            tied=None if tied is None else _for_kernel(tied),
            tied_of=tied_of,
            unit=self.below.unit,
        )

    def _successors_of(self, block: Block) -> Successors:
        """Those of the columns that a block has."""
        ties = self.level.bands[block.band].ties
        if ties not in self._by_ties:
            self._by_ties[ties] = self.level.space.successors_with(ties, self._successors)
        return self._by_ties[ties]


def _for_kernel(rows: Values) -> Values:
    """Rows as the kernel takes them: three bytes are elements of their own."""
    return np.ascontiguousarray(rows).view(np.uint8) if rows.dtype.kind == "V" else rows


def runnable(kernel: str) -> str:
    """A name of a build of the kernel, none for the best one, if this CPU can run it."""
    if kernel and kernel not in (found := _kernel.kernels()):
        raise OptionError(f"no kernel {kernel!r} runs on this CPU, only {', '.join(found)}")
    return kernel


@dataclass(frozen=True)
class _Work:
    block: Block
    level: LevelLayout
    successors: Successors
    rounds: Rounds
    values: Floats
    kernel: str
    stopped: Ints

    def _check(self, failures: int) -> None:
        if self.stopped[0]:
            raise SolveError("stopped")
        if failures:
            where = f"block {self.block.index} of level {self.level.level}"
            raise ProofError(f"{failures} games without a proof of optimality in {where}")


@dataclass(frozen=True)
class RoundWork(_Work):
    """A block without leads. Eight rounds are solved side by side; slices are matchups."""

    rows: Values  # of the level below
    child: Ints  # row of each round
    tied: Values | None  # the same after a tie, where that makes a difference
    tied_of: Ints | None
    unit: float  # that the rows count

    def cuts(self, threads: int) -> list[int]:
        """Slices with as many cells each."""
        slices = 1 if self.level.block_games(self.block) < SMALL_BLOCK else threads
        cells = self.successors.offsets
        edges: list[int] = np.searchsorted(cells, cells[-1] * np.arange(slices + 1) // slices).tolist()
        return edges

    def solve(self, begin: int, end: int) -> float:
        """Solve some matchups."""
        failures, gap, _ = _kernel.solve_block(
            self.rows,
            self.child,
            (self.rounds.prize + self.rounds.pot).astype(np.float64),
            self.rounds.row,
            self.rounds.weight,
            *self.successors,
            begin,
            end,
            self.level.space.payoff_bound,
            self.values[..., 0],
            unit=self.unit,
            tied=self.tied,
            tied_of=self.tied_of,
            stop=self.stopped,
            kernel=self.kernel,
        )
        self._check(failures)
        return gap


@dataclass(frozen=True)
class LeadWork(_Work):
    """A block with leads. Eight leads are solved side by side, round after round; one thread does it all."""

    children: Children  # read round by round
    below: Encoding  # of the children

    def cuts(self, threads: int) -> list[int]:
        """One slice: the children are laid out once."""
        return [0, self.values.shape[1]]

    def solve(self, begin: int, end: int) -> float:
        """Solve some matchups, one round after the other."""
        below, pots = self.level.space.below, self.level.rules.has_pots
        prizes = self.rounds.prize + self.rounds.pot
        lead, largest = self.values.shape[2] // 2, int(prizes.max())
        count = below.columns * (1 + pots)
        rounds = LeadRounds(self.successors, (begin, end), lead, largest, count, stop=self.stopped, kernel=self.kernel)
        worst = 0.0
        for which, (prize, share, row) in enumerate(zip(prizes, self.rounds.weight, self.rounds.row, strict=True)):
            self._check(0)
            won = LeadChildren(self._child(self.rounds.won[which]), unit=self.below.unit)
            tied = LeadChildren(self._child(self.rounds.tied[which]), unit=self.below.unit) if pots else None
            failures, gap = rounds.solve(won, int(prize), float(share), self.values[row], tied=tied)
            self._check(failures)
            worst = max(worst, gap)
        return worst

    def _child(self, number: int) -> Values:
        """A row of the level below, [column][lead]."""
        where = self.level.space.below.bands
        rows, index = self.children.rows(int(where.band[number]), where.row[number : number + 1])
        return self.below.whole_numbers(rows[index[0]])
