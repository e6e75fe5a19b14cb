"""What is one more pip on a bidding card worth? Measured in several ways, beside the paper's 1 + 1/(2N − 2)."""

from dataclasses import dataclass
from math import comb
from pathlib import Path

import numpy as np

from goofspiel.arrays import Floats
from goofspiel.cards import MAX_CARDS
from goofspiel.errors import MissingTableError, TableBusyError
from goofspiel.position import Position
from goofspiel.rules import Objective, Rules
from goofspiel.states.prize_states import totals
from goofspiel.states.space import LevelSpace
from goofspiel.states.subsets import Masks, all_subsets
from goofspiel.store import Table, solve_command, store_at
from goofspiel.studies.request import Request
from goofspiel.studies.study import Cell, Column, Grid, Source, Study, as_number, numbers_text
from goofspiel.tablebase import Tablebase

NAME = "chip"
LEAST = 2  # cards: with one, the estimate divides by 0

# How to give one side a pip more; the key of each, and what it says to a reader.
DEFINITIONS = {
    "after": "after the first round, in which they bid one rank more than I did; mean over such bids and upcards",
    "raised": "equal hands; one card goes up by one rank, to a rank not held; mean over hands, cards, prize sets",
    "opening": "the opening; one card goes up by half a rank: it beats its equal and nothing else; mean over the cards",
    "top": "the opening; the highest card becomes N+1",
    "shift": "the opening; every card goes up by one rank: 2 … N+1 against 1 … N; a pip of them",
    "ahead": "all positions in which the pips of my hand are one more than those of theirs; mean",
    "slope": "all positions; the straight line through the origin that fits value against pips best",
}
LAST = 3  # numbers of cards over which a definition must stay near the estimate to follow it
WITHIN = 2.0  # and how near: of the part above 1, 1/(2N − 2), no less than half and no more than double
BY_LEVEL = ("raised", "ahead", "slope")  # these are known for each number of cards in a hand
DATA = (
    *(Column("definition"), Column("cards"), Column("level"), Column("value", ".4f")),
    *(Column("estimate", ".4f"), Column("estimate_of_level", ".4f")),
)
SUMMARY = (
    Column("cards"),
    Column("estimate", ".3f", "1 + 1/(2N−2)"),
    *(Column(name, ".3f") for name in DEFINITIONS),
    Column("closest"),
)


def estimate(cards: int) -> float:
    """The paper's estimate."""
    return 1 + 1 / (2 * cards - 2)


@dataclass(frozen=True)
class _Sum:
    """A mean in the making: the sum of what is averaged, and the weight of it."""

    total: float
    weight: float

    @property
    def mean(self) -> float | None:
        return self.total / self.weight if self.weight else None


@dataclass(frozen=True, eq=False)
class _Level:
    """The hands of a level, and what they are worth to me, on average over all prize sets."""

    space: LevelSpace
    means: Floats  # by column

    @staticmethod
    def read(table: Table, level: int) -> "_Level":
        """Every block of the level is read once."""
        here = table.layout.levels[level - 1]
        space, total = here.space, np.zeros(here.columns)
        for block in range(table.block_count(level)):
            for row in table.read_block(level, block):
                total += here.encoding.decode(row)[..., 0]
        return _Level(space, total / space.rows)

    def _worth(self, mine: Masks, theirs: Masks) -> Floats:
        column, sign = self.space.column_of(mine, theirs)
        return np.asarray(sign * self.means[np.where(sign == 0, 0, column)])

    def raised(self) -> _Sum:
        """Every card of equal hands can be raised in as many hands as any other: wherever the next rank is free."""
        level, cards = self.space.level, self.space.rules.cards
        hands = np.array([one_up(level, rank) for rank in range(level)], dtype=np.uint16)
        weight = comb(cards - 1, level) * self.space.rows  # hands, prize sets
        return _Sum(sum(self._worth(*hands.T).tolist()) * weight, level * weight)

    def ahead_and_slope(self) -> tuple[_Sum, _Sum]:
        """From all pairs of hands, a hand at a time."""
        hands = all_subsets(self.space.rules.cards, self.space.level)
        pips = totals(hands)
        ahead, slope = np.zeros(2), np.zeros(2)
        for hand, own in zip(hands, pips, strict=True):
            value = self._worth(np.full_like(hands, hand), hands)
            more = own - pips
            ahead += value[more == 1].sum(), (more == 1).sum()
            slope += value @ more, more @ more
        return _Sum(*(ahead * self.space.rows).tolist()), _Sum(*(slope * self.space.rows).tolist())


def one_up(level: int, rank: int) -> tuple[int, int]:
    """The patterns of equal hands of `level` cards, the one of this rank (0 the lowest) moved up: (mine, theirs)."""
    everything = (1 << level + 1) - 1
    return everything ^ 1 << rank, everything ^ 1 << rank + 1


def by_level(table: Table) -> dict[str, dict[int, _Sum]]:
    """The definitions that look at whole levels: of each level that was kept."""
    found: dict[str, dict[int, _Sum]] = {name: {} for name in BY_LEVEL}
    last = table.layout.rules.cards - 1
    for level in range(last if table.header.keep == "last" else 1, last + 1):
        here = _Level.read(table, level)
        for name, some in zip(BY_LEVEL, (here.raised(), *here.ahead_and_slope()), strict=True):
            found[name][level] = some
    return found


def at_the_opening(larger: Tablebase) -> dict[str, float]:
    """The definitions that change the opening hand of a game of one card less than the table has."""
    cards = larger.cards - 1
    deck = (1 << cards) - 1

    def worth(mine: int, theirs: int) -> float:
        return float(larger.values([Position.from_masks(mine, theirs, deck)])[0])

    raised = [worth(*one_up(cards, rank)) for rank in range(cards)]
    return {
        "opening": sum(raised) / cards,
        "top": raised[-1],
        "shift": worth(deck << 1, deck) / cards,
    }


def study_chip(request: Request) -> Study:
    """Measure all definitions in all solved games."""
    request.objectives(NAME, (Objective.POINTS,))
    found = request.find(NAME, Objective.POINTS, least=LEAST, most=MAX_CARDS)
    sources: dict[int, Source] = {}
    lines: list[tuple[Cell, ...]] = []
    rows: list[tuple[Cell, ...]] = []
    without: list[int] = []
    last_only: list[int] = []
    for rules in request.each(found.games, "{0.cards} cards"):
        cards = rules.cards
        with request.open(rules) as tablebase:
            levels = by_level(Table.open(tablebase.path, rules))
            sources[cards] = Source.of(tablebase)
        values: dict[str, float | None] = dict.fromkeys(DEFINITIONS)
        for name, some in levels.items():
            if len(some) == cards - 1:
                values[name] = _Sum(
                    sum(one.total for one in some.values()), sum(one.weight for one in some.values())
                ).mean
            rows += [_row(name, cards, level, one.mean) for level, one in some.items()]
        last_only += [cards] * (values["slope"] is None)
        values["after"] = levels["raised"][cards - 1].mean  # hands that lack one card each, neighbours
        larger = _larger(request, rules)
        if larger is None:
            without.append(cards)
        else:
            with larger:
                values |= at_the_opening(larger)
                sources[cards + 1] = Source.of(larger)
        rows += [_row(name, cards, None, value) for name, value in values.items()]
        known = {name: value for name, value in values.items() if value is not None}
        closest = min(known, key=lambda name: abs(known[name] - estimate(cards)))
        lines.append((cards, estimate(cards), *values.values(), closest))
    notes = [f"{name}: {meaning}." for name, meaning in DEFINITIONS.items()]
    notes += openings_missing(without, store_at(request.store))
    if last_only:
        notes.append(
            f"Of {numbers_text(last_only)} cards only the last level was kept; {', '.join(BY_LEVEL)} need all of them."
        )
    summary, data = Grid(SUMMARY, tuple(lines)), Grid(DATA, tuple(rows))
    return Study(
        NAME,
        "Chip: what is one more pip worth?",
        "The paper estimates that an extra bidding chip is worth 1 + 1/(2N−2) points, 'as R gets large', and does not "
        "say what was measured, nor what R is. So it is measured here in several ways: in points a pip.",
        summary,
        data,
        tuple(_verdicts(summary, data)),
        tuple(sources[cards] for cards in sorted(sources)),
        (*notes, *found.left_out),
        request.command(NAME),
    )


def openings_missing(without: list[int], store: Path) -> list[str]:
    """What to say of the games whose openings with one card raised are in no table."""
    what = "is worth with one card raised is in"
    largest = [f"What an opening of {MAX_CARDS} cards {what} no table: it has one card more."]
    solvable = [cards for cards in without if cards < MAX_CARDS]
    if not solvable:
        return largest * bool(without)
    return [
        f"What an opening of {numbers_text(solvable)} cards {what} the table of one card more, which is not solved: "
        f"{solve_command(Rules(solvable[-1] + 1), store)}",
        *largest * (MAX_CARDS in without),
    ]


def _larger(request: Request, rules: Rules) -> Tablebase | None:
    """The table with one card more, if it is there."""
    if rules.cards == MAX_CARDS:
        return None
    try:
        return request.open(rules.with_cards(rules.cards + 1))
    except (MissingTableError, TableBusyError):
        return None


def _row(name: str, cards: int, level: int | None, value: float | None) -> tuple[Cell, ...]:
    of_level = estimate(level) if level is not None and level >= LEAST else None
    return name, cards, level, value, estimate(cards), of_level


def _verdicts(summary: Grid, data: Grid) -> list[str]:
    """Which definition comes close, whether any follows the estimate, and whether it comes closer."""
    rows = summary.records()
    known = {
        name: {int(as_number(row["cards"])): as_number(row[name]) for row in rows if row[name] is not None}
        for name in DEFINITIONS
    }
    known = {name: values for name, values in known.items() if values}
    off = {name: [value - estimate(cards) for cards, value in values.items()] for name, values in known.items()}
    mean = {name: float(np.mean([abs(error) for error in some])) for name, some in off.items()}
    closest = min(mean, key=lambda name: mean[name])
    follow = [name for name, values in known.items() if follows(values)]
    others = ", ".join(f"'{name}' {error:.3f}" for name, error in sorted(mean.items(), key=lambda it: it[1])[1:])
    last = min(LAST, len(rows))
    where = "its last number" if last == 1 else f"the last {last} numbers"
    verdicts = [
        f"{_names(follow, 'follows', 'follow')} the estimate: with {where} of cards, the part above 1 is "
        "neither less than half of 1/(2N−2) nor more than double."
        if follow
        else f"No definition follows the estimate: with {where} of cards, the part above 1 of each is less than half "
        "of 1/(2N−2), or more than double, at least once.",
        f"Closest to the estimate is '{closest}', on average {mean[closest]:.3f} away"
        f"{_departure(known[closest])}; the others are {others} away.",
    ]
    at_last = [f"'{name}' {error:+.3f}" for name, (*_, error) in off.items()]
    verdicts.append(
        f"Away from the estimate with {rows[-1]['cards']} cards, or as many as it is known for: {', '.join(at_last)}."
    )
    nearing = [name for name, some in off.items() if len(some) > 1 and abs(some[-1]) < abs(some[-2])]
    if len(rows) > 1:
        who = f"only {_names(nearing, 'came', 'came')}" if nearing else "none came"
        verdicts.append(f"From the last number of cards but one to the last, {who} closer to the estimate.")
    return verdicts + _by_hand(data)


def follows(values: dict[int, float]) -> bool:
    """Whether what is measured, by cards, stays near the estimate to the end: what counts is the part above 1."""
    parts = [(value - 1) / (estimate(cards) - 1) for cards, value in list(values.items())[-LAST:]]
    return all(1 / WITHIN <= part <= WITHIN for part in parts)


def _departure(values: dict[int, float]) -> str:
    """How a definition leaves the estimate, which is above 1 for every number of cards, if it does."""
    cards = list(values)
    below = next((n for place, n in enumerate(cards) if all(values[m] < 1 for m in cards[place:])), None)
    away = [abs(values[n] - estimate(n)) for n in cards]
    turn = len(cards) - 1
    while turn > 0 and away[turn - 1] < away[turn]:
        turn -= 1
    said = []
    if below is not None:
        said.append(f"it falls below 1, where the estimate never is, from {below} cards on")
    if len(cards) - turn > LAST:
        said.append(f"it moves away from the estimate with every card more than {cards[turn]}")
    return f"; {', and '.join(said)}" if said else ""


def _names(names: list[str], one: str, several: str) -> str:
    """Names as the subject of a sentence."""
    quoted = [f"'{name}'" for name in names]
    return f"{quoted[0]} {one}" if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]} {several}"


def _by_hand(data: Grid) -> list[str]:
    """The other reading of the paper's sentence: N cards in a hand, out of R ranks."""
    of_levels = [row for row in data.records() if row["level"] is not None]
    most = max((as_number(row["cards"]) for row in of_levels if row["level"] == LEAST), default=None)
    said = []
    for name in BY_LEVEL:
        at = [
            f"{row['value']:.3f} with {row['level']} ({row['estimate_of_level']:.3f})"
            for row in of_levels
            if (row["definition"], row["cards"]) == (name, most) and row["level"] in (2, 3, 4)
        ]
        said += [f"'{name}' {', '.join(at)}"] if at else []
    if not said:
        return []
    return [
        f"Read with N the cards in a hand and R the ranks, at R = {most}, in brackets the estimate: {'; '.join(said)}."
    ]
