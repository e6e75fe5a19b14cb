"""How much do rules of thumb lose? To a best response, which knows the rule, and to optimal play."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from goofspiel.arrays import Floats
from goofspiel.best_response.expectation import expected_value
from goofspiel.best_response.response import respond
from goofspiel.players.players import Player, TablePlayer
from goofspiel.render.first_moves import first_move
from goofspiel.rules import Objective
from goofspiel.studies.descent import RatioSearch, UpcardSearch, rounded
from goofspiel.studies.heuristics_words import (
    BY_RATIO,
    BY_UPCARD,
    FIRST_MOVE,
    GAMES,
    LEGEND,
    RATIO_SEARCHED,
    SEARCHED,
    Judged,
    notes,
    verdicts,
)
from goofspiel.studies.measured import Measured, exactly, play_games
from goofspiel.studies.request import FULL_SUIT, Found, Request
from goofspiel.studies.study import Cell, Column, Grid, Source, Study
from goofspiel.studies.upcard_rules import (
    FAMILIES,
    RULES,
    Family,
    TargetPlayer,
    by_ratio,
    evenly_up_to,
    first_move_rule,
)
from goofspiel.tablebase import Tablebase

NAME = "heuristics"
LEAST = 4  # cards: below, bidding the upcard is optimal
USUAL = {Objective.POINTS: 8, Objective.WIN: 6}  # cards: what takes minutes
MOST = {Objective.POINTS: 9, Objective.WIN: 7}  # and up to here on request

GRID = 9  # parameters tried at first, evenly spread
HALVINGS = 4  # then the two neighbours of the best, at half the distance, so many times

DATA = (
    *(Column("objective"), Column("cards"), Column("rule"), Column("random"), Column("parameter")),
    *(Column("exploitability"), Column("loss_to_optimal"), Column("loss_low"), Column("loss_high"), Column("method")),
    *(Column("share_of_prizes"), Column("mix")),
)


@dataclass(frozen=True)
class _Searched:
    """What was searched for in smaller games, and is used in larger ones."""

    parameters: dict[str, float] = field(default_factory=dict)
    functions: list[Floats] = field(default_factory=list)  # of upcard/N: none or one

    def function(self) -> Floats:
        """Searched for when it is first needed, in the same games whatever is asked for."""
        if not self.functions:
            self.functions.append(rounded(RatioSearch(RATIO_SEARCHED).best()[0]))
        return self.functions[0]


@dataclass(frozen=True)
class _Judge:
    """Judges players of one game; where all courses of it are too many, in played games against optimal play."""

    tablebase: Tablebase
    played: bool = False

    def worst(self, player: Player) -> float:
        return respond(player, self.tablebase.rules).exploitability

    def judged(
        self,
        rule: str,
        player: Player,
        *,
        random: bool = True,
        parameter: float | None = None,
        mix: Floats | None = None,
    ) -> Judged:
        tablebase, optimal = self.tablebase, TablePlayer(self.tablebase)
        named = tablebase.rules, rule, random, parameter, mix
        if self.played:
            result = play_games(player, optimal, (tablebase,), games=GAMES)
            return Judged(*named, None, -Measured.of(result, tablebase.objective))
        loss = -expected_value(player, optimal, tablebase.rules)
        return Judged(*named, self.worst(player), Measured(exactly(loss)))

    def best_parameter(self, family: Family, near: float | None) -> float:
        """The parameter that loses least, to a small fraction of its range: from a grid, or from near the best."""
        tried: dict[float, float] = {}

        def worst(parameter: float) -> float:
            if parameter not in tried:
                tried[parameter] = self.worst(family.make(self.tablebase.cards, parameter))
            return tried[parameter]

        step = (family.high - family.low) / (GRID - 1)
        best = near if near is not None else min((family.low + step * place for place in range(GRID)), key=worst)
        halvings = 0
        while halvings <= HALVINGS:
            around = [best, *(p for p in (best - step, best + step) if family.low <= p <= family.high)]
            better = min(around, key=worst)
            if better == best:
                step /= 2
                halvings += 1
            best = better
        return best


def study_heuristics(request: Request) -> Study:
    """Judge all rules in all games."""
    objective = request.objective or Objective.POINTS
    most = (MOST if request.cards else USUAL)[objective]
    found = request.find(NAME, objective, least=LEAST, most=most, whole=True)
    larger = _larger(request, objective, found)
    games = [*((rules, False) for rules in found.games), *((rules, True) for rules in larger.games)]
    searched = _Searched()
    judged: list[Judged] = []
    sources = []
    for done, (rules, played) in enumerate(games):
        with request.open(rules) as tablebase:
            for one in _judge_all(_Judge(tablebase, played), searched):
                judged.append(one)
                request.on_progress(done, len(games), f"{rules.cards} cards: {one.rule}")
            sources.append(Source.of(tablebase))
    request.on_progress(1, 1, "")
    summary = _summary(judged)
    return Study(
        NAME,
        f"Heuristics: how much do simple rules lose, in {objective.unit}?",
        "What rules that a person could follow lose in a game: to a best response, which knows the rule (its "
        "exploitability), and to optimal play, which does not look at them.",
        summary,
        Grid(DATA, tuple(map(_row, judged))),
        tuple(verdicts(judged)),
        tuple(sources),
        (*notes(judged), *found.left_out, *larger.left_out),
        request.command(NAME),
        LEGEND,
        _parts(summary.names),
    )


def _larger(request: Request, objective: Objective, found: Found) -> Found:
    """The largest solved game, if it is beyond those of which all courses are followed."""
    if request.is_single:
        return Found((), ())
    there = request.find(NAME, objective, least=LEAST, most=FULL_SUIT, whole=True)
    beyond = [rules for rules in there.games if rules not in found.games]
    return Found(tuple(beyond[-1:]), () if found.left_out else there.left_out)


def _judge_all(judge: _Judge, searched: _Searched) -> Iterator[Judged]:
    """All rules in one game; parameters are kept for larger games, in which they are not searched for."""
    rules = judge.tablebase.rules
    cards, small = rules.cards, rules.cards <= SEARCHED[rules.objective] and not judge.played
    for rule in RULES:
        yield judge.judged(rule.name, rule.make(cards), random=rule.random)
    for family in FAMILIES:
        if small:
            near = searched.parameters.get(family.name)
            searched.parameters[family.name] = judge.best_parameter(family, near)
        if (parameter := searched.parameters.get(family.name)) is not None:
            yield judge.judged(family.name, family.make(cards, parameter), parameter=parameter)
    yield judge.judged(FIRST_MOVE, first_move_rule(first_move(judge.tablebase)))
    if not rules.has_leads:
        function = searched.function()
        yield judge.judged(BY_RATIO, TargetPlayer(by_ratio(function, cards), BY_RATIO), mix=function)
        if small:
            start = evenly_up_to(cards, searched.parameters["up to p times"])
            chances = rounded(UpcardSearch(cards).best(start)[0])
            yield judge.judged(BY_UPCARD, TargetPlayer(chances, BY_UPCARD), mix=chances)


def _row(one: Judged) -> tuple[Cell, ...]:
    share = None
    if one.exploitability is not None and not one.rules.has_leads:
        share = one.exploitability / one.rules.total
    return (
        *(str(one.rules.objective), one.cards, one.rule, int(one.random), one.parameter),
        *(one.exploitability, *one.loss.cells, share),
        json.dumps(np.round(one.mix, 12).tolist()) if one.mix is not None else None,
    )


def _summary(judged: Sequence[Judged]) -> Grid:
    """Rules down, games across: exploitability, then the loss to optimal play."""
    exact = sorted({one.cards for one in judged if one.exploitability is not None})
    games = sorted({one.cards for one in judged})
    columns = [
        *(Column("rule"), Column("kind"), Column("parameter", ".2f", "p")),
        *(Column(f"worst_{cards}", ".3f", f"{cards} cards") for cards in exact),
        *(Column(f"loss_{cards}", ".3f", f"{cards} cards") for cards in games),
        *(Column(f"within_{cards}", ".3f", "±") for cards in games if cards not in exact),
    ]
    order = {one.rule: one.exploitability for one in sorted(judged, key=lambda one: one.cards) if one.exploitability}
    last = {one.rule for one in judged if one.cards == exact[-1]}
    rows: list[tuple[Cell, ...]] = []
    for rule in sorted(order, key=lambda name: (name not in last, -order[name])):
        by_game = {one.cards: one for one in judged if one.rule == rule}
        some = next(reversed(by_game.values()))
        rows.append(
            (
                *(rule, "random" if some.random else "fixed", some.parameter),
                *(by_game[cards].exploitability if cards in by_game else None for cards in exact),
                *(by_game[cards].loss.value if cards in by_game else None for cards in games),
                *(by_game[cards].loss.half if cards in by_game else None for cards in games if cards not in exact),
            )
        )
    return Grid(tuple(columns), tuple(rows))


def _parts(names: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    worst = [name for name in names if name.startswith("worst_")]
    loss = [name for name in names if name.startswith(("loss_", "within_"))]
    return (
        ("what a rule loses to a best response", ("rule", "kind", "parameter", *worst)),
        ("what it loses to optimal play", ("rule", *loss)),
    )
