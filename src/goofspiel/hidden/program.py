"""The sequence form of a game with hidden bids as a linear program, solved by HiGHS."""

import numpy as np

from goofspiel.arrays import Floats, Numbers
from goofspiel.games.highs import FEASIBILITY, optimise, sparse_program
from goofspiel.hidden.payoffs import meeting_pairs, payments
from goofspiel.hidden.sets import InformationSets

SIMPLEX_ROWS = 8000  # up to here the simplex method is quick, and its vertices are exact to the last digits


def payoff_entries(sets: InformationSets) -> tuple[Numbers, Numbers, Floats]:
    """(my sequence, their sequence, payoff · chance) of all pairs of last choices that pay anything."""
    last = sets.depths[-1]
    tracks, width = last.tracks, last.actions
    pairs = meeting_pairs(sets.rules.cards, tracks.rounds)
    paid = payments(sets, pairs.signs)
    groups = tracks.codes[pairs.mine]
    mine, theirs, values = [], [], []
    cards = np.arange(width)
    for scene in range(len(last.prizes)):
        first = last.first_sequence + scene * tracks.count * width
        value = paid[scene, groups, pairs.matrices]
        shape, pays = value.shape, value != 0
        mine.append(np.broadcast_to((first + pairs.mine * width)[:, None, None] + cards[:, None], shape)[pays])
        theirs.append(np.broadcast_to((first + pairs.theirs * width)[:, None, None] + cards, shape)[pays])
        values.append(value[pays])
    return np.concatenate(mine), np.concatenate(theirs), np.concatenate(values)


def program_rows(sets: InformationSets) -> tuple[Numbers, Numbers, Floats]:
    """(row, column, cell) of the program: a plan z, and for each information set of the other what it is worth there.

    Columns: a sequence each, then an information set of the other each. Rows: an information set each, in which the
    plan shares out what comes in; then for each sequence of the other what the plan makes of it, less what its
    information set is worth, plus what those are worth that follow it: at least 0, as the other takes the least.
    """
    count, sequences = sets.count, sets.sequences
    later = np.nonzero(sets.parents >= 0)[0]
    ones = np.ones(len(later))
    mine, theirs, paid = payoff_entries(sets)
    parts = [
        (sets.owners, np.arange(sequences), np.ones(sequences)),
        (later, sets.parents[later], -ones),
        (count + theirs, mine, paid),
        (count + np.arange(sequences), sequences + sets.owners, -np.ones(sequences)),
        (count + sets.parents[later], sequences + later, ones),
    ]
    rows, columns, cells = (np.concatenate([part[i] for part in parts]) for i in range(3))
    order = np.lexsort((columns, rows))
    return rows[order], columns[order], cells[order]


def solve_program(sets: InformationSets) -> Floats:
    """A plan that loses least to its best reply: how likely each sequence is, the other and chance apart."""
    count, sequences = sets.count, sets.sequences
    roots = (sets.parents < 0).astype(np.float64)
    free = np.full(count, -np.inf)
    cost = np.concatenate([np.zeros(sequences), -roots])
    solved, _ = solve_sparse(program_rows(sets), cost, np.concatenate([np.zeros(sequences), free]), count, roots)
    return np.maximum(solved[:sequences], 0)


def solve_sparse(
    cells: tuple[Numbers, Numbers, Floats], cost: Floats, least: Floats, equations: int, right: Floats
) -> tuple[Floats, Floats]:
    """The variables of least cost, and the prices of the rows.

    `cells` are (row, column, cell), rows ascending; the first rows are equations with these right sides, the others at
    least 0; variables have a least value.
    """
    rows, columns, values = cells
    count = int(rows[-1]) + 1
    starts = np.searchsorted(rows, np.arange(count + 1)).astype(np.int32)
    highs = sparse_program(
        cost,
        (starts, columns.astype(np.int32), values),
        (np.append(right, np.zeros(count - equations)), np.append(right, np.full(count - equations, np.inf))),
        (least, np.full(len(cost), np.inf)),
        solver="simplex" if count <= SIMPLEX_ROWS else "ipm",
        run_crossover="off",  # takes many times as long as the interior point method itself
        ipm_optimality_tolerance=FEASIBILITY,
    )
    return optimise(highs)
