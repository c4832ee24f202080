"""Numbers as people write them: 3.5 and 1,234.5 in one country, 3,5 and 1.234,5 in the next.

A column tells which, if only one of the two can read all of its entries:

>>> format_of(["3,5", "12", "1.234,5"])
','
>>> format_of(["1,234,567", "12.5"])
'.'

``1,234`` by itself may be either, and then nothing is guessed:

>>> format_of(["1,234", "5,678"])
'?'
>>> format_of(["Bern", "3,5"])

The answer is the decimal sign. Columns that are clear decide for the whole file; `deciban table` says what
was found, and ``--decimal`` overrules it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from deciban.tables.table import as_number

Entries = Sequence[str | None]
SIGNS = (",", ".")
EITHER = "?"
_READABLE = {
    decimal: re.compile(rf"[+-]?(\d+|\d{{1,3}}({re.escape(between)}\d{{3}})+)({re.escape(decimal)}\d+)?$")
    for decimal, between in ((",", "."), (".", ","))
}


def format_of(entries: Iterable[str]) -> str | None:
    """The decimal sign under which all entries are numbers; EITHER if both are, None if neither is."""
    found = [sign for sign in SIGNS if all(map(_READABLE[sign].match, entries))]
    return EITHER if len(found) > 1 else found[0] if found else None


def plain_numbers(entries: Entries) -> NDArray[np.float64] | None:
    """The entries as Python reads numbers, if all of them are; a gap is NaN."""
    numbers = np.empty(len(entries))
    for row, text in enumerate(entries):
        number = np.nan if text is None else as_number(text)
        if number is None:
            return None
        numbers[row] = number
    return numbers


def numbers_by(entries: Entries, decimal: str) -> NDArray[np.float64] | None:
    """The entries as numbers with a decimal sign, if all of them are; the other sign groups thousands."""
    if not all(_READABLE[decimal].match(text) for text in entries if text is not None):
        return None
    between = SIGNS[1 - SIGNS.index(decimal)]
    return np.array(
        [
            np.nan if text is None else float(text.replace(between, "").replace(decimal, "."))
            for text in entries
        ]
    )


def decimal_of(columns: Mapping[str, Entries]) -> tuple[str | None, list[str]]:
    """The decimal sign of a whole file, if it is not simply a point, and notes that say what was found."""
    unclear: dict[str, tuple[str | None, str]] = {}
    clear: dict[str, tuple[str | None, str]] = {}
    for name, entries in columns.items():
        there = [text for text in entries if text is not None]
        if any("," in text for text in there):
            found = format_of(there)
            (unclear if found == EITHER else clear)[name] = (found, next(t for t in there if "," in t))
    signs = {found for found, _ in clear.values() if found}
    decimal = signs.pop() if len(signs) == 1 else None
    notes = []
    if decimal:
        name, (_, example) = next((name, told) for name, told in clear.items() if told[0] == decimal)
        meaning = "decimal commas" if decimal == "," else "commas between thousands"
        notes.append(
            f"numbers have {meaning}, such as {example} in column {name!r}; --decimal overrules this"
        )
    elif unclear:
        name, (_, example) = next(iter(unclear.items()))
        notes.append(
            f"column {name!r} has {example}: with a decimal comma, or in thousands? "
            "It is taken for text; --decimal , or --decimal . says which"
        )
    return decimal, notes
