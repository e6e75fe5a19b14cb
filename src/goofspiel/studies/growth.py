"""How everything grows with the number of cards: games, storage, time, supports, saddle points, digits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from goofspiel.arrays import Numbers
from goofspiel.batch import PositionBatch
from goofspiel.cards import MAX_CARDS, cards_of
from goofspiel.errors import GoofspielError
from goofspiel.games.rationals import digits
from goofspiel.matches.statistics import CONFIDENCE, Estimate, Sums
from goofspiel.rules import Objective, Rules
from goofspiel.solver.plan import cpu_seconds, size_text
from goofspiel.states.space import LevelSpace, level_space
from goofspiel.store import make_layout, store_at, table_path
from goofspiel.store.blocks import LevelLayout
from goofspiel.store.exact_table import ExactTable
from goofspiel.studies.measured import exactly
from goofspiel.studies.request import Request
from goofspiel.studies.study import Cell, Column, Grid, Source, Study, as_number
from goofspiel.tablebase import Tablebase

NAME = "growth"
TITLE = "Growth: what one more card costs"
LEAST = 2  # cards
ROUNDS = 96  # sampled at each level: an upcard of a prize set, and for win a lead
GAMES = 16  # of each of them: matchups. All are near each other on disk
SEED = 0
SADDLE = {False: 1e-9, True: 1e-6}  # how far apart the two guarantees may be, by leads: rounding of a store

DATA = (
    *(Column("objective"), Column("cards"), Column("level"), Column("games"), Column("bytes")),
    *(Column("forecast_cpu_seconds"), Column("support"), Column("support_low"), Column("support_high")),
    *(Column("saddle_share"), Column("saddle_low"), Column("saddle_high"), Column("digits")),
)
SUMMARY = (
    *(Column("objective"), Column("cards"), Column("games", ",d"), Column("factor", ".2f", "×")),
    Column("disk", "", "disk"),
    Column("forecast_cpu_seconds", ",.2f", "CPU s"),
    Column("nanoseconds", ",.0f", "ns"),
    Column("support", ".2f", "mix"),
    Column("widest", ".2f", "widest"),
    Column("saddle_share", ".1%", "saddle"),
    Column("digits", ",d", "digits"),
)
LEGEND = (
    "×: how many times as many games as with one card less. CPU s, ns: the time of all games in CPU-seconds, and of "
    "one game in nanoseconds. mix: the cards that an optimal mix bids, the mean over all games; widest: that at the "
    "last level. saddle: games with a saddle point. digits: of the longest exact value.",
)


@dataclass(frozen=True)
class Sampled:
    """What random games of a level look like."""

    support: Estimate  # cards that an optimal mix bids
    saddle: Estimate  # the share of games with a saddle point


def sample_level(tablebase: Tablebase, level: LevelLayout, *, rounds: int = ROUNDS, seed: int = SEED) -> Sampled:
    """Solve random games of a level, each as likely as any other that the table was solved from; if few, all."""
    few = level.games <= rounds * GAMES
    solved = tablebase.solve_rounds(_all_games(level.space) if few else _some_games(level.space, rounds, seed))
    payoffs = solved.payoffs()
    apart = payoffs.max(axis=1).min(axis=1) - payoffs.min(axis=2).max(axis=1)
    saddle = (apart <= SADDLE[level.rules.has_leads]).astype(np.float64)
    size = ((solved.mine > 0).sum(axis=1) + (solved.theirs > 0).sum(axis=1)) / 2
    if few:
        return Sampled(exactly(float(size.mean())), exactly(float(saddle.mean())))
    # Games of one round are alike: the round is what is observed.
    sums = Sums(), Sums()
    for some, observed in zip(sums, (size, saddle), strict=True):
        some.add(observed.reshape(rounds, GAMES).mean(axis=1))
    return Sampled(sums[0].estimate(), sums[1].share())


def _all_games(space: LevelSpace) -> PositionBatch:
    """Every round of the level with every matchup."""
    rounds = [
        (prize_set ^ 1 << upcard - 1, upcard, lead)
        for rows, most in zip(space.bands.members, space.bands.leads, strict=True)
        for prize_set in space.states.left[rows].tolist()
        for lead in range(-most, most + 1)
        for upcard in cards_of(prize_set)
    ]
    return _batch(space, rounds, np.tile(np.arange(space.columns), len(rounds)))


def _some_games(space: LevelSpace, rounds: int, seed: int) -> PositionBatch:
    """Random rounds with random matchups."""
    rules, bands = space.rules, space.bands
    random = np.random.default_rng([seed, rules.cards, space.level, list(Objective).index(rules.objective)])
    weights = np.array([len(sets) * (2 * lead + 1) for sets, lead in zip(bands.members, bands.leads, strict=True)])
    found = []
    for band in random.choice(len(weights), size=rounds, p=weights / weights.sum()).tolist():
        prize_set = int(random.choice(space.states.left[bands.members[band]]))
        upcard = int(random.choice(cards_of(prize_set)))
        lead = int(random.integers(-bands.leads[band], bands.leads[band], endpoint=True))
        found.append((prize_set ^ 1 << upcard - 1, upcard, lead))
    return _batch(space, found, random.integers(space.columns, size=rounds * GAMES))


def _batch(space: LevelSpace, rounds: Sequence[tuple[int, int, int]], column: Numbers) -> PositionBatch:
    """Rounds (deck, upcard, lead), each with as many of the matchups, in their order."""
    mine, theirs = space.patterns(column)
    deck, upcard, lead = np.repeat(np.array(rounds), len(column) // len(rounds), axis=0).T
    shown = upcard.astype(np.int32)
    return PositionBatch(mine, theirs, deck.astype(np.uint16), shown, lead.astype(np.int32), np.zeros_like(shown))


def level_digits(table: ExactTable, level: int) -> list[int]:
    """For each value of a level, the digits of its numerator or its denominator, whichever has more."""
    prize_sets = range(level_space(table.rules, level).rows)
    values = (value for prize_set in prize_sets for value in table.read(level, prize_set))
    return [max(digits(value.p), digits(value.q)) for value in values]


def study_growth(request: Request) -> Study:
    """Look at every level of every solved game."""
    found = [
        request.find(NAME, objective, least=LEAST, most=MAX_CARDS, whole=True) for objective in request.objectives(NAME)
    ]
    rows: list[tuple[Cell, ...]] = []
    sources: list[Source] = []
    for rules in request.each([rules for some in found for rules in some.games]):
        with request.open(rules) as tablebase:
            rows += _rows(tablebase, _exact_table(request, rules))
            sources.append(Source.of(tablebase))
    data = Grid(DATA, tuple(rows))
    summary = Grid(SUMMARY, tuple(_summary_rows(data)))
    return Study(
        NAME,
        TITLE,
        "Games, storage, time, the cards in an optimal mix, the share of games with a saddle point and the digits of "
        "exact values, for each number of cards, and in the data for each level (cards left in a hand).",
        summary,
        data,
        tuple(_verdicts(summary)),
        tuple(sources),
        (
            f"Supports and saddle points are those of {ROUNDS * GAMES:,} random games a level, seed {SEED}, {GAMES} in "
            f"each of {ROUNDS} rounds, or of all games if there are no more; the data has {CONFIDENCE:.0%} intervals. "
            "Interchangeable cards count as one.",
            "Times are the plan's estimate before it is scaled to a machine. Digits are those of the exact tables in "
            "the store: goofspiel solve N --exact.",
            *(line for some in found for line in some.left_out),
        ),
        request.command(NAME),
        LEGEND,
    )


def _exact_table(request: Request, rules: Rules) -> ExactTable | None:
    """The exact table of a game, if it is there and complete."""
    try:
        table = ExactTable.open(table_path(store_at(request.store), rules, exact=True), rules)
    except GoofspielError:
        return None
    return table if table.header.complete else None


def _rows(tablebase: Tablebase, exact: ExactTable | None) -> list[tuple[Cell, ...]]:
    rules = tablebase.rules
    rows: list[tuple[Cell, ...]] = []
    for level in make_layout(rules).levels:
        sampled = sample_level(tablebase, level)
        rows.append(
            (
                *(str(rules.objective), rules.cards, level.level, level.games, level.bytes, cpu_seconds(level)),
                *(sampled.support.mean, sampled.support.low, sampled.support.high),
                *(sampled.saddle.mean, sampled.saddle.low, sampled.saddle.high),
                max(level_digits(exact, level.level)) if exact else None,
            )
        )
    return rows


def _summary_rows(data: Grid) -> list[tuple[Cell, ...]]:
    """One line a game: sums over the levels, means over its games."""
    summary: list[tuple[Cell, ...]] = []
    for objective, cards in dict.fromkeys(row[:2] for row in data.rows):
        levels = [row for row in data.rows if row[:2] == (objective, cards)]
        columns: dict[str, Any] = dict(zip(data.names, zip(*levels, strict=True), strict=True))
        games, seconds = sum(columns["games"]), sum(columns["forecast_cpu_seconds"])
        weights = np.array(columns["games"], dtype=np.float64) / games
        before = [row for row in summary if row[:2] == (objective, as_number(cards) - 1)]
        known = [value for value in columns["digits"] if value is not None]
        summary.append(
            (
                *(objective, cards, games, games / as_number(before[0][2]) if before else None),
                *(size_text(sum(columns["bytes"])), seconds, 1e9 * seconds / games),
                *(float(weights @ np.array(columns["support"])), columns["support"][-1]),
                *(float(weights @ np.array(columns["saddle_share"])), max(known, default=None)),
            )
        )
    return summary


def _verdicts(summary: Grid) -> list[str]:
    verdicts = []
    for objective in Objective:
        own = [row for row in summary.records() if row["objective"] == objective]
        if not own:
            continue
        first, last = own[0], own[-1]
        more = f", {last['factor']:.2f} times as many as with one card less" if last["factor"] is not None else ""
        then = f" (with {first['cards']} cards {first['support']:.2f} and {first['saddle_share']:.1%})"
        verdicts.append(
            f"{objective}: with {last['cards']} cards there are {last['games']:,} games{more}; a mix has "
            f"{last['support']:.2f} cards on average, and {last['saddle_share']:.1%} of the games have a saddle point"
            f"{then if first is not last else ''}."
        )
        known = [row for row in own if row["digits"] is not None]
        if len(known) > 1:
            longer = as_number(known[-1]["digits"]) / as_number(known[-2]["digits"])
            verdicts.append(
                f"{objective}: the longest exact value has {known[-1]['digits']:,} digits with {known[-1]['cards']} "
                f"cards, {longer:,.0f} times as many as with one card less."
            )
    return verdicts
