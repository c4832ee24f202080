"""Laws 1 to 4 and 7 where labels are expected instead of observed: mixtures and their classifiers."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from deciban import Mixture, MixtureClassifier
from deciban.errors import NoMode, NotEnoughValues
from deciban.learners.hidden_labels import HiddenLabels
from deciban.membership import Membership
from samples import FAMILIES, RULES, rows_for, samples

CASES = [(name, rule) for name in FAMILIES for rule in RULES]
EXCUSED = (NotEnoughValues, NoMode)  # what was drawn has no peak or no mode under this rule
QUICK = settings(max_examples=5)


def shares_for(rng, rows, components):
    return rng.dirichlet(np.full(components, 0.7), rows)


@st.composite
def expected(draw, family):
    """Rows, and the share of each in three components."""
    sample = draw(samples(family, missing=draw(st.booleans()), weighted=True))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return sample, shares_for(rng, len(sample), 3), rng


def gathered(family, sample, shares, rows=slice(None)):
    settled, _ = family._welcome(sample.X)
    part = settled._admit(sample.X[rows])
    return settled._gather(part, Membership.expected(shares[rows], np.arange(3)))


def climbed(family, sample, shares, rule, **settings):
    settled, rows = family._welcome(sample.X)
    hidden = HiddenLabels(settled, rows, sample.weight, np.arange(shares.shape[1]), rule, 4, **settings)
    return hidden.climb(shares * sample.weight[:, None], steps=30, tolerance=0.0)


def never_falls(history):
    finite = np.array(history)[np.isfinite(history)]
    return (np.diff(finite) >= -1e-9 * (1 + np.abs(finite[1:]))).all()


@pytest.mark.parametrize("name", FAMILIES)
@QUICK
@given(data=st.data())
def test_expected_labels_merge_and_are_forgotten(name, data):
    family = FAMILIES[name]
    sample, shares, rng = data.draw(expected(family))
    mine = rng.random(len(sample)) < 0.5
    whole = gathered(family, sample, shares)
    parts = [gathered(family, sample, shares, rows) for rows in (mine, ~mine)]
    assert (parts[0] + parts[1]).isclose(whole)
    assert (parts[1] + parts[0]).isclose(whole)
    assert (whole - parts[1]).isclose(parts[0])


@pytest.mark.parametrize("hard", [False, True], ids=["soft", "hard"])
@pytest.mark.parametrize(("name", "rule"), CASES)
@QUICK
@given(data=st.data())
def test_em_never_lowers_its_objective(name, rule, hard, data):
    family = FAMILIES[name]
    sample, shares, _ = data.draw(expected(family))
    label_prior = data.draw(st.sampled_from([None, 2.0, "uniform"]))
    try:
        found = climbed(family, sample, shares, rule, hard=hard, label_prior=label_prior)
    except EXCUSED:
        return
    assert never_falls(found.history)


@pytest.mark.parametrize(("name", "rule"), CASES)
@QUICK
@given(data=st.data())
def test_em_with_some_labels_known_never_lowers_its_objective(name, rule, data):
    family = FAMILIES[name]
    sample, _, rng = data.draw(expected(family))
    labels, codes = np.unique(sample.y, return_inverse=True)
    owner = np.repeat(np.arange(len(labels)), 2)
    known = rng.random(len(sample)) < 0.6
    allowed = (codes[:, None] == owner) | ~known[:, None]
    start = shares_for(rng, len(sample), len(owner)) * allowed
    start /= start.sum(axis=1, keepdims=True)
    weighted = np.where(known, 1.0, 0.3) * sample.weight
    sample = type(sample)(sample.X, sample.y, weighted)
    try:
        found = climbed(
            family, sample, start, rule, owner=owner, labels=labels, allowed=allowed, label_prior=1.0
        )
    except EXCUSED:
        return
    assert never_falls(found.history)


def fitted(family, rng):
    """A mixture and a classifier, of rows that every rule can read."""
    X = rows_for(family, rng, 60)
    y = np.array(["ham", "spam", ""])[np.arange(60) % 3]
    settings = {"rule": "bayes", "prior": 4, "random_state": 0, "tolerance": 1e-2}
    return X, [
        Mixture(family, 2, **settings).fit(X),
        MixtureClassifier(family, {"ham": 2}, **settings).fit(X, y),
    ]


@pytest.mark.parametrize("name", FAMILIES)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=2)
def test_one_row_is_a_batch_of_one(name, seed):
    X, models = fitted(FAMILIES[name], np.random.default_rng(seed))
    for model in models:
        single = np.vstack([model.predict_joint_log_proba(row[None]) for row in X])
        assert np.allclose(model.predict_joint_log_proba(X), single, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", FAMILIES)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=2)
def test_what_is_explained_is_what_was_computed(name, seed):
    X, models = fitted(FAMILIES[name], np.random.default_rng(seed))
    for model in models:
        joint = np.sort(model.predict_joint_log_proba(X), axis=1)
        odds = 10 * (joint[:, -1] - joint[:, -2]) / np.log(10)
        assert [why.decibans for why in model.why(X)] == pytest.approx(odds, rel=1e-7, abs=1e-6)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_tallies_of_parts_make_a_step_of_em_on_the_whole(name):
    X, (mixture, _) = fitted(FAMILIES[name], np.random.default_rng(7))
    parts = [mixture.expect(X[part::3]) for part in range(3)]
    assert sum(parts).isclose(mixture.expect(X))
    assert (sum(parts) - parts[2]).isclose(parts[0] + parts[1])
    assert mixture.reread(sum(parts)).tally_.rows.sum() == pytest.approx(len(X))
