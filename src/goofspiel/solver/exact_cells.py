"""The payoffs of a position in rationals, from the exact values of what its bids lead to."""

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq

from goofspiel.rules import Objective
from goofspiel.states import matchups
from goofspiel.states.bands import bands_of, matchup_count

Row = Sequence[fmpq]  # the values of a prize set, [matchup][lead]


@dataclass(frozen=True)
class Children:
    """The values of one prize set of the level below."""

    objective: Objective
    row: Row
    lead: int  # the largest that is kept
    equal: int  # the index that stands for equal hands

    @staticmethod
    def of(cards: int, level: int, objective: Objective, prize_set: int, row: Row) -> "Children":
        """The values of a numbered prize set of a level, which may be the empty set of level 0."""
        lead = largest_lead(cards, level, objective, prize_set)
        return Children(objective, row, lead, matchups.count(cards, level))

    def worth(self, index: int, sign: int, lead: int) -> fmpq:
        """The value of a numbered matchup at a lead, seen from the side that the sign tells."""
        if self.objective == Objective.POINTS:
            return fmpq(lead) if index == self.equal else sign * self.row[index] + lead
        if abs(lead) > self.lead:
            return worth_at_the_end(lead, self.objective)  # decided
        return sign * self.row[index * (2 * self.lead + 1) + self.lead + sign * lead]

    def cell(self, code: int, prize: int, lead: int) -> fmpq:
        """The payoff of a pair of bids, from the code of what it leads to."""
        after = lead + prize * ((code & 3) - 1)
        return self.worth(code >> matchups.INDEX_SHIFT, -1 if code & matchups.NEGATED else 1, after)


def largest_lead(cards: int, level: int, objective: Objective, prize_set: int) -> int:
    """The largest lead that is kept for a numbered prize set of a level; for `points` the lead does not matter."""
    where = bands_of(cards, level, objective)
    return where.leads[int(where.band[prize_set])]


def value_count(cards: int, level: int, objective: Objective, prize_set: int) -> int:
    """How many values a numbered prize set of a level has: a matchup and a lead each."""
    return matchup_count(cards, level, objective) * (2 * largest_lead(cards, level, objective, prize_set) + 1)


def payoffs(
    successors: matchups.Successors, matchup: int, children: Children, prize: int, lead: int
) -> list[list[fmpq]]:
    """The matrix of one matchup."""
    rows, columns = map(int, successors.shapes[matchup])
    codes = successors.codes[successors.offsets[matchup] : successors.offsets[matchup + 1]].tolist()
    cells = [children.cell(code, prize, lead) for code in codes]
    return [cells[i * columns : (i + 1) * columns] for i in range(rows)]


def worth_at_the_end(lead: int, objective: Objective) -> fmpq:
    """Without cards nothing is left to win."""
    return fmpq((lead > 0) - (lead < 0) if objective == Objective.WIN else lead)


def nothing(objective: Objective) -> Row:
    """The only prize set of level 0, where the lead alone counts."""
    return [fmpq(0)] if objective == Objective.WIN else []
