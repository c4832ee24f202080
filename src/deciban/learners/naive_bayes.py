"""NaiveBayes: one classifier for every family, with scikit-learn's contract and a tally inside.

>>> X = [[1, 0, 2], [0, 1, 0], [3, 0, 1], [0, 2, 0]]
>>> y = ["spam", "ham", "spam", "ham"]
>>> from deciban import Multinomial
>>> model = NaiveBayes(Multinomial()).fit(X, y)
>>> model.predict([[1, 0, 0], [0, 1, 1]]).tolist()
['spam', 'ham']
>>> print(model.why([[1, 0, 0]], names=["free", "meeting", "the"])[0])
spam rather than ham: 4.8 dB
     +0.0 dB  label prior
     -2.2 dB  belonging to no feature
     +7.0 dB  free

What it learned is `model.tally_`, so it can learn on (`partial_fit`, with new labels at any time),
unlearn (`forget`), be saved without pickle, and be added to a model of other data.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from deciban.errors import BadPrior
from deciban.families import Family
from deciban.families.family import refuse_unknown_prior, refuse_unknown_rule
from deciban.families.reading import Floats
from deciban.learners.all_or_nothing import all_or_nothing
from deciban.learners.explanation import Explanation
from deciban.learners.family_learner import FamilyLearner
from deciban.learners.fold_tallies import choose_alpha, choose_temper, each_fold, hold_out
from deciban.learners.labels import checked_labels, declared_classes
from deciban.learners.model import NORMALISED, Model, refuse_unknown_chances
from deciban.learners.temper import Temper
from deciban.smoothing import Empirical
from deciban.tally import Tally


def _has_densities(model: NaiveBayes) -> bool:
    """A complement model says how a row does not look, so no row has a likelihood."""
    return not model.complement


class NaiveBayes(FamilyLearner, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A generative classifier: p(label | row) from p(row | label), feature by feature.

    Parameters
    ----------
    family : what p(x | label) looks like: Gaussian() unless told, or Bernoulli(), Categorical(),
        Multinomial(), Poisson(), Geometric(), Gamma(), or Columns of them.
    rule : how parameters are read: "bayes" (integrated out), "mean", "map" or "mle".
    prior : a number α, "laplace", "jeffreys", "empirical", "cv" (α by cross-validation), one of
        `deciban.smoothing`, or a Tally that was imagined.
    label_prior : None (as counted), a number that smooths the counts, "uniform", or the chances.
    complement : judge a label by how badly all others explain a row; "normalised" makes the weights of each
        label sum to one, as ComplementNB(norm=True) does (Multinomial under "mean", "map" or "mle").
    c : how many times likelier a label must be than one without a c before it is chosen: a mapping
        from label to c, or a number for the second of two labels. c = 9 chooses "spam" only if
        p(spam)/p(ham) > 9: right where losing a good mail is nine times worse than seeing a bad one.
    temper : an exponent for the evidence of a row, so that probabilities mean what they say though features
        repeat each other: a number, "cv" (found on held-out rows, with an offset for each label; see
        temper.py), or None to take evidence as it is.

    Attributes
    ----------
    classes_ : the labels, sorted.
    tally_ : what was learned.
    prior_ : what is imagined, as a tally.
    alpha_ : the α that prior="cv" or "empirical" found: a number, one for each feature (Categorical), or two
        (a yes and b no, Bernoulli).
    alpha_scores_ : the mean log p of held-out labels for each α that prior="cv" tried.
    temper_, offsets_ : the exponent and the offset of each label, in nats, that temper="cv" found.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)                     # 30 columns that repeat each other
    >>> plain, tempered = NaiveBayes().fit(X[::2], y[::2]), NaiveBayes(temper="cv").fit(X[::2], y[::2])
    >>> for model in (plain, tempered):
    ...     p_true = model.predict_proba(X[1::2])[range(284), y[1::2]]
    ...     print(f"{-np.log(p_true).mean():.2f} nats")                # 0.66 by the shares of the labels
    0.59 nats
    0.15 nats
    >>> round(tempered.temper_, 2)
    0.11
    """

    _LEARNED: ClassVar[tuple[str, ...]] = ("chosen_alpha_", "temper_", "offsets_", "declared_")
    tally_: Tally
    classes_: NDArray[Any]

    def __init__(
        self,
        family: Family | None = None,
        *,
        rule: str = "bayes",
        prior: Any = 1,
        label_prior: Any = None,
        complement: bool | str = False,
        c: Mapping[Any, float] | float | None = None,
        temper: float | str | None = None,
    ) -> None:
        self.family = family
        self.rule = rule
        self.prior = prior
        self.label_prior = label_prior
        self.complement = complement
        self.c = c
        self.temper = temper

    # --- learning ----------------------------------------------------------------------------

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NaiveBayes:
        """Learn from labelled rows, and nothing else."""
        X, y, weight = self._validate(X, y, sample_weight, first=True)
        family = self._family()
        tally = family.tally(X, y, weight=weight, features=self._names())
        self._check_temper()
        self._check_complement()
        if self._needs_all_rows():
            self._cross_validate(tally.family, X, y, weight)
        model = self._model(tally)
        # Settings that make no sense are refused now, not at the first prediction.
        _ = model.reading, model.signs, model.log_prior, self._costs(tally.labels)
        if hasattr(self, "declared_"):
            del self.declared_
        return self._hold(tally, model)

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> NaiveBayes:
        """Learn further rows; labels and categories that were never seen are welcome.

        `classes` may be given, as in scikit-learn, and must then contain every label. They stay among the
        classes, even those of which nothing was learned yet.
        """
        first = not hasattr(self, "tally_")
        X, y, weight = self._validate(X, y, sample_weight, first=first)
        declared = None if classes is None else declared_classes(classes, y)
        self._check_costs()
        self._check_temper()
        self._check_complement()
        refuse_unknown_rule(self.rule)
        refuse_unknown_prior(self.prior)
        refuse_unknown_chances(self.label_prior)
        if self._needs_all_rows():
            raise BadPrior("'cv' needs all rows at once: use fit, or give the α or exponent that it found.")
        family = self._family() if first else self.tally_.family
        more = family.tally(X, y, weight=weight, features=self._names())
        whole = more if first else self.tally_ + more
        if declared is not None:
            self.declared_ = declared
        return self._hold(whole)

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> NaiveBayes:
        """Unlearn rows, as if they had never been seen; an error if they never were."""
        check_is_fitted(self)
        X, y, weight = self._validate(X, y, sample_weight, first=False)
        less = self.tally_.family.tally(X, y, weight=weight, features=self._names())
        return self._hold(self.tally_ - less)

    def __add__(self, other: NaiveBayes) -> NaiveBayes:
        """The model of both models' data."""
        if not isinstance(other, NaiveBayes):
            return NotImplemented
        check_is_fitted(self)
        check_is_fitted(other)
        if self._needs_all_rows():
            raise BadPrior("Models with 'cv' do not add: give both the α or exponent that it found.")
        whole: NaiveBayes = clone(self)
        whole.n_features_in_ = self.n_features_in_
        if hasattr(self, "feature_names_in_"):
            whole.feature_names_in_ = self.feature_names_in_
        return whole._hold(self.tally_ + other.tally_)

    def reread(self, tally: Tally) -> NaiveBayes:
        """The same model with another tally: what it would be, had it learned that.

        >>> from deciban import Multinomial
        >>> model = NaiveBayes(Multinomial()).fit([[1, 0], [0, 1]], ["a", "b"])
        >>> model.reread(0.5 * model.tally_).tally_.rows.tolist()
        [0.5, 0.5]
        """
        check_is_fitted(self)
        other: NaiveBayes = clone(self)
        kept = ("n_features_in_", "feature_names_in_", *self._LEARNED)
        for name in kept:
            if hasattr(self, name):
                setattr(other, name, getattr(self, name))
        return other._hold(tally)

    # --- classifying -------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """The label whose posterior, divided by its c, is largest."""
        joint = self.predict_joint_log_proba(X)
        costs = self._costs(self.classes_)
        return np.asarray(self.classes_[np.argmax(joint if costs is None else joint - costs, axis=1)])

    def why(self, X: Any, names: Sequence[Hashable] | None = None) -> list[Explanation]:
        """For each row, the evidence of each feature in decibans; they add up to the log-odds.

        `names` are for features that had none when they were learned, such as a vectorizer's columns.
        """
        return self._explained(X, names)

    # --- the likelihood of rows ---------------------------------------------------------------

    @available_if(_has_densities)  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def score_samples(self, X: Any) -> Floats:
        """log p(row) with all constants, as a density or mass that sums to one: low where a row is odd.

        >>> from deciban import Poisson
        >>> model = NaiveBayes(Poisson()).fit([[3], [5], [4], [2]], ["a", "a", "b", "b"])
        >>> model.score_samples([[4], [40]]).round(1).tolist()
        [-1.9, -36.2]
        """
        check_is_fitted(self)
        return np.asarray(logsumexp(self.model_.log_density(self._validate_rows(X)), axis=1))

    def log_likelihood(self, X: Any, y: Any) -> float:
        """log p(rows, labels) with all constants: the likelihood of what was read from the tally.

        Under rule="bayes" each row is taken to be the next one, given all that was learned.
        """
        check_is_fitted(self)
        X = self._validate_rows(X)
        y = checked_labels(y, X.shape[0])
        whole = self.model_.log_density(X)
        known = np.isin(y, self.classes_)
        own = whole[known, np.searchsorted(self.classes_, y[known])]
        return float(own.sum()) if known.all() else -math.inf

    def log_marginal(self, X: Any, y: Any) -> float:
        """log p(rows | labels) of all rows together, before any was seen: parameters integrated out.

        The prior is that of the model; the rows are usually those that it has learned.
        """
        check_is_fitted(self)
        X = self._validate_rows(X)
        y = checked_labels(y, X.shape[0])
        tally = self.tally_.family.tally(X, y, features=self._names())
        prior = tally.family._imagine(self.model_.prior, self.tally_)
        base = tally.family._log_base(self.model_.density.admit(X))
        return tally.log_marginal(prior) + float(base.sum())

    # --- inner workings ----------------------------------------------------------------------

    def _hold(self, tally: Tally, model: Model | None = None) -> NaiveBayes:
        """Keep a tally as what was learned; it is read when it is first needed."""
        if hasattr(self, "declared_"):
            tally = tally.with_labels(self.declared_)
        self.tally_ = tally
        self.classes_ = tally.labels
        self.model_ = model or self._model(tally)
        return self

    def _model(self, tally: Tally) -> Model:
        prior = self.chosen_alpha_ if _is_cv(self.prior) else self.prior
        return self._read_by(tally, prior, self._temper(tally.labels))

    def _read_by(self, tally: Tally, prior: Any, temper: Temper | None = None) -> Model:
        settings = (self.rule, prior, self.label_prior, self.complement)
        return Model(tally, *settings, telling_only=True, temper=temper)

    def _temper(self, labels: NDArray[Any]) -> Temper | None:
        if not _is_cv(self.temper):
            return None if self.temper is None else Temper(float(self.temper), np.zeros(len(labels)))
        offsets = [self.offsets_.get(label, 0.0) for label in labels.tolist()]
        return Temper(float(self.temper_), np.array(offsets, dtype=float))

    @property
    def prior_(self) -> Tally:
        """What is imagined of each label, as a tally: nothing under rule="mle"."""
        check_is_fitted(self)
        return self.tally_.family._imagined_for(self.rule, self.model_.prior, self.tally_)

    @property
    def alpha_(self) -> Any:
        """The α that cross-validation or empirical Bayes found."""
        if _is_cv(self.prior) and hasattr(self, "chosen_alpha_"):
            return self.chosen_alpha_
        if isinstance(self.prior, Empirical) or (isinstance(self.prior, str) and self.prior == "empirical"):
            return self.tally_.family._alpha_of(self.prior_)
        raise AttributeError("alpha_ is there once prior='cv' or 'empirical' has found one.")

    def _needs_all_rows(self) -> bool:
        return _is_cv(self.prior) or _is_cv(self.temper)

    def _cross_validate(self, family: Family, X: Any, y: NDArray[Any], weight: NDArray[Any] | None) -> None:
        """Find what is to be found on held-out rows: every fold is tallied once."""

        def tally_of(block: Any, rows: NDArray[np.intp]) -> Tally:
            part = None if weight is None else weight[rows]
            return family.tally(block, y[rows], weight=part, features=self._names())

        folds, tempered = list(each_fold(X, y, tally_of)), _is_cv(self.temper)
        prior = self.prior
        if _is_cv(prior):
            prior, self.alpha_scores_ = choose_alpha(folds, y, weight, self._read_by, tempered=tempered)
            self.chosen_alpha_ = prior
        if tempered:
            temper = choose_temper(hold_out(folds, y, weight, lambda tally: self._read_by(tally, prior)))
            labels = np.unique(y).tolist()
            self.temper_ = 1.0 if temper is None else temper.exponent
            offsets = [0.0] * len(labels) if temper is None else temper.offsets.tolist()
            self.offsets_ = dict(zip(labels, offsets, strict=True))

    def _check_settings(self) -> None:
        self._check_temper()
        self._check_complement()
        self._costs(self.classes_)

    def _check_complement(self) -> None:
        if not isinstance(self.complement, (bool, np.bool_)) and self.complement != NORMALISED:
            raise ValueError(
                f"complement must be True, False or {NORMALISED!r}, got {self.complement!r} instead."
            )

    def _check_temper(self) -> None:
        given = self.temper
        if given is None or _is_cv(given):
            return
        if isinstance(given, bool) or not isinstance(given, Real) or not 0 <= given < math.inf:
            raise ValueError(f"temper must be 'cv', None or a number of 0 or more, got {given!r} instead.")

    def _check_costs(self) -> None:
        costs = self.c.values() if isinstance(self.c, Mapping) else [1.0 if self.c is None else self.c]
        if not all(isinstance(cost, Real) and 0 < cost < math.inf for cost in costs):
            raise ValueError(f"c must be above 0, got {self.c!r} instead.")

    def _costs(self, labels: NDArray[Any]) -> Floats | None:
        """Log c of each label."""
        self._check_costs()
        if self.c is None:
            return None
        if isinstance(self.c, Mapping):
            unknown = [label for label in self.c if label not in labels]
            if unknown:
                raise ValueError(f"c names the label {unknown[0]!r}, which was never learned.")
            return np.log([float(self.c.get(label, 1.0)) for label in labels.tolist()])
        if len(labels) > 2:
            raise ValueError(
                f"A single c is for two labels, but there are {len(labels)}. Give c={{label: cost}}."
            )
        return np.log([1.0, float(self.c)][: len(labels)])

    def _validate(
        self, X: Any, y: Any, sample_weight: Any, *, first: bool
    ) -> tuple[Any, NDArray[Any], NDArray[Any] | None]:
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None.")
        X = self._validate_rows(X, first=first)
        y = checked_labels(y, X.shape[0])
        if sample_weight is None:
            return X, y, None
        weight = _check_sample_weight(sample_weight, y, ensure_non_negative=True)
        kept = np.flatnonzero(weight > 0)  # a row without weight is as good as not there
        if len(kept) == len(y):
            return X, y, weight
        return _safe_indexing(X, kept), y[kept], weight[kept]


def _is_cv(setting: Any) -> bool:
    return isinstance(setting, str) and setting == "cv"
