"""Gaussian: measurements that scatter round a mean.

    T(x) = (x − p, (x − p)²)     tally: n, sum, squares     p: a pivot near the data
    log p(x | m, v) = −(x − m)² / 2v − ½ log 2πv

The variance v may belong to each label and feature, or be shared: over labels (one per feature), over
features (one per label), or over both (one for all).

Sums are plain sums, so that `+` is the same everywhere; but plain squares of 1,000,000.1 and
1,000,000.2 cancel badly. So values are counted from a *pivot* that the first batch fixes (its rounded
median) and that is part of the family's value; a tally with another pivot is moved over before it is
added, exactly as if it had been counted from there.

A prior is n imagined values with a mean and a variance. Together with the measure dm · dv/v the
posterior after N values, G means among them, and scatter S = Σ (x − m)² reads:

    mle   v = S / (N − ddof·G)        map   v = S / (N + 2)        mean   v = S / (N − G − 2)
    bayes Student t with N − G degrees of freedom, scale² = (1 + 1/N_label) · S / (N − G)

>>> tally = Gaussian().tally([[1.0], [3.0]], ["a", "a"])
>>> {name: value.tolist() for name, value in tally.read("mle").parameters.items()}
{'mean': [[2.0]], 'variance': [[1.0]]}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from deciban.errors import BadPrior, CannotForget, DifferentFamilies, NotEnoughValues
from deciban.families._predictive import add_falls
from deciban.families.family import BLOCK, PEAK, Family, called, refuse_empty
from deciban.families.matrices import cut, without
from deciban.families.reading import (
    Breakdown,
    ElementwiseReading,
    Floats,
    Form,
    PointReading,
    Reading,
)
from deciban.families.support import LARGEST, Support
from deciban.membership import Matrix
from deciban.schema import Schema
from deciban.tally import ROUNDING, Tally

SHARED = (None, "labels", "features", "all")

# Computed by a matrix product, (x − m)²/v is a difference of terms as large as (m − p)²/v. Up to this size
# the error is less than 1e-9; beyond it, each difference is taken by itself, which is about ten times slower.
FAR = 1e6

# A scatter this much smaller than the squares has fewer than three digits left. That happens only if the mean
# of a label is millions of standard deviations from the pivot.
LOST = 1e-13
# The scatter of equal values should be zero. Learned one by one, 10⁶ of them came to at most 1.4e-11.
ROUNDED = 2e-11


@dataclass(frozen=True)
class Gaussian(Family):
    """Real numbers round a mean, with one of four kinds of shared variance.

    Parameters
    ----------
    shared : what shares a variance: None, "labels", "features" or "all".
    ddof : rule="mle" divides the scatter by n − ddof: 0 is the likelihood's own, 1 is unbiased.
    pivot : what values are counted from, one number for each column; the first rows fix it.

    Examples
    --------
    >>> tally = Gaussian(ddof=1).tally([[1.0], [3.0]], ["a", "a"])
    >>> tally.read("mle").parameters["variance"].tolist()
    [[2.0]]
    """

    shared: str | None = None
    ddof: int = 0
    pivot: tuple[float, ...] | None = None

    _support: ClassVar[Support] = Support(
        "finite numbers", "Drop them, or mark them missing with NaN.", least=-LARGEST, most=LARGEST
    )

    _measured: ClassVar[tuple[str, ...]] = ("sum", "squares")
    _proper_above: ClassVar[int] = 1  # one value leaves its variance open
    _placeholders: ClassVar[Mapping[str, float]] = {"n": 8, "sum": 0, "squares": 8}

    def __post_init__(self) -> None:
        if self.shared not in SHARED:
            raise ValueError(f"shared must be one of {SHARED}, got {self.shared!r} instead.")
        if not (isinstance(self.ddof, Real) and 0 <= self.ddof < np.inf):
            raise ValueError(f"ddof must be a number of 0 or more, got {self.ddof!r} instead.")

    # --- learning ----------------------------------------------------------------------------

    def _settle(self, X: Any) -> Gaussian:
        """Fix the pivot: the middle of the first rows, rounded so that whole numbers stay whole.

        A mean would let one outlier of 1e9 carry the pivot so far away that no variance is left in the sums.
        Where several are all equal it is their value, so that a constant column has sums of exactly zero.
        """
        if self.pivot is not None:
            return self
        first = np.sort(self._dense(X[: min(1024, 1 + BLOCK // max(1, X.shape[1]))]).astype(float), axis=0)
        if not len(first):
            return replace(self, pivot=(0.0,) * first.shape[1])
        there = np.count_nonzero(~np.isnan(first), axis=0)  # which come first, sorted
        columns, last = np.arange(first.shape[1]), np.maximum(there - 1, 0)
        low, middle, high = first[0], first[last // 2, columns], first[last, columns]
        pivot = np.where((low == high) & (there > 1), low, np.rint(middle))
        return replace(self, pivot=tuple(np.nan_to_num(pivot).tolist()))

    def _unsettled(self) -> Gaussian:
        """The same kind of Gaussian, with no pivot yet."""
        return replace(self, pivot=None)

    def _statistics(self, values: Any, missing: Any = None) -> Mapping[str, Matrix]:
        """T(x) = (x − p, (x − p)²)."""
        centred = without(values - np.asarray(self.pivot or 0.0), missing)
        return {"sum": centred, "squares": centred * centred}

    def _adopt(self, other: Tally) -> Tally:
        """Move another Gaussian tally to this pivot."""
        there = other.family
        if there is self or there == self or self._unsettled() != there._unsettled():
            return super()._adopt(other)
        assert isinstance(there, Gaussian)
        if self.pivot is None or there.pivot is None or len(self.pivot) != len(there.pivot):
            raise DifferentFamilies(
                f"Gaussian tallies of {len(there.pivot or ())} and {len(self.pivot or ())} features cannot "
                "be moved to one pivot. Tally both with the same Gaussian(pivot=…)."
            )
        step = np.asarray(there.pivot) - np.asarray(self.pivot)
        n, total, squares = (other.sums[name] for name in ("n", "sum", "squares"))
        moved = {"n": n, "sum": total + n * step, "squares": squares + 2 * step * total + n * step**2}
        return replace(other, family=self, sums=moved)

    def _never_negative(self, tally: Tally) -> tuple[str, ...]:  # noqa: ARG002
        """Sums have a sign; their number and the scatter have not."""
        return ("n", "squares")

    def _refuse_impossible(self, rest: Tally, before: Tally) -> None:
        """No variance may fall below zero."""
        super()._refuse_impossible(rest, before)
        allowed = ROUNDING * (np.abs(before.sums["squares"]) + 1.0)
        # Once all values are gone, no squares may be left: if there are some, other values were learned.
        left = np.where(rest.sums["n"] > 0, scatter(rest), -np.abs(rest.sums["squares"]))
        if bool(np.any(left < -allowed)):
            label, feature = np.argwhere(left < -allowed)[0]
            raise CannotForget(
                f"More would be forgotten than was learned: the variance of feature "
                f"{rest.features.names[feature]!r} under label {rest.labels.tolist()[label]!r} would fall "
                "below zero."
            )

    def _slice(self, tally: Tally, selection: Any) -> Tally:
        """Fewer features, with their pivots."""
        fewer = super()._slice(tally, selection)
        assert self.pivot is not None
        kept = tuple(self.pivot[tally.features.find(name)] for name in fewer.features.names)
        return replace(fewer, family=replace(self, pivot=kept))

    # --- imagining ---------------------------------------------------------------------------

    def _imagine_alpha(self, tally: Tally, alpha: NDArray[Any]) -> Tally:
        """α values like all the data together: with the mean and the variance of all labels."""
        n, total, squares = (tally.sums[name].sum(axis=0, dtype=float) for name in ("n", "sum", "squares"))
        n = np.maximum(n, 1)
        mean = total / n
        variance = np.maximum(squares / n - mean**2, 0.0)
        # A constant column tells nothing; a variance of its own keeps it from telling nonsense.
        variance = np.where(variance > 0, variance, 1e-9 * max(float(variance.max(initial=0)), 1.0))
        return self._imagine_values(tally, alpha, mean + np.asarray(self.pivot), variance)

    def _imagine_values(self, tally: Tally, n: Any, mean: Any, variance: Any = None) -> Tally:
        """n values with this mean and this variance."""
        if variance is None or np.any(np.asarray(variance) < 0):
            raise BadPrior("Gaussian imagines n values with a mean and a variance of 0 or more.")
        nothing = np.zeros(tally.sums["n"].shape)
        offset = np.asarray(mean) - np.asarray(self.pivot)
        sums = {"n": n, "sum": np.multiply(n, offset), "squares": np.multiply(n, variance + offset**2)}
        return tally.imagined({name: nothing + value for name, value in sums.items()})

    def _imagine_jeffreys(self, tally: Tally) -> Tally:
        """Nothing: the measure dm · dv/v, under which posteriors are read, is Jeffreys' already."""
        return tally.zeros()

    # --- reading -----------------------------------------------------------------------------

    def _read_posterior(self, posterior: Tally, imagined: Tally, rule: str) -> Reading:  # noqa: ARG002
        """Mean and variance for each label and feature, or Student's t."""
        n = np.asarray(posterior.sums["n"], dtype=float)
        refuse_empty(n, posterior, rule, 1e-300, "Give it a prior, such as 1.")
        mean = posterior.sums["sum"] / n  # from the pivot
        values, means, spread = (self._pool(part) for part in (n, np.ones(n.shape), self._scatter(posterior)))
        freedom = {
            "mle": values - self.ddof * means,
            "map": values + 2,
            "mean": values - means - 2,
            PEAK: values,
        }
        divisor = freedom.get(rule, values - means)
        refuse_empty(
            np.where(divisor > 0, 1.0, 0.0), posterior, rule, 1, "Give more values or a larger prior."
        )
        variance = spread / divisor
        if bool(np.any(variance <= 0)):
            label, feature = np.argwhere(variance <= 0)[0]
            raise NotEnoughValues(
                f"All values of feature {posterior.features.names[feature]!r} under label "
                f"{posterior.labels.tolist()[label]!r} are equal, as far as sums "
                f"can tell, so {called(rule)} finds no variance. "
                + ("Give a larger prior." if rule == "bayes" else "Use rule='bayes' with a prior such as 1.")
            )
        return self._reading(posterior, rule, mean, variance, n, divisor)

    def _reading(
        self, posterior: Tally, rule: str, mean: Floats, variance: Floats, n: Floats, freedom: Floats
    ) -> Reading:
        where = (self, posterior.labels, posterior.features)
        pivot = np.asarray(self.pivot)
        if rule == "bayes":
            parameters = {"mean": mean + pivot, "scale²": variance * (1 + 1 / n), "freedom": freedom}
            if self.shared in ("features", "all"):
                return SharedScaleReading(*where, parameters)
            return StudentReading(*where, parameters, log_student)
        parameters = {"mean": mean + pivot, "variance": variance}
        if float((mean**2 / variance).max(initial=0)) > FAR:
            return ElementwiseReading(*where, parameters, log_normal)
        weights = {"sum": mean / variance, "squares": -0.5 / variance}
        offset = -0.5 * (np.log(2 * np.pi * variance) + mean**2 / variance)
        return PointReading(*where, parameters, Form(weights, offset))

    def _log_integral(self, posterior: Tally, imagined: Tally) -> float:  # noqa: ARG002
        """Means and variances integrated out under dm · dv/v; infinite with no more values than means."""
        n, scattered = np.asarray(posterior.sums["n"], dtype=float), self._scatter(posterior)
        values, means, spread = (self._free(self._pool(part)) for part in (n, np.ones(n.shape), scattered))
        half = (values - means) / 2
        if bool(np.any(half <= 0)) or bool(np.any(spread <= 0)):
            return np.inf
        heights = gammaln(half) - half * np.log(np.pi * spread)
        return float(heights.sum() - np.log(n).sum() / 2)

    def _draw_parameters(self, posterior: Tally, rng: np.random.Generator) -> Mapping[str, NDArray[Any]]:
        """Draw the variance from its inverse χ², once for all that share it; then draw the mean."""
        reading = self._read_posterior(posterior, posterior, "bayes")
        mean, square, freedom = (np.asarray(values) for values in reading.parameters.values())
        n = np.asarray(posterior.sums["n"], dtype=float)
        free = self._free(freedom)
        factor = np.broadcast_to(free / rng.chisquare(free), n.shape)
        variance = square / (1 + 1 / n) * factor
        return {"mean": mean + np.sqrt(variance / n) * rng.standard_normal(n.shape), "variance": variance}

    def _draw_values(
        self, parameters: Mapping[str, NDArray[Any]], number: int, rng: np.random.Generator
    ) -> NDArray[Any]:
        """Values round the mean."""
        mean, variance = parameters["mean"], parameters["variance"]
        return np.asarray(mean + np.sqrt(variance) * rng.standard_normal((number, len(mean))))

    def _log_prior(self, reading: Reading, imagined: Tally, rule: str) -> float:
        """For `map` with the measure dv/v: −log v for each variance that is free."""
        measure = -float(np.log(self._free(reading.parameters["variance"])).sum()) if rule == "map" else 0.0
        return super()._log_prior(reading, imagined, rule) + measure

    def _log_imagined(self, reading: Reading, imagined: Tally) -> float:
        """Computed from mean and variance: a reading far from its pivot has these, but no linear form."""
        n, total, squares = (imagined.sums[name] for name in ("n", "sum", "squares"))
        mean, variance = reading.parameters["mean"] - np.asarray(self.pivot), reading.parameters["variance"]
        scattered = squares - 2 * mean * total + n * mean**2
        return float(-0.5 * (n * np.log(2 * np.pi * variance) + scattered / variance).sum())

    @property
    def _pools_features(self) -> bool:  # type: ignore[override]
        """Whether a variance is shared over features."""
        return self.shared in ("features", "all")

    def _is_constant(self, tally: Tally) -> NDArray[np.bool_]:
        """No scatter in all labels together."""
        n, total, squares = (tally.sums[name].sum(axis=0, dtype=float) for name in ("n", "sum", "squares"))
        rounding = np.clip(n * 2.0**-53, LOST, ROUNDED)
        return np.asarray(squares - total * (total / np.maximum(n, 1e-300)) <= rounding * squares)

    def _free_parameters(self, tally: Tally) -> int:
        """A mean for each label and feature, and the variances that are not shared."""
        n = tally.sums["n"]
        return int(n.size + self._free(n).size)

    def _free(self, values: NDArray[Any]) -> NDArray[Any]:
        """One of each that share a variance."""
        labels = slice(1) if self.shared in ("labels", "all") else slice(None)
        return values[labels, slice(1) if self.shared in ("features", "all") else slice(None)]

    def _pool(self, values: Floats) -> Floats:
        """Sums over whatever shares a variance, repeated for each label and feature: (labels, features)."""
        axes: dict[str | None, tuple[int, ...]] = {None: (), "labels": (0,), "features": (1,), "all": (0, 1)}
        summed = values.sum(axis=axes[self.shared], keepdims=True) if self.shared else values
        return np.asarray(np.broadcast_to(summed, values.shape))

    def _scatter(self, tally: Tally) -> Floats:
        """The scatter, or nothing where it is smaller than the rounding error of the squares."""
        found = scatter(tally)
        return np.where(found > LOST * tally.sums["squares"], found, 0.0)


@dataclass(frozen=True, eq=False)
class StudentReading(ElementwiseReading):
    """A Student t of each value; all features of a label together where they have the same freedom."""

    def score(self, X: Any) -> Floats:
        """log p as a logarithm of products; where a value is missing or immense, value by value."""
        if self._together is None or not X.shape[1]:
            return super().score(X)
        means, widths, powers, heights = self._together
        total = np.tile(heights, (X.shape[0], 1))
        for rows in self.family._blocks(X):
            values = np.ascontiguousarray(self.family._dense(cut(X, rows)), dtype=float)
            add_falls(values, means, widths, powers, total[rows])
        if not np.isfinite(total.sum()):
            odd = np.flatnonzero(~np.isfinite(total).all(axis=1))
            total[odd] = super().score(X[odd])
        return total

    @cached_property
    def _together(self) -> tuple[Floats, Floats, Floats, Floats] | None:
        """Means and widths of the features, powers and heights of the labels; None if freedoms differ."""
        mean, square, freedom = (np.asarray(values) for values in self.parameters.values())
        loud = np.ones(freedom.shape[1], dtype=bool) if self.silent is None else ~self.silent
        if not loud.any() or (freedom[:, loud] != freedom[:, loud][:, :1]).any():
            return None
        alike = freedom[:, loud][:, :1]
        widths = np.where(loud, 1 / (square * freedom), 0.0)
        heights = log_student(mean, mean, square, freedom)[:, loud].sum(axis=1)
        return np.ascontiguousarray(mean), np.ascontiguousarray(widths), (alike[:, 0] + 1) / 2, heights


@dataclass(frozen=True, eq=False)
class SharedScaleReading(Reading):
    """A Student t in all features at once, because they share one unknown variance.

    With d features present, Q = Σ (x − m)²/scale² and f degrees of freedom:

        log p = log Γ((f + d)/2) − log Γ(f/2) − d/2 · log(f π) − Σ log scale − (f + d)/2 · log(1 + Q/f)

    The last term is divided among the features in proportion to their shares of Q.
    """

    family: Gaussian
    labels: NDArray[Any]
    features: Schema
    parameters: Mapping[str, NDArray[Any]]

    def score(self, X: Any) -> Floats:
        """log p of whole rows."""
        parts = [self.explain(X[rows]).total() for rows in self.family._blocks(X)]
        return np.concatenate(parts) if parts else np.empty((0, len(self.labels)))

    def explain(self, X: Any) -> Breakdown:
        """The shares of the joint log p."""
        values = np.asarray(self.family._dense(X), dtype=float)[:, None, :]
        there = ~np.isnan(values)
        mean, square, freedom = self.parameters.values()
        freedom = freedom[None, :, 0]  # (1, labels)
        far = np.where(there, (np.where(there, values, 0.0) - mean) ** 2 / square, 0.0)
        total = far.sum(axis=2)
        present = there.sum(axis=2)
        fall = -(freedom + present) / 2 * np.log1p(total / freedom)
        share = np.divide(far, total[:, :, None], out=np.zeros(far.shape), where=total[:, :, None] > 0)
        height = np.where(there, -0.5 * np.log(freedom[:, :, None] * np.pi * square), 0.0)
        intercept = gammaln((freedom + present) / 2) - gammaln(freedom / 2)
        return Breakdown(np.asarray(intercept), height + share * fall[:, :, None])


def scatter(tally: Tally) -> Floats:
    """Σ (x − mean)² for each label and feature."""
    n, total, squares = (np.asarray(tally.sums[name], dtype=float) for name in ("n", "sum", "squares"))
    return np.where(n > 0, squares - total * (total / np.where(n > 0, n, 1.0)), 0.0)


def log_normal(x: Floats, mean: Floats, variance: Floats) -> Floats:
    """log p of a value under a normal distribution."""
    return np.asarray(-0.5 * (np.log(2 * np.pi * variance) + (x - mean) ** 2 / variance))


def log_student(x: Floats, mean: Floats, square: Floats, freedom: Floats) -> Floats:
    """log p of a value under Student's t with a location and a squared scale."""
    height = gammaln((freedom + 1) / 2) - gammaln(freedom / 2) - 0.5 * np.log(freedom * np.pi * square)
    return np.asarray(height - (freedom + 1) / 2 * np.log1p((x - mean) ** 2 / (square * freedom)))
