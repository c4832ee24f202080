import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given

from deciban import Bernoulli, Gamma, Gaussian, Geometric, Multinomial, Poisson
from deciban.errors import OutsideSupport
from deciban.families.support import PIECE

BAD = [
    (Bernoulli(), 2.0, "1 other value"),
    (Bernoulli(), 0.5, "1 fraction"),
    (Multinomial(), -1.0, "1 negative value"),
    (Poisson(), 1.5, "1 fraction"),
    (Geometric(), -1.0, "1 negative value"),
    (Gamma(), 0.0, "1 zero"),
    (Gaussian(), np.inf, "1 infinite value"),
    (Multinomial(), np.inf, "1 infinite value"),
    (Gaussian(), -1e200, "1 value beyond 1e150"),
    (Gamma(), 1e300, "1 value beyond 1e150"),
]


@pytest.mark.parametrize(("family", "value", "told"), BAD, ids=str)
def test_what_is_outside_is_counted_and_placed(family, value, told):
    rows = np.ones((5, 3))
    rows[3, 1] = value
    with pytest.raises(OutsideSupport, match=rf"column 'b' has {told} \(first in row 3\)"):
        family.tally(rows, ["x"] * 5, features=["a", "b", "c"])


@pytest.mark.parametrize(("family", "value"), [(f, v) for f, v, _ in BAD if v != 0], ids=str)
def test_sparse_rows_are_checked_too(family, value):
    rows = np.ones((5, 3))
    rows[3, 1] = value
    with pytest.raises(OutsideSupport, match=r"column 1 has .* \(first in row 3\)"):
        family.tally(sparse.csr_matrix(rows), ["x"] * 5)


def test_a_gamma_sees_the_zeros_that_sparse_rows_leave_out():
    with pytest.raises(OutsideSupport, match=r"column 0 has 1 zero \(first in row 1\)"):
        Gamma().tally(sparse.csr_matrix([[1.0], [0.0]]), ["x", "x"])


@given(st.integers(0, 3 * PIECE))
def test_a_bad_value_is_found_wherever_it_is(place):
    values = np.ones((3 * PIECE + 1, 1))
    values[place] = -1
    with pytest.raises(OutsideSupport, match=rf"first in row {place}\)"):
        Poisson._support.check("Poisson", values)


def test_missing_values_are_inside():
    for family in (Bernoulli(), Multinomial(), Poisson(), Geometric(), Gamma(), Gaussian()):
        tally = family.tally([[1.0, np.nan], [np.nan, 1.0]], ["x", "x"])
        assert tally.rows.tolist() == [2]


def test_numbers_whose_squares_are_still_numbers_are_learned():
    rows = np.array([[1.0], [2.0], [3.0], [5.0]])
    for family in (Gaussian(), Gamma()):
        large = family.tally(1e148 * rows, [0, 1, 0, 1]).read("bayes", 1).log_likelihood(1e148 * rows)
        usual = family.tally(rows, [0, 1, 0, 1]).read("bayes", 1).log_likelihood(rows)
        assert np.allclose(large[:, 0] - large[:, 1], usual[:, 0] - usual[:, 1])
