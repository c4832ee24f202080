"""Bernoulli: yes or no. A word is in the mail or it is not; a pixel is on or off.

    T(x) = x          tally: ones, n          prior: Beta(a, b), that is a ones among a + b
    log p(x | θ) = x · log(θ / (1 − θ)) + log(1 − θ)

With 3 mails of which 2 have the word, and Laplace's one imagined mail of either kind:

>>> reading = Bernoulli().tally([[1], [1], [0]], ["spam"] * 3).read("mean", prior=1)
>>> reading.parameters["probability"].tolist()          # (2 + 1) / (3 + 2)
[[0.6]]

`bayes` reads the same as `mean`: the chance of one more yes *is* the posterior mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.special import betaln

from deciban.errors import BadPrior
from deciban.families._predictive import take_log_odds
from deciban.families.dirichlet import draw_shares, refuse_boundary, share
from deciban.families.family import Family, refuse_empty, refuse_negative
from deciban.families.matrices import matrix_of
from deciban.families.reading import Form, Late, PointReading, Reading, counting
from deciban.families.support import Support
from deciban.families.urns import STEPS, TOLERANCE, likeliest_alpha
from deciban.membership import Matrix
from deciban.tally import ROUNDING, Tally, narrow


@dataclass(frozen=True)
class Bernoulli(Family):
    """Yes or no.

    Parameters
    ----------
    binarize : a number t, above which a value is a yes; without it values must be 0 and 1.

    Examples
    --------
    >>> tally = Bernoulli(binarize=0.0).tally([[3, 0], [1, 0], [0, 2]], ["spam", "spam", "ham"])
    >>> tally.sums["ones"].tolist()                        # ham, spam
    [[0, 1], [2, 0]]
    """

    binarize: float | None = None

    _support: ClassVar[Support] = Support(
        "values 0 and 1",
        "Use Bernoulli(binarize=0.0) to ask only whether it is above zero, or Poisson() for counts.",
        least=0,
        most=1,
        whole=True,
    )
    _zero_adds_nothing: ClassVar[bool] = True
    _zero_is_absence: ClassVar[bool] = True
    _placeholders: ClassVar[Mapping[str, float]] = {"n": 2, "ones": 1}

    def __post_init__(self) -> None:
        given = self.binarize
        if given is not None and not (isinstance(given, (int, float, np.number)) and np.isfinite(given)):
            raise ValueError(f"binarize must be a finite number or None, got {given!r} instead.")

    def _admit(self, X: Any, names: Any = None) -> Any:
        """Numbers above the threshold become ones; without a threshold only 0 and 1 are accepted."""
        if self.binarize is None:
            return super()._admit(X, names)
        matrix = matrix_of(X)
        if not sparse.issparse(matrix):
            gaps = np.isnan(matrix) if matrix.dtype.kind == "f" else np.zeros(1, dtype=bool)
            above = matrix > self.binarize
            return np.where(gaps, np.nan, above) if gaps.any() else above.astype(np.int8)
        if self.binarize < 0:
            raise ValueError(
                f"binarize must not be negative for sparse rows, got {self.binarize} instead: "
                "every value that they leave out would be a one."
            )
        ones = np.where(np.isnan(matrix.data), np.nan, matrix.data > self.binarize)
        return sparse.csr_array((ones, matrix.indices, matrix.indptr), shape=matrix.shape)

    def _statistics(self, values: Any, missing: Any = None) -> Mapping[str, Matrix]:  # noqa: ARG002
        """T(x) = x."""
        return {"ones": values}

    def _imagine_alpha(self, tally: Tally, alpha: NDArray[Any]) -> Tally:
        """α ones and α zeros of each feature."""
        return self._imagine_beta(tally, alpha, alpha)

    def _imagine_beta(self, tally: Tally, a: Any, b: Any) -> Tally:
        """a ones and b zeros of each feature."""
        sums = {"n": np.add(a, b, dtype=float), "ones": np.asarray(a, dtype=float)}
        shape = tally.sums["n"].shape
        return tally.imagined({name: np.broadcast_to(value, shape) for name, value in sums.items()})

    def _imagine_empirical(self, tally: Tally, tolerance: float = TOLERANCE, steps: int = STEPS) -> Tally:
        """The likeliest Beta(a, b) of all labels and features that are not constant."""
        n, ones = (tally.sums[name][:, ~self._is_constant(tally)].ravel() for name in ("n", "ones"))
        counts = np.stack([ones, n - ones], axis=1)
        a, b = likeliest_alpha(counts, symmetric=False, tolerance=tolerance, steps=steps)
        return self._imagine_beta(tally, float(a), float(b))

    def _alpha_of(self, imagined: Tally) -> tuple[float, float]:
        """The imagined yeses a and noes b."""
        ones, n = (float(imagined.sums[name].flat[0]) for name in ("ones", "n"))
        return ones, n - ones

    def _imagine_values(self, tally: Tally, n: Any, mean: Any, variance: Any = None) -> Tally:
        """n values; their mean says how many of them are ones."""
        if variance is not None or np.any(np.asarray(mean) > 1) or np.any(np.asarray(mean) < 0):
            raise BadPrior("Bernoulli imagines n values with a mean between 0 and 1, and no variance.")
        return self._imagine_beta(tally, np.multiply(n, mean), np.multiply(n, np.subtract(1, mean)))

    def _read_posterior(self, posterior: Tally, imagined: Tally, rule: str) -> Reading:  # noqa: ARG002
        """θ for each label and feature."""
        n, ones = posterior.sums["n"], posterior.sums["ones"]
        refuse_empty(n, posterior, rule, 1e-300, "Give it a prior, such as 1.")
        if rule == "map":
            refuse_boundary(n - ones)
        parameters = Late({"probability": partial(share, ones, narrow(n), 2, rule)})
        part, whole = (
            (parameters["probability"], np.ones((len(n), 1))) if rule == "map" else (ones, narrow(n))
        )
        odds, absent = np.empty(ones.shape), np.empty(ones.shape)
        impossible = None
        if take_log_odds(np.ascontiguousarray(part), np.ascontiguousarray(whole, dtype=float), odds, absent):
            never, always = parameters["probability"] <= 0, parameters["probability"] >= 1
            impossible = counting({"ones": never.astype(float) - always}, always)
        form = Form({"ones": odds}, absent)
        return PointReading(self, posterior.labels, posterior.features, parameters, form, impossible)

    def _log_integral(self, posterior: Tally, imagined: Tally) -> float:  # noqa: ARG002
        """Beta functions."""
        n, ones = (np.asarray(posterior.sums[name], dtype=float) for name in ("n", "ones"))
        return float(betaln(ones, n - ones).sum())

    def _draw_parameters(self, posterior: Tally, rng: np.random.Generator) -> Mapping[str, NDArray[Any]]:
        """θ from its Beta."""
        n, ones = (np.asarray(posterior.sums[name], dtype=float) for name in ("n", "ones"))
        refuse_empty(n, posterior, "bayes", 1e-300, "Give it a prior, such as 1.")
        return {"probability": draw_shares(np.stack([ones, n - ones], axis=-1), rng)[..., 0]}

    def _draw_values(
        self, parameters: Mapping[str, NDArray[Any]], number: int, rng: np.random.Generator
    ) -> NDArray[Any]:
        """Yes or no; with a threshold t, t + 1 for yes and t for no."""
        theta = parameters["probability"]
        ones = (rng.random((number, len(theta))) < theta).astype(np.int8)
        return ones if self.binarize is None else ones + self.binarize

    def _discounted(self, imagined: Tally) -> Tally:
        """Beta(a, b) is a − 1 ones and b − 1 zeros."""
        return imagined.imagined({"n": imagined.sums["n"] - 2, "ones": imagined.sums["ones"] - 1})

    def _is_constant(self, tally: Tally) -> NDArray[np.bool_]:
        """All zeros or all ones."""
        n, ones = (narrow(tally.sums[name]).sum(axis=0, dtype=float) for name in ("n", "ones"))
        return np.asarray(np.minimum(ones, n - ones) <= ROUNDING * n)

    def _with_placeholders(self, posterior: Tally, silent: NDArray[np.bool_], rule: str) -> Tally:
        """Most rules can read constants as they are."""
        if rule != "map" and narrow(posterior.sums["n"]).all():
            return posterior
        return super()._with_placeholders(posterior, silent, rule)

    def _free_parameters(self, tally: Tally) -> int:
        """A probability for each label and feature."""
        return int(tally.sums["n"].size)

    def _refuse_impossible(self, rest: Tally, before: Tally) -> None:
        """Neither the ones nor the zeros may fall below zero."""
        super()._refuse_impossible(rest, before)
        zeros = rest.sums["n"] - rest.sums["ones"]
        refuse_negative(zeros, before.sums["n"], rest.labels, "zeros")
