"""Solve tables on the threads of this machine or on the workers of a cluster, in doubles or in fractions."""

from goofspiel.solver.api import solve
from goofspiel.solver.forecasts import Forecast, forecast
from goofspiel.solver.progress import Progress
from goofspiel.solver.resources import available_threads, peak_memory

__all__ = ["Forecast", "Progress", "available_threads", "forecast", "peak_memory", "solve"]
