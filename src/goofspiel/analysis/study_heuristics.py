"""How much do rules of thumb lose? To a best response, which knows the rule, and to optimal play."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from goofspiel.analysis.first_move import first_move
from goofspiel.analysis.study import Cell, Column, Grid, Source, Study, numbers_text
from goofspiel.analysis.study_descent import STEPS, UpcardSearch
from goofspiel.analysis.study_games import expected_points, expected_score
from goofspiel.analysis.study_request import Request
from goofspiel.analysis.study_rules import FAMILIES, RULES, Family, TargetPlayer, first_move_rule, spread
from goofspiel.play import Player, TablePlayer, respond
from goofspiel.prizes import total
from goofspiel.rules import Objective
from goofspiel.tablebase import Tablebase

NAME = "heuristics"
LEAST = 4  # cards: below, bidding the upcard is optimal
USUAL = {Objective.POINTS: 8, Objective.WIN: 6}  # cards: what takes minutes
MOST = {Objective.POINTS: 9, Objective.WIN: 7}  # and up to here on request
SEARCHED = {Objective.POINTS: 7, Objective.WIN: 6}  # cards: parameters are searched for up to here, then kept

GRID = 9  # parameters tried at first, evenly spread
HALVINGS = 6  # then the two neighbours of the best, at half the distance, so many times
BY_UPCARD = "best by upcard"
FIRST_MOVE = "first move throughout"

DATA = (
    *(Column("objective"), Column("cards"), Column("rule"), Column("random"), Column("parameter")),
    *(Column("exploitability"), Column("loss_to_optimal"), Column("share_of_prizes")),
)


@dataclass(frozen=True)
class _Judged:
    """A rule in a game: what a best response gains, and what optimal play gains."""

    cards: int
    rule: str
    random: bool
    parameter: float | None
    exploitability: float
    loss: float


@dataclass(frozen=True)
class _Judge:
    """Judges players of one game."""

    tablebase: Tablebase

    def worst(self, player: Player) -> float:
        return respond(player, cards=self.tablebase.cards, objective=self.tablebase.objective).exploitability

    def loss(self, player: Player) -> float:
        expected = expected_points if self.tablebase.objective == Objective.POINTS else expected_score
        return -expected(player, TablePlayer(self.tablebase), cards=self.tablebase.cards)

    def judged(self, rule: str, player: Player, *, random: bool, parameter: float | None = None) -> _Judged:
        worst, loss = self.worst(player), self.loss(player)
        return _Judged(self.tablebase.cards, rule, random, parameter, worst, loss)

    def best_parameter(self, family: Family) -> float:
        """The parameter that loses least, to a small fraction of its range: first on a grid, then around the best."""
        tried: dict[float, float] = {}

        def worst(parameter: float) -> float:
            if parameter not in tried:
                tried[parameter] = self.worst(family.make(self.tablebase.cards, parameter))
            return tried[parameter]

        step = (family.high - family.low) / (GRID - 1)
        best = min((family.low + step * place for place in range(GRID)), key=worst)
        for _ in range(HALVINGS):
            step /= 2
            near = [best, *(p for p in (best - step, best + step) if family.low <= p <= family.high)]
            best = min(near, key=worst)
        return best


def study_heuristics(request: Request) -> Study:
    """Judge all rules in all games."""
    objective = request.objective or Objective.POINTS
    most = (MOST if request.cards or request.largest else USUAL)[objective]
    found = request.find(NAME, objective, least=LEAST, most=most, whole=True)
    parameters: dict[str, float] = {}
    judged: list[_Judged] = []
    sources = []
    for done, cards in enumerate(found.cards):
        with request.open(cards, objective) as tablebase:
            for rule in _rules(_Judge(tablebase), parameters):
                judged.append(rule)
                request.progress(done, len(found.cards), f"{cards} cards: {rule.rule}")
            sources.append(Source.of(tablebase))
    request.progress(1, 1, "")
    return Study(
        NAME,
        f"Heuristics: how much do simple rules lose, in {objective.unit}?",
        "The exploitability of rules that a person could follow: what a best response, which knows the rule, gains in "
        "a game. And in brackets what they lose to optimal play, which does not look at them.",
        _summary(judged),
        Grid(DATA, tuple(_row(objective, one) for one in judged)),
        tuple(_verdicts(objective, judged)),
        tuple(sources),
        (*_notes(objective, judged), *found.left_out),
        request.command(NAME),
    )


def _rules(judge: _Judge, parameters: dict[str, float]) -> Iterator[_Judged]:
    """All rules in one game; parameters are kept for larger games, in which they are not searched for."""
    cards, objective = judge.tablebase.cards, judge.tablebase.objective
    searched = cards <= SEARCHED[objective]
    for rule in RULES:
        yield judge.judged(rule.name, rule.make(cards), random=rule.random)
    for family in FAMILIES:
        if searched:
            parameters[family.name] = judge.best_parameter(family)
        if (parameter := parameters.get(family.name)) is not None:
            player = family.make(cards, parameter)
            yield judge.judged(family.name, player, random=True, parameter=parameter)
    yield judge.judged(FIRST_MOVE, first_move_rule(first_move(judge.tablebase)), random=True)
    if searched and objective == Objective.POINTS:
        chances, _ = UpcardSearch(cards).best(spread(cards, parameters["up to p times"]))
        yield judge.judged(BY_UPCARD, TargetPlayer(chances, BY_UPCARD), random=True)


def _row(objective: Objective, one: _Judged) -> tuple[Cell, ...]:
    share = one.exploitability / total(one.cards) if objective == Objective.POINTS else None
    return (
        *(str(objective), one.cards, one.rule, int(one.random), one.parameter),
        *(one.exploitability, one.loss, share),
    )


def _summary(judged: Sequence[_Judged]) -> Grid:
    """Rules down, games across: exploitability, and in brackets the loss to optimal play."""
    games = sorted({one.cards for one in judged})
    columns = [Column("rule"), Column("kind"), *(Column(f"cards_{cards}", "", f"{cards} cards") for cards in games)]
    rows: list[tuple[Cell, ...]] = []
    last = games[-1]
    order = {one.rule: one.exploitability for one in sorted(judged, key=lambda one: one.cards)}
    for rule in sorted(order, key=lambda name: (_at(judged, name, last) is None, -order[name])):
        by_game = {one.cards: one for one in judged if one.rule == rule}
        kind = "random" if next(iter(by_game.values())).random else "fixed"
        rows.append((rule, kind, *(_cell(by_game.get(cards)) for cards in games)))
    return Grid(tuple(columns), tuple(rows))


def _cell(one: _Judged | None) -> str | None:
    if one is None:
        return None
    parameter = f" p={one.parameter:.2f}" if one.parameter is not None else ""
    return f"{one.exploitability:.3f} ({one.loss:.3f}){parameter}"


def _at(judged: Sequence[_Judged], rule: str, cards: int) -> _Judged | None:
    return next((one for one in judged if (one.rule, one.cards) == (rule, cards)), None)


def _verdicts(objective: Objective, judged: Sequence[_Judged]) -> list[str]:
    last = max(one.cards for one in judged)
    at_last = {one.rule: one for one in judged if one.cards == last}
    unit = objective.unit
    sentences = {rule.name: rule.sentence for rule in RULES}
    fixed = min((rule for rule in at_last.values() if not rule.random), key=lambda one: one.exploitability)
    said = min((at_last[name] for name in sentences), key=lambda one: one.exploitability)
    verdicts = [
        f"Without chance, the best of these rules is '{fixed.rule}': with {last} cards it loses "
        f"{fixed.exploitability:.3f} {unit} to a best response."
    ]
    if objective == Objective.POINTS:
        verdicts.append(
            "No rule without chance, however clever, loses less than N(N−3)/2: who knows each bid answers it with the "
            "next higher card, the N with the 1, and loses one prize only. 'match' loses just that."
        )
    verdicts.append(
        f"The best rule to remember is '{said.rule}': {sentences[said.rule]}. With {last} cards it loses "
        f"{said.exploitability:.3f} {unit} to a best response, {said.loss:.3f} to optimal play."
    )
    with_parameter = [one for one in at_last.values() if one.parameter is not None]
    if with_parameter:
        best = min(with_parameter, key=lambda one: one.exploitability)
        verdicts.append(
            f"The best rule with one parameter is '{best.rule}' with p = {best.parameter:.2f}: with {last} cards it "
            f"loses {best.exploitability:.3f} ({best.loss:.3f} to optimal play)."
        )
    if by_upcard := [one for one in judged if one.rule == BY_UPCARD]:
        one = by_upcard[-1]
        verdicts.append(
            f"The best rule found that looks at nothing but the upcard, a mix of cards for each, loses "
            f"{one.exploitability:.3f} with {one.cards} cards ({one.loss:.3f} to optimal play)."
        )
    return verdicts


def _notes(objective: Objective, judged: Sequence[_Judged]) -> list[str]:
    games = sorted({one.cards for one in judged})
    kept = [cards for cards in games if cards > SEARCHED[objective]]
    notes = [f"{family.name}: {family.sentence}." for family in (*RULES, *FAMILIES)]
    notes.append(f"{FIRST_MOVE}: the optimal first move in every round, by the upcard; missing cards as above.")
    if objective == Objective.POINTS:
        notes.append(
            f"{BY_UPCARD}: found by {STEPS} steps of descent; a limit from above, no proof that none is better."
        )
    if kept:
        notes.append(f"With {numbers_text(kept)} cards, p is that of {SEARCHED[objective]} cards.")
    return notes
