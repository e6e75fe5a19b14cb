"""How everything grows with the number of cards: games, storage, time, supports, saddle points, digits."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goofspiel.batch import PositionBatch
from goofspiel.errors import GoofspielError
from goofspiel.games.rationals import digits
from goofspiel.matches.statistics import CONFIDENCE, Estimate, Sums
from goofspiel.plan import LevelPlan, make_plan, size_text
from goofspiel.rules import MAX_CARDS, Objective, cards_of
from goofspiel.states import bands
from goofspiel.states.prize_sets import count
from goofspiel.store import list_tables, store_at
from goofspiel.store.exact_table import ExactTable, path_of
from goofspiel.studies.request import Request
from goofspiel.studies.study import Cell, Column, Grid, Source, Study, number
from goofspiel.tablebase import Tablebase

NAME = "growth"
LEAST = 2  # cards
ROUNDS = 96  # sampled at each level: an upcard of a prize set, and for win a lead
GAMES = 16  # of each of them: matchups. All are near each other on disk
SEED = 0
SADDLE = {Objective.POINTS: 1e-9, Objective.WIN: 1e-6}  # how far apart the two guarantees may be: rounding of a store

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


def sample_level(tablebase: Tablebase, plan: LevelPlan, *, rounds: int = ROUNDS, seed: int = SEED) -> Sampled:
    """Solve random games of a level, each as likely as any other that the table was solved from; if few, all."""
    few = plan.games <= rounds * GAMES
    asked = _all_games(plan) if few else _some_games(plan, rounds, seed)
    solved = tablebase.solve_rounds(asked)
    payoffs = solved.payoffs()
    apart = payoffs.max(axis=1).min(axis=1) - payoffs.min(axis=2).max(axis=1)
    saddle = (apart <= SADDLE[plan.objective]).astype(np.float64)
    size = ((solved.mine > 0).sum(axis=1) + (solved.theirs > 0).sum(axis=1)) / 2
    if few:
        means = float(size.mean()), float(saddle.mean())
        return Sampled(*(Estimate(mean, mean, mean, 0.0) for mean in means))
    # Games of one round are alike: the round is what is observed.
    sums = Sums(), Sums()
    for some, observed in zip(sums, (size, saddle), strict=True):
        some.add(observed.reshape(rounds, GAMES).mean(axis=1))
    return Sampled(sums[0].estimate(), sums[1].share())


def _all_games(plan: LevelPlan) -> PositionBatch:
    """Every round of the level with every matchup."""
    rounds = [
        (prize_set ^ 1 << upcard - 1, upcard, lead)
        for sets, most in zip(plan.where.sets, plan.where.leads, strict=True)
        for prize_set in sets.tolist()
        for lead in range(-most, most + 1)
        for upcard in cards_of(prize_set)
    ]
    return _questions(plan, rounds, np.tile(np.arange(plan.matchups), len(rounds)))


def _some_games(plan: LevelPlan, rounds: int, seed: int) -> PositionBatch:
    """Random rounds with random matchups."""
    random = np.random.default_rng([seed, plan.cards, plan.level, list(Objective).index(plan.objective)])
    where = plan.where
    weights = np.array([len(sets) * (2 * lead + 1) for sets, lead in zip(where.sets, where.leads, strict=True)])
    found = []
    for band in random.choice(len(weights), size=rounds, p=weights / weights.sum()).tolist():
        prize_set = int(random.choice(where.sets[band]))
        upcard = int(random.choice(cards_of(prize_set)))
        lead = int(random.integers(-where.leads[band], where.leads[band], endpoint=True))
        found.append((prize_set ^ 1 << upcard - 1, upcard, lead))
    return _questions(plan, found, random.integers(plan.matchups, size=rounds * GAMES))


def _questions(plan: LevelPlan, rounds: Sequence[tuple[int, int, int]], matchup: NDArray[np.int64]) -> PositionBatch:
    """Rounds (deck, upcard, lead), each with as many of the matchups, in their order."""
    mine, theirs = bands.words(matchup, plan.cards, plan.level)
    deck, upcard, lead = np.repeat(np.array(rounds), len(matchup) // len(rounds), axis=0).T
    return PositionBatch(mine, theirs, deck.astype(np.uint16), upcard.astype(np.int32), lead.astype(np.int32))


def level_digits(table: ExactTable, level: int) -> list[int]:
    """For each value of a level, the digits of its numerator or its denominator, whichever has more."""
    values = (value for number in range(count(table.cards, level)) for value in table.read(level, number))
    return [max(digits(value.p), digits(value.q)) for value in values]


def study_growth(request: Request) -> Study:
    """Look at every level of every solved game."""
    found = [
        request.find(NAME, objective, least=LEAST, most=MAX_CARDS, whole=True) for objective in request.objectives(NAME)
    ]
    rows: list[tuple[Cell, ...]] = []
    sources: list[Source] = []
    whole = sum(len(some.cards) for some in found)
    for some in found:
        for cards in some.cards:
            request.progress(len(sources), whole, f"{some.objective}, {cards} cards")
            exact = _exact_table(request, cards, some.objective)
            with request.open(cards, some.objective) as tablebase:
                rows += _rows(tablebase, exact)
                sources.append(Source.of(tablebase))
    request.progress(whole, whole, "")
    return Study(
        NAME,
        "Growth: what one more card costs",
        "Games, storage, time, the cards in an optimal mix, the share of games with a saddle point and the digits of "
        "exact values, for each number of cards, and in the data for each level (cards left in a hand).",
        Grid(SUMMARY, tuple(_summary(rows))),
        Grid(DATA, tuple(rows)),
        tuple(_verdicts(rows)),
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


def _exact_table(request: Request, cards: int, objective: Objective) -> ExactTable | None:
    """The exact table of a game, if it is there and complete."""
    if (cards, objective) not in list_tables(store_at(request.store), exact=True):
        return None
    try:
        table = ExactTable.open(path_of(cards, objective, request.store))
    except GoofspielError:
        return None
    return table if table.header.complete else None


def _rows(tablebase: Tablebase, exact: ExactTable | None) -> list[tuple[Cell, ...]]:
    plan = make_plan(tablebase.cards, objective=tablebase.objective)
    rows: list[tuple[Cell, ...]] = []
    for level in plan.levels:
        sampled = sample_level(tablebase, level)
        rows.append(
            (
                *(str(plan.objective), plan.cards, level.level, level.games, level.bytes, level.cpu_seconds),
                *(sampled.support.mean, sampled.support.low, sampled.support.high),
                *(sampled.saddle.mean, sampled.saddle.low, sampled.saddle.high),
                max(level_digits(exact, level.level)) if exact else None,
            )
        )
    return rows


def _summary(rows: Sequence[tuple[Cell, ...]]) -> list[tuple[Cell, ...]]:
    """One line a game: sums over the levels, means over its games."""
    names = [column.name for column in DATA]
    summary: list[tuple[Cell, ...]] = []
    for objective, cards in dict.fromkeys((row[0], row[1]) for row in rows):
        columns = dict(
            zip(names, zip(*(row for row in rows if row[:2] == (objective, cards)), strict=True), strict=True)
        )
        games, seconds = sum(columns["games"]), sum(columns["forecast_cpu_seconds"])
        weights = np.array(columns["games"], dtype=np.float64) / games
        before = [row for row in summary if row[:2] == (objective, number(cards) - 1)]
        known = [value for value in columns["digits"] if value is not None]
        summary.append(
            (
                *(objective, cards, games, games / number(before[0][2]) if before else None),
                *(size_text(sum(columns["bytes"])), seconds, 1e9 * seconds / games),
                *(float(weights @ np.array(columns["support"])), columns["support"][-1]),
                *(float(weights @ np.array(columns["saddle_share"])), max(known, default=None)),
            )
        )
    return summary


def _verdicts(rows: Sequence[tuple[Cell, ...]]) -> list[str]:
    verdicts = []
    summary = [dict(zip([column.name for column in SUMMARY], row, strict=True)) for row in _summary(rows)]
    for objective in Objective:
        own = [row for row in summary if row["objective"] == objective]
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
            longer = number(known[-1]["digits"]) / number(known[-2]["digits"])
            verdicts.append(
                f"{objective}: the longest exact value has {known[-1]['digits']:,} digits with {known[-1]['cards']} "
                f"cards, {longer:,.0f} times as many as with one card less."
            )
    return verdicts
