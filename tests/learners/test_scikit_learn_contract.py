"""scikit-learn's own checks of an estimator, over every family."""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.spatial.distance import chebyshev
from sklearn.utils.estimator_checks import check_estimator

import deciban
from deciban import (
    Bernoulli,
    Categorical,
    Columns,
    Gamma,
    Gaussian,
    Geometric,
    Mixture,
    MixtureClassifier,
    Multinomial,
    NaiveBayes,
    NeighborsClassifier,
    NeighborsRegressor,
    Poisson,
    RandomProjection,
    SelectFeatures,
)
from deciban.errors import OutsideSupport
from deciban.families.matrices import matrix_of
from deciban.learners.distances import JensenShannon

# The checks fit numbers with fractions, zeros and both signs. A family with a strict support refuses
# them with OutsideSupport, as it should; so the same family is checked once more with a door that
# rounds its visitors until they fit, and then has to pass everything.
STRICT = "the check's data lie outside the family's support, which is refused by design"


@dataclass(frozen=True)
class RoundedBernoulli(Bernoulli):
    def _admit(self, X, names=None):
        return super()._admit(whole(X) % 2, names)


@dataclass(frozen=True)
class RoundedPoisson(Poisson):
    def _admit(self, X, names=None):
        return super()._admit(whole(X), names)


@dataclass(frozen=True)
class RoundedGeometric(Geometric):
    def _admit(self, X, names=None):
        return super()._admit(whole(X), names)


@dataclass(frozen=True)
class ShiftedGamma(Gamma):
    def _admit(self, X, names=None):
        X = matrix_of(X)
        return super()._admit(np.abs(X.toarray() if hasattr(X, "toarray") else X) + 0.1, names)


def whole(X):
    X = matrix_of(X)
    X = X.toarray() if hasattr(X, "toarray") else X
    return np.floor(np.abs(np.nan_to_num(X.astype(float), posinf=0)) + 0.5)


PASSING = {
    "default": NaiveBayes(),
    "gaussian mean": NaiveBayes(Gaussian(), rule="mean", prior=4),
    "gaussian sharing": NaiveBayes(Gaussian(shared="all")),
    "bernoulli": NaiveBayes(Bernoulli(binarize=0.0)),
    "multinomial": NaiveBayes(Multinomial()),
    "multinomial mean": NaiveBayes(Multinomial(), rule="mean"),
    "complement": NaiveBayes(Multinomial(), complement=True),
    "categorical": NaiveBayes(Categorical()),
    "columns": NaiveBayes(Columns([], rest=Gaussian())),
    "select": SelectFeatures(),
    "neighbours": NeighborsClassifier(),
    "neighbours by distance": NeighborsClassifier(weights="distance", distance="manhattan"),
    "neighbours by cosine": NeighborsClassifier(distance="cosine"),
    "neighbours by a function": NeighborsClassifier(distance=chebyshev),
    "mean of neighbours": NeighborsRegressor(),
    "projection": RandomProjection(2, random_state=0),
    "sparse projection": RandomProjection(2, kind="sparse", random_state=0),
}
# What depends on which rows are held out cannot pass, and why.
BY_FOLD = "a row that comes twice may be in two folds, a row of weight 2 is in one"
AT_ONCE = "rows can be held out only if all are there, so partial_fit is refused"
CROSS_VALIDATED = {
    "check_fit_score_takes_y": AT_ONCE,
    "check_estimators_partial_fit_n_features": AT_ONCE,
    "check_n_features_in_after_fitting": AT_ONCE,
    "check_sample_weight_equivalence_on_dense_data": BY_FOLD,
    "check_sample_weight_equivalence_on_sparse_data": BY_FOLD,
}
# What learners with hidden labels cannot pass, and why.
UNKNOWN = {
    "check_classifiers_classes": "-1 marks an unknown label, as for scikit-learn's own SelfTrainingClassifier"
}
BY_ROW = "seeds are drawn among the rows, and a row that comes twice is two"
PROBABILITIES = "the check takes whatever has predict_proba and sparse rows for a classifier"
SEEDED = {
    "check_sample_weight_equivalence_on_dense_data": BY_ROW,
    "check_sample_weight_equivalence_on_sparse_data": BY_ROW,
}
HARD_CLUSTERER = {
    "check_estimator_sparse_array": PROBABILITIES,
    "check_estimator_sparse_matrix": PROBABILITIES,
}
CLUSTERER = SEEDED | HARD_CLUSTERER
NO_BLOBS = CLUSTERER | {
    "check_clustering": "the check's blobs of real numbers are neither counts nor categories"
}
HIDDEN = {
    "mixture": (Mixture(random_state=0), CLUSTERER),
    "mixture of categories": (Mixture(Categorical(), random_state=0), NO_BLOBS),
    "mixture of counts": (Mixture(Multinomial(), random_state=0), NO_BLOBS),
    "k-means": (
        Mixture(Gaussian(shared="all"), 3, hard=True, label_prior="uniform", random_state=0),
        HARD_CLUSTERER,  # the best of several starts finds the same heaps, however seeds were drawn
    ),
    "classifier": (MixtureClassifier(), UNKNOWN),
    "classifier of counts": (MixtureClassifier(Multinomial()), UNKNOWN),
    "classifier with several components": (MixtureClassifier(components=2, random_state=0), UNKNOWN | SEEDED),
}
ROUNDED = {
    "bernoulli": NaiveBayes(RoundedBernoulli()),
    "poisson": NaiveBayes(RoundedPoisson()),
    "geometric": NaiveBayes(RoundedGeometric()),
    "gamma": NaiveBayes(ShiftedGamma()),
}
# What a rounding door cannot pass, because it lets negative values in.
ONLY_POSITIVE = {
    "check_positive_only_tag_during_fit": "the rounding door of this test takes any sign",
    "check_fit_non_negative": "the rounding door of this test takes any sign",
}


# Distances between counts refuse negative values, as families with a strict support do.
OF_COUNTS = {
    "Jensen–Shannon": NeighborsClassifier(distance=JensenShannon(smoothing=0.5)),
    "Kullback–Leibler": NeighborsClassifier(distance="kullback_leibler"),
}


# The check wants the label with the largest share that comes first by name. Where shares tie deciban
# takes the label of the nearest neighbour among them, whatever the labels are called.
TIES = {"check_classifiers_train": "one row of the check has two votes for each of two labels"}


# Learners that take texts: their own tests run the checks.
OF_TEXTS = {"TextClassifier", "TextFeatures"}


def test_no_public_learner_is_left_unchecked():
    public = {name for name in deciban.__all__ if hasattr(getattr(deciban, name), "get_params")}
    checked = [*PASSING.values(), *(learner for learner, _ in HIDDEN.values())]
    assert {type(learner).__name__ for learner in checked} | OF_TEXTS == public


def failures(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, on_fail=None)
    assert len(results) > 40
    return {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}


@pytest.mark.parametrize("name", PASSING)
def test_every_check_passes(name):
    explained = TIES if isinstance(PASSING[name], NeighborsClassifier) else {}
    assert set(failures(PASSING[name])) <= set(explained)


def test_a_temper_fails_only_the_checks_that_are_listed():
    assert set(failures(NaiveBayes(temper="cv"))) <= set(CROSS_VALIDATED)


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_labels_fail_only_the_checks_that_are_listed(name):
    learner, excused = HIDDEN[name]
    assert set(failures(learner)) == set(excused)


@pytest.mark.parametrize("name", ROUNDED)
def test_strict_families_pass_on_data_that_fit(name):
    assert set(failures(ROUNDED[name])) <= set(ONLY_POSITIVE)


@pytest.mark.parametrize("family", [Bernoulli(), Poisson(), Geometric(), Gamma()], ids=str)
def test_strict_families_fail_only_where_data_do_not_fit(family):
    refused = failures(NaiveBayes(family))
    assert len(refused) > 20
    for name, error in refused.items():
        chain = [error]
        while (before := chain[-1].__cause__ or chain[-1].__context__) is not None:
            chain.append(before)
        assert any(isinstance(link, OutsideSupport) for link in chain), (name, STRICT, chain)


@pytest.mark.parametrize("name", OF_COUNTS)
def test_distances_between_counts_fail_only_where_data_are_no_counts(name):
    for check, error in failures(OF_COUNTS[name]).items():
        if check in TIES:
            continue
        chain = [error]
        while (before := chain[-1].__cause__ or chain[-1].__context__) is not None:
            chain.append(before)
        assert any(isinstance(link, OutsideSupport) for link in chain), (check, STRICT, chain)
