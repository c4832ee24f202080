"""CSV and Parquet files to a `Table`, by polars or pandas, whichever is installed.

The two guess the types of a CSV file differently. So both only split it, and we decide here what a column is,
by two rules: an entry of MISSING is a gap; a column whose other entries are all numbers holds numbers, any
other holds texts. What we found out about the file (another separator than the comma, decimal commas) stands
in the notes of the table, so that nothing is guessed silently.
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
from deciban.tables.number_format import decimal_of, numbers_by, plain_numbers
from deciban.tables.table import Table

MISSING = frozenset(["", "?", "-", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "none"])
SEPARATORS = ",;\t|"
STANDARD_INPUT = "-"
LINES_LOOKED_AT = 50


def read_table(
    path: str | os.PathLike[str],
    header: bool = True,
    library: str | None = None,
    *,
    separator: str | None = None,
    decimal: str | None = None,
) -> Table:
    """The table in a .parquet file, or in a CSV file of any other name; ``-`` is standard input.

    Without a header the columns are called 1, 2, 3 … ``library`` is polars or pandas; unless told, polars.
    ``separator`` and ``decimal`` (``,`` or ``.``) are found out unless told, and then the notes say so.
    """
    place = os.fspath(path)
    if place != STANDARD_INPUT and not os.path.isfile(place):
        if os.path.isdir(place):
            raise NoSuchSource(f"{place!r} is a folder, not a table. Name one CSV or Parquet file.")
        raise NoSuchSource(f"There is no file {place!r}. Check the spelling.")
    library = library or installed_library()
    if place.lower().endswith((".parquet", ".pq")):
        return _read_parquet(place, library)
    return _read_csv(place, header, library, separator, decimal)


def installed_library() -> str:
    """polars, or else pandas."""
    for library in ("polars", "pandas"):
        if find_spec(library) is not None:
            return library
    raise MissingExtra("Reading tables needs polars or pandas. Run: pip install 'deciban[learn,frames]'")


# --- CSV -------------------------------------------------------------------------------------


def _read_csv(
    place: str, header: bool, library: str, told_separator: str | None, told_decimal: str | None
) -> Table:
    data = _content(place)
    head = data[: 1 << 20].decode("utf-8", "replace")
    if b"\0" in data[: 1 << 16] or not head.partition("\n")[0].strip():
        raise UnreadableTable(f"{place!r} is not a CSV file: its first line holds no names of columns.")
    separator = told_separator or found_separator(head)
    names = [name.strip() for name in next(csv.reader(head.splitlines(), delimiter=separator))]
    names = names if header else [str(number + 1) for number in range(len(names))]
    _refuse_doubles(names, place)
    split = _split_by_polars if library == "polars" else _split_by_pandas
    try:
        columns = split(data, separator, header, len(names))
    except Exception as error:  # each library has a tree of errors of its own
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise UnreadableTable(f"{place!r} cannot be read as a CSV file: {reason}") from None
    notes = []
    if told_separator is None and separator != SEPARATORS[0]:
        shown = "tabs" if separator == "\t" else repr(separator)
        notes.append(f"columns are separated by {shown}; --separator overrules this")
    return _typed_table(dict(zip(names, columns, strict=True)), told_decimal, notes)


def _content(place: str) -> bytes:
    try:
        if place == STANDARD_INPUT:
            data = sys.stdin.buffer.read()
        else:
            with open(place, "rb") as file:
                data = file.read()
    except OSError as error:
        raise NoSuchSource(f"{place!r} cannot be read: {error.strerror}.") from None
    return data.removeprefix(b"\xef\xbb\xbf")


def found_separator(head: str) -> str:
    r"""The separator that cuts the first lines into the same number of entries, as many as possible.

    >>> found_separator("a;b\n1,5;2,5\n"), found_separator("a,b\n1,2\n"), found_separator("a\n1\n")
    (';', ',', ',')
    """
    lines = head.splitlines(keepends=True)[:LINES_LOOKED_AT]

    def fit(separator: str) -> tuple[bool, int]:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=separator) if row]
        except csv.Error:
            widths = [lines[0].count(separator) + 1]
        return widths[0] > 1 and len(set(widths)) == 1, widths[0]

    return max(SEPARATORS, key=fit)


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


def _typed_table(columns: dict[str, list[str | None]], told_decimal: str | None, notes: list[str]) -> Table:
    """Columns of numbers, where all entries are, and of texts."""
    entries = {name: [_entry(text) for text in texts] for name, texts in columns.items()}
    decimal, found = (told_decimal, []) if told_decimal else decimal_of(entries)
    return Table({name: _typed(texts, decimal) for name, texts in entries.items()}, notes=notes + found)


def _entry(text: str | None) -> str | None:
    text = None if text is None else text.strip()
    return None if text in MISSING else text


def _typed(entries: list[str | None], decimal: str | None) -> NDArray[Any]:
    """Numbers, if all entries are; else texts."""
    numbers = numbers_by(entries, decimal) if decimal else None
    if numbers is None:
        numbers = plain_numbers(entries)
    if numbers is not None:
        return numbers
    column = np.empty(len(entries), dtype=object)
    column[:] = entries
    return column


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
