import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sparse

from deciban import Categorical
from deciban.errors import NoSuchFeature, OutsideSupport
from deciban.families.matrices import column_of, columns_of, is_missing, matrix_of, names_of

TABLE = {"a": [1, 2], "b": [0.5, None], "c": ["x", None]}


@pytest.mark.parametrize("frame", [pd.DataFrame(TABLE), pl.DataFrame(TABLE)], ids=["pandas", "polars"])
def test_frames_are_read_by_name_and_by_place(frame):
    assert names_of(frame) == ["a", "b", "c"]
    assert column_of(frame, "a").tolist() == column_of(frame, 0).tolist() == [1, 2]
    assert matrix_of(columns_of(frame, ["a", "b"])).tolist()[0] == [1.0, 0.5]
    assert np.isnan(matrix_of(columns_of(frame, ["b"]))[1, 0])
    assert is_missing(column_of(frame, "c")).tolist() == [False, True]
    with pytest.raises(NoSuchFeature, match="no column 'z': the columns are a, b, c"):
        column_of(frame, "z")


def test_arrays_and_sparse_rows_are_read_by_place():
    rows = np.array([[1.0, 0.0], [0.0, 2.0]])
    assert column_of(sparse.csr_matrix(rows), 1).tolist() == column_of(rows, -1).tolist() == [0.0, 2.0]
    assert columns_of(sparse.csr_matrix(rows), [1]).toarray().tolist() == [[0.0], [2.0]]
    with pytest.raises(NoSuchFeature, match="the columns are 0 to 1"):
        column_of(rows, 2)


def test_what_is_no_table_of_numbers_is_refused():
    with pytest.raises(ValueError, match=r"Reshape your data"):
        matrix_of([1, 2, 3])
    with pytest.raises(OutsideSupport, match="Categorical"):
        matrix_of([["x"], ["y"]])


def test_nullable_numbers_become_nan():
    frame = pd.DataFrame({"n": pd.array([1, None, 3], dtype="Int64")})
    assert np.isnan(matrix_of(frame)[1, 0])
    assert is_missing(np.array([None, np.nan, pd.NA, pd.NaT, "x", 0], dtype=object)).tolist() == [
        True, True, True, True, False, False,
    ]  # fmt: skip


def test_masked_values_are_missing():
    masked = np.ma.array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
    assert np.isnan(matrix_of(masked)).tolist() == [[False, True], [False, False]]
    words = np.ma.array([["x"], ["y"]], mask=[[True], [False]])
    assert is_missing(Categorical()._admit(words)).tolist() == [[True], [False]]


def test_numbers_of_either_byte_order_are_read():
    for kind in (">i4", ">f8", "<i2"):
        rows = matrix_of(np.array([[1, 2]], dtype=kind))
        assert rows.dtype.isnative
        assert rows.tolist() == [[1, 2]]


def test_complex_numbers_are_refused():
    for rows in (np.array([[1 + 2j]]), pd.DataFrame({"a": [1 + 2j]}), sparse.csr_matrix([[1j]])):
        with pytest.raises(OutsideSupport, match="Expected real numbers, got complex ones"):
            matrix_of(rows)
