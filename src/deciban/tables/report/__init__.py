"""What a model of a table looks like: one self-contained page, `deciban table fit --report FILE`.

The pictures are drawn here, without matplotlib: a few rectangles and lines each, in the colours of the page,
light or dark. The 57 columns of Spambase make a page of half a megabyte.
"""

from __future__ import annotations

from pathlib import Path

from deciban.errors import CannotWrite
from deciban.tables.report.table_page import table_page
from deciban.tables.table import Table
from deciban.tables.table_model import TableModel
from deciban.whole_file import WholeFile


def write_report(path: str | Path, model: TableModel, table: Table, title: str) -> None:
    """Write the page of a model that was just fitted to a table; it appears whole or not at all."""
    text = table_page(model, table, title)
    try:
        with WholeFile(path) as file:
            file.write(text.encode("utf-8", "replace"))  # a lone surrogate must not cost the page
    except OSError as error:
        raise CannotWrite(f"{str(path)!r} cannot be written: {error.strerror or error}.") from None
