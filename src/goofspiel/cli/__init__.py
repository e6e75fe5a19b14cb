"""The command line: verbs only, no maths."""

from goofspiel.cli.command import main

__all__ = ["main"]
