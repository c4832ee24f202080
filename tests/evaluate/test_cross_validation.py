import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from deciban import Bernoulli, Gaussian, Multinomial, NaiveBayes
from deciban.evaluate import cross_validate
from deciban.evaluate.cross_validation import _by_fitting


def sample(rows=120, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.choice(["a", "b", "c"], rows)
    rates = {"a": [3, 1, 1, 1], "b": [1, 3, 1, 1], "c": [1, 1, 3, 1]}
    return np.array([rng.poisson(rates[label]) for label in y]).astype(float), y


@pytest.mark.parametrize("family", [Multinomial(), Bernoulli(binarize=0.5), Gaussian()], ids=repr)
def test_subtraction_says_what_fitting_anew_says(family):
    X, y = sample()
    model = NaiveBayes(family)
    found = cross_validate(model, X, y, folds=4, seed=2)
    assert found.by_subtraction
    for held, block, fitted in _by_fitting(model, X, y, found.fold):
        assert (fitted.predict(block) == found.predicted[held]).all()
        columns = np.searchsorted(fitted.classes_, y[held])
        log_p = fitted.predict_log_proba(block)[np.arange(len(held)), columns]
        assert found.log_probability[held] == pytest.approx(log_p)
    assert found.accuracy > 40
    assert 0 < found.log_loss < 1.2


def test_other_estimators_are_fitted_anew():
    X, y = sample()
    found = cross_validate(LogisticRegression(), X, y, folds=4)
    assert not found.by_subtraction
    assert found.accuracy > 50
    assert cross_validate(LinearSVC(), X, y, folds=4).log_loss is None


def test_duplicates_on_one_side_are_not_known_by_heart():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.integers(0, 2, (60, 40)), 2, axis=0)  # every row twice
    y = np.repeat(rng.choice(["a", "b"], 60), 2)  # and nothing to learn
    groups = np.repeat(np.arange(60), 2).tolist()
    model = NaiveBayes(Multinomial())
    apart = cross_validate(model, X, y, folds=10, seed=1)
    together = cross_validate(model, X, y, folds=10, seed=1, groups=groups)
    assert together.accuracy < apart.accuracy
    for group in range(60):
        assert together.fold[2 * group] == together.fold[2 * group + 1]


def test_a_label_that_only_one_fold_has_is_wrong_and_has_no_probability():
    X, y = sample()
    y[0] = "once"
    found = cross_validate(NaiveBayes(Multinomial()), X, y, folds=4)
    assert found.predicted[0] != "once"
    assert np.isnan(found.log_probability[0])
    assert np.isfinite(found.log_loss)
