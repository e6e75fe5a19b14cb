"""The command line: verbs only, no maths."""

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code: 0 done, 1 failed or not found, 2 usage."""
    try:
        from goofspiel.cli.command import main as run
    except KeyboardInterrupt:  # before there are verbs
        print("goofspiel: interrupted", file=sys.stderr)
        return 1
    return run(arguments)
