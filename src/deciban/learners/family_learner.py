"""What learners with a family have in common: a door for rows, probabilities, a file, scikit-learn's tags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from deciban.errors import BadSetting, DecibanError, NotEnoughValues
from deciban.families import Bernoulli, Categorical, Columns, Family, Gaussian
from deciban.families.columns import as_array
from deciban.families.matrices import is_frame, names_of, unmasked
from deciban.families.reading import Floats
from deciban.learners import model_file
from deciban.learners.explanation import Explanation
from deciban.learners.model import Model

FEW = 32  # labels

SETTLED = ("pivot", "width")  # what tallies fix by themselves


def refuse_bad_frame(X: Any, learner: str) -> None:
    """What scikit-learn asks of an array: a row, a column, and here a name for each column."""
    rows, names = X.shape[0], names_of(X) or []
    if not rows:
        raise ValueError(f"Found array with 0 sample(s) while a minimum of 1 is required by {learner}.")
    if not names:
        raise ValueError(f"Found array with 0 feature(s) while a minimum of 1 is required by {learner}.")
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        raise ValueError(f"Two columns are called {twice!r}. Rename one.")


def over_labels(take: np.ufunc, joint: Floats) -> Floats:
    """The largest or the sum of each row, (rows, 1).

    With few labels numpy is three times faster column by column than row by row.
    """
    if joint.shape[1] > FEW:
        return np.asarray(take.reduce(joint, axis=1, keepdims=True))
    return np.asarray(reduce(take, joint.T))[:, None]


def _settings_of(family: Any) -> dict[str, Any]:
    """The settings of a family, without its columns and without what a first batch settled."""
    if family is None or not is_dataclass(family) or isinstance(family, Columns):
        return {}
    return {one.name: getattr(family, one.name) for one in fields(family) if one.name not in SETTLED}


class FamilyLearner:
    """An estimator whose parameter `family` says what a row looks like; Gaussian() unless told.

    It stands before scikit-learn's own mixins, so that it has the last word on the tags.
    """

    family: Family | None
    model_: Model
    n_features_in_: int

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings; deep ones include those of the family, such as `family__shared`."""
        settings: dict[str, Any] = super().get_params(deep=deep)  # type: ignore[misc]
        if deep:
            settings |= {f"family__{name}": value for name, value in _settings_of(self.family).items()}
        return settings

    def set_params(self, **settings: Any) -> Self:
        """Change settings, those of the family by `family__shared` and the like, for a grid search."""
        inner = {name: settings.pop(name) for name in list(settings) if name.startswith("family__")}
        super().set_params(**settings)  # type: ignore[misc]
        if inner:
            family = self._family()
            known = _settings_of(family)
            changed = {name.removeprefix("family__"): value for name, value in inner.items()}
            unknown = [name for name in changed if name not in known]
            if unknown:
                raise ValueError(
                    f"Invalid parameter {unknown[0]!r} for family {family}. Valid ones are {sorted(known)}."
                )
            self.family = replace(family, **changed)  # type: ignore[type-var]
        return self

    def save(self, path: str | Path) -> None:
        """Write the model to a file that holds numbers and names, and cannot execute code."""
        check_is_fitted(self)
        learner: Any = self  # which keeps a tally, once it is fitted
        model_file.save(learner, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a saved model; facts about single rows that it was fitted on were not saved."""
        model: Self = model_file.load(cls, Path(path))
        return model

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """log p(label, row) for each label, up to what is the same for all: (rows, labels)."""
        check_is_fitted(self)
        if not len(self.model_.tally.labels):
            raise NotEnoughValues(
                "Every row was forgotten, so there is no label to choose. Learn some first."
            )
        return self.model_.joint(self._validate_rows(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """log p(label | row); the labels of a mixture are its components."""
        joint = self.predict_joint_log_proba(X)
        return np.asarray(joint - logsumexp(joint, axis=1, keepdims=True))

    def predict_proba(self, X: Any) -> Floats:
        """p(label | row); the labels of a mixture are its components."""
        joint = self.predict_joint_log_proba(X)
        joint -= over_labels(np.maximum, joint)
        np.exp(joint, out=joint)
        joint /= over_labels(np.add, joint)
        return joint

    def sample(
        self, n: int = 1, label: Any = None, random_state: Any = None
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """n rows like those learned, and their labels: all of one label, or of every label by its chance.

        Under rule="bayes" parameters are drawn from the posterior first, and all rows come from them. Columns
        are in the order of those learned; no value is missing.
        """
        check_is_fitted(self)
        return self._drawn(n, label, np.exp(self.model_.log_prior), random_state)

    def _drawn(
        self, n: int, label: Any, chances: Floats, random_state: Any
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        model = self.model_
        if model.complement:
            raise BadSetting(
                "A complement model says how a row does not look, so none can be drawn from it. "
                "Sample its tally: tally_.sample(n)."
            )
        settings = {"rule": model.rule, "prior": model.prior, "chances": chances}
        seed = check_random_state(random_state).randint(2**31)
        rows, labels = model.tally.sample(n, label, random_state=seed, **settings)
        names = self._names()
        if names is None:
            return rows, labels
        order = np.array([model.tally.features.find(name) for name in names.tolist()])
        return np.asarray(rows[:, order]), labels

    def _explained(self, X: Any, names: Sequence[Hashable] | None, **labels: Any) -> list[Explanation]:
        """The model's explanation of each row, with these names for features that had none."""
        check_is_fitted(self)
        if names is not None and len(names) != self.n_features_in_:
            raise ValueError(f"Expected {self.n_features_in_} names, got {len(names)} instead.")
        return self.model_.explain(self._validate_rows(X), names, **labels)

    def _family(self) -> Family:
        family = Gaussian() if self.family is None else self.family
        if not isinstance(family, Family):
            raise ValueError(f"family must be a deciban family such as Gaussian(), got {family!r} instead.")
        return family

    def _check_settings(self) -> None:
        """Refuse settings that a file holds, and that no answer can be given with."""

    def _validate_rows(self, X: Any, first: bool = False) -> Any:
        if hasattr(X, "collect") and not hasattr(X, "shape"):
            raise ValueError(f"A {type(X).__name__} has no rows yet. Read them first: frame.collect().")
        X = unmasked(X)
        if is_frame(X):
            refuse_bad_frame(X, type(self).__name__)
            return validate_data(self, X, reset=first, skip_check_array=True)
        if not first and self._is_plain(X):
            return X
        anything = isinstance(self._family(), (Categorical, Columns))
        if anything and isinstance(X, (list, tuple)) and all(isinstance(row, (list, tuple)) for row in X):
            X = as_array(X)
        return validate_data(
            self,
            X,
            reset=first,
            accept_sparse="csr",
            dtype=None if anything else "numeric",
            ensure_all_finite=False,  # the family's door looks at every value anyway
        )

    def _is_plain(self, X: Any) -> bool:
        """Whether rows are an array or CSR of numbers as wide as expected: nothing is left to validate.

        scikit-learn's validation takes 150 µs to find that out, several times as long as predicting one row.
        """
        plain = type(X) is np.ndarray or (sparse.issparse(X) and X.format == "csr")
        return (
            plain
            and X.ndim == 2
            and X.dtype.kind in "fiu"
            and X.shape[0] > 0
            and X.shape[1] == self.n_features_in_
            and not hasattr(self, "feature_names_in_")
        )

    def _names(self) -> NDArray[Any] | None:
        return getattr(self, "feature_names_in_", None)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        try:
            family = self._family()
        except (DecibanError, ValueError):
            return tags
        anything = isinstance(family, (Categorical, Columns))
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = anything
        tags.input_tags.string = anything
        tags.input_tags.positive_only = not (
            anything
            or isinstance(family, Gaussian)
            or (isinstance(family, Bernoulli) and family.binarize is not None)
        )
        # The checks' Gaussian blobs are a poor fit for counts; scikit-learn marks its own so, too.
        if tags.classifier_tags is not None:
            tags.classifier_tags.poor_score = tags.input_tags.positive_only
        return tags
