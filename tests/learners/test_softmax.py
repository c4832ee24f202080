"""Softmax: its steps against the formula, and its bounds."""

import numpy as np
import pytest
import scipy.sparse as sparse

from deciban.learners._softmax import take_steps
from deciban.learners.softmax import Softmax


def test_the_first_step_is_the_rate_along_the_gradient_divided_by_its_length():
    X = sparse.csr_matrix([[2.0, 0.0, 1.0]])
    learned = Softmax(features=3, rate=0.5, passes=1).learn(X, np.array([1]), labels=3)
    gradient = np.array([1 / 3, -2 / 3, 1 / 3])
    expected = (
        -0.5 * gradient / np.linalg.norm(gradient)
    )  # AdaGrad: a feature's value cancels in its first step
    assert learned.weights[0] == pytest.approx(expected, abs=1e-6)
    assert learned.weights[2] == pytest.approx(expected, abs=1e-6)
    assert learned.weights[1].tolist() == [0, 0, 0]


def test_with_many_passes_the_labels_of_separable_rows_are_found():
    X = sparse.random(60, 40, density=0.3, random_state=0, format="csr")
    truth = np.arange(60) % 4
    learned = Softmax(features=40, passes=300).learn(X, truth, labels=4)
    assert (learned.score(X).argmax(axis=1) == truth).mean() > 0.95


def test_a_later_label_makes_room_and_keeps_what_was_learned():
    X = sparse.identity(3, format="csr")
    learned = Softmax(features=3, passes=5).learn(X[:2], np.array([0, 1]), labels=2)
    before = learned.weights[:, :2].copy()
    learned.learn(X[2:], np.array([2]), labels=3)
    assert learned.weights.shape == (3, 3)
    assert (learned.weights[:2, :2] == before[:2]).all()


def arrays(column=0, label=0):
    i, f = np.int32, np.float32
    return (
        np.array([0, 1], i), np.array([column], i), np.ones(1, f), np.array([label], i), np.array([0], i),
        np.zeros((2, 2), f), np.zeros(2, f), 0.4, 0.0,
    )  # fmt: skip


@pytest.mark.parametrize("wrong", [{"column": 2}, {"column": -1}, {"label": 2}, {"label": -1}])
def test_columns_and_labels_outside_of_the_table_are_errors(wrong):
    with pytest.raises(IndexError):
        take_steps(*arrays(**wrong))
