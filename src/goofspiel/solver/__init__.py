"""Solve a table: the plan's blocks, on the threads of this machine or on the workers of a cluster."""

from goofspiel.solver.begin import solve
from goofspiel.solver.forecast import Forecast, forecast
from goofspiel.solver.machine import available_threads, peak_memory
from goofspiel.solver.progress import Progress

__all__ = ["Forecast", "Progress", "available_threads", "forecast", "peak_memory", "solve"]
