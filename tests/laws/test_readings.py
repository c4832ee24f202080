"""Laws 3, 4 and 7: one row is a batch of one, evidence adds up, densities sum to one."""

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given
from scipy.integrate import quad

from deciban import Bernoulli, Categorical, Gamma, Gaussian, Geometric, Multinomial, Poisson
from deciban.errors import NoMode, NotEnoughValues
from samples import FAMILIES, RULES, rows_for, samples, tally_of

CASES = [(name, rule) for name in FAMILIES for rule in RULES]
# A Gamma has no zeros to leave out; with a variance shared over features, fewer features are another model.
WITH_ZEROS = [case for case in CASES if case[0] != "gamma"]
SLICED = [
    case for case in CASES if case[0] not in ("gaussian sharing over features", "gaussian sharing over all")
]


def read(family, sample, rule):
    """A prior of 4 keeps every rule inside its domain, for a handful of rows."""
    return tally_of(family, sample).read(rule, prior=4)


def well_read(family, sample, rule):
    """The reading, or none where what was drawn has no likelihood peak or no mode."""
    excused = {"mle": NotEnoughValues, "map": NoMode}.get(rule, ())
    try:
        return read(family, sample, rule)
    except excused:
        return None


@pytest.mark.parametrize(("name", "rule"), CASES)
@given(data=st.data())
def test_one_row_is_a_batch_of_one(name, rule, data):
    family = FAMILIES[name]
    sample = data.draw(samples(family, missing=True))
    reading = well_read(family, sample, rule)
    if reading is not None:
        batch = reading.log_likelihood(sample.X)
        single = np.vstack([reading.log_likelihood(row[None]) for row in sample.X])
        assert np.allclose(batch, single, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("name", "rule"), CASES)
@given(data=st.data())
def test_evidence_adds_up_to_what_was_computed(name, rule, data):
    family = FAMILIES[name]
    sample = data.draw(samples(family, missing=data.draw(st.booleans()), weighted=True))
    reading = well_read(family, sample, rule)
    if reading is not None:
        told = reading.evidence(sample.X)
        assert told.features.shape == (len(sample), len(reading.labels), len(reading.features))
        assert np.allclose(told.total(), reading.log_likelihood(sample.X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("name", "rule"), WITH_ZEROS)
@given(data=st.data())
def test_sparse_rows_read_as_dense_ones(name, rule, data):
    family = FAMILIES[name]
    sample = data.draw(samples(family, missing=data.draw(st.booleans())))
    thin = sparse.csr_matrix(sample.X)
    tally = family.tally(thin, sample.y)
    assert tally.isclose(family.tally(sample.X, sample.y))
    reading = well_read(family, sample, rule)
    if reading is not None:
        assert np.allclose(reading.log_likelihood(thin), reading.log_likelihood(sample.X), atol=1e-9)


@pytest.mark.parametrize(("name", "rule"), SLICED)
@given(data=st.data())
def test_a_slice_reads_as_it_read_among_all_features(name, rule, data):
    family = FAMILIES[name]
    sample = data.draw(samples(family))
    tally = tally_of(family, sample)
    whole = well_read(family, sample, rule)
    if whole is None:
        return
    if rule == "bayes" and isinstance(family, Multinomial):
        rule = "mean"  # Pólya's urn draws words together: its shares, not its joint, are per word
        whole = tally.read(rule, prior=4)
    part = tally[[1, 3]].read(rule, prior=4)
    told, all_told = part.evidence(sample.X[:, [1, 3]]), whole.evidence(sample.X)
    assert np.allclose(told.features, all_told.features[:, :, [1, 3]], atol=1e-9)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("family", [Gaussian(), Gaussian(shared="labels"), Gamma()], ids=str)
def test_densities_integrate_to_one(family, rule):
    X = rows_for(Gamma(), np.random.default_rng(1), 12, width=1)
    reading = family.tally(X, np.arange(12) % 2).read(rule, prior=2)
    start = 0 if isinstance(family, Gamma) else -np.inf

    def density(x, label):
        return float(np.exp(reading.log_density(np.array([[x]]))[0, label])) if x != 0 or start else 0.0

    for label in (0, 1):
        middle = float(X.mean())
        whole = sum(
            quad(density, *side, args=(label,), limit=400)[0] for side in ((start, middle), (middle, np.inf))
        )
        assert whole == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("family", [Bernoulli(), Categorical(), Poisson(), Geometric()], ids=str)
def test_masses_sum_to_one(family, rule):
    X = rows_for(family, np.random.default_rng(2), 60, width=1)
    reading = family.tally(X, np.arange(60) % 2).read(rule, prior=3)
    values = np.unique(X) if isinstance(family, (Bernoulli, Categorical)) else np.arange(5000)
    if isinstance(family, Categorical):
        values = np.append(values, 99)  # something new, for which room is reserved
    masses = np.exp(reading.log_density(values[:, None])).sum(axis=0)
    assert masses == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("rule", RULES)
def test_word_counts_of_one_length_sum_to_one(rule):
    tally = Multinomial().tally([[3, 1, 2], [2, 2, 5]], ["a", "b"])
    texts = np.array([[i, j, 5 - i - j] for i in range(6) for j in range(6 - i)])
    assert np.exp(tally.read(rule, prior=2).log_density(texts)).sum(axis=0) == pytest.approx(1)


@given(st.data())
def test_a_shared_variance_integrates_to_one_over_a_row(data):
    sample = data.draw(samples(Gaussian()))
    reading = Gaussian(shared="features").tally(sample.X[:, :2], sample.y).read("bayes", prior=2)
    # By the chain rule: the joint over its marginal is a density of the second value again.
    scale = float(np.sqrt(reading.parameters["scale²"].max()))
    x = sample.X[0, 0]
    points = sample.X[0, 1] + scale * np.sinh(np.linspace(-14, 14, 4001))
    rows = np.column_stack([np.full(len(points), x), points])
    joint = np.trapezoid(np.exp(reading.log_density(rows)), points, axis=0)
    alone = np.exp(reading.log_density(np.array([[x, np.nan]])))[0]
    assert joint == pytest.approx(alone, rel=1e-4)
