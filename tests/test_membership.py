import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given

from deciban.membership import Membership


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_sparse_and_dense_statistics_sum_to_the_same(seed, wide):
    rng = np.random.default_rng(seed)
    rows = rng.poisson(0.5, (30, 6)).astype(float)
    weight = rng.uniform(0, 2, 30)
    membership = Membership.observed(rng.integers(0, 4, 30), weight)
    thin = sparse.csr_array(rows)
    if wide:
        thin.indices, thin.indptr = thin.indices.astype(np.int64), thin.indptr.astype(np.int64)
    expected = np.array(
        [
            (rows * weight[:, None])[membership.shares.toarray()[:, k] > 0].sum(axis=0)
            for k in range(len(membership.labels))
        ]
    )
    assert np.allclose(membership.sum(rows), expected)
    assert np.allclose(membership.sum(thin), expected)


WHOLE = [([3, 4], None), ([3, 4], 2)]
FRACTIONS = [([3, 4.5], None), ([3, 4], 0.5), ([2**52, 2**52], 2)]  # the last would no longer be exact


@pytest.mark.parametrize(("values", "weight"), WHOLE + FRACTIONS)
def test_sparse_rows_of_whole_numbers_have_whole_sums(values, weight):
    membership = Membership.observed(np.array([0, 0]), None if weight is None else np.full(2, weight))
    sums = membership.sum(sparse.csr_array([[values[0], 0.0, 0.0], [values[1], 0.0, 0.0]]))
    assert sums.dtype.kind == ("i" if (values, weight) in WHOLE else "f")
    assert sums.tolist() == [[sum(values) * (weight or 1), 0, 0]]


def test_expected_labels_share_their_rows():
    shares = np.array([[0.25, 0.75], [1.0, 0.0]])
    membership = Membership.expected(shares, np.array(["a", "b"]))
    assert membership.rows().tolist() == [1.25, 0.75]
    assert membership.sum(np.array([[4.0], [8.0]])).tolist() == [[9.0], [3.0]]
    assert membership.sum(sparse.csr_array([[4.0], [8.0]])).tolist() == [[9.0], [3.0]]
