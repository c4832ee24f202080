"""WeightedText is TF-IDF as scikit-learn has it, from sums that add."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from deciban.learners.text_features import TextFeatures
from deciban.learners.weighted_text import WeightedText

TEXTS = ["the cat sat on the mat", "the dog and the cat", "", "on and on and on"]


def test_weights_are_those_of_scikit_learn():
    view = WeightedText(TextFeatures(n_features=2**16))
    counts = view.count(TEXTS)
    view.learn(counts)
    ours = view.weigh(counts).toarray()
    theirs = TfidfVectorizer(sublinear_tf=True).fit_transform(TEXTS).toarray()
    assert np.sort(ours, axis=1)[:, -theirs.shape[1] :] == pytest.approx(np.sort(theirs, axis=1))


def test_learning_in_two_batches_is_learning_in_one():
    one, two = (WeightedText(TextFeatures(n_features=2**10)) for _ in range(2))
    one.learn(one.count(TEXTS))
    two.learn(two.count(TEXTS[:2]))
    two.learn(two.count(TEXTS[2:]))
    assert (one.transform(TEXTS) != two.transform(TEXTS)).nnz == 0


def test_a_last_text_without_words_is_a_row_of_zeros():
    view = WeightedText(TextFeatures(n_features=2**10))
    view.learn(view.count(TEXTS))
    assert view.transform(["cat", ""]).toarray()[1].sum() == 0
    assert view.transform([""]).shape == (1, 2**10)
