import numpy as np
import pytest
import scipy.sparse as sparse

from deciban import Bernoulli, Geometric, Multinomial, NaiveBayes, Poisson
from deciban.learners.explanation import SHOWN, Explanation, FeatureEvidence


def test_only_the_strongest_features_are_shown_and_the_rest_summed():
    features = tuple(FeatureEvidence(f"word{number}", 10.0 - number) for number in range(SHOWN + 3))
    lines = str(Explanation("spam", "ham", 1.0, 0.0, features)).splitlines()
    assert lines[0] == "spam rather than ham: 53.0 dB"
    assert len(lines) == SHOWN + 3
    assert lines[-1].endswith("-3.0 dB  2 further features")


def test_features_that_say_nothing_are_not_shown():
    shown = str(Explanation("a", "b", 0.0, 2.0, (FeatureEvidence("x", 0.0),)))
    assert "x" not in shown
    assert "+2.0 dB  belonging to no feature" in shown


def test_absence_speaks_by_name():
    mails = [[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0], [0, 1, 1]]
    model = NaiveBayes(Bernoulli()).fit(mails, ["spam", "spam", "ham", "ham", "ham"])
    names = ["free", "meeting", "the"]
    for rows in ([[1, 0, 0]], sparse.csr_array([[1, 0, 0]])):
        why = model.why(rows, names=names)[0]
        assert {one.name: one.absent for one in why.features if one.decibans} == {
            "free": False,
            "meeting": True,
            "the": True,
        }
        assert " dB  no meeting" in str(why)


@pytest.mark.parametrize("family", [Bernoulli(), Poisson(), Geometric(), Multinomial()], ids=str)
@pytest.mark.parametrize("rule", ["mean", "bayes"])
@pytest.mark.parametrize("complement", [False, True])
def test_sparse_rows_are_explained_by_what_they_hold(family, rule, complement):
    rng = np.random.default_rng(0)
    X = sparse.csr_array((rng.random((60, 400)) < 0.05).astype(float))
    model = NaiveBayes(family, rule=rule, complement=complement).fit(X, np.arange(60) % 3)
    joint = np.sort(model.predict_joint_log_proba(X), axis=1)
    for row, why in enumerate(model.why(X)):
        assert why.decibans == pytest.approx((joint[row, -1] - joint[row, -2]) * 10 / np.log(10), abs=1e-7)
        held = np.diff(X.indptr)[row]
        assert held <= len(why.features) <= held + 10
    dense = model.why(X.toarray()[:1])[0]
    assert dense.decibans == pytest.approx(model.why(X)[0].decibans, abs=1e-7)


def test_what_an_explanation_costs_does_not_grow_with_the_columns():
    X = sparse.csr_array((np.ones(6), ([0, 0, 1, 1, 2, 3], [5, 9, 9, 2**19, 7, 5])), shape=(4, 2**20))
    model = NaiveBayes(Bernoulli()).fit(X, ["a", "b", "a", "b"])
    assert len(model.why(X)[0].features) <= 2 + 10
