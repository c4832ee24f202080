"""What Poisson and Geometric have in common: whole numbers; only their sum and how many there are matter.

T(x) = x          tally: sum, n
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from deciban.errors import BadPrior
from deciban.families.family import Family
from deciban.families.reading import Floats
from deciban.membership import Matrix
from deciban.tally import ROUNDING, Tally


class WholeNumbers(Family):
    """Numbers 0, 1, 2, … whose tally is their sum and how many there were."""

    _zero_adds_nothing: ClassVar[bool] = True
    _placeholders: ClassVar[Mapping[str, float]] = {"n": 2, "sum": 2}

    def _statistics(self, values: Any, missing: Any = None) -> Mapping[str, Matrix]:  # noqa: ARG002
        """T(x) = x."""
        return {"sum": values}

    def _imagine_alpha(self, tally: Tally, alpha: NDArray[Any]) -> Tally:
        """α values like all the data together; one more event in one more row keeps their mean above zero."""
        total, n = (tally.sums[name].sum(axis=0, dtype=float) for name in ("sum", "n"))
        mean = (total + 1) / (n + 1)
        return self._imagine_values(tally, alpha, mean)

    def _imagine_values(self, tally: Tally, n: Any, mean: Any, variance: Any = None) -> Tally:
        """n values with this mean; a Poisson's Gamma(a, b) prior is n = b and mean = a / b."""
        if variance is not None or np.any(np.asarray(mean) < 0):
            raise BadPrior(
                f"{type(self).__name__} imagines n values with a mean of 0 or more, and no variance."
            )
        return self._imagine_sums(tally, n, np.multiply(n, mean))

    def _imagine_sums(self, tally: Tally, n: Any, total: Any) -> Tally:
        """n values that add up to a total, which may be more than n values can (Jeffreys')."""
        nothing = np.zeros(tally.sums["n"].shape)
        return tally.imagined({"n": nothing + n, "sum": nothing + total})

    def _is_constant(self, tally: Tally) -> NDArray[np.bool_]:
        """Whether all are zero, or every label has the same mean: these sums know no more."""
        n, total = (np.asarray(tally.sums[name], dtype=float) for name in ("n", "sum"))
        if len(tally.labels) == 1:
            return np.asarray(total[0] == 0)
        expected = n * (total.sum(axis=0) / np.maximum(n.sum(axis=0), 1e-300))
        return np.asarray((np.abs(total - expected) <= ROUNDING * expected).all(axis=0))

    def _repeats(self, X: Any) -> NDArray[np.bool_]:
        """Whether the smallest and the largest are one."""
        if sparse.issparse(X):
            ends = (np.asarray(end.toarray()).ravel() for end in (X.nanmin(axis=0), X.nanmax(axis=0)))
        else:
            ends = (end.reduce(X, axis=0) for end in (np.fmin, np.fmax))
        return np.asarray(np.equal(*ends))

    def _free_parameters(self, tally: Tally) -> int:
        """A rate or a probability for each label and feature."""
        return int(tally.sums["n"].size)


def sums_of(posterior: Tally) -> tuple[Floats, Floats]:
    """How many values there were, and their sum, as floats."""
    return np.asarray(posterior.sums["n"], dtype=float), np.asarray(posterior.sums["sum"], dtype=float)
