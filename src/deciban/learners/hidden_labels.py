"""EM: tally with the labels *expected*, read, repeat. The loop behind Mixture and MixtureClassifier.

Naive Bayes tallies rows under labels that were observed. Where a label is hidden, each row belongs to every
component a little, by the chance that the present parameters give it:

    expect     share(row, k) = π_k p(row | θ_k) / Σ_j π_j p(row | θ_j)
    maximise   tally the rows by their shares, and read (π, θ) from it

Each round raises the objective, or leaves it where it is (Dempster, Laird and Rubin, 1977). Which one
depends on the rule that the tally is to be read by:

    mle          Σ log p(row)
    map          Σ log p(row) + log density of the prior at θ
    mean, bayes  Σ log p(row) + log p(imagined values | θ)

For `mean` and `bayes`, each step takes the parameters at the peak of both terms together. For Bernoulli,
Categorical, Multinomial, Poisson and Geometric that is exactly what `mean` reads. But no objective has its
peak at parameters that are integrated out (`bayes`), or at the posterior means of a Gaussian or a Gamma. For
these the climb finds the shares, and the rule then reads the tally of these shares.

`hard` gives each row wholly to its likeliest component; the objective then has max_k log π_k p(row | θ_k)
in place of log p(row). Gaussians with one variance for all and equal π make that k-means.

A column that is the same in every row, or missing in all, tells no two components apart. It is silent: the
climb leaves it out (telling.py), and it is tallied when the shares are found.

Two heaps of numbers, and a first guess that mixes them up:

>>> from deciban import Gaussian
>>> X = np.array([[0.0], [0.2], [0.1], [5.0], [5.3], [5.1]])
>>> family, rows = Gaussian()._welcome(X)
>>> hidden = HiddenLabels(family, rows, np.ones(6), np.arange(2), rule="mle", prior=0)
>>> guess = np.array([[0.6, 0.4], [0.6, 0.4], [0.5, 0.5], [0.4, 0.6], [0.5, 0.5], [0.4, 0.6]])
>>> found = hidden.climb(guess, steps=100, tolerance=0.0)
>>> found.parameters.reading.parameters["mean"].round(2).tolist()
[[0.1], [5.13]]
>>> bool((np.diff(found.history) >= -1e-9).all())
True
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from deciban.families.family import PEAK, Family
from deciban.families.reading import Floats, Reading
from deciban.families.telling import SilentReading
from deciban.learners.admitted_rows import AdmittedRows
from deciban.learners.model import label_chances
from deciban.learners.variance_floor import lifted
from deciban.membership import Matrix
from deciban.tally import Tally

# A share below this is rounding beside the largest one, which is at least 1/components. Leaving such shares
# out makes the matrix of shares sparse: few texts are in any doubt between many components.
NO_SHARE = 2.0**-60


@dataclass(frozen=True, eq=False)
class Parameters:
    """What one step of maximising found."""

    shares: Matrix  # (rows, components): what they were found from
    tally: Tally  # without silent columns
    reading: Reading
    log_chances: Floats  # (components,)
    log_prior: float


@dataclass(frozen=True)
class Step:
    """How far a climb has come: what progress is told by, and early stopping is decided on."""

    restart: int
    number: int
    objective: float
    gain: float  # since the step before


@dataclass(frozen=True, eq=False)
class Climb:
    """Where EM ended, and the steps on the way."""

    parameters: Parameters
    history: list[float]  # the objective after each step
    converged: bool  # or stopped by whoever watched
    interrupted: bool = False


@dataclass(frozen=True, eq=False)
class HiddenLabels:
    """Rows whose labels are hidden, wholly or in part."""

    family: Family  # settled
    rows: Any  # admitted by the family
    weight: Floats  # (rows,)
    components: NDArray[Any]  # (components,): the labels of the tally
    rule: str
    prior: Any
    names: Any = None
    label_prior: Any = None  # as in NaiveBayes; of the owners, where components have some
    owner: NDArray[np.intp] | None = None  # (components,): which label each component belongs to
    labels: NDArray[Any] | None = None  # (labels,): the owners' names
    allowed: NDArray[np.bool_] | None = None  # (rows, components): False where a row's label rules one out
    hard: bool = False
    floor: Tally | None = None  # from `variance_floor`
    _imagined: list[Tally] = field(default_factory=list)

    def climb(
        self,
        start: Matrix,
        *,
        steps: int,
        tolerance: float,
        watch: Callable[[int, float, float], bool | None] = lambda *_: None,
        so_far: Climb | None = None,
    ) -> Climb:
        """From shares to a peak: until a step gains no more than `tolerance` a row, or `watch` says stop.

        A climb that ran out of steps goes on where it stopped, if it is given as `so_far`.
        """
        if so_far is not None and (so_far.converged or so_far.interrupted or len(so_far.history) >= steps):
            return so_far
        history = [] if so_far is None else list(so_far.history)
        shares = start if so_far is None else self.expect(so_far.parameters)[0]
        parameters = self.maximise(shares)
        try:
            for number in range(len(history) + 1, steps + 1):
                shares, objective = self.expect(parameters)
                gain = objective - history[-1] if history and history[-1] > -np.inf else np.inf
                history.append(objective)
                if watch(number, objective, gain) or gain <= tolerance * self.weight.sum():
                    return Climb(parameters, history, converged=True)
                if number < steps:
                    parameters = self.maximise(shares)
        except KeyboardInterrupt:
            if not history:
                raise
            return Climb(parameters, history, converged=False, interrupted=True)
        return Climb(parameters, history, converged=False)

    def expect(self, parameters: Parameters) -> tuple[Matrix, float]:
        """The share of each row in each component, times its weight; and the objective."""
        joint = parameters.reading.score(self.spoken.values) + parameters.log_chances
        if self.allowed is not None:
            joint[~self.allowed] = -np.inf
        shares, explained = share_out(joint, self.hard)
        if not np.isfinite(explained).all():
            self._guess(shares, explained == -np.inf)
        shares *= self.weight[:, None]
        objective = float(self.weight @ (explained + self._base)) + parameters.log_prior
        return self._thin(shares), objective

    def maximise(self, shares: Matrix) -> Parameters:
        """The parameters that the shares make best."""
        if not self._imagined:
            self._imagine_from(shares)
        tally = self.spoken.gather(shares, self.components)
        whole = tally + self.imagined
        high = lifted(tally, whole, self._floor)
        if high is not tally:
            tally, whole = high, high + self.imagined
        reading = self._read(whole)
        chances = self.chances(np.asarray(tally.rows, dtype=float))
        with np.errstate(divide="ignore"):
            log_chances = np.log(chances)
        added = self._log_label_prior(chances)
        if self.rule != "mle" and not self._mute:
            added += tally.family._log_prior(reading, self.imagined, self.rule)
        return Parameters(shares, tally, reading, log_chances, added)

    def _read(self, whole: Tally) -> Reading:
        """The parameters that EM goes by: the mode for `map`, the peak for every other rule."""
        if self._mute:
            return SilentReading(whole.family, whole)
        return whole.family._read_posterior(whole, self.imagined, "map" if self.rule == "map" else PEAK)

    def accept(self, tally: Tally) -> None:
        """Raise NotEnoughValues where a component has died, so that the rule cannot read it."""
        if not self._mute:
            tally.read(self.rule, self.imagined)

    def whole(self, parameters: Parameters) -> Tally:
        """What the components were found to have, silent columns included."""
        if not self.cut.any():
            return parameters.tally
        tally = self._everything.gather(parameters.shares, self.components)
        return lifted(tally, tally + self.whole_prior, self.floor)

    @property
    def whole_prior(self) -> Tally:
        """The prior, imagined once, from the tally that a climb starts with, so that the goal stays fixed."""
        return self._imagined[0]

    @property
    def imagined(self) -> Tally:
        """The prior of the columns that are climbed by."""
        return self._imagined[1]

    @cached_property
    def silent(self) -> NDArray[np.bool_]:
        """Which features tell no component from another."""
        return self._everything.silent(self.weight)

    @cached_property
    def cut(self) -> NDArray[np.bool_]:
        """Which features are cut off: the silent ones, unless nothing would be left."""
        return self.silent & ~self.silent.all()

    @cached_property
    def spoken(self) -> AdmittedRows:
        """What EM looks at: rows without silent columns; if all are silent, it looks at none of them."""
        return self._everything.without(self.cut)

    def chances(self, rows: Floats) -> Floats:
        """π: the chance of each component's label, times its part in that label."""
        if self.owner is None:
            return label_chances(self.label_prior, self.components, rows)
        assert self.labels is not None
        return component_chances(rows, self.owner, self.labels, self.label_prior)

    # --- inner workings ----------------------------------------------------------------------

    @cached_property
    def _everything(self) -> AdmittedRows:
        return AdmittedRows(self.family, self.rows, self.names)

    @cached_property
    def _mute(self) -> bool:
        """Whether no feature says anything."""
        return bool(self.silent.all())

    @cached_property
    def _floor(self) -> Tally | None:
        return self.floor[~self.cut] if self.floor is not None and self.cut.any() else self.floor

    @cached_property
    def _base(self) -> Floats:
        return self.spoken.family._log_base(self.spoken.values)

    def _imagine_from(self, shares: Matrix) -> None:
        tally = self._everything.gather(shares, self.components)
        whole = tally.zeros() if self.rule == "mle" else tally.family._imagine(self.prior, tally)
        self._imagined.extend((whole, whole[~self.cut] if self.cut.any() else whole))

    def _log_label_prior(self, chances: Floats) -> float:
        """A number as label prior is so many imagined rows of each label."""
        given = self.label_prior
        if given is None or isinstance(given, str) or np.ndim(given) or isinstance(given, dict):
            return 0.0
        owned = chances if self.owner is None else np.bincount(self.owner, chances)
        return float(given) * float(np.log(owned).sum()) if given else 0.0

    def _guess(self, shares: Floats, lost: NDArray[np.bool_]) -> None:
        """Rows that no component explains yet (at first, without a prior) belong to all alike."""
        free = np.ones(shares[lost].shape) if self.allowed is None else self.allowed[lost].astype(float)
        shares[lost] = free / free.sum(axis=1, keepdims=True)

    def _thin(self, shares: Floats) -> Matrix:
        """The shares as a sparse matrix where rows are sparse, too, and most shares nothing."""
        if not sparse.issparse(self.rows):
            return shares
        there = shares > NO_SHARE
        if 2 * np.count_nonzero(there) > shares.size:
            return shares
        return sparse.csr_array(np.where(there, shares, 0.0))


def share_out(joint: Floats, hard: bool = False) -> tuple[Floats, Floats]:
    """From log p(component, row) the share of each component in each row, and the row's log p.

    >>> shares, explained = share_out(np.log([[0.3, 0.1], [0.2, 0.2]]))
    >>> shares.round(2).tolist(), np.exp(explained).round(2).tolist()
    ([[0.75, 0.25], [0.5, 0.5]], [0.4, 0.4])
    """
    best = joint.max(axis=1, keepdims=True)
    if hard:
        shares = np.zeros(joint.shape)
        shares[np.arange(len(joint)), joint.argmax(axis=1)] = 1.0
        return shares, best.ravel()
    with np.errstate(invalid="ignore"):  # −∞ − −∞, where nothing explains a row
        shares = joint - best
    np.exp(shares, out=shares)
    total = shares.sum(axis=1, keepdims=True)
    shares /= total
    explained = np.where(best == -np.inf, -np.inf, best + np.log(total))
    return shares, explained.ravel()


def component_chances(
    rows: Floats, owner: NDArray[np.intp], labels: NDArray[Any], label_prior: Any
) -> Floats:
    """p(label) · p(component | label), for each component.

    >>> labels = np.array(["a", "b"])
    >>> component_chances(np.array([3.0, 1.0, 4.0]), np.array([0, 0, 1]), labels, "uniform").tolist()
    [0.375, 0.125, 0.5]
    """
    whole = np.bincount(owner, rows, minlength=len(labels)).astype(float)
    inside = np.where(
        whole[owner] > 0, rows / np.maximum(whole[owner], 1e-300), 1 / np.bincount(owner)[owner]
    )
    return np.asarray(label_chances(label_prior, labels, whole)[owner] * inside)
