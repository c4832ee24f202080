"""Smoothing: from a tally to a prior, which is a tally that was imagined.

    1, 0.5, any α     α of everything that can be seen: Laplace, Jeffreys (for shares), Lidstone
    Jeffreys()        the prior that does not depend on how parameters are written down
    Beta(a, b)        a yes and b no (Bernoulli), a successes and b failures (Geometric)
    Values(n, m, v)   n values with mean m and variance v
    Empirical()       α from the tally itself: the one that makes what was counted most likely

>>> from deciban import Bernoulli
>>> tally = Bernoulli().tally([[1], [1], [0], [0]], ["spam", "spam", "spam", "ham"])
>>> Beta(9, 1).imagine(tally).sums["ones"].tolist()
[[9], [9]]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.errors import BadPrior
from deciban.families.urns import likeliest_alpha
from deciban.tally import Tally


@dataclass(frozen=True)
class Laplace:
    """One of everything that can be seen: the prior of Laplace's rule of succession."""

    def imagine(self, tally: Tally) -> Tally:
        """The prior as a tally."""
        return tally.family.imagine(1, tally)


@dataclass(frozen=True)
class Jeffreys:
    """The prior that does not depend on how the parameters are written down."""

    def imagine(self, tally: Tally) -> Tally:
        """The prior as a tally."""
        return tally.family.imagine_jeffreys(tally)


@dataclass(frozen=True)
class Beta:
    """A Beta(a, b) prior on a probability."""

    a: float
    b: float

    def imagine(self, tally: Tally) -> Tally:
        """The prior as a tally."""
        if not (self.a >= 0 and self.b >= 0):
            raise BadPrior(f"Beta(a, b) needs a and b of 0 or more, got {self.a} and {self.b}.")
        return tally.family.imagine_beta(tally, self.a, self.b)


@dataclass(frozen=True)
class Values:
    """n imagined values of each feature, with this mean and (where the family has one) this variance."""

    n: float
    mean: Any
    variance: Any = None

    def imagine(self, tally: Tally) -> Tally:
        """The prior as a tally."""
        if not self.n >= 0:
            raise BadPrior(f"n must be 0 or more, got {self.n} instead.")
        return tally.family.imagine_values(tally, self.n, self.mean, self.variance)


@dataclass(frozen=True)
class Empirical:
    """α estimated from the tally alone (empirical Bayes), one number for each kind of feature."""

    tolerance: float = 1e-6
    steps: int = 10_000

    def imagine(self, tally: Tally) -> Tally:
        """The prior as a tally."""
        return tally.family.imagine_empirical(tally, self.tolerance, self.steps)

    def estimate(self, counts: NDArray[Any], *, symmetric: bool) -> NDArray[np.float64]:
        """The most likely α of each cell for draws (rows of counts); all the same if symmetric."""
        return likeliest_alpha(counts, symmetric=symmetric, tolerance=self.tolerance, steps=self.steps)
