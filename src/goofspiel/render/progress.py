"""Progress on standard error: a bar on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import log

from goofspiel.hidden.solving import HiddenProgress
from goofspiel.solver import Progress

LINE_SECONDS = 5.0  # between plain lines


@contextmanager
def _steps(what: str, *, quiet: bool) -> Iterator[Callable[[int, int, str], None]]:
    """Show (done, all, remark)."""
    if quiet:
        yield lambda done, whole, remark: None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
        from rich.progress import TimeRemainingColumn as Remaining

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[remark]}"),
            TimeElapsedColumn(),
            Remaining(),
        )
        with Progress(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task(what, total=None, remark="")
            yield lambda done, whole, remark: bar.update(task, completed=done, total=max(whole, 1), remark=remark)
    else:
        said = time.monotonic()

        def line(done: int, whole: int, remark: str) -> None:
            nonlocal said
            if done == whole or time.monotonic() - said >= LINE_SECONDS:
                said = time.monotonic()
                print(f"{what} {100 * done // max(whole, 1):3}% {remark}".rstrip(), file=sys.stderr, flush=True)

        yield line


@contextmanager
def solve_progress(*, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """For `solve`: games solved, and the level."""
    with _steps("solving", quiet=quiet) as show:
        yield lambda p: show(p.games_done, p.games, f"level {p.level} of {p.levels}")


@contextmanager
def hidden_progress(*, quiet: bool) -> Iterator[Callable[[HiddenProgress], None]]:
    """For `solve` where bids are hidden: the gap as it falls, on a logarithmic scale."""
    with _steps("solving", quiet=quiet) as show:

        def tell(p: HiddenProgress) -> None:
            whole = max(log(p.first_gap / p.wanted), 1e-9) if p.first_gap > p.wanted else 1.0
            left = log(p.gap / p.wanted) if p.gap > p.wanted else 0.0
            done = 1000 - round(1000 * min(left / whole, 1.0))
            step = f" iteration {p.iterations:,}" * bool(p.iterations)
            show(done, 1000, f"{p.method}{step}, gap {p.gap:.1e} of {p.wanted:.1e}")

        yield tell


@contextmanager
def verify_progress(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """For `verify`: blocks read."""
    with _steps(f"reading {what}", quiet=quiet) as show:
        yield lambda done, whole: show(done, whole, f"{done} of {whole} blocks")


@contextmanager
def match_progress(*, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """For `match`: games played."""
    with _steps("playing", quiet=quiet) as show:
        yield lambda done, whole: show(done, whole, f"{done:,} of {whole:,} games")


@contextmanager
def judge_progress(games: int, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """For `judge`: games judged, of so many."""
    with _steps("judging", quiet=quiet) as show:
        yield lambda done: show(done, games, f"{done:,} of {games:,} games")


@contextmanager
def export_progress(*, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """For `export`: positions written."""
    with _steps("writing", quiet=quiet) as show:
        yield lambda done, whole: show(done, whole, f"{done:,} positions")


@contextmanager
def respond_progress(*, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """For `respond`: questions to the player that are answered."""
    with _steps("responding", quiet=quiet) as show:
        yield lambda done, whole: show(done, whole, f"{done:,} of {whole:,} positions")


@contextmanager
def tabulate_progress(*, quiet: bool) -> Iterator[Callable[[int, int, int], None]]:
    """For `respond`: positions that a player of the user's own was asked about, and their level."""
    with _steps("asking", quiet=quiet) as show:
        yield lambda done, whole, level: show(done, whole, f"{done:,} of {whole:,} positions, {level} cards in a hand")


@contextmanager
def study_progress(*, quiet: bool) -> Iterator[Callable[[int, int, str], None]]:
    """For `study`: tables looked at, and which is next."""
    with _steps("studying", quiet=quiet) as show:
        yield show


@contextmanager
def site_progress(*, quiet: bool) -> Iterator[Callable[[int, int, str], None]]:
    """For `site`: bytes written, and of which table."""
    with _steps("writing", quiet=quiet) as show:
        yield show


@contextmanager
def get_progress(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """For `get`: bytes that have arrived."""
    with _steps(f"fetching {what}", quiet=quiet) as show:
        yield lambda done, whole: show(done, whole, f"{done / 2**20:,.1f} of {whole / 2**20:,.1f} MiB")
