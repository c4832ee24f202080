import numpy as np
import pandas as pd
import pytest

from deciban import NaiveBayes, SelectFeatures
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
