"""Write what the points tables say: first-move tables, the figures of their solves, and the page that shows both.

goofspiel solve 14 --json > 14.json && python docs/results/points.py 14.json
"""

import sys

from solved import HERE, Results

from goofspiel import Objective

PUBLISHED = 13  # cards: the largest first-move table in print
HEAD = """# Points: the first move

What `goofspiel table N` says for every N that was solved, at full precision, and what the solves took. Made by
`python docs/results/points.py`; no number here is typed. Two cores of a shared AVX2 machine.

"""


def page(results: Results) -> str:
    """The page: all runs, and the tables that nobody has published."""
    lines = results.run_lines()
    for cards in results.cards:
        if cards > PUBLISHED:
            lines += results.table_lines(cards)
    lines += ["## Fewer cards", ""]
    lines += [f"- [{cards} cards](points/first-move-{cards}.csv)" for cards in results.cards if cards <= PUBLISHED]
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    points = Results(Objective.POINTS)
    points.add_runs(sys.argv[1:])
    points.write_tables()
    (HERE / "points.md").write_text(page(points), encoding="utf-8")
