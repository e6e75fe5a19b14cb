"""Solve matrix games: value, an optimal mix for each side, and the gap that proves them optimal."""

from goofspiel.games.batches import solve, solve_batch
from goofspiel.games.exact import ExactSolution, exact_ranges, solve_exactly
from goofspiel.games.fast import kernels
from goofspiel.games.highs import solve_with_highs
from goofspiel.games.optimal_face import optimal_ranges
from goofspiel.games.solution import BatchRanges, BatchSolution, Ranges, Solution

__all__ = [
    "BatchRanges",
    "BatchSolution",
    "ExactSolution",
    "Ranges",
    "Solution",
    "exact_ranges",
    "kernels",
    "optimal_ranges",
    "solve",
    "solve_batch",
    "solve_exactly",
    "solve_with_highs",
]
