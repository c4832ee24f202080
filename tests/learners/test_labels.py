import numpy as np
import pandas as pd
import pytest

from deciban import NaiveBayes, NeighborsClassifier, SelectFeatures, TextClassifier
from deciban.learners.labels import checked_labels

ROWS = [[1.0], [2.0], [4.0]]


@pytest.mark.parametrize(
    "labels",
    [
        ["a", None, "b"],
        ["a", np.nan, "b"],
        np.array(["a", np.nan, "b"], dtype=object),
        pd.Series(["a", pd.NA, "b"]),
        [0.0, np.nan, 1.0],
    ],
    ids=["None", "a list", "objects", "pandas", "numbers"],
)
def test_a_missing_label_is_named_with_its_row(labels):
    for learner in (NaiveBayes(), SelectFeatures()):
        with pytest.raises(ValueError, match=r"missing label \(first in row 1\)"):
            learner.fit(ROWS, labels)


def test_texts_and_numbers_do_not_mix():
    for labels in (["a", 1, "b"], np.array(["a", 1, "b"], dtype=object)):
        with pytest.raises(ValueError, match="mixes texts and numbers"):
            NaiveBayes().fit(ROWS, labels)


def test_there_is_one_label_a_row():
    with pytest.raises(ValueError, match="3 rows but 2 labels"):
        checked_labels([0, 1], 3)
    assert checked_labels(["a", "b"], 2).dtype.kind == "U"


@pytest.mark.parametrize("missing", [None, np.nan], ids=repr)
def test_no_declared_class_is_missing(missing):
    texts = TextClassifier(n_features=2**10), ["x", "y", "z"]
    for learner, rows in ((NaiveBayes(), ROWS), (NeighborsClassifier(1), ROWS), texts):
        with pytest.raises(ValueError, match=r"classes contains NaN or another missing label"):
            learner.partial_fit(rows, ["a", "b", "a"], classes=["a", "b", missing])
        with pytest.raises(ValueError, match="not among classes=\\['a'\\]"):
            learner.partial_fit(rows, ["a", "b", "a"], classes=["a"])
        with pytest.raises(ValueError, match="classes mixes texts and numbers"):
            learner.partial_fit(rows, ["a", "b", "a"], classes=["a", "b", 1])
        assert not hasattr(learner, "classes_")
        assert learner.partial_fit(rows, ["a", "b", "a"], classes=["c", "b", "a"]).classes_.tolist() == [
            "a",
            "b",
            "c",
        ]
