"""Solve a matrix game as a linear program in HiGHS: slow, and independent of the kernel."""

from typing import Any

import numpy as np

from goofspiel.arrays import Floats, Ints
from goofspiel.errors import SolveError
from goofspiel.games.payoffs import Payoffs, check_finite, take_matrix
from goofspiel.games.solution import Solution, gap_of

FEASIBILITY = 1e-10  # the least that HiGHS takes


def linear_program(cost: Floats, rows: Floats, lower: Floats, upper: Floats, column_upper: Floats) -> Any:
    """A HiGHS model: least cost · z such that lower ≤ rows · z ≤ upper, 0 ≤ z ≤ column_upper."""
    count, width = rows.shape
    starts = np.arange(count + 1, dtype=np.int32) * width
    cells = starts, np.tile(np.arange(width, dtype=np.int32), count), rows.ravel()
    return sparse_program(cost, cells, (lower, upper), (np.zeros(width), column_upper), presolve="off")


def sparse_program(
    cost: Floats,
    cells: tuple[Ints, Ints, Floats],
    rows: tuple[Floats, Floats],
    columns: tuple[Floats, Floats],
    **options: Any,
) -> Any:
    """The same of a matrix that is given by where its rows start, and the columns and values of their cells.

    Rows and columns have a least and a greatest value. The options are those of HiGHS.
    """
    import highspy

    model: Any = highspy.HighsLp()
    model.num_col_, model.num_row_, model.col_cost_ = len(cost), len(rows[0]), cost
    model.row_lower_, model.row_upper_ = rows
    model.col_lower_, model.col_upper_ = columns
    matrix = model.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.start_, matrix.index_, matrix.value_ = cells
    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    tolerances = dict.fromkeys(("primal_feasibility_tolerance", "dual_feasibility_tolerance"), FEASIBILITY)
    for option, value in ({"output_flag": False, "threads": 1} | tolerances | options).items():
        highs.setOptionValue(option, value)
    highs.passModel(model)
    return highs


def optimise(highs: Any) -> tuple[Floats, Floats]:
    """Run a model; the primal and the dual solution."""
    import highspy

    highs.run()
    status = highs.getModelStatus()
    if status == highspy.HighsModelStatus.kNotset:  # lost on its way from the last basis: from none
        highs.clearSolver()
        highs.run()
        status = highs.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        raise SolveError(f"HiGHS ended without an optimum: {highs.modelStatusToString(status)}")
    solution = highs.getSolution()
    return np.array(solution.col_value), np.array(solution.row_dual)


def solve_with_highs(matrix: Payoffs) -> Solution:
    """Solve one game by HiGHS, with the same result type as `solve`."""
    payoff = take_matrix(matrix)
    check_finite(payoff, "")
    # Payoffs are brought to 1 … 3, so that the value can be a variable ≥ 0 and tolerances mean the same everywhere.
    middle = (payoff.max() + payoff.min()) / 2
    spread = max(float(payoff.max() - middle), 1e-300)
    scaled = (payoff - middle) / spread + 2
    count, width = scaled.shape
    # The column player's program: least v with v − A y ≥ 0, Σ y = 1; its duals are the row player's mix.
    rows = np.vstack([np.hstack([-scaled, np.ones((count, 1))]), np.append(np.ones(width), 0.0)[None]])
    lower = np.append(np.zeros(count), 1.0)
    upper = np.append(np.full(count, np.inf), 1.0)
    cost = np.append(np.zeros(width), 1.0)
    primal, dual = optimise(linear_program(cost, rows, lower, upper, np.full(width + 1, np.inf)))
    column_mix = np.maximum(primal[:width], 0)
    row_mix = np.maximum(dual[:count], 0)
    column_mix /= column_mix.sum()
    row_mix /= row_mix.sum()
    value = ((payoff @ column_mix).max() + (row_mix @ payoff).min()) / 2
    return Solution(float(value), row_mix, column_mix, gap_of(payoff, row_mix, column_mix))
