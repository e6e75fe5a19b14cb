"""The kernel at work: against HiGHS on games of every kind, against itself from scratch, in every build; its arrays."""

import ast
import re
from collections.abc import Callable, Iterator
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fixtures import Repeats, Tally
from levels import solve_level, solved_levels
from numpy.typing import NDArray

import goofspiel as gs
from goofspiel import _kernel, games
from goofspiel.arrays import Floats, Numbers
from goofspiel.rules import Objective, Rules
from goofspiel.solver.block_solver import LevelSolver, RoundWork
from goofspiel.solver.children import HeldChildren
from goofspiel.states import matchups
from goofspiel.states.matchups import Successors
from goofspiel.states.subsets import ranks, squeezed_bytes
from goofspiel.store import make_layout
from goofspiel.store.encoding import DTYPES, Encoding

SIZES = range(1, 17)
GAMES = 40, 400  # of each of the 256 shapes: 10,240 in all; in a soak 102,400
JUDGE = 1e-8  # what HiGHS may be wrong by, as a share of the largest payoff


def games_of_every_kind(count: int, rows: int, columns: int, random: np.random.Generator) -> Floats:
    """Random games of a shape: plain, integers with ties, repeated rows and columns, constant, tiny and huge."""
    kind = np.arange(count) % 8
    plain = random.uniform(-1, 1, size=(count, rows, columns))
    found = plain.copy()
    found[kind == 1] = np.round(found[kind == 1] * 2)
    found[kind == 2] = np.round(found[kind == 2] * 9)
    found[kind == 3] = found[kind == 3][:, random.integers(rows, size=rows)]
    found[kind == 4] = found[kind == 4][:, :, random.integers(columns, size=columns)]
    found[kind == 5] = found[kind == 5][:, :1, :1]
    found[kind == 6] *= 1e-12
    found[kind == 7] *= 1e12
    return found


@pytest.mark.parametrize("rows", SIZES)
def test_games_of_every_shape_against_highs(repeats: Repeats, tally: Tally, rows: int) -> None:
    for columns in SIZES:
        matrices = games_of_every_kind(repeats(*GAMES), rows, columns, np.random.default_rng(100 * rows + columns))
        tally("games against HiGHS", len(matrices))
        found = games.solve_batch(matrices)
        judged = np.array([games.solve_with_highs(matrix).value for matrix in matrices])
        scale = np.abs(matrices).max(axis=(1, 2))
        assert (np.abs(found.value - judged) <= JUDGE * scale).all()
        assert (found.gap <= 1e-12 * scale).all()


@pytest.mark.parametrize(("cards", "dtype"), [*((cards, "float64") for cards in range(2, 10)), *product([8], DTYPES)])
def test_every_level_against_the_simplex_method_from_scratch(cards: int, dtype: str) -> None:
    """Each game on its own, nothing remembered from any other: the order of solving must not matter."""
    for works, (children,), _ in solved_levels(cards, dtype=dtype):
        level, successors = works[0].level, works[0].successors
        kept = Encoding(dtype, level.space.below.payoff_bound).decode(children)
        below = np.pad(kept[..., 0], ((0, 0), (0, 1)))
        values = np.concatenate([work.values for work in works])[..., 0]
        means = np.zeros(values.shape)
        shapes = successors.shapes.astype(int)
        for rows, columns in np.unique(shapes, axis=0).tolist():
            members = np.flatnonzero((shapes == (rows, columns)).all(axis=1))
            codes = successors.codes[successors.offsets[members][:, None] + np.arange(rows * columns)]
            for work in works:
                assert isinstance(work, RoundWork)
                for child, prize, row in zip(work.child, work.rounds.prize, work.rounds.row, strict=True):
                    cells = below[child, codes >> matchups.INDEX_SHIFT] * matchups.CHILD_SIGN[codes & 7]
                    cells += matchups.UPCARD_SIGN[codes & 3] * prize
                    # Each game shuffled among strangers of its shape: what is remembered fits nobody.
                    order = np.random.default_rng(int(prize)).permutation(len(members))
                    solved = games.solve_batch(cells[order].reshape(-1, rows, columns)).value
                    means[work.block.start + row, members[order]] += solved / level.level
        assert np.abs(means - values).max() <= 1e-12 * level.space.payoff_bound


@pytest.mark.parametrize("kernel", games.kernels()[1:])
@pytest.mark.parametrize("cards", [6, 9])
def test_builds_agree(cards: int, kernel: str) -> None:
    for (_, _, (ours,)), (works, _, (theirs,)) in zip(solved_levels(cards), solved_levels(cards, kernel), strict=True):
        assert np.abs(ours - theirs).max() <= 1e-12 * works[0].level.space.payoff_bound


@pytest.mark.parametrize(
    ("cards", "dtype"), [*((cards, "fixed32") for cards in range(2, 8)), (6, "float32"), (6, "fixed24")]
)
def test_every_level_with_leads_against_the_simplex_method_from_scratch(cards: int, dtype: str) -> None:
    """The same, every game at every lead; the kernel's doubles, before they are rounded to what is stored."""
    for works, children, _ in solved_levels(cards, objective=Objective.WIN, dtype=dtype):
        decode = works[0].level.encoding.decode
        below = works[0].level.space.below.bands
        for work in works:
            means: Floats = np.zeros(work.values.shape)
            for number, prize, row in zip(work.rounds.won, work.rounds.prize, work.rounds.row, strict=True):
                child = decode(children[below.band[number]][below.row[number]])
                for members, matrices in round_with_leads(work.successors, child, int(prize), means.shape[2] // 2):
                    order = np.random.default_rng(int(prize)).permutation(len(matrices))
                    solved = np.empty(len(matrices))
                    solved[order] = games.solve_batch(matrices[order]).value
                    means[row, members] += solved.reshape(len(members), -1) / work.level.level
            assert np.abs(means - work.values).max() <= 1e-12


def round_with_leads(successors: Successors, child: Floats, prize: int, lead: int) -> Iterator[tuple[Numbers, Floats]]:
    """The games of one round by shape: their matchups, and [matchup and lead][row][column]."""
    leads, largest = np.arange(-lead, lead + 1), child.shape[1] // 2
    shapes = successors.shapes.astype(int)
    for rows, columns in np.unique(shapes, axis=0).tolist():
        members = np.flatnonzero((shapes == (rows, columns)).all(axis=1))
        codes = successors.codes[successors.offsets[members][:, None] + np.arange(rows * columns)][:, None]
        sign = matchups.CHILD_SIGN[codes & 7].astype(int)
        # The mirror image of a child has the negative of its value at the negative of its lead.
        after = sign * (leads[:, None] + matchups.UPCARD_SIGN[codes & 3] * prize)
        stored = child[codes >> matchups.INDEX_SHIFT, np.clip(after + largest, 0, 2 * largest)]
        cells = sign * np.where(np.abs(after) <= largest, stored, np.sign(after))
        yield members, cells.reshape(-1, rows, columns)


@pytest.mark.parametrize("kernel", games.kernels()[1:])
@pytest.mark.parametrize("cards", [5, 8])
def test_builds_agree_with_leads(cards: int, kernel: str) -> None:
    """From the same children: once a last digit of what is stored differs, so do all levels above, a little."""
    for works, children, _ in solved_levels(cards, objective=Objective.WIN):
        for ours, theirs in zip(works, solve_level(works[0].level, children, kernel), strict=True):
            assert np.abs(ours.values - theirs.values).max() <= 1e-12


def test_the_cuts_of_a_block_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    level = make_layout(Rules(8)).levels[4]
    children = HeldChildren([np.random.default_rng(1).normal(size=(70, matchups.count(8, 4), 1))])
    solver = LevelSolver(level)
    (block,) = level.blocks
    whole = solver.start(block, children)
    gap = whole.solve(0, level.columns)
    assert whole.cuts(7) == [0, level.columns]  # too small a block
    monkeypatch.setattr("goofspiel.solver.block_solver.SMALL_BLOCK", 0)
    for slices in (2, 3, 7):
        cut = solver.start(block, children)
        edges = cut.cuts(slices)
        assert (edges[0], edges[-1], len(edges)) == (0, level.columns, slices + 1)
        assert max(cut.solve(*ends) for ends in pairwise(edges)) == gap
        assert (cut.values == whole.values).all()


@pytest.mark.parametrize("kernel", games.kernels())
@pytest.mark.parametrize("objective", Objective)
def test_what_is_stopped_is_given_up(objective: Objective, kernel: str) -> None:
    """Without leads before the next eight rounds, with leads after a round."""
    works, children, _ = list(solved_levels(5, objective=objective))[2]
    solved = works[-1]
    solver = LevelSolver(solved.level, kernel=kernel)
    work = solver.start(solved.block, HeldChildren(children))
    solver.stop()
    with pytest.raises(gs.SolveError, match="stopped"):
        work.solve(0, solved.level.columns)
    assert (work.values != solved.values).any()
    if objective == Objective.POINTS:
        assert not work.values.any()


def test_a_kernel_that_does_not_run_here_is_refused() -> None:
    with pytest.raises(ValueError, match="no kernel 'z80' runs on this CPU"):
        games.solve_batch(np.zeros((1, 2, 2)), kernel="z80")


def test_a_game_whose_payoffs_differ_by_the_rounding_of_the_store() -> None:
    # From a win table of 13 cards: no pure bid is optimal, and each mix has probabilities of 1e-8.
    tie, less = np.float32(0.1), np.nextafter(np.float32(0.1), np.float32(0))
    top, bottom = [np.float32(x) for x in (0.0975933671, 0.0694922879)]
    high = [[0.4, 0.6, 0.73333335], [0.398843795, 0.594480753, 0.729608536], [less, 0.4, 0.5999984741]]
    matrix = np.array(
        [
            [top, bottom, tie, *high[0]],
            [tie, top, less, *high[1]],
            [tie, tie, less, *high[1]],
            [tie, tie, tie, *high[2]],
            [-0.2, -0.2, -0.2, tie, 0.0941099748, 0.3959819376],
            [-0.6, -0.6, -0.6, -0.2, tie, 0.0941099748],
        ],
        dtype=np.float32,
    ).astype(np.float64)
    for turned in (matrix, matrix[::-1], matrix[:, ::-1], -matrix.T):
        assert games.solve(turned).gap <= 1e-12


# The arrays of a call: two games of two by two, two rounds, leads from -1 to 1.
CELLS: dict[str, Any] = {
    "shapes": np.full((2, 2), 2, dtype=np.uint8),
    "offsets": np.array([0, 4, 8]),
    "codes": np.array([1, 10, 4, 17, 8, 2, 6, 1], dtype=np.uint32),
    "begin": 0,
    "end": 2,
}


def with_tied(children: int) -> dict[str, Any]:
    """The same games where ties are carried over: the first pair of bids leads to the first child after a tie."""
    codes = CELLS["codes"].copy()
    codes[0] = children << matchups.INDEX_SHIFT | 1
    return CELLS | {"codes": codes}


def codes_call() -> dict[str, Any]:
    """Two matchups of two cards."""
    mine, theirs = (side[:2] for side in matchups.all_matchups(4, 2))
    rows, columns = matchups.distinct_cards(mine, theirs), matchups.distinct_cards(theirs, mine)
    sizes = np.bitwise_count(rows).astype(np.int64) * np.bitwise_count(columns)
    tables = {"ranks": ranks(), "squeezed": squeezed_bytes(), "starts": np.array([0, 0]), "halves": np.array([0, 1])}
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    hands = {"mine": mine, "theirs": theirs, "rows": rows, "columns": columns, "offsets": offsets}
    return hands | tables | {"equal": 9, "codes": np.zeros(int(offsets[-1]), dtype=np.uint32)}


CALLS: dict[str, dict[str, Any]] = {
    "solve_batch": {
        "matrices": np.arange(18.0).reshape(3, 2, 3),
        "values": np.zeros(3),
        "x": np.zeros((3, 2)),
        "y": np.zeros((3, 3)),
        "gaps": np.zeros(3),
    },
    "solve_block": {
        "children": np.arange(6.0).reshape(2, 3),
        "child_of": np.array([0, 1], dtype=np.int32),
        "prizes": np.array([2.0, 1.0]),
        "row_of": np.array([0, 1], dtype=np.int32),
        "shares": np.array([0.5, 0.25]),
        **with_tied(4),  # the fourth stands for equal hands
        "scale": 7.0,
        "out": np.zeros((2, 2)),
        "tied": np.arange(4.0).reshape(2, 2),
        "tied_of": np.array([1, 0], dtype=np.int32),
        "stop": np.zeros(1, dtype=np.int32),
    },
    "solve_round": {
        "children": np.linspace(-1, 1, 9, dtype=np.float32).reshape(3, 3),
        "prize": 1,
        "share": 0.5,
        **with_tied(3),
        "out": np.zeros((2, 3)),
        "laid_out": np.zeros(2 * 6 * (2 * (1 + 1 + _kernel.LANES - 1) + 1), dtype=np.uint32),
        "basis_cache": np.zeros(2 * _kernel.BASIS_CACHE, dtype=np.uint32),
        "child_draws": np.full((3, 3), 0.25, dtype=np.float32),
        "tied": np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3),
        "tied_draws": np.full((2, 3), 0.5, dtype=np.float32),
        "draws": np.zeros((2, 3)),
        "stop": np.zeros(1, dtype=np.int32),
    },
    "successor_codes": codes_call(),
}
WRITTEN = {key: {"values", "x", "y", "gaps", "out", "laid_out", "basis_cache", "draws"} for key in CALLS}
WRITTEN["successor_codes"] = {"codes"}
TYPES = {"float64", "float32", "float16", "int64", "int32", "uint32", "int8", "uint8"}


def arrays_of(call: dict[str, Any]) -> dict[str, NDArray[Any]]:
    return {name: argument for name, argument in call.items() if isinstance(argument, np.ndarray)}


def fresh(function: str) -> dict[str, Any]:
    """The arguments of a call; what it writes to holds zeros."""
    return {name: np.copy(a) if isinstance(a, np.ndarray) else a for name, a in CALLS[function].items()}


@pytest.mark.parametrize("function", CALLS)
def test_a_call_writes_its_outputs_only(function: str) -> None:
    call = fresh(function)
    result = getattr(_kernel, function)(**call)
    assert result is None or result[0] == 0  # failures
    for name, array in arrays_of(call).items():
        if name not in WRITTEN[function]:
            assert (array == CALLS[function][name]).all(), name
    assert any(array.any() for name, array in arrays_of(call).items() if name in WRITTEN[function])


@pytest.mark.parametrize(
    ("function", "name"), [(function, name) for function in CALLS for name in arrays_of(CALLS[function])]
)
def test_an_array_is_taken_as_it_is_or_refused(function: str, name: str) -> None:
    """A conversion would write to a copy, and leave zeros behind."""
    array = CALLS[function][name]
    taken = {"float64", "float32", "int32", "uint8"} if (function, name) == ("solve_block", "children") else set()
    taken |= {"float32", "int32"} if (function, name) == ("solve_round", "children") else {array.dtype.name}
    others = [array.astype(dtype) for dtype in TYPES - taken]
    others += [array.astype(array.dtype.newbyteorder()), array[None]] if array.itemsize > 1 else [array[None]]
    if array.size > 1:  # a single number is never strided
        others.append(np.repeat(array, 2, axis=-1)[..., ::2])
    if name in WRITTEN[function]:
        others.append(np.copy(array))
        others[-1].flags.writeable = False
    for other in others:
        call = {**fresh(function), name: other}
        with pytest.raises(TypeError, match="incompatible function arguments"):
            getattr(_kernel, function)(**call)
        assert not any(written.any() for argument, written in arrays_of(call).items() if argument in WRITTEN[function])


@pytest.mark.parametrize(
    ("function", "change", "message"),
    [
        ("solve_block", {"tied": None}, "children after a tie and which of them, or neither"),
        ("solve_block", {"tied_of": np.array([0, 2], dtype=np.int32)}, "children exist"),
        ("solve_block", {"tied": np.zeros((2, 4))}, "no more children after a tie than else"),
        ("solve_block", {"shares": np.ones(3)}, "a share each round"),
        ("solve_block", {"codes": CELLS["codes"] + np.uint32(7 << 3)}, "codes name children"),
        ("solve_round", {"tied": np.zeros((4, 3), dtype=np.float32)}, "a draw a child"),
        ("solve_round", {"tied_draws": None}, "draws of the children after a tie"),
        ("solve_round", {"laid_out": np.zeros(10, dtype=np.uint32)}, "a buffer to lay out the children"),
        ("successor_codes", {"rows": np.array([1, 1], dtype=np.uint16)}, "bids of the hands|a code for each cell"),
        ("successor_codes", {"mine": np.array([1, 1], dtype=np.uint16)}, "hands of one size"),
        ("successor_codes", {"ranks": np.zeros(9, dtype=np.int32)}, "tables of masks"),
        ("successor_codes", {"codes": np.zeros(99, dtype=np.uint32)}, "codes exist"),
    ],
)
def test_arrays_that_do_not_go_together_are_refused(function: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(_kernel, function)(**fresh(function) | change)


def _any_of(one: ast.expr, other: ast.expr) -> ast.expr:
    """Either of two types, or nothing, if both allow it."""
    if isinstance(one, ast.BinOp) and isinstance(other, ast.BinOp) and ast.dump(one.right) == ast.dump(other.right):
        return ast.BinOp(_any_of(one.left, other.left), ast.BitOr(), one.right)
    return ast.BinOp(one, ast.BitOr(), other)


def signature_of(function: Callable[..., object]) -> str:
    """A function of the kernel as a stub writes it; where overloads differ, any of their types."""
    assert function.__doc__
    arrays = re.sub(r"ndarray\[dtype=(\w+)[^]]*\]", r"NDArray[np.\1]", function.__doc__)
    heads = [ast.parse(f"def {line}: ...").body[0] for line in arrays.splitlines()]
    merged, *others = [head for head in heads if isinstance(head, ast.FunctionDef)]
    assert len(heads) == 1 + len(others)
    for other in others:
        ours, theirs = (head.args.args + head.args.kwonlyargs for head in (merged, other))
        for one, its in zip(ours, theirs, strict=True):
            if ast.dump(one) != ast.dump(its):
                assert one.annotation
                assert its.annotation
                one.annotation = _any_of(one.annotation, its.annotation)
    return ast.unparse(merged)


def test_the_stub_says_what_the_kernel_takes_and_returns() -> None:
    stub = ast.parse(Path(gs.__file__).with_name("_kernel.pyi").read_text(encoding="utf-8"))
    functions = {node.name: ast.unparse(node) for node in stub.body if isinstance(node, ast.FunctionDef)}
    constants = {ast.unparse(node) for node in stub.body if isinstance(node, ast.AnnAssign)}
    public = {name: found for name, found in vars(_kernel).items() if not name.startswith("_")}
    assert functions == {name: signature_of(found) for name, found in public.items() if callable(found)}
    assert constants == {f"{name}: {type(found).__name__}" for name, found in public.items() if not callable(found)}
