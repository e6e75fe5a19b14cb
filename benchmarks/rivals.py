"""Other solvers of matrix games, set up to be as quick as they can be.

The general solvers of linear programs are given the same program. Payoffs are shifted to be at least 1, then: greatest
Σ y such that A y ≤ 1, y ≥ 0, with value = 1 / Σ y − shift. It has one row and one column for each choice and starts
from a feasible basis, so that the simplex method needs no first phase. No presolve, no scaling, one thread. The solvers
of games are given the game.

Each solver reports two times of the CPU: `solve`, of its own optimisation calls alone, and `whole`, with handing over
the game and reading the value. A solver written in C or C++ deserves to be compared by `solve`; what is between is
mostly Python.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from time import process_time
from typing import Any

import numpy as np

WRONG_GAP = 1e-6  # of mixes that are not an answer


@dataclass
class Timed:
    """The values of some games, NaN where there is no right answer, and the CPU-seconds that they took."""

    values: np.ndarray
    solve: float
    whole: float


Rival = Callable[[Sequence[np.ndarray]], Timed]


@cache
def clock_seconds() -> float:
    """What reading the clock takes: no small part of a game that takes microseconds, so it is taken off."""
    readings = 20_000
    started = process_time()
    for _ in range(readings):
        process_time()
    return (process_time() - started) / readings


def with_glpk(matrices: Sequence[np.ndarray]) -> Timed:
    """GLPK's primal simplex; one problem a shape, of which only the coefficients change."""
    import swiglpk as glp

    options = glp.glp_smcp()
    glp.glp_init_smcp(options)
    options.msg_lev, options.presolve, options.meth = glp.GLP_MSG_OFF, glp.GLP_OFF, glp.GLP_PRIMAL
    problems: dict[tuple[int, int], object] = {}

    def problem_of(rows: int, columns: int) -> object:
        problem = glp.glp_create_prob()
        glp.glp_set_obj_dir(problem, glp.GLP_MAX)
        glp.glp_add_rows(problem, rows)
        glp.glp_add_cols(problem, columns)
        for row in range(1, rows + 1):
            glp.glp_set_row_bnds(problem, row, glp.GLP_UP, 0.0, 1.0)
        for column in range(1, columns + 1):
            glp.glp_set_col_bnds(problem, column, glp.GLP_LO, 0.0, 0.0)
            glp.glp_set_obj_coef(problem, column, 1.0)
        return problem

    places = glp.intArray(17)
    coefficients = glp.doubleArray(17)
    for place in range(17):
        places[place] = place
    values, solving, clock = np.empty(len(matrices)), 0.0, clock_seconds()
    started = process_time()
    for game, matrix in enumerate(matrices):
        shift = 1.0 - matrix.min()
        problem = problems.get(matrix.shape)
        if problem is None:
            problem = problems[matrix.shape] = problem_of(*matrix.shape)
        for row, payoffs in enumerate((matrix + shift).tolist(), start=1):
            for place, payoff in enumerate(payoffs, start=1):
                coefficients[place] = payoff
            glp.glp_set_mat_row(problem, row, len(payoffs), places, coefficients)
        glp.glp_std_basis(problem)  # the feasible one; from the last game's it would need a first phase
        before = process_time()
        failed = glp.glp_simplex(problem, options)
        solving += process_time() - before - clock
        assert not failed
        assert glp.glp_get_status(problem) == glp.GLP_OPT
        values[game] = 1.0 / glp.glp_get_obj_val(problem) - shift
    whole = process_time() - started
    for problem in problems.values():
        glp.glp_delete_prob(problem)
    return Timed(values, solving, whole)


def with_highs(matrices: Sequence[np.ndarray]) -> Timed:
    """HiGHS' primal simplex; one solver object, the model handed over as arrays, which is its quickest way in."""
    import highspy

    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    options: dict[str, Any] = {
        "output_flag": False,
        "presolve": "off",
        "threads": 1,
        "parallel": "off",
        "solver": "simplex",
    }
    for option, setting in {**options, "simplex_strategy": 4, "simplex_scale_strategy": 0}.items():
        highs.setOptionValue(option, setting)
    model = highspy.HighsLp()
    model.sense_ = highspy.ObjSense.kMaximize
    values, solving, clock = np.empty(len(matrices)), 0.0, clock_seconds()
    started = process_time()
    for game, matrix in enumerate(matrices):
        rows, columns = matrix.shape
        shift = 1.0 - matrix.min()
        model.num_col_, model.num_row_ = columns, rows
        model.col_cost_, model.col_lower_ = np.ones(columns), np.zeros(columns)
        model.col_upper_ = np.full(columns, np.inf)
        model.row_lower_, model.row_upper_ = np.full(rows, -np.inf), np.ones(rows)
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = np.arange(rows + 1, dtype=np.int32) * columns
        model.a_matrix_.index_ = np.tile(np.arange(columns, dtype=np.int32), rows)
        model.a_matrix_.value_ = (matrix + shift).ravel()
        highs.passModel(model)
        before = process_time()
        highs.run()
        solving += process_time() - before - clock
        assert highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
        values[game] = 1.0 / highs.getInfo().objective_function_value - shift
    return Timed(values, solving, process_time() - started)


def with_scipy(matrices: Sequence[np.ndarray]) -> Timed:
    """SciPy's linprog, as a user of SciPy would call it; there is no telling its own time from HiGHS'."""
    from scipy.optimize import linprog

    values = np.empty(len(matrices))
    started = process_time()
    for game, matrix in enumerate(matrices):
        shift = 1.0 - matrix.min()
        rows, columns = matrix.shape
        found = linprog(-np.ones(columns), A_ub=matrix + shift, b_ub=np.ones(rows), method="highs")
        assert found.success
        values[game] = -1.0 / found.fun - shift
    whole = process_time() - started
    return Timed(values, whole, whole)


def with_gambit(matrices: Sequence[np.ndarray]) -> Timed:
    """Gambit's linear program for zero-sum games, in floating point."""
    import pygambit

    values, solving, clock = np.empty(len(matrices)), 0.0, clock_seconds()
    started = process_time()
    for number, matrix in enumerate(matrices):
        game = pygambit.Game.from_arrays(matrix, -matrix)
        before = process_time()
        found = pygambit.nash.lp_solve(game, rational=False)
        solving += process_time() - before - clock
        values[number] = found.equilibria[0].payoff(next(iter(game.players)))
    return Timed(values, solving, process_time() - started)


def with_nashpy_lemke_howson(matrices: Sequence[np.ndarray]) -> Timed:
    """nashpy's Lemke–Howson: its quickest method, but in some games its tableaux overflow, and there is no answer.

    Its method for zero-sum games calls SciPy's linprog once for each player.
    """
    import nashpy

    values = np.full(len(matrices), np.nan)
    started = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # left alone, an overflow may turn in circles
        for game, matrix in enumerate(matrices):
            try:
                row_mix, column_mix = nashpy.Game(matrix).lemke_howson(initial_dropped_label=0)
                gap = (matrix @ column_mix).max() - (row_mix @ matrix).min()
            except (RuntimeWarning, ValueError):
                continue
            if gap < WRONG_GAP:
                values[game] = row_mix @ matrix @ column_mix
    whole = process_time() - started
    return Timed(values, whole, whole)


def with_quantecon(matrices: Sequence[np.ndarray]) -> Timed:
    """QuantEcon's simplex method for minmax problems, compiled by Numba, in a loop that is compiled, too."""
    from quantecon.optimize import minmax

    def solve(payoffs: np.ndarray, values: np.ndarray) -> None:
        for game in range(len(payoffs)):
            values[game] = minmax(payoffs[game])[0]

    return _compiled(matrices, solve)


def with_quantecon_lemke_howson(matrices: Sequence[np.ndarray]) -> Timed:
    """QuantEcon's Lemke–Howson for games of two players, as its users call it: a game a call."""
    from quantecon.game_theory import NormalFormGame, Player, lemke_howson

    def solve(matrix: np.ndarray) -> Any:
        return lemke_howson(NormalFormGame((Player(matrix), Player(-matrix.T))))

    values = np.full(len(matrices), np.nan)
    solve(matrices[0])  # Numba compiles it at its first call
    started = process_time()
    for game, matrix in enumerate(matrices):
        row_mix, column_mix = solve(matrix)
        if (matrix @ column_mix).max() - (row_mix @ matrix).min() < WRONG_GAP:
            values[game] = row_mix @ matrix @ column_mix
    whole = process_time() - started
    return Timed(values, whole, whole)


def _compiled(matrices: Sequence[np.ndarray], solve: Callable[[np.ndarray, np.ndarray], None]) -> Timed:
    """A loop over games of one shape, compiled before the clock runs; they are in place, as they are for the kernel."""
    import numba

    loop = numba.njit(solve)
    members: dict[tuple[int, ...], list[int]] = {}
    for game, matrix in enumerate(matrices):
        members.setdefault(matrix.shape, []).append(game)
    values, seconds = np.empty(len(matrices)), 0.0
    for some in members.values():
        payoffs, found = np.stack([matrices[game] for game in some]), np.empty(len(some))
        loop(payoffs[:1], found)
        started = process_time()
        loop(payoffs, found)
        seconds += process_time() - started
        values[some] = found
    return Timed(values, seconds, seconds)


# The name of each, its package, and how many games it is given: the first of a sample.
RIVALS: dict[str, tuple[str, Rival, int]] = {
    "QuantEcon": ("quantecon", with_quantecon, 20_000),
    "QuantEcon, Lemke–Howson": ("quantecon", with_quantecon_lemke_howson, 1000),
    "GLPK": ("swiglpk", with_glpk, 4000),
    "HiGHS": ("highspy", with_highs, 1000),
    "SciPy": ("scipy", with_scipy, 250),
    "pygambit": ("pygambit", with_gambit, 250),
    "nashpy, Lemke–Howson": ("nashpy", with_nashpy_lemke_howson, 250),
}


def installed_rivals() -> dict[str, tuple[Rival, int]]:
    """Those whose package is here. `make bench` installs all; the tests do without pygambit, which is compiled."""
    return {name: (rival, count) for name, (package, rival, count) in RIVALS.items() if find_spec(package)}
