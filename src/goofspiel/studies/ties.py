"""Carried ties against discarded ones: are ties sought after, do the first bids change, does parity survive?"""

from collections.abc import Sequence

import numpy as np

from goofspiel.cards import MAX_CARDS
from goofspiel.render.first_moves import first_move
from goofspiel.rules import Objective, Rules, Ties
from goofspiel.studies.objectives import cost_of, first_answers, total_variation
from goofspiel.studies.parity import Parity
from goofspiel.studies.request import Request
from goofspiel.studies.study import Cell, Column, Grid, Source, Study, as_number, numbers_text
from goofspiel.tablebase import Tablebase
from goofspiel.tablebase.answer import Answer

NAME = "ties"
LEAST = 3  # cards: below, both rules bid the upcard

DATA = (
    *(Column("objective"), Column("cards"), Column("upcard")),
    *(Column("tie_discarded"), Column("tie_carried"), Column("difference")),
    *(Column("discard_mix_gives_up"), Column("discard_mix_gives_up_at_worst")),
)
SUMMARY = (
    *(Column("objective"), Column("cards")),
    Column("tie_discarded", ".3f", "ties"),
    Column("tie_carried", ".3f", "carried"),
    Column("rarer", "", "rarer on"),
    Column("difference", ".3f", "differ"),
    Column("upcard", "d", "most on"),
    Column("discard_mix_gives_up", ".4f", "costs"),
    Column("discard_mix_gives_up_at_worst", ".4f", "at worst"),
    Column("parity_discarded", ".3f", "parity"),
    Column("parity_carried", ".3f", "carried"),
    Column("parity_shuffled", ".3f", "shuffled"),
)
LEGEND = (
    "Means over the upcards of the first round. ties: how likely both bid the same where ties are discarded; carried: "
    "the same where they are carried over; rarer on: the upcards on which a tie is then less likely. differ: how much "
    "of the probability the first mixes do not share; most on: the upcard where that is most. costs: what the mix for "
    "discarded ties gives up where they are carried over, against an optimal mix, and at worst against a best answer.",
    "parity: how much of the probability is on whichever parity prevails on an upcard, where ties are discarded and "
    "where they are carried; shuffled: the same of the latter mixes with their probabilities shuffled over the bids.",
)


def tie_chance(answer: Answer[float]) -> float:
    """How likely both bid the same when both play their optimal mixes."""
    return sum(p * answer.theirs.get(card, 0.0) for card, p in answer.mine.items())


def study_ties(request: Request) -> Study:
    """Compare the two rules in all games that are solved for both."""
    rows: list[tuple[Cell, ...]] = []
    summary: list[tuple[Cell, ...]] = []
    sources: list[Source] = []
    left_out: list[str] = []
    games: list[Rules] = []
    for objective in request.objectives(NAME):
        found = [request.find(NAME, objective, least=LEAST, most=MAX_CARDS, ties=ties) for ties in Ties]
        carried = {rules.cards for rules in found[1].games}
        games += [rules for rules in found[0].games if rules.cards in carried]
        left_out += [line for some in found for line in some.left_out]
    for rules in request.each(games):
        with request.open(rules) as discards, request.open(Rules.of(rules, ties=Ties.CARRY)) as carries:
            here = _rows(discards, carries)
            rows += here
            summary.append(_summary_row(discards, carries, here))
            sources += [Source.of(discards), Source.of(carries)]
    return Study(
        NAME,
        "Ties: discarded, or carried over to the next round",
        "Where a tied prize joins a pot that the next untied round takes: are ties in the first round more or less "
        "likely, how far do the first mixes move, what does it cost to play as if ties were discarded, and do the bids "
        "still follow the parity of the upcard?",
        Grid(SUMMARY, tuple(summary)),
        Grid(DATA, tuple(rows)),
        tuple(_verdicts(summary)),
        tuple(sources),
        (
            "Of several optimal mixes, what is said holds for those that the kernel finds.",
            *left_out,
        ),
        request.command(NAME),
        LEGEND,
    )


def _rows(discards: Tablebase, carries: Tablebase) -> list[tuple[Cell, ...]]:
    """One an upcard."""
    return [
        (
            str(discards.objective),
            discards.cards,
            upcard,
            tie_chance(usual),
            tie_chance(carried),
            total_variation(usual, carried),
            *cost_of(usual, carried),
        )
        for upcard, (usual, carried) in enumerate(
            zip(first_answers(discards), first_answers(carries), strict=True), start=1
        )
    ]


def _summary_row(discards: Tablebase, carries: Tablebase, rows: Sequence[tuple[Cell, ...]]) -> tuple[Cell, ...]:
    numbers = np.array([[as_number(cell) for cell in row[3:]] for row in rows])
    tie, carried, difference, cost, worst = numbers.mean(axis=0).tolist()
    usual, other = Parity(first_move(discards)), Parity(first_move(carries))
    rarer = int((numbers[:, 1] < numbers[:, 0]).sum())
    most = 1 + int(numbers[:, 2].argmax())
    shares = (float(np.mean(share)) for share in (usual.one_parity(), other.one_parity(), other.shuffled()))
    game = str(discards.objective), discards.cards
    return (*game, tie, carried, f"{rarer} of {len(rows)}", difference, most, cost, worst, *shares)


def _verdicts(summary: Sequence[tuple[Cell, ...]]) -> list[str]:
    """One sentence a question, for each objective."""
    verdicts = []
    names = [column.name for column in SUMMARY]
    for objective in Objective:
        own = [dict(zip(names, row, strict=True)) for row in summary if row[0] == objective]
        if not own:
            continue
        last = own[-1]
        tie, carried = as_number(last["tie_discarded"]), as_number(last["tie_carried"])
        cards = [int(as_number(row["cards"])) for row in own]
        likelier = [as_number(row["tie_carried"]) > as_number(row["tie_discarded"]) for row in own]
        more = [number for number, so in zip(cards, likelier, strict=True) if so]
        where = f"with {numbers_text(more)} cards" if more else "with no number of cards"
        verdicts.append(
            f"{objective}: with {last['cards']} cards, both bid the same in the first round with probability "
            f"{carried:.3f} where ties are carried over, {tie:.3f} where they are discarded. On average over the "
            f"upcards, carrying makes ties more likely {where}, out of {numbers_text(cards)}."
        )
        verdicts.append(
            f"{objective}: who plays the first round of {last['cards']} cards as if ties were discarded gives up "
            f"{last['discard_mix_gives_up']:.4f} against an optimal mix, {last['discard_mix_gives_up_at_worst']:.4f} "
            "against a best answer."
        )
        large = [row for row in own if as_number(row["cards"]) >= 5]
        if large:
            shares = [float(np.mean([as_number(row[name]) for row in large])) for name in names[-3:]]
            survives = "survives" if shares[1] > (shares[0] + shares[2]) / 2 else "fades"
            verdicts.append(
                f"{objective}: parity {survives} where ties are carried over: from 5 cards on, the parity that "
                f"prevails on an upcard has {shares[1]:.2f} of the probability, where ties are discarded "
                f"{shares[0]:.2f}; with probabilities shuffled over the bids {shares[2]:.2f}."
            )
    return verdicts
