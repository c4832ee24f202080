"""Tables that fit the terminal: what is too wide is cut in the middle, never wrapped.

>>> rows = [["ham", "Minutes of the meeting of the garden club"], ["spam", "Free"]]
>>> for line in table_lines(rows, [TableColumn(), TableColumn(least=8)], width=30):
...     print(line)
ham   Minutes of t…garden club
spam  Free
"""

from __future__ import annotations

from deciban.cli.terminal import columns_of, harmless, shortened, terminal_columns
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

GAP = 2


class TableColumn(Value):
    """How wide a column may be, and how narrow; in a pipe it takes what it needs, up to ``most``."""

    most: int = 1_000
    least: int = 1_000
    """It is cut to so many columns of the terminal, before other columns are; by default, never."""
    right: bool = False
    """Numbers stand at the right."""


def table_lines(
    rows: Sequence[Sequence[str]], columns: Sequence[TableColumn], width: int | None = None, indent: str = ""
) -> Iterator[str]:
    """Each row on one line, which fits the terminal, or a given width."""
    if width is None:
        width = terminal_columns()
    cells = [
        [shortened(cell, column.most) for cell, column in zip(row, columns, strict=True)] for row in rows
    ]
    widths = [max((columns_of(row[place]) for row in cells), default=0) for place in range(len(columns))]
    if width is not None:
        widths = _fitted(widths, columns, width - columns_of(indent))
    for row in cells:
        shown = [_cell(cell, size, column) for cell, size, column in zip(row, widths, columns, strict=True)]
        line = (indent + (" " * GAP).join(shown)).rstrip()
        yield line if width is None or columns_of(line) <= width else shortened(line, width)


def _fitted(widths: list[int], columns: Sequence[TableColumn], width: int) -> list[int]:
    """The widths made smaller, the widest first, until the line fits or nothing more can be cut."""
    widths = list(widths)
    excess = sum(widths) + GAP * (len(widths) - 1) - width
    while excess > 0:
        places = [place for place, column in enumerate(columns) if widths[place] > column.least]
        if not places:
            break
        widest = max(places, key=widths.__getitem__)
        widths[widest] -= 1
        excess -= 1
    return widths


def _cell(text: str, width: int, column: TableColumn) -> str:
    if columns_of(text) > width:
        text = shortened(text, width)
    room = " " * (width - columns_of(text))
    return room + text if column.right else text + room


def width_of(texts: Sequence[str]) -> int:
    """The columns that the widest of some texts takes once it is harmless.

    >>> width_of(["spam", "größer"])
    6
    """
    return max((columns_of(harmless(text)) for text in texts), default=0)
