"""The command line: verbs only, no maths."""

from goofspiel.cli.main import main

__all__ = ["main"]
