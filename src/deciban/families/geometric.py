"""Geometric: how long until it happens. Failures before the first success.

    T(x) = x          tally: sum (of failures), n (successes)          prior: Beta(a, b) on p
    log p(x | p) = x · log(1 − p) + log p,   x = 0, 1, 2, …

`bayes` integrates p out, with a = n and b = sum:  p(x) = B(a + 1, b + x) / B(a, b).

>>> tally = Geometric().tally([[0], [3]], ["a", "a"])            # 2 successes, 3 failures
>>> tally.read("mle").parameters["probability"].tolist()
[[0.4]]

For trials counted from 1 (the success included) subtract 1 first: they are the same family.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from deciban.families.dirichlet import draw_shares, refuse_boundary, share
from deciban.families.family import refuse_empty
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
class Geometric(WholeNumbers):
    """Failures before the first success.

    Examples
    --------
    >>> Geometric().tally([[1], [3]], ["a", "a"]).read("mle").parameters["probability"].round(3).tolist()
    [[0.333]]
    """

    _support: ClassVar[Support] = Support(
        "whole numbers x ≥ 0",
        "Use Gamma() for waiting times that are not whole.",
        least=0,
        whole=True,
    )

    def _imagine_beta(self, tally: Tally, a: Any, b: Any) -> Tally:
        """a successes and b failures."""
        return self._imagine_sums(tally, a, b)

    def _imagine_jeffreys(self, tally: Tally) -> Tally:
        """Beta(0, ½): half a failure."""
        return self._imagine_beta(tally, 0.0, 0.5)

    def _read_posterior(self, posterior: Tally, imagined: Tally, rule: str) -> Reading:  # noqa: ARG002
        """p for each label and feature, or the beta-geometric."""
        n, failures = sums_of(posterior)
        refuse_empty(n, posterior, rule, 1e-300, "Give it a prior, such as 1.")
        labels, features = posterior.labels, posterior.features
        if rule == "bayes":
            parameters = {"successes": n, "failures": failures}
            return ElementwiseReading(self, labels, features, parameters, log_beta_geometric)
        if rule == "map":
            refuse_boundary(failures)
        p = share(n, n + failures, 2, rule)
        form = Form({"sum": finite_log(1 - p)}, finite_log(p))
        # p = 0 (only as a mode) makes every value impossible, p = 1 every value but zero.
        never = counting({"sum": p >= 1}, p <= 0)
        return PointReading(self, labels, features, {"probability": p}, form, never)

    def _log_integral(self, posterior: Tally, imagined: Tally) -> float:  # noqa: ARG002
        """Beta functions."""
        return float(betaln(*sums_of(posterior)).sum())

    def _draw_parameters(self, posterior: Tally, rng: np.random.Generator) -> Mapping[str, NDArray[Any]]:
        """p from its Beta."""
        n, failures = sums_of(posterior)
        refuse_empty(n, posterior, "bayes", 1e-300, "Give it a prior, such as 1.")
        return {"probability": draw_shares(np.stack([n, failures], axis=-1), rng)[..., 0]}

    def _draw_values(
        self, parameters: Mapping[str, NDArray[Any]], number: int, rng: np.random.Generator
    ) -> NDArray[Any]:
        """Failures before the first success."""
        p = parameters["probability"]
        return rng.geometric(np.maximum(p, 1e-18), (number, len(p))) - 1

    def _discounted(self, imagined: Tally) -> Tally:
        """Beta(a, b) is a − 1 successes and b − 1 failures."""
        return self._imagine_sums(imagined, imagined.sums["n"] - 1, imagined.sums["sum"] - 1)


def log_beta_geometric(x: Floats, successes: Floats, failures: Floats) -> Floats:
    """log p of a waiting time, with p integrated out; if no failure was ever seen, zero is certain."""
    some = np.where(failures > 0, failures, 1.0)
    seen = betaln(successes + 1, some + x) - betaln(successes, some)
    return np.asarray(np.where(failures > 0, seen, np.where(x > 0, -np.inf, 0.0)))
