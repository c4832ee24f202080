"""Smoothing: from a tally to a prior, which is a tally that was imagined.

    1, 0.5, any α     α of everything that can be seen: Laplace, Jeffreys (for shares), Lidstone
    Jeffreys()        the prior that does not depend on how parameters are written down
    Beta(a, b)        a yes and b no (Bernoulli), a successes and b failures (Geometric)
    Values(n, m, v)   n values with mean m and variance v
    Empirical()       α from the tally itself: the one that makes what was counted most likely
    EmpiricalWords(α) that for the words of texts, and α for everything else

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
from deciban.families.texts import Texts
from deciban.families.urns import likeliest_alpha
from deciban.tally import Tally


@dataclass(frozen=True)
class Laplace:
    """One of everything that can be seen: the prior of Laplace's rule of succession.

    Examples
    --------
    >>> from deciban import Bernoulli
    >>> Bernoulli().tally([[1]], ["a"]).read("mean", Laplace()).parameters["probability"].round(2).tolist()
    [[0.67]]
    """

    def imagine(self, tally: Tally) -> Tally:
        """The prior as a tally."""
        return tally.family._imagine(1, tally)


@dataclass(frozen=True)
class Jeffreys:
    """The prior that does not depend on how the parameters are written down.

    Examples
    --------
    >>> from deciban import Bernoulli
    >>> Bernoulli().tally([[1]], ["a"]).read("mean", Jeffreys()).parameters["probability"].tolist()
    [[0.75]]
    """

    def imagine(self, tally: Tally) -> Tally:
        """The prior as a tally."""
        return tally.family._imagine_jeffreys(tally)


@dataclass(frozen=True)
class Beta:
    """A Beta(a, b) prior on a probability, for Bernoulli and Geometric.

    Parameters
    ----------
    a, b : imagined ones, and imagined zeros.

    Examples
    --------
    >>> from deciban import Bernoulli
    >>> Bernoulli().tally([[1]], ["a"]).read("mean", Beta(1, 3)).parameters["probability"].tolist()
    [[0.4]]
    """

    a: float
    b: float

    def imagine(self, tally: Tally) -> Tally:
        """The prior as a tally."""
        if not (self.a >= 0 and self.b >= 0):
            raise BadPrior(f"Beta(a, b) needs a and b of 0 or more, got {self.a} and {self.b}.")
        return tally.family._imagine_beta(tally, self.a, self.b)


@dataclass(frozen=True)
class Values:
    """n imagined values of each feature, with this mean and (where the family has one) this variance.

    Parameters
    ----------
    n : how many values are imagined.
    mean : their mean, one for all features or one for each.
    variance : their variance, the same way, where the family has one.

    Examples
    --------
    >>> from deciban import Poisson
    >>> Poisson().tally([[4]], ["a"]).read("mean", Values(1, mean=2)).parameters["rate"].tolist()
    [[3.0]]
    """

    n: float
    mean: Any
    variance: Any = None

    def imagine(self, tally: Tally) -> Tally:
        """The prior as a tally."""
        if not self.n >= 0:
            raise BadPrior(f"n must be 0 or more, got {self.n} instead.")
        return tally.family._imagine_values(tally, self.n, self.mean, self.variance)


@dataclass(frozen=True)
class Empirical:
    """α estimated from the tally alone (empirical Bayes), one number for each kind of feature.

    Parameters
    ----------
    tolerance : the search ends when α changes by less than this share.
    steps : … or after so many steps.

    Examples
    --------
    >>> from deciban import Multinomial, NaiveBayes
    >>> model = NaiveBayes(Multinomial(), prior=Empirical()).fit([[9, 0], [0, 9]], ["a", "b"])
    >>> model.predict([[1, 0]]).tolist()
    ['a']
    """

    tolerance: float = 1e-6
    steps: int = 10_000

    def imagine(self, tally: Tally) -> Tally:
        """The prior as a tally."""
        return tally.family._imagine_empirical(tally, self.tolerance, self.steps)

    def estimate(self, counts: NDArray[Any], *, symmetric: bool) -> NDArray[np.float64]:
        """The most likely α of each cell for draws (rows of counts); all the same if symmetric."""
        return likeliest_alpha(counts, symmetric=symmetric, tolerance=self.tolerance, steps=self.steps)


@dataclass(frozen=True)
class EmpiricalWords:
    """α estimated from the tally for the words of texts, and a given α for everything else.

    α = 1 of each of hundreds of words outweighs what a few hundred texts have told: with the names of 406
    cars beside seven columns of numbers the log-loss was .296 so, in five folds, and is .198 with this.
    """

    alpha: float = 1.0

    def imagine(self, tally: Tally) -> Tally:
        """The prior as a tally."""
        if isinstance(tally.family, Texts):
            return tally.family._imagine_empirical(tally)
        return tally.family._imagine(self.alpha, tally)
