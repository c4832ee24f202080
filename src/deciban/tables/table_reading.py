"""CSV and Parquet files to a `Table`, by polars or pandas, whichever is installed.

The two guess the types of a CSV file differently. So both only split it, and what a column is gets decided
here, by two rules: an entry of MISSING is a gap; a column whose other entries are all numbers holds numbers,
any other holds texts.
"""

from __future__ import annotations

import csv
import os
import sys
import warnings
from importlib.util import find_spec
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.errors import MissingExtra, NoSuchSource, UnreadableTable
from deciban.tables.table import Table, as_number

MISSING = frozenset(["", "?", "-", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "none"])
SEPARATORS = ",;\t|"
STANDARD_INPUT = "-"


def read_table(path: str | os.PathLike[str], header: bool = True, library: str | None = None) -> Table:
    """The table in a .parquet file, or in a CSV file of any other name; ``-`` is standard input.

    Without a header the columns are called 1, 2, 3 … ``library`` is polars or pandas; unless told, polars.
    """
    place = os.fspath(path)
    if place != STANDARD_INPUT and not os.path.isfile(place):
        raise NoSuchSource(f"There is no file {place!r}. Check the spelling.")
    library = library or installed_library()
    if place.lower().endswith((".parquet", ".pq")):
        return _read_parquet(place, library)
    return _read_csv(place, header, library)


def installed_library() -> str:
    """polars, or else pandas."""
    for library in ("polars", "pandas"):
        if find_spec(library) is not None:
            return library
    raise MissingExtra("Reading tables needs polars or pandas. Run: pip install 'deciban[learn,frames]'")


# --- CSV -------------------------------------------------------------------------------------


def _read_csv(place: str, header: bool, library: str) -> Table:
    try:
        if place == STANDARD_INPUT:
            data = sys.stdin.buffer.read()
        else:
            with open(place, "rb") as file:
                data = file.read()
    except OSError as error:
        raise NoSuchSource(f"{place!r} cannot be read: {error.strerror}.") from None
    data = data.removeprefix(b"\xef\xbb\xbf")
    first = data[: 1 << 20].split(b"\n", 1)[0].decode("utf-8", "replace").rstrip("\r")
    if b"\0" in data[: 1 << 16] or not first.strip():
        raise UnreadableTable(f"{place!r} is no CSV file: its first line holds no names of columns.")
    separator = max(SEPARATORS, key=first.count)
    names = [name.strip() for name in next(csv.reader([first], delimiter=separator))]
    names = names if header else [str(number + 1) for number in range(len(names))]
    _refuse_doubles(names, place)
    split = _split_by_polars if library == "polars" else _split_by_pandas
    try:
        columns = split(data, separator, header, len(names))
    except Exception as error:  # each library has a tree of errors of its own
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise UnreadableTable(f"{place!r} cannot be read as a CSV file: {reason}") from None
    return Table({name: _typed(values) for name, values in zip(names, columns, strict=True)})


def _refuse_doubles(names: list[str], place: str) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UnreadableTable(f"{place!r} has two columns called {twice!r}. Rename one.")


def _split_by_polars(data: bytes, separator: str, header: bool, width: int) -> list[list[str | None]]:
    import polars

    frame = polars.read_csv(
        data,
        separator=separator,
        has_header=header,
        infer_schema=False,
        encoding="utf8-lossy",
        new_columns=[str(number) for number in range(width)],
    )
    return [frame[name].to_list() for name in frame.columns]


def _split_by_pandas(data: bytes, separator: str, header: bool, width: int) -> list[list[str | None]]:
    import pandas

    with warnings.catch_warnings():
        warnings.simplefilter("error", pandas.errors.ParserWarning)  # more entries in a row than names
        frame = pandas.read_csv(
            BytesIO(data),
            sep=separator,
            header=0 if header else None,
            names=range(width),
            index_col=False,
            dtype=str,
            na_filter=False,
            encoding_errors="replace",
        )
    return [frame[name].tolist() for name in frame.columns]


def _typed(texts: list[str | None]) -> NDArray[Any]:
    """Numbers, if all entries are; else texts."""
    stripped = [None if text is None else text.strip() for text in texts]
    entries = [None if text is None or text in MISSING else text for text in stripped]
    numbers = np.empty(len(entries))
    for row, text in enumerate(entries):
        number = np.nan if text is None else as_number(text)
        if number is None:
            column = np.empty(len(entries), dtype=object)
            column[:] = entries
            return column
        numbers[row] = number
    return numbers


# --- Parquet ---------------------------------------------------------------------------------


def _read_parquet(place: str, library: str) -> Table:
    read = _parquet_by_polars if library == "polars" else _parquet_by_pandas
    try:
        return Table(read(place))
    except (ImportError, MissingExtra):
        raise MissingExtra("pandas reads Parquet by pyarrow. Run: pip install pyarrow") from None
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise UnreadableTable(f"{place!r} cannot be read as a Parquet file: {reason}") from None


def _parquet_by_polars(place: str) -> dict[str, Any]:
    import polars

    frame = polars.read_parquet(place)
    columns: dict[str, Any] = {}
    for series in frame:
        if series.dtype.is_numeric() or series.dtype == polars.Boolean:
            columns[series.name] = series.cast(polars.Float64).to_numpy()
        else:
            columns[series.name] = [None if value is None else str(value) for value in series.to_list()]
    return columns


def _parquet_by_pandas(place: str) -> dict[str, Any]:
    import pandas

    frame = pandas.read_parquet(place)
    columns: dict[str, Any] = {}
    for name in frame.columns:
        series = frame[name].convert_dtypes()  # truth values with gaps are objects until then
        if pandas.api.types.is_numeric_dtype(series):  # truth values count as numbers
            columns[str(name)] = series.to_numpy(dtype=float, na_value=np.nan)
        else:
            columns[str(name)] = [None if pandas.isna(value) else str(value) for value in series]
    return columns
