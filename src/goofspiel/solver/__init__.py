"""Solve a table: the plan's blocks, on the threads of this machine."""

from goofspiel.solver.forecast import Forecast, forecast
from goofspiel.solver.machine import available_threads, peak_memory
from goofspiel.solver.progress import Progress
from goofspiel.solver.threads import solve

__all__ = ["Forecast", "Progress", "available_threads", "forecast", "peak_memory", "solve"]
