"""How much do rules of thumb lose? To a best response, which knows the rule, and to optimal play."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from goofspiel.arrays import Floats
from goofspiel.best_response.expectation import Measured, estimated, expected_points, expected_score
from goofspiel.best_response.response import respond
from goofspiel.matches.playing import play_match
from goofspiel.players.players import Player, TablePlayer
from goofspiel.rules import Objective
from goofspiel.states.prize_sets import total
from goofspiel.studies.descent import RatioSearch, UpcardSearch, rounded
from goofspiel.studies.heuristics_words import BY_RATIO, BY_UPCARD, FIRST_MOVE, LEGEND, notes, verdicts
from goofspiel.studies.judged import GAMES, RATIO_SEARCHED, SEARCHED, SEED, Judged
from goofspiel.studies.request import FULL_SUIT, Found, Request
from goofspiel.studies.study import Cell, Column, Grid, Source, Study
from goofspiel.studies.upcard_rules import FAMILIES, RULES, Family, TargetPlayer, by_ratio, first_move_rule, spread
from goofspiel.tablebase import Tablebase
from goofspiel.tablebase.first_moves import first_move

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
class _Found:
    """What was searched for in smaller games, and is kept for larger ones."""

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
        return respond(player, cards=self.tablebase.cards, objective=self.tablebase.objective).exploitability

    def loss(self, player: Player) -> float:
        expected = expected_points if self.tablebase.objective == Objective.POINTS else expected_score
        return -expected(player, TablePlayer(self.tablebase), cards=self.tablebase.cards)

    def judged(
        self,
        rule: str,
        player: Player,
        *,
        random: bool = True,
        parameter: float | None = None,
        mix: Floats | None = None,
    ) -> Judged:
        tablebase = self.tablebase
        named = tablebase.cards, rule, random, parameter, mix
        if not self.played:
            return Judged(*named, self.worst(player), Measured(self.loss(player)))
        result = play_match(
            player,
            TablePlayer(tablebase),
            cards=tablebase.cards,
            games=GAMES,
            seed=SEED,
            duplicate=True,
            control=(tablebase,),
        )
        return Judged(*named, None, estimated(result, tablebase.objective, seed=SEED)[1])

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
    most = (MOST if request.cards or request.largest else USUAL)[objective]
    found = request.find(NAME, objective, least=LEAST, most=most, whole=True)
    larger = _larger(request, objective, found)
    games = [*((cards, False) for cards in found.cards), *((cards, True) for cards in larger.cards)]
    kept = _Found()
    judged: list[Judged] = []
    sources = []
    for done, (cards, played) in enumerate(games):
        with request.open(cards, objective) as tablebase:
            for one in _rules(_Judge(tablebase, played), kept):
                judged.append(one)
                request.progress(done, len(games), f"{cards} cards: {one.rule}")
            sources.append(Source.of(tablebase))
    request.progress(1, 1, "")
    return Study(
        NAME,
        f"Heuristics: how much do simple rules lose, in {objective.unit}?",
        "What rules that a person could follow lose in a game: to a best response, which knows the rule (its "
        "exploitability), and to optimal play, which does not look at them.",
        _summary(judged),
        Grid(DATA, tuple(_row(objective, one) for one in judged)),
        tuple(verdicts(objective, judged)),
        tuple(sources),
        (*notes(objective, judged), *found.left_out, *larger.left_out),
        request.command(NAME),
        LEGEND,
        _parts(judged),
    )


def _larger(request: Request, objective: Objective, found: Found) -> Found:
    """The largest solved game, if it is beyond those of which all courses are followed."""
    if request.cards is not None:
        return Found(objective, (), ())
    there = request.find(NAME, objective, least=LEAST, most=FULL_SUIT, whole=True)
    beyond = [cards for cards in there.cards if cards > max(found.cards, default=0)]
    return Found(objective, tuple(beyond[-1:]), () if found.left_out else there.left_out)


def _rules(judge: _Judge, kept: _Found) -> Iterator[Judged]:
    """All rules in one game; parameters are kept for larger games, in which they are not searched for."""
    cards, objective = judge.tablebase.cards, judge.tablebase.objective
    searched = cards <= SEARCHED[objective] and not judge.played
    for rule in RULES:
        yield judge.judged(rule.name, rule.make(cards), random=rule.random)
    for family in FAMILIES:
        if searched:
            kept.parameters[family.name] = judge.best_parameter(family, kept.parameters.get(family.name))
        if (parameter := kept.parameters.get(family.name)) is not None:
            yield judge.judged(family.name, family.make(cards, parameter), parameter=parameter)
    yield judge.judged(FIRST_MOVE, first_move_rule(first_move(judge.tablebase)))
    if objective == Objective.POINTS:
        function = kept.function()
        yield judge.judged(BY_RATIO, TargetPlayer(by_ratio(function, cards), BY_RATIO), mix=function)
        if searched:
            chances = rounded(UpcardSearch(cards).best(spread(cards, kept.parameters["up to p times"]))[0])
            yield judge.judged(BY_UPCARD, TargetPlayer(chances, BY_UPCARD), mix=chances)


def _row(objective: Objective, one: Judged) -> tuple[Cell, ...]:
    known = objective == Objective.POINTS and one.exploitability is not None
    return (
        *(str(objective), one.cards, one.rule, int(one.random), one.parameter),
        *(one.exploitability, one.loss.value, one.loss.low, one.loss.high, one.loss.method),
        one.exploitability / total(one.cards) if known and one.exploitability is not None else None,
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


def _parts(judged: Sequence[Judged]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    names = _summary(judged).names
    worst = [name for name in names if name.startswith("worst_")]
    loss = [name for name in names if name.startswith(("loss_", "within_"))]
    return (
        ("what a rule loses to a best response", ("rule", "kind", "parameter", *worst)),
        ("what it loses to optimal play", ("rule", *loss)),
    )
