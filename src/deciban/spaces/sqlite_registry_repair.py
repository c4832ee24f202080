"""Checking the registry of spaces, and saving what is whole of a damaged one.

The names of spaces and their keys stand only there. A space whose row is damaged still has its folder, with
all its lessons: it comes back under the name ``recovered ID``, and `deciban space rename` gives it its name
again. Keys that are damaged open nothing any more. The damaged file is kept until a space is deleted.
"""

from __future__ import annotations

import os
from time import time

from deciban.journal.sqlite_soundness import finding, rebuild, rows_in
from deciban.spaces.space import DATABASE
from deciban.spaces.sqlite_registry import (
    FILE,
    KIND,
    KINDS_OF_ROWS,
    SpaceRecord,
    SqliteRegistry,
    is_identity,
    row_of,
)
from deciban.sqlite_store import REPAIRED, row_check
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from deciban.ledger.records import Finding
    from deciban.sqlite_store import SqliteStore

REGISTRY = "registry"


class SavedRegistry(Value):
    """What became of a damaged registry."""

    spaces: int
    keys: int
    recovered: tuple[str, ...]
    """The new names of spaces whose own were lost."""
    lost_keys: int
    kept: str
    """Where the damaged file is."""


def check_registry(folder: str) -> Finding:
    """What is found about the registry of a folder."""
    return finding(REGISTRY, lambda: SqliteRegistry(folder))


def repair_registry(folder: str) -> SavedRegistry:
    """Put a new registry with all that is whole in the place of a damaged one."""
    path = os.path.join(folder, FILE)
    rows: dict[str, dict[str, list[Any]]] = {table: {} for table in KINDS_OF_ROWS}
    torn = dict.fromkeys(KINDS_OF_ROWS, 0)
    for values in rows_in(path):
        for table, (width, checked) in KINDS_OF_ROWS.items():
            if len(values) == width and type(values[0]) is str:
                is_whole = (
                    is_identity(values[0])
                    if checked is None
                    else row_check(*values[:checked]) == values[checked]
                )
                if is_whole:
                    rows[table][values[0]] = values
                else:
                    torn[table] += 1
    known = rows["spaces"].keys() | rows["gone"].keys()
    recovered = [_recovered(identity) for identity in _folders(folder) if identity not in known]

    def fill(store: SqliteStore) -> None:
        for table, (width, _) in KINDS_OF_ROWS.items():
            places = ", ".join("?" * width)
            store.run_many(
                f"INSERT OR IGNORE INTO {table} VALUES ({places})", map(tuple, rows[table].values())
            )
        for record in recovered:
            store.run_many("INSERT INTO spaces VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [row_of(record)])

    rebuild(path, KIND, fill, path + REPAIRED)
    names = tuple(record.name for record in recovered)
    return SavedRegistry(len(rows["spaces"]), len(rows["keys"]), names, torn["keys"], path + REPAIRED)


def _recovered(identity: str) -> SpaceRecord:
    return SpaceRecord(identity, f"recovered {identity}", int(time()))


def _folders(folder: str) -> Iterator[str]:
    """The ids of the spaces that have files."""
    for name in sorted(os.listdir(folder)):
        if is_identity(name) and os.path.exists(os.path.join(folder, name, DATABASE)):
            yield name
