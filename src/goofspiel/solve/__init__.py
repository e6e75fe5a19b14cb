"""Solve a table: the plan's blocks, on the threads of this machine."""

from goofspiel.solve.forecast import Forecast, forecast
from goofspiel.solve.progress import Progress
from goofspiel.solve.threads import available_threads, solve

__all__ = ["Forecast", "Progress", "available_threads", "forecast", "solve"]
