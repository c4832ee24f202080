"""Mixture: rows of several kinds that nobody told apart. Clustering, with any family.

    p(row) = Σ_k π_k p(row | θ_k)

Each component is a row of a tally, as a label is in Naive Bayes; EM (hidden_labels.py) finds which rows
belong to it.

>>> from deciban import Poisson
>>> calls = [[0, 9], [1, 8], [0, 11], [12, 1], [10, 0], [13, 2]]          # by day and by night
>>> mixture = Mixture(Poisson(), components=2, random_state=0).fit(calls)
>>> mixture.labels_[0] == mixture.labels_[2] != mixture.labels_[5]
np.True_
>>> mixture.predict_proba([[0, 10]]).max().round(3)
np.float64(1.0)

k-means is the hard variant, with one variance for all Gaussians and equal chances:

>>> from deciban import Gaussian
>>> k_means = Mixture(Gaussian(shared="all"), 2, hard=True, rule="mle", label_prior="uniform", random_state=0)
>>> sorted(k_means.fit([[0.0], [1.0], [9.0], [10.0]]).reading_.parameters["mean"].ravel().tolist())
[0.5, 9.5]
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClusterMixin, DensityMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from deciban.errors import BadSetting
from deciban.families import Family
from deciban.families.matrices import is_missing
from deciban.families.reading import Floats, Reading
from deciban.families.telling import features_without_density
from deciban.learners.admitted_rows import AdmittedRows
from deciban.learners.all_or_nothing import all_or_nothing
from deciban.learners.ascent import Ascent
from deciban.learners.explanation import Explanation
from deciban.learners.family_learner import FamilyLearner
from deciban.learners.hidden_labels import HiddenLabels, Step, share_out
from deciban.learners.model import Model, label_chances
from deciban.learners.seeds import grow_from, sow
from deciban.learners.variance_floor import variance_floor
from deciban.learners.whole_setting import whole_setting
from deciban.membership import Membership
from deciban.tally import Tally


class Mixture(FamilyLearner, ClusterMixin, DensityMixin, BaseEstimator):  # type: ignore[misc]
    """Components that explain rows together; found by EM.

    Parameters
    ----------
    family : what p(x | component) looks like: Gaussian() unless told, any other family, or Columns of them.
    components : how many.
    rule : how parameters are read: "bayes" (integrated out), "mean", "map" or "mle". `objective_` is the
        log-likelihood for "mle", with the log density of the prior for "map", and with the log-likelihood
        of the imagined values for "mean" and "bayes"; see hidden_labels.py for why.
    prior : as in NaiveBayes: a number α, "laplace", "jeffreys", "empirical", one of `deciban.smoothing`, or
        a Tally. It is imagined once, from the tally that EM starts with.
    label_prior : of the components: None (as found), a number that smooths, "uniform", or their chances.
    hard : give each row wholly to its likeliest component, as k-means does.
    init : "spread" (seeds far from each other, as by k-means++), "rows" (any rows as seeds), or what to start
        from: the number of each row's component, or its share in each, (rows, components).
    means_init : rows for the components to grow from instead, (components, columns).
    restarts : how many starts are tried for ten steps; the best of them goes on. A start that is given is the
        only one.
    warm_start : start a further `fit` from what the one before found.
    variance_floor : no Gaussian variance falls below this share of what its column has over all rows.
    steps, tolerance : EM stops after so many steps, or when one gains no more than `tolerance` nats a row.
    random_state : what seeds are drawn by.
    verbose : print a line for each step.
    callback : called with a `Step` after each one; it stops the climb by returning True.

    Attributes
    ----------
    labels_ : the component of each row of `fit`.
    chances_ : the chance of each component.
    reading_ : the parameters of each component, `reading_.parameters`.
    tally_ : what each component was found to have.
    objective_, objective_history_ : what EM climbed to, and how.
    n_iter_, converged_ : how many steps that took, and whether it came to a peak.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from deciban import Gaussian
    >>> X = [[0.0], [1.0], [0.5], [0.2], [40.0], [41.0], [40.5], [40.2]]
    >>> mixture = Mixture(Gaussian(), components=2, random_state=0).fit(X)
    >>> len(set(mixture.labels_[:4])), len(set(mixture.labels_[4:])), len(set(mixture.labels_))
    (1, 1, 2)
    """

    _LEARNED: ClassVar[tuple[str, ...]] = (
        "prior_",
        "objective_history_",
        "objective_",
        "n_iter_",
        "converged_",
    )
    tally_: Tally
    labels_: NDArray[np.intp]

    def __init__(
        self,
        family: Family | None = None,
        components: int = 2,
        *,
        rule: str = "bayes",
        prior: Any = 1,
        label_prior: Any = None,
        hard: bool = False,
        init: Any = "spread",
        means_init: Any = None,
        restarts: int = 5,
        warm_start: bool = False,
        variance_floor: float = 1e-6,
        steps: int = 500,
        tolerance: float = 1e-4,
        random_state: Any = None,
        verbose: bool = False,
        callback: Callable[[Step], bool | None] | None = None,
    ) -> None:
        self.family = family
        self.components = components
        self.rule = rule
        self.prior = prior
        self.label_prior = label_prior
        self.hard = hard
        self.init = init
        self.means_init = means_init
        self.restarts = restarts
        self.warm_start = warm_start
        self.variance_floor = variance_floor
        self.steps = steps
        self.tolerance = tolerance
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    # --- learning ----------------------------------------------------------------------------

    @all_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Mixture:  # noqa: ARG002
        """Find the components; labels are not looked at."""
        X = self._validate_rows(X, first=True)
        whole_setting("components", self.components)
        weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        hidden = self._hidden(X, weight)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        ascent, start = self._ascent(hidden, rng, X)
        best = ascent.run(hidden, start, hidden.accept)
        self.objective_history_ = best.history
        self.objective_ = best.history[-1]
        self.n_iter_ = len(best.history)
        self.converged_ = best.converged
        self.prior_ = hidden.whole_prior
        self._hold(hidden.whole(best.parameters))
        shares, _ = hidden.expect(best.parameters)
        self.labels_ = np.asarray(shares.argmax(axis=1)).ravel()
        return self

    def _hidden(self, X: Any, weight: Floats) -> HiddenLabels:
        family, rows = self._family()._welcome(X, self._names())
        return HiddenLabels(
            family,
            rows,
            weight,
            np.arange(self.components),
            self.rule,
            self.prior,
            self._names(),
            self.label_prior,
            hard=self.hard,
            floor=variance_floor(family, rows, weight, self.variance_floor),
        )

    def _ascent(
        self, hidden: HiddenLabels, rng: np.random.Generator, X: Any
    ) -> tuple[Ascent, Callable[[], Floats]]:
        """How to climb, and where from: as often as seeds are drawn, or once from a start that is given."""
        ascent, once = Ascent.of(self), replace(Ascent.of(self), restarts=1)
        if self.warm_start and hasattr(self, "tally_") and len(self.tally_.labels) == self.components:
            before, now = len(self.tally_.features), self.n_features_in_
            if before != now:
                raise BadSetting(
                    f"warm_start goes on from a fit that learned {before} columns, but there are {now} now. "
                    "Fit a new model to them."
                )
            shares, _ = share_out(self._joint(self.model_.reading.admit(X)), self.hard)
            return once, lambda: np.asarray(shares * hidden.weight[:, None])
        if self.means_init is not None:
            return once, lambda: self._from_means(hidden)
        if not isinstance(self.init, str):
            return once, lambda: self._from_shares(hidden.weight)
        if self.init not in ("spread", "rows"):
            raise BadSetting(f"init must be 'spread', 'rows' or shares, got {self.init!r} instead.")
        settings = {"spread": self.init == "spread", "hard": self.hard}
        return ascent, lambda: sow(hidden.spoken, hidden.weight, self.components, rng, **settings)

    def _from_means(self, hidden: HiddenLabels) -> Floats:
        given = np.asarray(self.means_init)
        wanted = (self.components, self.n_features_in_)
        if given.shape != wanted:
            raise BadSetting(
                f"means_init must have a row for every component, {wanted}, got {given.shape} instead."
            )
        if is_missing(given).any():
            raise BadSetting("means_init must have no missing value.")
        seeds = AdmittedRows(hidden.family, hidden.family._admit(given, self._names()), self._names())
        return grow_from(hidden.spoken, hidden.weight, seeds.without(hidden.cut))

    def _from_shares(self, weight: Floats) -> Floats:
        given = np.asarray(self.init)
        if given.shape == weight.shape and given.dtype.kind in "iu":
            given = np.equal.outer(given, np.arange(self.components)).astype(float)
        wanted = (len(weight), self.components)
        if given.shape != wanted or not (given >= 0).all() or not given.sum(axis=1).all():
            raise BadSetting(
                f"init must have the share of every row in every component, {wanted}, or the number of its "
                f"component, got {given.shape} instead."
            )
        return np.asarray(given / given.sum(axis=1, keepdims=True) * weight[:, None])

    def expect(self, X: Any) -> Tally:
        """The tally of rows under the labels that the model expects.

        Such tallies add: those of the parts of a table, made anywhere, sum up to that of the whole, and
        `reread` makes the next model of it. That is a step of EM on many machines.
        """
        check_is_fitted(self)
        rows = self.model_.reading.admit(self._validate_rows(X))
        shares, _ = share_out(self._joint(rows), self.hard)
        members = Membership.expected(shares, self.tally_.labels)
        return self.tally_.family._gather(rows, members, self._names())

    def reread(self, tally: Tally) -> Mixture:
        """The same mixture with another tally: what it would be, had it found that."""
        check_is_fitted(self)
        other: Mixture = clone(self)
        other.n_features_in_ = self.n_features_in_
        if hasattr(self, "feature_names_in_"):
            other.feature_names_in_ = self.feature_names_in_
        other.prior_ = self.prior_
        return other._hold(tally)

    # --- looking at it -----------------------------------------------------------------------

    @property
    def reading_(self) -> Reading:
        """What the tally says: `reading_.parameters` of each component."""
        check_is_fitted(self)
        return self.model_.reading

    @property
    def chances_(self) -> Floats:
        """π, the chance of each component."""
        check_is_fitted(self)
        return np.exp(self.model_.log_prior)

    def predict(self, X: Any) -> NDArray[np.intp]:
        """The likeliest component of each row."""
        return np.asarray(self.predict_joint_log_proba(X).argmax(axis=1))

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> NDArray[np.intp]:
        """The component that each row was found to belong to."""
        return self.fit(X, y, sample_weight).labels_

    def score_samples(self, X: Any) -> Floats:
        """log p(row), as a density or mass that sums to one.

        Measurements that were the same in every row of `fit` have no density, and are left out.
        """
        check_is_fitted(self)
        return np.asarray(logsumexp(self.model_.log_density(self._validate_rows(X)), axis=1))

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ARG002
        """The mean log p of a row."""
        return float(self.score_samples(X).mean())

    def bic(self, X: Any) -> float:
        """Schwarz's criterion: −2 log p(rows) + free parameters · log(rows). Lower is better."""
        told = self.score_samples(X)
        return float(-2 * told.sum() + self.free_parameters_ * np.log(len(told)))

    def aic(self, X: Any) -> float:
        """Akaike's criterion: −2 log p(rows) + 2 · free parameters. Lower is better."""
        return float(-2 * self.score_samples(X).sum() + 2 * self.free_parameters_)

    @property
    def free_parameters_(self) -> int:
        """How many numbers EM was free to choose."""
        check_is_fitted(self)
        counted = self.label_prior is None or (
            not isinstance(self.label_prior, str) and not np.ndim(self.label_prior)
        )
        free = self.tally_[~features_without_density(self.tally_)]
        return free.family._free_parameters(free) + (len(free.labels) - 1) * counted

    def why(self, X: Any, names: Sequence[Hashable] | None = None) -> list[Explanation]:
        """For each row, the evidence of each feature for its component against the next, in decibans."""
        return self._explained(X, names)

    # --- inner workings ----------------------------------------------------------------------

    def _hold(self, tally: Tally) -> Mixture:
        self.tally_ = tally
        chances = label_chances(self.label_prior, tally.labels, np.asarray(tally.rows, dtype=float))
        self.model_ = Model(tally, self.rule, self.prior_, chances, telling_only=True)
        _ = self.model_.reading  # an unreadable rule or prior is refused now, not at the first prediction
        return self

    def _joint(self, rows: Any) -> Floats:
        return np.asarray(self.model_.reading.score(rows) + self.model_.log_prior)
