"""Solve a table: the plan's blocks, on the threads of this machine."""

from goofspiel.solver.forecast import Forecast, forecast
from goofspiel.solver.progress import Progress
from goofspiel.solver.threads import available_threads, solve

__all__ = ["Forecast", "Progress", "available_threads", "forecast", "solve"]
