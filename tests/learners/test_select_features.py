import numpy as np
import pytest

from deciban import Bernoulli, Gaussian, SelectFeatures
from deciban.errors import BadSetting, UnsuitableTally

RNG = np.random.default_rng(0)
y = np.arange(100) % 2
REAL = RNG.normal(5, 1, (100, 5))
REAL[:, 3] += 3 * y


def test_real_numbers_are_scored_as_such():
    chosen = SelectFeatures(k=1).fit(REAL, y)
    assert chosen.get_support().tolist() == [False, False, False, True, False]
    assert isinstance(chosen.tally_.family, Gaussian)
    chosen.partial_fit(np.rint(REAL), y)  # the first rows decided
    assert isinstance(chosen.tally_.family, Gaussian)


def test_counts_are_asked_whether_they_are_above_zero():
    counts = RNG.poisson(1, (100, 5))
    counts[:, 2] = y
    chosen = SelectFeatures(k=1).fit(counts, y)
    assert chosen.get_support().tolist() == [False, False, True, False, False]
    assert chosen.tally_.family == Bernoulli(binarize=0.0)


def test_a_score_that_real_numbers_do_not_have_is_refused():
    with pytest.raises(UnsuitableTally, match="measurements have information_gain"):
        SelectFeatures("chi2", k=1).fit(REAL, y)


@pytest.mark.parametrize("k", [0, -1, 1.5, "all", None, True], ids=repr)
def test_a_number_of_features_that_cannot_be_meant_is_refused(k):
    with pytest.raises(BadSetting, match="k must be a whole number of 1 or more"):
        SelectFeatures(k=k).fit(REAL, y)
