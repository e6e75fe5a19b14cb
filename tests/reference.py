"""A slow and obvious solver to compare with: real hands, every bid, exact fractions; nothing of goofspiel's own.

Without a lead, values are points still to be won. With my lead in points, they are P(win) − P(loss).
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations

Hand = tuple[int, ...]  # ascending
Matrix = Sequence[Sequence[Fraction | int]]
Mix = tuple[Fraction, ...]


@cache
def value(mine: Hand, theirs: Hand, prizes: Hand, lead: int | None = None) -> Fraction:
    """What the position is worth to me before its upcard is drawn."""
    if not prizes:
        return Fraction(0 if lead is None else _sign(lead))
    return sum((value_of_upcard(mine, theirs, prizes, upcard, lead) for upcard in prizes), Fraction(0)) / len(prizes)


@cache
def value_of_upcard(mine: Hand, theirs: Hand, prizes: Hand, upcard: int, lead: int | None = None) -> Fraction:
    """What it is worth once this one of the prizes is turned up."""
    return solve_game(payoff(mine, theirs, prizes, upcard, lead))[0]


def payoff(mine: Hand, theirs: Hand, prizes: Hand, upcard: int, lead: int | None = None) -> list[list[Fraction]]:
    """The matrix game of a position: rows are my cards, columns theirs, ascending."""
    left = _without(prizes, upcard)

    def worth(my_bid: int, bid: int) -> Fraction:
        won, hands = upcard * _sign(my_bid - bid), (_without(mine, my_bid), _without(theirs, bid))
        return won + value(*hands, left) if lead is None else value(*hands, left, lead + won)

    return [[worth(my_bid, bid) for bid in theirs] for my_bid in mine]


@cache
def draw_range(mine: Hand, theirs: Hand, prizes: Hand, lead: int) -> tuple[Fraction, Fraction]:
    """The least and the greatest probability of a draw, whichever optimal mixes both play to win."""
    if not prizes:
        return Fraction(lead == 0), Fraction(lead == 0)
    ranges = [draw_range_of_upcard(mine, theirs, prizes, upcard, lead) for upcard in prizes]
    least, greatest = zip(*ranges, strict=True)
    return sum(least, Fraction(0)) / len(prizes), sum(greatest, Fraction(0)) / len(prizes)


def draw_range_of_upcard(mine: Hand, theirs: Hand, prizes: Hand, upcard: int, lead: int) -> tuple[Fraction, Fraction]:
    """The same once this one of the prizes is turned up: least and greatest are reached with corners of both sets."""
    matrix = payoff(mine, theirs, prizes, upcard, lead)
    turned = [[-cell for cell in column] for column in zip(*matrix, strict=True)]
    left = _without(prizes, upcard)
    after = [
        [
            draw_range(_without(mine, my_bid), _without(theirs, bid), left, lead + upcard * _sign(my_bid - bid))
            for bid in theirs
        ]
        for my_bid in mine
    ]
    corners = [(x, y) for x in optimal_vertices(matrix) for y in optimal_vertices(turned)]
    least, greatest = (
        [
            sum((p * q * after[i][j][end] for i, p in enumerate(x) for j, q in enumerate(y)), Fraction(0))
            for x, y in corners
        ]
        for end in (0, 1)
    )
    return min(least), max(greatest)


def positions(cards: int) -> Iterator[tuple[Hand, Hand, Hand]]:
    """All (my hand, their hand, prizes) of a game, the empty ones included."""
    for level in range(cards + 1):
        hands = list(combinations(range(1, cards + 1), level))
        yield from ((mine, theirs, prizes) for mine in hands for theirs in hands for prizes in hands)


def solve_game(matrix: Matrix) -> tuple[Fraction, Mix, Mix]:
    """The value of a matrix game and an optimal mix for each side.

    Shapley and Snow (1950): some square part of the matrix, solved as a system of equations, gives optimal mixes. So
    try them all until the mixes of one prove each other optimal.
    """
    rows, columns = range(len(matrix)), range(len(matrix[0]))
    turned = [[-matrix[r][c] for r in rows] for c in columns]
    for size in range(1, min(len(rows), len(columns)) + 1):
        for mine in combinations(rows, size):
            for theirs in combinations(columns, size):
                x = _equalise(matrix, mine, theirs)
                if x is None or min(earned := _earnings(x, matrix)) < (worth := earned[theirs[0]]):
                    continue
                y = _equalise(turned, theirs, mine)
                if y is not None and min(_earnings(y, turned)) >= -worth:
                    return worth, x, y
    raise AssertionError("every matrix game has a solution")


def optimal_vertices(matrix: Matrix) -> list[Mix]:
    """The corners of the set of the row player's optimal mixes."""
    worth = solve_game(matrix)[0]
    count, width = len(matrix), len(matrix[0])
    # A mix is optimal when all of these are ≥ 0: each probability, and what it earns above the value in each column.
    sides = [[Fraction(r == s) for s in range(count)] for r in range(count)]
    sides += [[matrix[r][c] - worth for r in range(count)] for c in range(width)]
    found = set()
    for tight in combinations(sides, count - 1):
        x = _solve_equations([[*side, Fraction(0)] for side in tight] + [[Fraction(1)] * (count + 1)])
        if x is not None and all(sum(a * b for a, b in zip(x, side, strict=True)) >= 0 for side in sides):
            found.add(x)
    return sorted(found)


def _equalise(matrix: Matrix, rows: Sequence[int], columns: Sequence[int]) -> Mix | None:
    """The mix of these rows that earns the same in each of these columns; None if it is no mix, or not the only one."""
    # Unknown: the probabilities, then what they earn.
    equations = [[*(Fraction(matrix[r][c]) for r in rows), Fraction(-1), Fraction(0)] for c in columns]
    equations.append([*(Fraction(1) for _ in rows), Fraction(0), Fraction(1)])
    solved = _solve_equations(equations)
    if solved is None or min(solved[:-1]) < 0:
        return None
    mix = [Fraction(0)] * len(matrix)
    for row, probability in zip(rows, solved[:-1], strict=True):
        mix[row] = probability
    return tuple(mix)


def _earnings(mix: Mix, matrix: Matrix) -> list[Fraction]:
    """What a mix of rows earns in each column."""
    played = [(p, row) for p, row in zip(mix, matrix, strict=True) if p]
    return [sum((p * row[c] for p, row in played), Fraction(0)) for c in range(len(matrix[0]))]


def _solve_equations(equations: list[list[Fraction]]) -> Mix | None:
    """The solution of as many equations as unknowns, right hand sides last; None when there is not exactly one."""
    left = [list(equation) for equation in equations]
    size = len(left)
    for column in range(size):
        pivot = next((row for row in range(column, size) if left[row][column]), None)
        if pivot is None:
            return None
        left[column], left[pivot] = left[pivot], left[column]
        for row in range(size):
            if row != column and left[row][column]:
                factor = left[row][column] / left[column][column]
                left[row] = [a - factor * b if b else a for a, b in zip(left[row], left[column], strict=True)]
    return tuple(left[row][-1] / left[row][row] for row in range(size))


def _without(cards: Hand, card: int) -> Hand:
    return tuple(c for c in cards if c != card)


def _sign(difference: int) -> int:
    return (difference > 0) - (difference < 0)
