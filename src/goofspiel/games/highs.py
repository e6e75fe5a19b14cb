"""Solve a matrix game as a linear program in HiGHS: slow, and independent of the kernel."""

from typing import Any

import numpy as np

from goofspiel.arrays import Floats
from goofspiel.errors import SolveError
from goofspiel.games.payoffs import Payoffs, check_finite, take_matrix
from goofspiel.games.solution import Solution, gap_of

FEASIBILITY = 1e-10  # the least that HiGHS takes


def linear_program(cost: Floats, rows: Floats, lower: Floats, upper: Floats, column_upper: Floats) -> Any:
    """A HiGHS model: least cost · z such that lower ≤ rows · z ≤ upper, 0 ≤ z ≤ column_upper."""
    import highspy

    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(cost), len(rows)
    model.col_cost_, model.col_lower_, model.col_upper_ = cost, np.zeros(len(cost)), column_upper
    model.row_lower_, model.row_upper_ = lower, upper
    matrix = model.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.start_ = np.arange(len(rows) + 1, dtype=np.int32) * rows.shape[1]
    matrix.index_ = np.tile(np.arange(rows.shape[1], dtype=np.int32), len(rows))
    matrix.value_ = rows.ravel()
    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    options: dict[str, Any] = {
        "output_flag": False,
        "presolve": "off",
        "threads": 1,
        "primal_feasibility_tolerance": FEASIBILITY,
        "dual_feasibility_tolerance": FEASIBILITY,
    }
    for option, value in options.items():
        highs.setOptionValue(option, value)
    highs.passModel(model)
    return highs


def optimise(highs: Any) -> tuple[Floats, Floats]:
    """Run a model; the primal and the dual solution."""
    import highspy

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
