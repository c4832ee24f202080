"""Law 8: what is drawn from a tally, tallied, comes back to the parameters that it was drawn from."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest

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
    Poisson,
    Values,
)
from deciban.errors import BadSetting
from samples import FAMILIES, RULES, rows_for

ONE_COLUMN = [family for family in FAMILIES.values() if not isinstance(family, (Columns, Multinomial))]


def learned(family, rows=60, seed=3, width=4):
    rng = np.random.default_rng(seed)
    return family.tally(rows_for(family, rng, rows, width=width), np.array(["a", "b"])[np.arange(rows) % 2])


def known_shares(family, name, values):
    """Where there is room for something new, the shares of what is known."""
    room = isinstance(family, (Categorical, Columns)) and name.endswith("probability")
    return values / values.sum(axis=1, keepdims=True) if room else values


@pytest.mark.parametrize("rule", ["mle", "map", "mean"])
@pytest.mark.parametrize("name", FAMILIES)
def test_many_samples_come_back_to_the_parameters(name, rule):
    family = FAMILIES[name]
    tally = learned(family)
    rows, labels = tally.sample(30_000, rule=rule, prior=4, random_state=1)
    again = tally.family.tally(rows, labels).read("mle").parameters
    for name, expected in tally.read(rule, prior=4).parameters.items():
        if name.endswith("unseen"):
            continue
        assert known_shares(family, name, again[name]) == pytest.approx(
            known_shares(family, name, expected), rel=0.06, abs=0.02
        )


@pytest.mark.parametrize("name", FAMILIES)
def test_with_much_learned_drawn_parameters_are_those_that_are_read(name):
    family = FAMILIES[name]
    tally = 10_000 * learned(family)
    rows, labels = tally.sample(30_000, random_state=1)
    again = tally.family.tally(rows, labels).read("mle").parameters
    for name, expected in tally.read("mle").parameters.items():
        if not name.endswith("unseen"):
            assert again[name] == pytest.approx(expected, rel=0.06, abs=0.02)


@pytest.mark.parametrize("family", ONE_COLUMN, ids=str)
def test_one_row_of_drawn_parameters_is_one_of_the_predictive(family):
    tally = learned(family, rows=8, width=1)
    reading = tally.read("bayes", prior=3)
    rng = np.random.default_rng(5)
    drawn = np.array([tally.sample(1, "a", prior=3, random_state=rng)[0][0, 0] for _ in range(1000)])
    if isinstance(family, (Gaussian, Gamma)):
        low, high = np.quantile(drawn, [0.0, 1.0])
        grid = np.linspace(low, high, 20_001)
        mass = np.exp(reading.log_density(grid[:, None])[:, 0])
        below = np.concatenate([[0.0], np.cumsum((mass[1:] + mass[:-1]) / 2 * np.diff(grid))])
        assert kstest(drawn, lambda x: np.interp(x, grid, below / below[-1])).pvalue > 1e-3
    else:
        values, counts = np.unique(drawn, return_counts=True)
        chances = np.exp(reading.log_density(values[:, None])[:, 0])
        if isinstance(family, Categorical):
            chances /= chances.sum()
        common = chances > 0.01
        error = np.sqrt(chances * (1 - chances) / 1000)
        assert (np.abs(counts / 1000 - chances) < 4.5 * error + 1e-12)[common].all()


def test_texts_of_drawn_shares_are_those_of_the_urn():
    tally = Multinomial().tally([[3, 1], [2, 4]], ["a", "a"])
    rng = np.random.default_rng(6)
    drawn = np.array([tally.sample(1, random_state=rng)[0][0] for _ in range(4000)])
    texts = drawn[drawn.sum(axis=1) == 5]
    expected = np.exp(tally.read("bayes").log_density(np.array([[i, 5 - i] for i in range(6)])))[:, 0]
    found = np.bincount(texts[:, 0], minlength=6) / len(texts)
    assert (np.abs(found - expected) < 4.5 * np.sqrt(expected / len(texts))).all()
    assert drawn.sum(axis=1).mean() == pytest.approx(5, abs=0.2)


def test_all_rows_of_one_call_come_from_the_same_parameters():
    tally = Gaussian().tally([[0.0], [2.0], [1.0]], ["a"] * 3)
    means = [tally.sample(10_000, random_state=seed)[0].mean() for seed in range(20)]
    assert np.std(means) > 0.1
    assert (
        np.std([tally.sample(10_000, rule="mean", prior=4, random_state=s)[0].mean() for s in range(20)])
        < 0.1
    )


def test_a_slice_of_words_is_drawn_as_a_part_of_the_whole():
    tally = Multinomial().tally([[30, 10, 60]], ["a"])[[0, 1]]
    for rule in ("mean", "bayes"):
        rows, _ = (1000 * tally).sample(3000, rule=rule, random_state=0)
        assert rows.sum(axis=0) / 3000 == pytest.approx([30, 10], rel=0.05)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", FAMILIES)
def test_a_model_makes_rows_that_it_recognises(name, rule):
    family = FAMILIES[name]
    rng = np.random.default_rng(7)
    rows = rows_for(family, rng, 80)
    model = NaiveBayes(family, rule=rule, prior=4, label_prior=[0.25, 0.75]).fit(rows, np.arange(80) % 2)
    drawn, labels = model.sample(4000, random_state=0)
    assert labels.mean() == pytest.approx(0.75, abs=0.04)
    assert drawn.shape == (4000, rows.shape[1])
    assert model.score(drawn, labels) > 0.7
    assert set(model.sample(5, label=1)[1].tolist()) == {1}
    again, _ = model.sample(4000, random_state=0)
    assert np.array_equal(drawn, again)


def test_columns_come_in_the_order_that_was_learned():
    frame = pd.DataFrame({"coat": ["red", "blue"] * 20, "size": [100.0, 900.0] * 20, "visits": [1, 9] * 20})
    family = Columns({"visits": Poisson(), "size": Gaussian(), "coat": Categorical()})
    rows, _ = NaiveBayes(family).fit(frame, ["fox", "jay"] * 20).sample(50, "jay", random_state=0)
    assert set(rows[:, 0]) <= {"red", "blue"}
    assert rows[:, 1].astype(float).mean() > 500 > rows[:, 2].astype(float).mean()
    numbered = Columns([(2, Poisson()), (0, Gaussian()), (1, Bernoulli())])
    table = np.column_stack([np.linspace(500, 600, 40), np.arange(40) % 2, np.arange(40) % 7])
    rows, _ = NaiveBayes(numbered).fit(table, np.arange(40) % 2).sample(50, random_state=0)
    assert rows[:, 0].min() > 100
    assert set(rows[:, 1]) == {0.0, 1.0}


def test_mixtures_draw_their_components():
    X = np.concatenate([np.random.default_rng(0).normal(m, 1, (300, 2)) for m in (0, 20)])
    mixture = Mixture(Gaussian(), 2, random_state=0).fit(X)
    rows, components = mixture.sample(2000, random_state=0)
    assert (mixture.predict(rows) == components).mean() > 0.99
    assert rows.mean(axis=0) == pytest.approx(X.mean(axis=0), abs=1)
    classifier = MixtureClassifier(Gaussian(), components={"b": 2}, random_state=0)
    classifier.fit(np.vstack([X, X + 60]), ["b"] * 600 + ["a"] * 600)
    rows, labels = classifier.sample(1000, random_state=0)
    assert classifier.score(rows, labels) > 0.99
    far, labels = classifier.sample(100, label="b", random_state=0)
    assert set(labels) == {"b"}
    assert np.ptp(far[:, 0]) > 15


def test_binary_values_lie_on_their_side_of_the_threshold():
    for threshold in (0.0, 2.5, -1.0):
        tally = Bernoulli(binarize=threshold).tally([[threshold + 1], [threshold - 1]], ["a", "a"])
        rows, labels = tally.sample(100, rule="mle", random_state=0)
        assert 20 < tally.family.tally(rows, labels).sums["ones"][0, 0] < 80


def test_geometric_waits_are_drawn_from_a_prior_too():
    tally = Geometric().tally([[4], [6]], ["a", "a"])
    rows, _ = tally.sample(20_000, rule="mean", prior=Values(1e6, 5.0), random_state=0)
    assert rows.mean() == pytest.approx(5, abs=0.2)


@pytest.mark.parametrize("n", [-1, 1.5, True, "many"])
def test_a_bad_number_of_rows_is_refused(n):
    with pytest.raises(BadSetting, match="n must be a whole number"):
        Poisson().tally([[1], [2]], ["a", "b"]).sample(n)


def test_what_cannot_be_drawn_is_refused():
    tally = Poisson().tally([[1], [2]], ["a", "b"])
    with pytest.raises(BadSetting, match=r"No rows have the label 'c': the labels are \['a', 'b'\]"):
        tally.sample(1, "c")
    with pytest.raises(BadSetting, match="complement"):
        NaiveBayes(Multinomial(), complement=True).fit([[1, 2], [2, 1]], [0, 1]).sample()
    with pytest.raises(BadSetting, match="the labels are"):
        MixtureClassifier().fit([[1.0], [2.0], [4.0]], [0, 1, 1]).sample(1, label=7)
