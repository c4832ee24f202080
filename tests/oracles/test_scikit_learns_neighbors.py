"""scikit-learn's own tests of neighbours, as far as they apply, run on ours through a thin adapter.

The adapter has scikit-learn's names for settings. Left out are tests of what is not here: neighbours within a
radius, powers below 1, precomputed distances, missing values, trees and backends, metrics as objects of
scikit-learn or by `metric_params`, and messages word by word.
"""

import numpy as np
import pytest
from sklearn import neighbors
from sklearn.neighbors.tests import test_neighbors as theirs

from deciban import NeighborsClassifier, NeighborsRegressor
from deciban.learners.distances import Minkowski
from tests.oracles import foreign_tests

METRICS = {"l2": "euclidean", "l1": "manhattan", "cityblock": "manhattan"}
APPLICABLE = [
    "test_kneighbors_classifier",
    "test_kneighbors_classifier_float_labels",
    "test_kneighbors_classifier_predict_proba",
    "test_kneighbors_regressor",
    "test_kneighbors_regressor_multioutput",
    "test_KNeighborsRegressor_multioutput_uniform_weight",
    "test_neighbors_iris",
    "test_neighbors_digits",
    "test_kneighbors_classifier_sparse",
    "test_kneighbors_regressor_sparse",
    "test_dtype_convert",
    "test_predict_dataframe",
    "test_KNeighborsClassifier_raise_on_all_zero_weights",
    "test_neighbors_regressors_zero_distance",
    "test_KNeighborsClassifier_multioutput",
    "test_unsupervised_kneighbors",
    "test_neighbors_classifier_with_string_labels",
    "test_query_equidistant_kth_nn",
    "test_callable_metric",
    "test_regressor_predict_on_arraylikes",
    "test_neighbor_classifiers_loocv",
    "test_neighbor_regressors_loocv",
    "test_same_knn_parallel",
]
FAILURES = {
    "test_kneighbors_regressor_sparse": "distances may be precomputed there, and cannot be here",
}
IN_OTHER_WORDS = {"test_KNeighborsClassifier_raise_on_all_zero_weights"}


class Adapter:
    """Settings by scikit-learn's names; whatever chooses an algorithm is taken and ignored."""

    def __init__(
        self,
        n_neighbors=5,
        *,
        weights="uniform",
        algorithm="auto",
        leaf_size=30,
        p=2,
        metric="minkowski",
        metric_params=None,
        n_jobs=None,
    ):
        assert not metric_params
        self.n_neighbors, self.weights, self.algorithm, self.leaf_size = (
            n_neighbors,
            weights,
            algorithm,
            leaf_size,
        )
        self.p, self.metric, self.n_jobs = p, metric, n_jobs
        distance = Minkowski(p) if metric == "minkowski" else METRICS.get(metric, metric)
        equal = weights in ("uniform", None)
        super().__init__(n_neighbors, distance=distance, weights="equal" if equal else weights)

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """Both, or positions alone."""
        distances, rows = super().kneighbors(X, n_neighbors)
        return (distances, rows) if return_distance else rows

    @classmethod
    def _get_param_names(cls):
        return ["algorithm", "metric", "n_jobs", "n_neighbors", "p", "weights"]


class KNeighborsClassifier(Adapter, NeighborsClassifier):
    """NeighborsClassifier by scikit-learn's names."""


class KNeighborsRegressor(Adapter, NeighborsRegressor):
    """NeighborsRegressor by scikit-learn's names."""


class NearestNeighbors(Adapter, NeighborsRegressor):
    """The rows alone, without anything to predict."""

    def __init__(self, n_neighbors=5, *, algorithm="auto", p=2, metric="minkowski", n_jobs=None):
        super().__init__(n_neighbors, algorithm=algorithm, p=p, metric=metric, n_jobs=n_jobs)

    @classmethod
    def _get_param_names(cls):
        return ["algorithm", "metric", "n_jobs", "n_neighbors", "p"]

    def fit(self, X, y=None):  # noqa: ARG002
        """Every row has the same answer."""
        return super().fit(X, np.zeros(X.shape[0] if hasattr(X, "shape") else len(X)))


RADIUS = ("RadiusNeighborsClassifier", "RadiusNeighborsRegressor")
LEFT_OUT = (*RADIUS, *(f"{name}()" for name in RADIUS), "DM_euclidean")
OURS = (KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors)


@pytest.mark.parametrize(("test", "settings"), [*foreign_tests.cases(theirs, APPLICABLE, FAILURES, LEFT_OUT)])
def test_scikit_learns_test_of_neighbours_passes(test, settings, monkeypatch):
    foreign_tests.run(test, settings, [neighbors, theirs], OURS, monkeypatch, IN_OTHER_WORDS)
