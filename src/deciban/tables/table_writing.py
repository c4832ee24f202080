"""A `Table` to a file: Parquet by polars or pandas, CSV by Python itself."""

from __future__ import annotations

import csv
import io
from typing import IO

from deciban.errors import CannotWrite
from deciban.tables.table import Table, number_text
from deciban.tables.table_reading import installed_library
from deciban.whole_file import WholeFile


def write_table(table: Table, path: str) -> None:
    """Write a .parquet file, or a CSV file of any other name; it appears whole or not at all."""
    try:
        with WholeFile(path) as file:
            if path.lower().endswith((".parquet", ".pq")):
                _write_parquet(table, file)
            else:
                text = io.TextIOWrapper(file, encoding="utf-8", newline="")
                write_csv(table, text)
                text.detach()
    except OSError as error:
        raise CannotWrite(f"{path!r} cannot be written: {error.strerror or error}.") from None


def write_csv(table: Table, stream: IO[str]) -> None:
    """The names of the columns, then one line per row; a gap is empty.

    >>> import sys
    >>> write_csv(Table({"label": ["flu", "no"], "decibans": [12.5, float("nan")]}), sys.stdout)
    label,decibans
    flu,12.5
    no,
    """
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(zip(*(_texts(table, name) for name in table.columns), strict=True))


def _texts(table: Table, name: str) -> list[str]:
    values = table.values(name)
    if values.dtype.kind == "O":
        return ["" if value is None else value for value in values]
    return ["" if value != value else number_text(value) for value in values.tolist()]


def _write_parquet(table: Table, file: IO[bytes]) -> None:
    columns = {name: table.values(name) for name in table.columns}
    if installed_library() == "polars":
        import polars

        texts = {name: polars.String for name, values in columns.items() if values.dtype.kind == "O"}
        lists = {name: values.tolist() for name, values in columns.items()}
        polars.DataFrame(lists, schema_overrides=texts).write_parquet(file)
    else:
        import pandas

        pandas.DataFrame(columns).to_parquet(file, index=False)
