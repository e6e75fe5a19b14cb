"""What the tables say: first moves, and figures of them."""

from goofspiel.analysis.first_move import FirstMove, first_move

__all__ = ["FirstMove", "first_move"]
