"""How much is measured: all of it in some minutes, or a little of everything in less than one."""

import argparse
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """The size of a run."""

    cards: int  # of the table whose games are solved
    levels: tuple[int, ...]
    positions: int  # of a level, each with a game for every upcard
    least_seconds: float  # of the CPU, for what is quick: it is repeated until then
    rival_share: float  # of the games that each other solver is given otherwise
    phase_games: int  # of a level, about
    repeats: int
    optimise: bool  # the driver of the phases, like the kernel: the compiler takes its time
    solves: tuple[int, ...]  # numbers of cards that are solved whole
    paper: tuple[int, ...]  # numbers of cards that are solved by the paper's scheme


FULL = Scale(13, (6, 7, 8, 9, 10), 2000, 1.0, 1.0, 8_000_000, 3, True, tuple(range(1, 13)), (3, 4, 5, 6, 7))
QUICK = Scale(9, (5, 6), 50, 0.05, 0.05, 100_000, 2, False, (6, 7), (3, 4))


def parser(description: str) -> argparse.ArgumentParser:
    """What every script here understands."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--quick", action="store_true", help="a little of everything, to see that it runs")
    return made


def chosen(options: argparse.Namespace) -> Scale:
    """The scale that the options ask for."""
    return QUICK if options.quick else FULL
