"""scikit-learn's own tests of neighbours, as far as they apply, run on ours through a thin adapter.

The adapter has scikit-learn's names for settings. Left out are tests of what is not here: neighbours within a
radius, graphs of neighbours, precomputed distances, trees and backends, metrics by `metric_params`, several
outputs of a classifier, and messages word by word.
"""

import inspect

import pytest
from sklearn import neighbors
from sklearn.neighbors.tests import test_neighbors as theirs

from deciban import NeighborsClassifier, NeighborsRegressor

METRICS = {"minkowski": "euclidean", "l2": "euclidean", "l1": "manhattan", "cityblock": "manhattan"}
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
]
FAILURES = {
    "test_kneighbors_regressor_sparse": "distances may be precomputed there, and cannot be here",
    "test_KNeighborsClassifier_raise_on_all_zero_weights": "the same error in other words",
    "test_KNeighborsClassifier_multioutput": "a classifier has one output here; take one for each",
}


class Adapter:
    """Settings by scikit-learn's names; whatever chooses an algorithm is taken and ignored."""

    def __init__(
        self, n_neighbors=5, *, weights="uniform", algorithm="auto", p=2, metric="minkowski", n_jobs=None
    ):
        self.n_neighbors, self.weights, self.algorithm = n_neighbors, weights, algorithm
        self.p, self.metric, self.n_jobs = p, metric, n_jobs
        distance = (
            {1: "manhattan", 2: "euclidean"}[p] if metric == "minkowski" else METRICS.get(metric, metric)
        )
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


def cases():
    """Each test with every combination of its parameters that a function call can take."""
    for name in APPLICABLE:
        test = getattr(theirs, name)
        settings = [{}]
        for mark in getattr(test, "pytestmark", []):
            if mark.name == "parametrize":
                names = [one.strip() for one in mark.args[0].split(",")]
                values = [one if len(names) > 1 else [one] for one in mark.args[1]]
                settings = [
                    {**known, **dict(zip(names, one, strict=True))} for known in settings for one in values
                ]
        for known in settings:
            marks = [pytest.mark.xfail(reason=FAILURES[name])] if name in FAILURES else []
            # A function by its name: its text has an address, which differs from process to process.
            words = [getattr(value, "__name__", str(value)) for value in known.values()]
            yield pytest.param(test, known, id="-".join([name[5:], *words]), marks=marks)


@pytest.mark.parametrize(("test", "settings"), [*cases()])
def test_scikit_learns_test_of_neighbours_passes(test, settings, monkeypatch):
    asked = []
    for ours in (KNeighborsClassifier, KNeighborsRegressor):
        monkeypatch.setattr(neighbors, ours.__name__, ours)
        fit = ours.fit
        monkeypatch.setattr(ours, "fit", lambda self, X, y, fit=fit: asked.append(self) or fit(self, X, y))
    if "global_dtype" in inspect.signature(test).parameters:
        settings = {**settings, "global_dtype": "float64"}
    test(**settings)
    assert asked, "this test of scikit-learn did not use our learners"
