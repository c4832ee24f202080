"""Poisson: how many, with no upper end. Links in a mail, calls in an hour.

    T(x) = x          tally: sum, n          prior: Gamma(a, b), that is b imagined values with the sum a
    log p(x | λ) = x · log λ − λ − log x!    (log x! is the same for every label and left out)

`bayes` integrates λ out, which gives the negative binomial:

    log p(x) = log Γ(a + x) − log Γ(a) + a · log(b / (b + 1)) − x · log(b + 1),   a = sum, b = n

>>> tally = Poisson().tally([[2], [4]], ["spam", "spam"])
>>> tally.read("mle").parameters["rate"].tolist()
[[3.0]]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from deciban.families.dirichlet import refuse_boundary
from deciban.families.family import refuse_empty
from deciban.families.matrices import observed
from deciban.families.reading import (
    ElementwiseReading,
    Floats,
    Form,
    PointReading,
    Reading,
    counting,
    finite_log,
)
from deciban.families.support import Support
from deciban.families.whole_numbers import WholeNumbers, sums_of
from deciban.tally import Tally


@dataclass(frozen=True)
class Poisson(WholeNumbers):
    """Counts 0, 1, 2, … with a rate.

    Examples
    --------
    >>> Poisson().tally([[1], [3]], ["a", "a"]).read("mle").parameters["rate"].tolist()
    [[2.0]]
    """

    _support: ClassVar[Support] = Support(
        "whole numbers x ≥ 0",
        "Use Gaussian() for numbers of any sign, Gamma() for positive measurements.",
        least=0,
        whole=True,
    )

    _zero_is_absence: ClassVar[bool] = True

    def _imagine_jeffreys(self, tally: Tally) -> Tally:
        """Gamma(½, 0): half an event, in no time at all."""
        return self._imagine_sums(tally, 0.0, 0.5)

    def _read_posterior(self, posterior: Tally, imagined: Tally, rule: str) -> Reading:  # noqa: ARG002
        """λ for each label and feature, or the negative binomial."""
        n, events = sums_of(posterior)
        refuse_empty(n, posterior, rule, 1e-300, "Give it a prior, such as 1.")
        labels, features = posterior.labels, posterior.features
        if rule == "bayes":
            parameters = {"events": events, "values": n}
            return ElementwiseReading(self, labels, features, parameters, log_negative_binomial)
        if rule == "map":
            refuse_boundary(events)
            events = events - 1
        rate = events / n
        form = Form({"sum": finite_log(rate)}, -rate)
        never = counting({"sum": rate <= 0}, np.zeros(rate.shape))
        return PointReading(self, labels, features, {"rate": rate}, form, never)

    def _log_integral(self, posterior: Tally, imagined: Tally) -> float:  # noqa: ARG002
        """∫ λ^(sum − 1) · exp(−n λ) dλ."""
        n, events = sums_of(posterior)
        with np.errstate(divide="ignore"):
            return float((gammaln(events) - xlogy(events, n)).sum())

    def _draw_parameters(self, posterior: Tally, rng: np.random.Generator) -> Mapping[str, NDArray[Any]]:
        """λ from its Gamma; none where nothing was ever seen."""
        n, events = sums_of(posterior)
        refuse_empty(n, posterior, "bayes", 1e-300, "Give it a prior, such as 1.")
        return {"rate": rng.standard_gamma(events) / n}

    def _draw_values(
        self, parameters: Mapping[str, NDArray[Any]], number: int, rng: np.random.Generator
    ) -> NDArray[Any]:
        """Counts."""
        rate = parameters["rate"]
        return rng.poisson(rate, (number, len(rate)))

    def _log_base(self, X: Any) -> Floats:
        """−Σ log x!, in which zeros have no part."""
        values, _ = observed(X)
        if not sparse.issparse(values):
            return np.asarray(-gammaln(1.0 + values).sum(axis=1))
        rows = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
        return np.bincount(rows, -gammaln(1.0 + values.data), minlength=values.shape[0]).astype(float)

    def _discounted(self, imagined: Tally) -> Tally:
        """Gamma(a, b) is a − 1 events in b values."""
        return self._imagine_sums(imagined, imagined.sums["n"], imagined.sums["sum"] - 1)


def log_negative_binomial(x: Floats, events: Floats, values: Floats) -> Floats:
    """log p of a count without −log x!, rate integrated out; if no event was ever seen, zero is certain."""
    with np.errstate(divide="ignore", invalid="ignore"):
        seen = gammaln(events + x) - gammaln(events) - events * np.log1p(1 / values) - xlogy(x, values + 1)
    never = np.where(x > 0, -np.inf, 0.0)
    return np.asarray(np.where(events > 0, seen, never))
