"""Means with confidence intervals, gathered batch by batch."""

from dataclasses import dataclass, field
from math import inf, sqrt

import numpy as np

from goofspiel.arrays import Floats

CONFIDENCE = 0.95
DEVIATIONS = 1.959963984540054  # of a normal distribution, on both sides of its mean: CONFIDENCE lies between
LEAST = 10  # observations from which a regression is taken seriously


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and its interval of confidence."""

    mean: float
    """The mean of what was observed."""
    low: float
    """The lower end of the interval that holds the true mean with 95 % confidence."""
    high: float
    """Its upper end."""
    variance: float
    """That of a single observation."""

    def holds(self, value: float) -> bool:
        """Whether a value lies in the interval."""
        return self.low <= value <= self.high


@dataclass(slots=True)
class Sums:
    """What is needed of many observations."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, observed: Floats) -> None:
        """Take more observations in."""
        self.count += len(observed)
        self.total += float(observed.sum())
        self.squares += float(np.square(observed).sum())

    @property
    def mean(self) -> float:
        """Of all observations."""
        return self.total / self.count if self.count else 0.0

    @property
    def variance(self) -> float:
        """Of one observation; unknown, and so infinite, from fewer than two."""
        if self.count < 2:
            return inf
        return max(self.squares - self.count * self.mean**2, 0.0) / (self.count - 1)

    def estimate(self) -> Estimate:
        """The mean, by the central limit theorem."""
        half = DEVIATIONS * sqrt(self.variance / self.count) if self.count > 1 else inf
        return Estimate(self.mean, self.mean - half, self.mean + half, self.variance)

    def share(self) -> Estimate:
        """The mean of observations between 0 and 1 by Wilson's method, which is right near 0 and 1 as well.

        Observations that vary less than single yes-or-no answers would (such as means of two games) count for more.
        """
        if not self.count:
            return Estimate(0.0, 0.0, 1.0, inf)
        p, variance = self.mean, self.variance
        single = p * (1 - p)
        count = self.count * single / variance if 0 < variance < inf and single else self.count
        z = DEVIATIONS**2 / count
        middle = (p + z / 2) / (1 + z)
        half = sqrt(z * (single + z / 4)) / (1 + z)
        return Estimate(p, max(middle - half, 0.0), min(middle + half, 1.0), variance)


@dataclass(slots=True)
class ControlledSums:
    """Observations beside their luck, whose mean is known to be 0: what luck explains of them is taken away.

    As much of the luck is taken as leaves the least variance (a control variate with the regression's coefficient).
    """

    observed: Sums = field(default_factory=Sums)
    luck: Sums = field(default_factory=Sums)
    products: float = 0.0

    def add(self, observed: Floats, luck: Floats) -> None:
        """Take more observations in."""
        self.observed.add(observed)
        self.luck.add(luck)
        self.products += float(observed @ luck)

    def estimate(self) -> Estimate:
        """The mean of the observations without luck."""
        count, seen, luck = self.observed.count, self.observed, self.luck
        if count < LEAST or not luck.variance:
            return seen.estimate()
        covariance = (self.products - count * seen.mean * luck.mean) / (count - 1)
        share = covariance / luck.variance
        mean, variance = seen.mean - share * luck.mean, max(seen.variance - share * covariance, 0.0)
        half = DEVIATIONS * sqrt(variance / count)
        return Estimate(mean, mean - half, mean + half, variance)
