import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
from scipy.stats import kstest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import mutual_info_score

from deciban import Categorical, NaiveBayes, dependence
from deciban.errors import BadSetting


def shuffled_within_labels(X, y, rng):
    """The same columns, independent given the label."""
    X = X.copy()
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        for column in range(X.shape[1]):
            X[rows, column] = X[rng.permutation(rows), column]
    return X


def p_values(found):
    return found.p_values[np.triu_indices(len(found.names), 1)]


def test_p_values_are_uniform_where_columns_are_shuffled_within_labels():
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(1)
    told = [p_values(dependence(shuffled_within_labels(X, y, rng), y)) for _ in range(4)]
    assert kstest(np.concatenate(told), "uniform").pvalue > 0.01


def test_p_values_are_uniform_where_labels_are_shuffled():
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=(1500, 15)), rng.poisson(1.0, (1500, 15))])
    told = [p_values(dependence(X, rng.permutation(np.arange(1500) % 3))) for _ in range(4)]
    assert kstest(np.concatenate(told), "uniform").pvalue > 0.01


def test_corrected_p_values_rarely_give_a_false_alarm():
    rng = np.random.default_rng(3)
    alarms = 0
    for _ in range(40):
        found = dependence(rng.integers(0, 3, (300, 8)), rng.integers(0, 2, 300))
        alarms += any(pair.corrected < 0.05 for pair in found.pairs)
    assert alarms <= 6


def test_information_is_that_of_each_label_weighed_by_its_rows():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 500)
    first = (rng.integers(0, 3, 500) + y) % 4
    X = np.column_stack([first, (first + rng.integers(0, 2, 500)) % 4])
    expected = sum((y == k).mean() * mutual_info_score(*X[y == k].T) for k in range(3)) / np.log(2)
    assert dependence(X, y).information[0, 1] == pytest.approx(expected)


def test_a_copy_is_found_first_and_noise_is_not():
    rng = np.random.default_rng(5)
    y = np.arange(400) % 2
    X = rng.normal(size=(400, 6)) + y[:, None]
    X[:, 4] = X[:, 1] + 0.1 * rng.normal(size=400)
    first, *others = dependence(X, y).pairs
    assert {first.first, first.second} == {1, 4}
    assert first.corrected < 1e-20
    assert first.gain > 0
    assert all(pair.corrected > 0.01 for pair in others)


def test_the_gain_is_what_leaving_each_row_out_finds():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 60)
    X = np.column_stack([rng.integers(0, 2, 60), rng.integers(0, 2, 60)])
    X[:, 1] ^= X[:, 0] & y
    joined = (2 * X[:, 0] + X[:, 1])[:, None]

    def log_loss(table, categories):
        loss = 0.0
        for row in range(60):
            rest = np.arange(60) != row
            family = Categorical(categories=categories)
            model = NaiveBayes(family, label_prior=1).fit(table[rest], y[rest])
            loss -= model.predict_log_proba(table[[row]])[0, y[row]]
        return loss / 60 / np.log(2)

    (pair,) = dependence(X, y).pairs
    assert pair.gain == pytest.approx(log_loss(X, 2) - log_loss(joined, 4), abs=1e-9)


def test_sparse_rows_are_there_or_not():
    rng = np.random.default_rng(7)
    X, y = rng.poisson(0.5, (300, 10)), rng.integers(0, 2, 300)
    thin = dependence(sparse.csr_matrix(X), y)
    full = dependence((X > 0).astype(int), y)
    assert thin.information == pytest.approx(full.information)


def test_frames_of_texts_and_gaps_are_welcome():
    rng = np.random.default_rng(8)
    coat = rng.choice(["red", "blue", "green"], 300)
    frame = pd.DataFrame({"coat": coat, "fur": coat, "size": rng.normal(size=300)}).astype(object)
    frame.loc[:50, "coat"] = None
    found = dependence(frame, rng.integers(0, 2, 300))
    assert (found.pairs[0].first, found.pairs[0].second) == ("coat", "fur")
    assert "coat, fur" in str(found)


def test_only_the_strongest_are_looked_at():
    rng = np.random.default_rng(9)
    y = np.arange(200) % 2
    X = rng.normal(size=(200, 30))
    X[:, [3, 17, 20]] += 3 * y[:, None]
    assert dependence(X, y, most=3).names == (3, 17, 20)


def test_rare_words_alarm_nobody():
    rng = np.random.default_rng(10)
    X = (rng.random((500, 40)) < 0.004).astype(int)
    found = dependence(X, rng.integers(0, 2, 500))
    assert not any(pair.corrected < 0.05 for pair in found.pairs)


def test_a_picture_shows_the_features_of_the_strongest_pairs():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    axes = dependence(X, y).draw(most=8)
    assert len(axes.get_xticklabels()) == 8
    assert {label.get_text() for label in axes.get_yticklabels()} <= set(X.columns)


@pytest.mark.parametrize("bad", [{"most": 1}, {"levels": 1}, {"names": ["a"]}], ids=str)
def test_bad_settings_are_refused(bad):
    with pytest.raises(BadSetting):
        dependence([[1, 2], [2, 1], [1, 1]], [0, 1, 0], **bad)
    with pytest.raises(BadSetting, match="one label per row"):
        dependence([[1, 2], [2, 1]], [0, 1, 0])
    with pytest.raises(BadSetting, match="Fewer than two columns"):
        dependence([[1, 1], [1, 2]], [0, 1])
