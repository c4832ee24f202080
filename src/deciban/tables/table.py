"""A table in memory: named columns, each of numbers (NaN where there is none) or of texts (None).

It has what families look for in a frame, so they take it as they take one of pandas or polars:

>>> table = Table({"age": [34.0, np.nan], "town": ["Bern", None]})
>>> table.columns, table.shape, table["town"].to_numpy().tolist()
(['age', 'town'], (2, 2), ['Bern', None])
>>> table.texts("age").tolist()
['34', None]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.errors import NoSuchFeature, OutsideSupport


class Table:
    """Columns by name."""

    def __init__(
        self, columns: Mapping[str, Any], rows: int | None = None, notes: Iterable[str] = ()
    ) -> None:
        self.notes = tuple(notes)  # what had to be found out when it was read
        self._columns = {name: _column(values) for name, values in columns.items()}
        self._rows = rows if rows is not None else len(next(iter(self._columns.values()), ()))

    def __repr__(self) -> str:
        return f"<Table of {self._rows:,} rows: {', '.join(self._columns)}>"

    def __len__(self) -> int:
        return self._rows

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._rows, len(self._columns)

    def __getitem__(self, key: Any) -> Any:
        """A column by its name, or a table of some rows."""
        if isinstance(key, str):
            return Column(self.values(key))
        rows = key[0] if isinstance(key, tuple) else key  # numpy's spelling: table[rows, ...]
        kept = {name: values[rows] for name, values in self._columns.items()}
        return Table(kept, len(np.arange(self._rows)[rows]))

    def values(self, name: str) -> NDArray[Any]:
        """One column as it is."""
        if name not in self._columns:
            raise NoSuchFeature(f"There is no column {name!r}: the columns are {', '.join(self._columns)}.")
        return self._columns[name]

    def without(self, names: Iterable[str]) -> Table:
        """All other columns."""
        left_out = set(names)
        return Table({name: v for name, v in self._columns.items() if name not in left_out}, self._rows)

    def texts(self, name: str) -> NDArray[Any]:
        """One column as texts, however it is written: 3, 3.0 and "3" are all the same."""
        values = self.values(name)
        if values.dtype.kind == "O":
            return np.array([None if v is None else canonical_text(v) for v in values], dtype=object)
        return np.array([None if v != v else number_text(v) for v in values.tolist()], dtype=object)

    def with_texts(self, names: Iterable[str]) -> Table:
        """The same table, with some columns as texts."""
        texts = {name: self.texts(name) for name in names}
        return Table(self._columns | texts, self._rows)

    def numbers(self, name: str) -> NDArray[np.float64]:
        """One column as numbers; a text that is none is refused."""
        values = self.values(name)
        if values.dtype.kind != "O":
            return values
        for row, value in enumerate(values):
            if value is not None and as_number(value) is None:
                raise OutsideSupport(
                    f"Column {name!r} should hold numbers, but has {value!r} in row {row + 1}. "
                    "Correct it, leave it empty, say --decimal , if it has a decimal comma, or learn the "
                    "column as categorical."
                )
        return np.array([np.nan if value is None else as_number(value) for value in values], dtype=float)


class Column:
    """What families ask a column of a frame for."""

    def __init__(self, values: NDArray[Any]) -> None:
        self._values = values

    def to_numpy(self) -> NDArray[Any]:
        """Its values."""
        return self._values


def as_number(text: str) -> float | None:
    """The number that a text is, if it is one."""
    try:
        return float(text)
    except ValueError:
        return None


def number_text(value: float) -> str:
    """A number as people write it.

    >>> number_text(3.0), number_text(0.25)
    ('3', '0.25')
    """
    return str(int(value)) if value == int_or_nan(value) else repr(value)


def int_or_nan(value: float) -> float:
    """The number if it is whole and small enough to be exact; otherwise NaN, which equals nothing."""
    return value if abs(value) < 2**53 and value == int(value) else float("nan")


def canonical_text(text: str) -> str:
    """A text, or the one way to write the number that it is."""
    number = as_number(text)
    return text if number is None or not np.isfinite(number) else number_text(number)


def _column(values: Any) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind in "biuf":
        return array.astype(float)
    texts = np.empty(len(array), dtype=object)
    texts[:] = [None if value is None or value != value else str(value) for value in values]
    return texts
