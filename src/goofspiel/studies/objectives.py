"""Points against win: where the first moves differ, and what each objective costs in the other's currency."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch
from goofspiel.best_response.expectation import play_exactly
from goofspiel.best_response.hand_pairs import HandPairSpace
from goofspiel.best_response.response import respond
from goofspiel.cards import MAX_CARDS
from goofspiel.players.players import TablePlayer
from goofspiel.position import Position
from goofspiel.rules import Objective, Rules
from goofspiel.states.prize_states import totals
from goofspiel.studies.measured import HOW_PLAYED, Measured, exactly, play_games
from goofspiel.studies.request import Request, StudyError
from goofspiel.studies.study import Cell, Column, Grid, Source, Study, as_number, numbers_text
from goofspiel.tablebase import Tablebase
from goofspiel.tablebase.answer import Answer

NAME = "objectives"
LEAST = 4  # cards: below, both objectives bid the upcard
EXACT = 7  # cards: up to here whole games are worked out, above they are played
GAMES = 8192  # of a match, in pairs with sides swapped

# The quantities of the data, each in its own unit.
DIFFERENCE = "difference"  # total variation of the first mixes
COSTS = (
    *("points_mix_gives_up_win", "points_mix_gives_up_win_at_worst"),
    *("win_mix_gives_up_points", "win_mix_gives_up_points_at_worst"),
)
WHOLE_GAMES = ("points_player_gains_points", "win_player_gains_win")
AT_WORST = ("points_player_loses_win_at_worst", "win_player_loses_points_at_worst")

DATA = (
    *(Column("cards"), Column("upcard"), Column("quantity"), Column("value"), Column("low"), Column("high")),
    Column("method"),
)
SUMMARY = (
    Column("cards"),
    Column("difference", ".3f", "differ"),
    Column("upcard", "d", "most on"),
    Column("points_mix_gives_up_win", ".4f", "win"),
    Column("points_mix_gives_up_win_at_worst", ".4f", "at worst"),
    Column("win_mix_gives_up_points", ".4f", "points"),
    Column("win_mix_gives_up_points_at_worst", ".4f", "at worst"),
    Column("points_player_gains_points", "+.3f", "points"),
    Column("points_within", ".3f", "±"),
    Column("win_player_gains_win", "+.4f", "win"),
    Column("win_within", ".4f", "±"),
    Column("points_player_loses_win_at_worst", ".3f", "win, at worst"),
    Column("win_player_loses_points_at_worst", ".3f", "points, at worst"),
)
PARTS = (
    ("the first round", tuple(column.name for column in SUMMARY[:7])),
    ("whole games", tuple(column.name for column in (SUMMARY[0], *SUMMARY[7:]))),
)
LEGEND = (
    "First round, means over the upcards. differ: how much of the probability the first mixes do not share; most on: "
    "the upcard where that is most. win: what the points mix gives up in P(win) − P(loss). points: what the win mix "
    "gives up in points. Both against an optimal mix, and at worst against a best answer.",
    "Whole games. points: what the points player takes from the win player. win: what the win player takes from the "
    "points player in P(win) − P(loss). ±: half the width of the interval; without it, the numbers are exact. At "
    "worst: what a best response takes in P(win) − P(loss) from the points player, and in points from the win player.",
)


@dataclass(frozen=True, eq=False)
class WinThenPoints:
    """Plays to win, and once the game is decided for points: then every bid is as good as any other to win."""

    win: TablePlayer
    points: TablePlayer
    name: str = "optimal:win, then points"
    uses_lead: bool = True

    def mixes(self, batch: PositionBatch) -> Floats:
        """By the lead and by what is left to win."""
        decided = self.win.tablebase.rules.is_decided(batch.lead, totals(batch.deck) + batch.upcard)
        mixes = np.empty((len(batch), int(batch.level.max(initial=0))))
        for player, here in ((self.win, np.flatnonzero(~decided)), (self.points, np.flatnonzero(decided))):
            if len(here):
                mixes[here] = player.mixes(batch[here])
        return mixes


def first_answers(tablebase: Tablebase) -> list[Answer[float]]:
    """The answers at all first moves, by upcard."""
    cards = tablebase.cards
    answers = (tablebase.probe(Position.start(cards, upcard)) for upcard in range(1, cards + 1))
    return [answer for answer in answers if isinstance(answer, Answer)]


def cost_of(mix: Answer[float], by: Answer[float]) -> tuple[float, float]:
    """What a mix earns less than the value of the game that judges it: against the optimal mix, and at worst."""
    earned = _mix(mix) @ np.array(by.matrix)
    optimal = np.array(list(by.theirs.values()))
    return max(by.value - float(earned @ optimal), 0.0), max(by.value - float(earned.min()), 0.0)


def first_costs(points: Answer[float], win: Answer[float]) -> tuple[float, ...]:
    """The points mix judged by win, then the win mix judged by points, each against the optimal mix and at worst."""
    return *cost_of(points, win), *cost_of(win, points)


def total_variation(one: Answer[float], other: Answer[float]) -> float:
    """How much probability must move to make one mix the other: 0 alike, 1 nothing in common."""
    return float(np.abs(_mix(one) - _mix(other)).sum()) / 2


def _mix(answer: Answer[float]) -> Floats:
    return np.array(list(answer.mine.values()))


def study_objectives(request: Request) -> Study:
    """Compare the objectives in all games that are solved for both."""
    if request.objective is not None:
        raise StudyError(f"study {NAME} compares both objectives: leave out {str(request.objective)!r}")
    found = [request.find(NAME, objective, least=LEAST, most=MAX_CARDS, whole=True) for objective in Objective]
    both = sorted({rules.cards for rules in found[0].games} & {rules.cards for rules in found[1].games})
    rows: list[tuple[Cell, ...]] = []
    sources, summary = [], []
    for rules in request.each([Rules(cards) for cards in both], "{0.cards} cards"):
        cards, to_win = rules.cards, Rules.of(rules, objective=Objective.WIN)
        with request.open(rules) as points, request.open(to_win) as win:
            here = list(_first_rows(points, win))
            games = _whole_games(points, win)
            sources += [Source.of(points), Source.of(win)]
        here += [(cards, None, name, *one.cells) for name, one in games.items()]
        rows += here
        summary.append(_summary_row(cards, here, games))
    return Study(
        NAME,
        "Objectives: expected points against P(win) − P(loss)",
        "Where do the first moves differ most, and what does playing for one objective cost in the currency of the "
        "other: in the first round, with play that is optimal for the other one afterwards (means over the upcards; "
        "at worst: against a best answer), and along whole games.",
        Grid(SUMMARY, tuple(summary)),
        Grid(DATA, tuple(rows)),
        tuple(_verdicts(rows)),
        tuple(sources),
        (*_notes(both), *(line for some in found for line in some.left_out)),
        request.command(NAME),
        LEGEND,
        PARTS,
    )


def _first_rows(points: Tablebase, win: Tablebase) -> Iterator[tuple[Cell, ...]]:
    for upcard, (ours, theirs) in enumerate(zip(first_answers(points), first_answers(win), strict=True), start=1):
        costs = first_costs(ours, theirs)
        for name, value in zip((DIFFERENCE, *COSTS), (total_variation(ours, theirs), *costs), strict=True):
            yield points.cards, upcard, name, value, None, None, "exact"


def _whole_games(points: Tablebase, win: Tablebase) -> dict[str, Measured]:
    """What the players gain from each other, and, where it can be worked out, lose at worst."""
    for_points = TablePlayer(points)
    to_win = WinThenPoints(TablePlayer(win), for_points)
    if points.cards > EXACT:
        played = play_games(for_points, to_win, (points, win), games=GAMES)
        gains = Measured.of(played, Objective.POINTS), -Measured.of(played, Objective.WIN)
        return dict(zip(WHOLE_GAMES, gains, strict=True))
    result = play_exactly(for_points, to_win, points.rules)
    worst = (respond(for_points, win.rules).exploitability, respond(to_win, points.rules).exploitability)
    known = (result.points, -result.score, *worst)
    return {name: Measured(exactly(value)) for name, value in zip((*WHOLE_GAMES, *AT_WORST), known, strict=True)}


def _summary_row(cards: int, rows: Sequence[tuple[Cell, ...]], games: dict[str, Measured]) -> tuple[Cell, ...]:
    by_name = {name: [as_number(row[3]) for row in rows if row[2] == name] for name in (DIFFERENCE, *COSTS)}
    return (
        cards,
        float(np.mean(by_name[DIFFERENCE])),
        1 + int(np.argmax(by_name[DIFFERENCE])),
        *(float(np.mean(by_name[name])) for name in COSTS),
        *(cell for name in WHOLE_GAMES for cell in (games[name].value, games[name].half)),
        *(games[name].value if name in games else None for name in AT_WORST),
    )


def _verdicts(rows: Sequence[tuple[Cell, ...]]) -> list[str]:
    by_name: dict[str, list[tuple[Cell, ...]]] = {}
    for row in rows:
        by_name.setdefault(str(row[2]), []).append(row)
    most = max(by_name[DIFFERENCE], key=lambda row: as_number(row[3]))
    last = by_name[DIFFERENCE][-1][0]
    at_last = max((row for row in by_name[DIFFERENCE] if row[0] == last), key=lambda row: as_number(row[3]))
    verdicts = [
        f"The first mixes differ most with {most[0]} cards on the upcard {most[1]}, by {most[3]:.2f} of the "
        f"probability; with {last} cards on the {at_last[1]}, by {at_last[3]:.2f}."
    ]
    ahead, score = (by_name[name][-1] for name in WHOLE_GAMES)
    means = [float(np.mean([as_number(row[3]) for row in by_name[name] if row[0] == last])) for name in COSTS]
    verdicts.append(
        f"In the first round this costs the points player {means[0]:.4f} of P(win) − P(loss) with {last} cards, the "
        f"win player {means[2]:.4f} points, as long as the other one does not know it."
    )
    verdicts.append(
        f"Over a whole game of {ahead[0]} cards, the points player takes {ahead[3]:+.3f} points from the win player, "
        f"who in return wins {score[3]:.4f} more of the games than it loses."
    )
    if AT_WORST[0] in by_name:
        first, second = (by_name[name][-1] for name in AT_WORST)
        verdicts.append(
            f"Against a best answer they cost more: with {first[0]} cards, optimal play for points can be made to lose "
            f"{first[3]:.3f} more of the games than it wins, optimal play to win {second[3]:.2f} points a game."
        )
    return verdicts


def _followed(cards: int) -> int:
    """How many positions a game has, before the upcard is turned up."""
    return HandPairSpace(Rules(cards, objective=Objective.WIN)).size


def _notes(both: Sequence[int]) -> list[str]:
    notes = [
        "In whole games the win player plays for points once the game is decided: to win, any bid is then as good as "
        "any other. Where an objective has several optimal mixes, what is said holds for those that the kernel finds."
    ]
    exact = [cards for cards in both if cards <= EXACT]
    played = [cards for cards in both if cards > EXACT]
    if exact:
        notes.append(
            f"Whole games of {numbers_text(exact)} cards, and the best responses to both players, are worked out "
            f"exactly, up to {EXACT} cards: they have to follow every pair of hands with every prize set and lead. "
            f"With {EXACT} cards these are {_followed(EXACT):,} positions, with {EXACT + 1} they are "
            f"{_followed(EXACT + 1):,}, each to be answered by a table. Played games give no best response, so there "
            "is no 'at worst' above."
        )
    if played:
        notes.append(f"Those of {numbers_text(played)} cards are {GAMES:,} played games each, {HOW_PLAYED}.")
    return notes
