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

from deciban.errors import BadPrior
from deciban.families.dirichlet import refuse_boundary
from deciban.families.family import Family, refuse_empty
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
from deciban.families.table import observed
from deciban.membership import Matrix
from deciban.tally import Tally


@dataclass(frozen=True)
class Poisson(Family):
    """Counts 0, 1, 2, … with a rate."""

    support: ClassVar[Support] = Support(
        "whole numbers x ≥ 0",
        "Use Gaussian() for numbers of any sign, Gamma() for positive measurements.",
        least=0,
        whole=True,
    )
    zero_adds_nothing: ClassVar[bool] = True

    def statistics(self, values: Any, missing: Any = None) -> Mapping[str, Matrix]:  # noqa: ARG002
        """T(x) = x."""
        return {"sum": values}

    def imagine_alpha(self, tally: Tally, alpha: NDArray[Any]) -> Tally:
        """α values like all the data together, with one more event in one more row."""
        return self.imagine_values(tally, alpha, pooled_mean(tally))

    def imagine_values(self, tally: Tally, n: Any, mean: Any, variance: Any = None) -> Tally:
        """N values with this mean; a Gamma(a, b) prior is n = b and mean = a / b."""
        if variance is not None or np.any(np.asarray(mean) < 0):
            raise BadPrior("Poisson imagines n values with a mean of 0 or more, and no variance.")
        nothing = np.zeros(tally.sums["n"].shape)
        return tally.imagined({"n": nothing + n, "sum": nothing + np.multiply(n, mean)})

    def imagine_jeffreys(self, tally: Tally) -> Tally:
        """Gamma(½, 0): half an event, in no time at all."""
        nothing = np.zeros(tally.sums["n"].shape)
        return tally.imagined({"n": nothing, "sum": nothing + 0.5})

    def read_posterior(self, posterior: Tally, imagined: Tally, rule: str) -> Reading:  # noqa: ARG002
        """λ for each label and feature, or the negative binomial."""
        n, events = (np.asarray(posterior.sums[name], dtype=float) for name in ("n", "sum"))
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

    def log_base(self, X: Any) -> Floats:
        """−Σ log x!."""
        values, _ = observed(X)
        dense = values.toarray() if sparse.issparse(values) else values
        return np.asarray(-gammaln(1.0 + dense).sum(axis=1))


def log_negative_binomial(x: Floats, events: Floats, values: Floats) -> Floats:
    """log p of a count, the rate integrated out, without −log x!; no event ever seen makes zero certain."""
    with np.errstate(divide="ignore", invalid="ignore"):
        seen = gammaln(events + x) - gammaln(events) - events * np.log1p(1 / values) - xlogy(x, values + 1)
    never = np.where(x > 0, -np.inf, 0.0)
    return np.asarray(np.where(events > 0, seen, never))


def pooled_mean(tally: Tally) -> Floats:
    """The mean of each feature over all labels, with one more event in one more row, so never zero."""
    return np.asarray((tally.sums["sum"].sum(axis=0) + 1) / (tally.sums["n"].sum(axis=0) + 1))
