"""MixtureClassifier: labels for some of the rows, none for the rest, and several components a label.

    p(row, label) = p(label) · Σ_{components k of the label} p(k | label) p(row | θ_k)

A row with a label belongs to the components of that label; a row without one to any, by its expected share.
So one loop serves three ends: unlabelled rows make a classifier better (Nigam et al., "Text classification
from labeled and unlabeled documents using EM", 2000), several components make a label wider than one shape
(an 8 with and without a slant), and with one component and no unlabelled rows it is Naive Bayes.

Two of the four words come in labelled texts; the texts without a label tell which words go together:

>>> from deciban import Multinomial
>>> words = ["goal", "keeper", "vote", "party"]
>>> X = [[1, 0, 0, 0], [0, 0, 1, 0], [1, 2, 0, 0], [2, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 2]]
>>> y = ["sport", "politics", None, None, None, None]
>>> MixtureClassifier(Multinomial()).fit(X, y).predict([[0, 1, 0, 0], [0, 0, 0, 1]]).tolist()
['sport', 'politics']

A label is unknown where y is -1 (scikit-learn's mark), NaN, None or "".
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from deciban.errors import BadSetting, NoLabels
from deciban.families import Family
from deciban.families.matrices import is_missing
from deciban.families.reading import Floats, Reading
from deciban.learners.all_or_nothing import all_or_nothing
from deciban.learners.ascent import Ascent
from deciban.learners.explanation import Explanation
from deciban.learners.family_learner import FamilyLearner
from deciban.learners.fold_tallies import fold_of_each
from deciban.learners.hidden_labels import HiddenLabels, Step, component_chances
from deciban.learners.labels import checked_labels
from deciban.learners.model import Model
from deciban.learners.seeds import sow
from deciban.learners.variance_floor import variance_floor
from deciban.learners.whole_setting import whole_setting
from deciban.tally import Tally

WEIGHTS = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)  # tried by unlabelled_weight="cv"
FOLDS = 5
NO_ROWS = 1e-6  # a component with less than this has lost its rows to its neighbours, and is dropped


class MixtureClassifier(FamilyLearner, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A generative classifier that learns from rows with and without labels.

    Parameters
    ----------
    family, rule, prior, label_prior : as in NaiveBayes; the objective of each rule is as in Mixture.
    components : how many a label has: one number for all, or a mapping from label to number (1 where it is
        silent). A label never has more of them than it has labelled rows.
    unlabelled_weight : how much a row without a label counts, beside one with: λ of Nigam et al., or "cv",
        the one that predicts held-out labels best.
    hard : give each row wholly to its likeliest component.
    init : where the components of a label start: "spread" (seeds far from each other) or "rows" (any rows).
    restarts, variance_floor, steps, tolerance, random_state, verbose, callback : as in Mixture.

    Attributes
    ----------
    classes_ : the labels, sorted.
    owner_ : the position in `classes_` of each component's label.
    reading_ : the parameters of each component, `reading_.parameters`.
    tally_ : what each component was found to have.
    unlabelled_weight_, unlabelled_weight_scores_ : the weight, and how well "cv" found each to do.
    objective_, objective_history_, n_iter_, converged_ : as in Mixture.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from deciban import Gaussian
    >>> X, y = [[0.0], [1.0], [0.5], [8.0], [9.0], [8.5]], ["low", "low", "", "high", "high", ""]
    >>> MixtureClassifier(Gaussian()).fit(X, y).predict([[2.0], [7.0]]).tolist()
    ['low', 'high']
    """

    _LEARNED: ClassVar[tuple[str, ...]] = (
        *("classes_", "owner_", "unlabelled_weight_", "prior_"),
        *("objective_history_", "objective_", "n_iter_", "converged_"),
    )
    tally_: Tally  # one row a component
    classes_: NDArray[Any]
    owner_: NDArray[np.intp]  # (components,): the position in classes_ of each component's label

    def __init__(
        self,
        family: Family | None = None,
        components: int | Mapping[Any, int] = 1,
        *,
        rule: str = "bayes",
        prior: Any = 1,
        label_prior: Any = None,
        unlabelled_weight: float | str = 1.0,
        hard: bool = False,
        init: str = "spread",
        restarts: int = 1,
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
        self.unlabelled_weight = unlabelled_weight
        self.hard = hard
        self.init = init
        self.restarts = restarts
        self.variance_floor = variance_floor
        self.steps = steps
        self.tolerance = tolerance
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    # --- learning ----------------------------------------------------------------------------

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MixtureClassifier:
        """Learn from rows with labels and from rows without."""
        X, y, weight = self._validate(X, y, sample_weight)
        known = ~is_unknown(y)
        if not known.any():
            raise NoLabels(
                "No row has a label, so there are no classes to learn. Use Mixture to find components."
            )
        labels = checked_labels(y[known].tolist(), int(known.sum()))
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if self.unlabelled_weight == "cv":
            self._choose_weight(X, y, known, codes, weight)
        else:
            self.unlabelled_weight_ = self._check_weight(self.unlabelled_weight)
        label = np.full(len(y), -1)
        label[known] = codes
        hidden = self._hidden(X, label, np.where(known, weight, self.unlabelled_weight_ * weight))
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        best = Ascent.of(self).run(hidden, lambda: self._start(hidden, label, rng))
        self.objective_history_ = best.history
        self.objective_ = best.history[-1]
        self.n_iter_ = len(best.history)
        self.converged_ = best.converged
        tally = hidden.whole(best.parameters)
        alive = np.asarray(tally.rows > NO_ROWS)
        self.owner_ = self.owner_[alive]
        self.prior_ = hidden.whole_prior.keep_labels(alive)
        return self._hold(tally.keep_labels(alive))

    def _hidden(self, X: Any, label: NDArray[np.intp], weight: Floats) -> HiddenLabels:
        family, rows = self._family()._welcome(X, self._names())
        counts = np.minimum(self._components(), np.bincount(label[label >= 0], minlength=len(self.classes_)))
        self.owner_ = np.repeat(np.arange(len(counts)), counts)
        return HiddenLabels(
            family,
            rows,
            weight,
            np.arange(len(self.owner_)),
            self.rule,
            self.prior,
            self._names(),
            self.label_prior,
            owner=self.owner_,
            labels=self.classes_,
            allowed=(label[:, None] == self.owner_) | (label[:, None] < 0),
            hard=self.hard,
            floor=variance_floor(family, rows, weight, self.variance_floor),
        )

    def _start(self, hidden: HiddenLabels, label: NDArray[np.intp], rng: np.random.Generator) -> Floats:
        """Shares in the components of the labels that are known; rows without a label come in later."""
        if self.init not in ("spread", "rows"):
            raise BadSetting(f"init must be 'spread' or 'rows', got {self.init!r} instead.")
        shares = np.zeros((len(label), len(self.owner_)))
        for number in range(len(self.classes_)):
            mine = np.where(label == number, hidden.weight, 0.0)
            members = np.flatnonzero(self.owner_ == number)
            if len(members) == 1:
                shares[:, members[0]] = mine
            else:
                spread = self.init == "spread"
                shares[:, members] = sow(
                    hidden.spoken, mine, len(members), rng, spread=spread, hard=self.hard
                )
        return shares

    def _choose_weight(
        self, X: Any, y: NDArray[Any], known: NDArray[np.bool_], codes: NDArray[np.intp], weight: Floats
    ) -> None:
        """Hold labelled rows out, learn from all others, and see which λ labels them best."""
        fold = np.full(len(y), -1)
        fold[known] = fold_of_each(codes, FOLDS)
        scores = dict.fromkeys(WEIGHTS, (0.0, 0.0))
        for held in range(FOLDS):
            inside, outside = np.flatnonzero(fold == held), np.flatnonzero(fold != held)
            if not len(inside) or is_unknown(y[outside]).all():
                continue
            asked, truth = _safe_indexing(X, inside), y[inside]
            for candidate, (right, log_p) in scores.items():
                model = clone(self).set_params(unlabelled_weight=candidate, verbose=False, callback=None)
                model.fit(_safe_indexing(X, outside), y[outside], sample_weight=weight[outside])
                told = model.predict_log_proba(asked)
                hit = truth[:, None] == model.classes_
                right += float((hit & (told == told.max(axis=1, keepdims=True))).any(axis=1) @ weight[inside])
                log_p += float(np.where(hit, np.maximum(told, -700.0), 0.0).sum(axis=1) @ weight[inside])
                scores[candidate] = (right, log_p)
        total = float(weight[known].sum())
        self.unlabelled_weight_scores_ = {
            candidate: right / total for candidate, (right, _) in scores.items()
        }
        self.unlabelled_weight_ = max(scores, key=lambda candidate: scores[candidate])

    # --- classifying -------------------------------------------------------------------------

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """log p(label, row) for each label, up to what is the same for all: (rows, labels)."""
        check_is_fitted(self)
        return self._by_label(self.model_.joint(self._validate_rows(X)))

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest label of each row."""
        best = self.predict_joint_log_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def sample(
        self, n: int = 1, label: Any = None, random_state: Any = None
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """n rows like those learned, and their labels: all of one label, or of every label by its chance."""
        check_is_fitted(self)
        if label is not None and label not in self.classes_.tolist():
            raise BadSetting(f"No rows have the label {label!r}: the labels are {self.classes_.tolist()}.")
        owners = self.classes_[self.owner_]
        mine = np.ones(len(owners), dtype=bool) if label is None else owners == label
        chances = np.where(mine, np.exp(self.model_.log_prior), 0.0)
        rows, components = self._drawn(n, None, chances, random_state)
        return rows, owners[np.searchsorted(self.tally_.labels, components)]

    @property
    def reading_(self) -> Reading:
        """What the tally says: `reading_.parameters` of each component."""
        check_is_fitted(self)
        return self.model_.reading

    def why(self, X: Any, names: Sequence[Hashable] | None = None) -> list[Explanation]:
        """For each row, the evidence of each feature in decibans; they add up to the log-odds of the labels.

        Features speak for the likeliest component of the winner against that of the runner-up. What the other
        components of both add is counted as belonging to no feature.
        """
        return self._explained(X, names, owner=self.owner_, labels=self.classes_)

    # --- inner workings ----------------------------------------------------------------------

    def _hold(self, tally: Tally) -> MixtureClassifier:
        self.tally_ = tally
        rows = np.asarray(tally.rows, dtype=float)
        chances = component_chances(rows, self.owner_, self.classes_, self.label_prior)
        self.model_ = Model(tally, self.rule, self.prior_, chances, telling_only=True)
        _ = self.model_.reading  # an unreadable rule or prior is refused now, not at the first prediction
        return self

    def _check_settings(self) -> None:
        """Every component of the tally belongs to one label, and every label has one."""
        owned = np.unique(self.owner_)
        fits = self.owner_.shape == self.tally_.labels.shape and np.array_equal(
            self.owner_, np.sort(self.owner_)
        )
        if not fits or not np.array_equal(owned, np.arange(len(self.classes_))):
            raise ValueError(f"{len(self.classes_)} labels own other components")

    def _by_label(self, joint: Floats) -> Floats:
        starts = np.searchsorted(self.owner_, np.arange(len(self.classes_)))
        return np.asarray(np.logaddexp.reduceat(joint, starts, axis=1))

    def _components(self) -> NDArray[np.intp]:
        given = self.components
        if isinstance(given, Mapping):
            unknown = [label for label in given if label not in self.classes_]
            if unknown:
                raise BadSetting(f"components names the label {unknown[0]!r}, which no row has.")
            wanted = [given.get(label, 1) for label in self.classes_.tolist()]
        else:
            wanted = [given] * len(self.classes_)
        for number in wanted:
            whole_setting("components", number)
        return np.asarray(wanted)

    def _check_weight(self, weight: Any) -> float:
        if isinstance(weight, str) or not 0 <= weight < np.inf:
            raise BadSetting(
                f"unlabelled_weight must be 'cv' or a number of 0 or more, got {weight!r} instead."
            )
        return float(weight)

    def _validate(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, NDArray[Any], Floats]:
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None.")
        X = self._validate_rows(X, first=True)
        y = column_or_1d(y, warn=True)
        if y.dtype.kind == "f" and np.isinf(y).any():
            raise ValueError("Input y contains infinity; mark unknown labels with -1 or NaN.")
        if len(y) != X.shape[0]:
            raise ValueError(f"Found {X.shape[0]} rows but {len(y)} labels; there must be one label per row.")
        weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        kept = weight > 0  # a row without weight is as good as not there
        return (X, y, weight) if kept.all() else (X[kept], y[kept], weight[kept])


def is_unknown(y: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a label is not known: -1, NaN, None or an empty text.

    >>> is_unknown(np.array(["spam", "", None, "ham"], dtype=object)).tolist()
    [False, True, True, False]
    """
    missing = is_missing(y)
    if y.dtype.kind in "US":
        return np.asarray(y == y.dtype.type())
    if y.dtype.kind == "O":
        return np.array([gap or value in ("", -1) for gap, value in zip(missing, y, strict=True)], dtype=bool)
    return np.asarray(missing | (y == -1)) if y.dtype.kind in "if" else missing
