"""Rows and columns from wherever they come: arrays, sparse matrices, pandas, polars and pyarrow frames.

A frame is recognised by what it can do (named columns, each of which becomes an array), so no such
library is imported here.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from deciban.errors import NoSuchFeature, OutsideSupport
from deciban.membership import Matrix


def is_frame(X: Any) -> bool:
    """Whether X has named columns, as frames of pandas, polars and pyarrow do."""
    return hasattr(X, "columns") and hasattr(X, "shape") and not isinstance(X, np.ndarray)


def names_of(X: Any) -> list[Hashable] | None:
    """The names of the columns, or None where they have none."""
    if not is_frame(X):
        return None
    # A table of pyarrow calls its names so; its `columns` are the values.
    return list(X.column_names if hasattr(X, "column_names") else X.columns)


def matrix_of(X: Any) -> Matrix:
    """X as a two-dimensional array of numbers or a sparse matrix by rows; None and NA become NaN."""
    if sparse.issparse(X):
        _refuse_complex(X.dtype)
        matrix = X if X.format == "csr" else sparse.csr_array(X)
        if matrix.has_canonical_format:  # which X remembers, once it was asked
            return sparse.csr_array(matrix)
        matrix = sparse.csr_array(matrix, copy=True)
        matrix.sum_duplicates()  # a value may come in several pieces, which are one value
        return matrix
    if is_frame(X):
        columns = [column_of(X, position) for position in range(X.shape[1])]
        for name, column in zip(names_of(X) or [], columns, strict=True):
            _refuse_dates(column, f"column {name!r} has")
        X = np.column_stack(columns) if columns else np.empty(X.shape)
    array = np.asarray(unmasked(X))
    if array.ndim != 2:
        raise ValueError(
            f"Expected a table of rows and columns, got {array.ndim} dimension(s) instead. "
            "Reshape your data: X.reshape(-1, 1) for one column, X.reshape(1, -1) for one row."
        )
    if array.dtype.kind not in "biuf":
        array = _numbers(array)
    if array.dtype.kind == "b":
        return array.astype(np.int8)
    if array.dtype.kind in "iu":
        return array.astype(array.dtype.newbyteorder("="), copy=False)
    # Half and extended precision are known to few of the routines that follow.
    return array.astype(_precision(array.dtype), copy=False)


def unmasked(X: Any) -> Any:
    """A masked array with NaN where a value is masked (None among texts); anything else as it is."""
    if not isinstance(X, np.ma.MaskedArray):
        return X
    numbers = X.dtype.kind in "biuf"
    plain = np.array(X.data, dtype=float if numbers else object)
    plain[np.ma.getmaskarray(X)] = np.nan if numbers else None
    return plain


def signed(X: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers that have no sign with one; those of 2⁶³ and more become Python's."""
    if X.dtype.kind != "u" or X.dtype.itemsize < 8:
        return X
    return X.astype(np.int64 if not X.size or X.max() < 2**63 else object)


def _precision(kind: np.dtype[Any]) -> type:
    return np.float32 if kind == np.float32 else np.float64


def column_of(X: Any, key: Hashable) -> NDArray[Any]:
    """One column as an array, by its name or position."""
    if is_frame(X):
        names = names_of(X) or []
        if key not in names:
            key = names[_position(key, len(names), names)]
        return _array(X.column(key) if hasattr(X, "column_names") else X[key])
    if sparse.issparse(X):
        X = sparse.csc_array(X)
        return np.asarray(X[:, [_position(key, X.shape[1])]].toarray().ravel())
    array = np.asarray(X)
    return np.asarray(array[:, _position(key, array.shape[1])])


def columns_of(X: Any, keys: Sequence[Hashable]) -> Any:
    """A narrower table: the columns asked for, kept sparse where X is, each of its own kind otherwise."""
    if sparse.issparse(X):
        positions = [_position(key, X.shape[1]) for key in keys]
        return sparse.csr_array(sparse.csc_array(X)[:, positions])
    if not is_frame(X):
        array = np.asarray(X)
        return array[:, [_position(key, array.shape[1]) for key in keys]]
    columns = [column_of(X, key) for key in keys]
    if all(column.dtype.kind in "biuf" for column in columns) and _exact_together(columns):
        return np.column_stack(columns)
    table = np.empty((X.shape[0], len(columns)), dtype=object)
    for position, column in enumerate(columns):
        table[:, position] = column
    return table


def _exact_together(columns: list[NDArray[Any]]) -> bool:
    """Whether one array holds all columns: floats do not tell whole numbers beyond 2⁵³ apart."""
    kinds = {column.dtype for column in columns}
    if len(kinds) < 2 or np.result_type(*kinds).kind != "f":
        return True
    whole = [column for column in columns if column.dtype.kind in "iu" and column.dtype.itemsize == 8]
    return all(not column.size or max(-int(column.min()), int(column.max())) <= 2**53 for column in whole)


def cut(X: Any, rows: slice) -> Any:
    """Some of the rows; a sparse matrix is not copied where that is all of them."""
    return X if rows == slice(0, X.shape[0]) else X[rows]


def is_missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where values are missing: NaN, None, and what pandas calls NA."""
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind != "O":
        return np.zeros(values.shape, dtype=bool)
    # A missing value is the one thing that does not equal itself; NA does not even answer.
    return np.asarray(np.frompyfunc(_absent, 1, 1)(values), dtype=bool)


def _absent(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


def _array(column: Any) -> NDArray[Any]:
    array = column.to_numpy()
    if array.dtype.kind == "O":
        gaps = is_missing(array)
        kinds = {type(value) for value in array[~gaps]}
        if kinds and all(issubclass(kind, (int, float, np.number, np.bool_)) for kind in kinds):
            return np.array([np.nan if gap else float(v) for gap, v in zip(gaps, array, strict=True)])
    return np.asarray(array)


def _refuse_dates(values: NDArray[Any], where: str) -> None:
    if values.dtype.kind in "Mm":
        raise OutsideSupport(
            f"Expected numbers, but {where} dates or times. Turn them into numbers first, such as days since "
            "the first of them, or an hour of the day."
        )


def _refuse_complex(kind: np.dtype[Any]) -> None:
    if kind.kind == "c":
        raise OutsideSupport("Expected real numbers, got complex ones. Give their real and imaginary parts.")


def _numbers(array: NDArray[Any]) -> NDArray[np.float64]:
    _refuse_dates(array, "there are")
    _refuse_complex(array.dtype)
    if array.dtype.kind in "US":
        array = array.astype(object)
    gaps = is_missing(array)
    try:
        return np.where(gaps, np.nan, np.where(gaps, 0, array)).astype(float)
    except (TypeError, ValueError) as error:
        raise OutsideSupport(
            f"Expected numbers, got something else ({error}). Use Categorical() for texts, "
            "or Columns to give each column a family of its own."
        ) from None


def _position(key: Hashable, width: int, names: Sequence[Hashable] = ()) -> int:
    if isinstance(key, (int, np.integer)) and -width <= key < width:
        return int(key) % width
    known = ", ".join(map(str, names)) if names else f"0 to {width - 1}"
    raise NoSuchFeature(f"There is no column {key!r}: the columns are {known}.")


def observed(values: Any) -> tuple[Any, Any]:
    """A block with missing values as zeros, and a matrix that is 1 where one was missing (or None)."""
    numbers = values.data if sparse.issparse(values) else values
    # The minimum is NaN if any number is NaN, and finding it takes a third of the time of their sum.
    if numbers.dtype.kind != "f" or not numbers.size or not np.isnan(numbers.min()):
        return values, None
    gaps = np.isnan(numbers)
    filled = np.where(gaps, 0.0, numbers)
    if not sparse.issparse(values):
        return filled, gaps.astype(float)
    shape, where = values.shape, (values.indices, values.indptr)
    return sparse.csr_array((filled, *where), shape=shape), sparse.csr_array(
        (gaps.astype(float), *where), shape=shape
    )


def without(statistic: Any, missing: Any) -> Any:
    """A dense statistic that is zero where the value is missing."""
    return statistic if missing is None else np.where(missing > 0, 0.0, statistic)
