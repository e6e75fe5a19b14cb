"""Write what the tables with carried ties say, and set them beside those where ties are discarded.

goofspiel solve 9 --ties carry --json > 9.json && python docs/results/carry.py 9.json
"""

import sys

import numpy as np
from solved import HERE, WIDTH, Results

from goofspiel import Objective, Rules, Ties
from goofspiel.solver.plan import Plan, size_text
from goofspiel.store import make_layout
from goofspiel.studies.study import paragraph

HEAD = """# Carried ties: the first move

Where a tied prize joins a pot that the next untied round takes: the rule of the LLM arenas. The first-move table of
every N that was solved, for points and to win, and what the solves took. Made by `python docs/results/carry.py`; no
number here is typed. Two cores of a shared AVX-512 machine, with other work on it.

"""
TIES = """## Are ties sought after?

How likely both bid the same in the first round, when both play the mixes of the tables: the mean over the upcards, and
on how many of them a tie is less likely than where ties are discarded. `goofspiel study ties` says more:
[studies](studies.md).

| objective | cards | ties discarded | ties carried | rarer on |
| --- | ---: | ---: | ---: | ---: |
"""


def tie_lines(carried: Results) -> list[str]:
    """A line for every game that both tables are there of."""
    usual = Results(carried.objective, carried.home)
    lines = []
    for cards in sorted({*carried.cards} & {*usual.cards}):
        ties = [np.square(side.read_table(cards)).sum(axis=0) for side in (usual, carried)]
        rarer = int((ties[1] < ties[0] - 1e-9).sum())
        numbers = [f"{float(tie.mean()):.3f}" for tie in ties]
        lines.append("| " + " | ".join([str(carried.objective), str(cards), *numbers, f"{rarer} of {cards}"]) + " |")
    return lines


def next_lines(results: Results) -> list[str]:
    """What the smallest game takes that is not solved."""
    layout = make_layout(Rules(max(results.cards) + 1, objective=results.objective, ties=Ties.CARRY))
    plan = Plan(layout, threads=2)
    disk, memory = (size_text(size) for size in (layout.disk_bytes(), plan.memory_bytes(16 << 30)))
    text = (
        f"Not solved, forecast: {layout.rules.cards} cards, {layout.games:,} games, about {plan.cpu_seconds:,.0f} "
        f"CPU-seconds, {disk} of disk, {memory} of memory."
    )
    return paragraph(text, WIDTH)


def page(both: list[Results]) -> str:
    """The page."""
    lines: list[str] = []
    for results in both:
        lines += [f"## What the solves took: {results.objective}", "", *results.run_lines(), *next_lines(results), ""]
    lines += [TIES.rstrip(), *(line for results in both for line in tie_lines(results)), ""]
    note = (
        "Both players have the same mix at the start, so a tie has the probability of the sum of its squares; where a "
        "mix is one of several, this holds for the one of the table."
    )
    lines += [*paragraph(note, WIDTH), ""]
    for results in both:
        for cards in reversed(results.cards):
            lines += [
                line.replace(f"## {cards} cards", f"## {results.objective}, {cards} cards")
                for line in results.table_lines(cards)
            ]
    return HEAD + "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    both = [Results(objective, ties=Ties.CARRY) for objective in Objective]
    for results in both:
        results.update(sys.argv[1:])
    (HERE / "carry.md").write_text(page(both), encoding="utf-8")
