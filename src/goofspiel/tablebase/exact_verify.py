"""Check an exact table: every file, and a sample of positions solved again by HiGHS, which knows no fractions."""

from goofspiel.errors import DamagedTableError, MissingTableError
from goofspiel.plan import make_plan
from goofspiel.store.exact_table import ExactTable
from goofspiel.tablebase.exact import ExactTablebase
from goofspiel.tablebase.verification import Told, Verification, judge


def verify_exact(
    table: ExactTable, *, samples: int = 200, seed: int = 0, progress: Told = lambda done, all_: None
) -> Verification:
    """Read every prize set, then solve sampled positions again; `progress` is told (done, all) of the prize sets."""
    plan = make_plan(table.cards, objective=table.header.objective)
    most = int(plan.payoff_bound)
    damaged, size = [], 0
    prize_sets = table.prize_sets()
    with ExactTablebase(table) as tablebase:
        for done, which in enumerate(prize_sets, start=1):
            try:
                values = tablebase.row(*which)
                size += table.file(*which).stat().st_size
                if any(abs(value) > most for value in values):
                    damaged.append(f"{table.file(*which)} holds a value above {most}, all there is to win")
            except (DamagedTableError, MissingTableError) as error:
                damaged.append(str(error))
            progress(done, len(prize_sets))
        read = Verification(exact=True, blocks=len(prize_sets), bytes=size, damaged=tuple(damaged))
        if damaged or not prize_sets:
            return read  # what is damaged cannot be asked, and one card leaves nothing to ask
        return judge(
            read,
            plan,
            lambda positions: map(tablebase.stored, positions),
            levels=range(1, table.cards),
            samples=samples,
            seed=seed,
            bound=0.0,
        )
