"""Dates in a table: what they may tell about a label, as columns of their own.

A date is neither a number nor a category, but five things made of it are. From a column `when` come

    when.year      2024
    when.month     Jan … Dec
    when.weekday   Mon … Sun
    when.hour      0 … 23
    when.age       days before the newest date that was learned (negative for later ones)

>>> dates = DateColumn.found("when", ["2024-01-31 09:30", None, "2024-02-01"])
>>> dates.order, dates.newest
('year-first', '2024-02-01T00:00:00')
>>> table = with_dates(Table({"when": ["2024-01-31 09:30", None]}), [dates])
>>> table.columns
['when.year', 'when.month', 'when.weekday', 'when.hour', 'when.age']
>>> [table.texts(name).tolist() for name in ("when.weekday", "when.hour")]
[['Wed', None], ['9', None]]

`03/04/2024` is the third of April in one country and the fourth of March in the next. Where no entry of a
column decides which, nothing is guessed. Clock times are taken as they are written, whatever their time zone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.errors import OutsideSupport, WrongUsage
from deciban.tables.table import Table
from deciban.value import Value

DATE = "date"
ORDERS = ("year-first", "day-first", "month-first")
FAMILIES_OF_DATES = (DATE, "day-first", "month-first")  # what can be given to --family
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
PARTS = ("year", "month", "weekday", "hour", "age")
EITHER = "day or month first"
_DAY = timedelta(days=1)

_TIME = (
    r"(?:(?:[T ]|, ?)(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d+)?)?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)?$"
)
_MONTH = r"(?P<name>[A-Za-z]{3})[a-z]*\.?"
_NAMED = (
    rf"(?P<day>\d{{1,2}})[ -]{_MONTH},?[ -](?P<year>\d{{4}}){_TIME}",
    rf"{_MONTH} (?P<day>\d{{1,2}}),? (?P<year>\d{{4}}){_TIME}",
)
_WRITTEN = {
    "year-first": (
        rf"(?P<year>\d{{4}})(?P<s>[-/.])(?P<month>\d{{1,2}})(?P=s)(?P<day>\d{{1,2}}){_TIME}",
        r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)$",
    ),
    "day-first": (rf"(?P<day>\d{{1,2}})(?P<s>[-/.])(?P<month>\d{{1,2}})(?P=s)(?P<year>\d{{4}}){_TIME}",),
    # Nobody writes the month first with dots.
    "month-first": (rf"(?P<month>\d{{1,2}})(?P<s>[-/])(?P<day>\d{{1,2}})(?P=s)(?P<year>\d{{4}}){_TIME}",),
}
_PATTERNS = {order: [re.compile(one) for one in (*_WRITTEN[order], *_NAMED)] for order in ORDERS}


def parse_date(text: str, order: str) -> datetime | None:
    """The date that a text is, if it is one.

    >>> [str(parse_date(text, "day-first")) for text in ("3/4/2024 2:05 PM", "3. Apr", "30 April 2024")]
    ['2024-04-03 14:05:00', 'None', '2024-04-30 00:00:00']
    """
    for pattern in _PATTERNS[order]:
        found = pattern.match(text)
        if found is not None:
            return _date_of(found.groupdict())
    return None


def _date_of(told: dict[str, str | None]) -> datetime | None:
    name = (told.get("name") or "").title()
    if name and name not in MONTHS:
        return None
    month = MONTHS.index(name) + 1 if name else int(told["month"] or 0)
    hour, half = int(told.get("hour") or 0), (told.get("half") or "").lower()
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (half == "p")
    try:
        return datetime(
            int(told["year"] or 0),
            month,
            int(told["day"] or 0),
            hour,
            int(told.get("minute") or 0),
            int(told.get("second") or 0),
        )
    except ValueError:  # the 31st of February, 25 o'clock
        return None


def date_order(texts: Iterable[str | None]) -> str | None:
    """In which order all texts are dates: one of ORDERS, EITHER if day and month cannot be told, else None.

    >>> date_order(["3/4/2024", "25/4/2024"]), date_order(["3/4/2024", "5/4/2024"]), date_order(["Bern"])
    ('day-first', 'day or month first', None)
    """
    there = [text for text in texts if text is not None]
    if not there:
        return None
    orders = [order for order in ORDERS if all(parse_date(text, order) for text in there)]
    if len(orders) == 2:  # named months are dates in all three
        return EITHER
    return orders[0] if orders else None


class DateColumn(Value):
    """A column of dates: how they are written, and the newest, from which ages are counted."""

    name: str
    order: str
    newest: str

    def _check(self) -> None:
        if not isinstance(self.name, str) or self.order not in ORDERS:
            raise ValueError(f"{self.name!r}, {self.order!r} is not a column of dates")
        datetime.fromisoformat(self.newest)

    @classmethod
    def found(cls, name: str, texts: Iterable[str | None]) -> DateColumn | None:
        """The column, if all of its entries are dates and it is clear how to read them."""
        texts = list(texts)
        order = date_order(texts)
        return None if order in (None, EITHER) else cls.of(name, texts, str(order))

    @classmethod
    def of(cls, name: str, texts: Iterable[str | None], order: str) -> DateColumn:
        """The column, read in an order; refused where an entry is no date."""
        there = [date for date in _dates(name, texts, order) if date is not None]
        return cls(name, order, max(there, default=datetime(1970, 1, 1)).isoformat())

    def derived(self, texts: Iterable[str | None]) -> dict[str, NDArray[Any]]:
        """The columns made of it, by name."""
        newest = datetime.fromisoformat(self.newest)
        made: dict[str, list[object]] = {part: [] for part in PARTS}
        for date in _dates(self.name, texts, self.order):
            values = (
                (np.nan, None, None, np.nan, np.nan)
                if date is None
                else (
                    float(date.year),
                    MONTHS[date.month - 1],
                    WEEKDAYS[date.weekday()],
                    float(date.hour),
                    (newest - date) / _DAY,
                )
            )
            for part, value in zip(PARTS, values, strict=True):
                made[part].append(value)
        words = ("month", "weekday")
        return {
            self.part(part): np.array(values, dtype=object if part in words else float)
            for part, values in made.items()
        }

    def whole_months(self, table: Table) -> bool:
        """Whether all dates are the first of a month: they stand for months or years, without a weekday."""
        newest, ages = datetime.fromisoformat(self.newest), table.numbers(self.part("age"))
        dates = [newest - age * _DAY for age in np.unique(ages[~np.isnan(ages)])]
        return all(date.day == 1 for date in dates)

    def part(self, part: str) -> str:
        """The name of a column made of it."""
        return f"{self.name}.{part}"

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the columns made of it."""
        return tuple(map(self.part, PARTS))


def _dates(name: str, texts: Iterable[str | None], order: str) -> Iterable[datetime | None]:
    for row, text in enumerate(texts):
        date = None if text is None else parse_date(text, order)
        if text is not None and date is None:
            raise OutsideSupport(
                f"Column {name!r} should hold dates ({order}), but has {text!r} in row {row + 1}. "
                "Correct it, or leave it empty."
            )
        yield date


def find_dates(table: Table, given: dict[str, str]) -> list[DateColumn]:
    """Columns of dates, unless they were given another family; one declared a date is read or refused."""
    found = []
    for name in table.columns:
        family = given.get(name)
        if family in ("day-first", "month-first"):
            found.append(DateColumn.of(name, table.texts(name), family))
        elif family == DATE:
            order = date_order(table.texts(name)) or "year-first"
            if order == EITHER:
                raise WrongUsage(
                    f"In column {name!r} day and month cannot be told apart. "
                    f"Say --family {name}=day-first, or month-first."
                )
            found.append(DateColumn.of(name, table.texts(name), order))
        elif family is None and table.values(name).dtype.kind == "O":
            column = DateColumn.found(name, table.values(name))
            found += [] if column is None else [column]
    for taken in ((date.name, part) for date in found for part in date.parts if part in table.columns):
        raise WrongUsage(
            "Column {!r} holds dates, but {!r}, to be made of them, is there. Rename it.".format(*taken)
        )
    return found


def with_dates(table: Table, dates: Iterable[DateColumn]) -> Table:
    """The table with what each date tells in place of the dates."""
    by_name = {column.name: column for column in dates}
    columns: dict[str, NDArray[Any]] = {}
    for name in table.columns:
        columns |= by_name[name].derived(table.texts(name)) if name in by_name else {name: table.values(name)}
    return Table(columns, len(table), table.notes)
