"""The registry: which spaces there are, under which names, with which keys; one SQLite file in their folder.

    spaces   id         16 random bytes in hexadecimal, the name of its folder
             name       as it is shown
             key        what is compared of it (space_name.py)
             made       when, in seconds since 1970
             shared     the shared filter that it begins on; `starter` for the newest starter, empty for none
             lessons    its quota, bytes too
    gone     id         of a deleted space, until its folder is removed; nothing else is kept of it
    keys                see sqlite_key_ring.py

A space is in the registry before it has a folder. So a folder that the registry does not know is a left-over.
"""

from __future__ import annotations

import os
from time import time

from deciban.errors import NoSuchSpace, SpaceExists
from deciban.spaces.quota import Quota
from deciban.spaces.space_name import can_be_name, space_key, space_name
from deciban.sqlite_store import SqliteStore, StoreKind, row_check
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Self

FILE = "spaces.db"
ID_BYTES = 16
KIND = StoreKind(
    "registry of spaces",
    b"deSp",
    1,
    (
        "CREATE TABLE spaces (id TEXT PRIMARY KEY, name TEXT NOT NULL, key TEXT UNIQUE NOT NULL, "
        "made INTEGER NOT NULL, shared TEXT NOT NULL, lessons INTEGER, bytes INTEGER, "
        "checked INTEGER NOT NULL)",
        "CREATE TABLE gone (id TEXT PRIMARY KEY)",
        "CREATE TABLE keys (id TEXT PRIMARY KEY, hash BLOB NOT NULL, rights TEXT NOT NULL, "
        "spaces TEXT NOT NULL, made INTEGER NOT NULL, expires INTEGER, note TEXT NOT NULL, "
        "checked INTEGER NOT NULL, used INTEGER)",
    ),
    "deciban check --spaces FOLDER --repair",
)
# How many values a row has, and which of them is a check of those before it.
KINDS_OF_ROWS: dict[str, tuple[int, int | None]] = {"spaces": (8, 7), "gone": (1, None), "keys": (9, 7)}
_FIELDS = "id, name, key, made, shared, lessons, bytes, checked"
# What a space rests on that begins with the newest starter; shared filters have a path.
NEWEST = "starter"


def is_identity(value: object) -> bool:
    """Whether this can be the id of a space, which is the name of its folder, too."""
    return isinstance(value, str) and len(value) == 2 * ID_BYTES and not value.strip("0123456789abcdef")


class SpaceRecord(Value):
    """What the registry knows of a space."""

    id: str
    name: str
    made: int
    """In seconds since 1970."""
    shared: str = ""
    """The shared filter that it begins on; ``starter`` for the newest starter, empty for none."""
    quota: Quota = Quota()

    @property
    def begins_with_starter(self) -> bool:
        """Whether it begins with what public mail has taught."""
        return self.shared == NEWEST


def new_identity() -> str:
    """The id of a new space."""
    return os.urandom(ID_BYTES).hex()


class SqliteRegistry:
    """The spaces of one folder."""

    def __init__(self, folder: str, create: bool = False) -> None:
        self.store = SqliteStore(os.path.join(folder, FILE), KIND, create)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self.store.close()

    def check(self) -> str:
        """Look at every page, space and key; DamagedStore if one is not as it was written."""
        from deciban.spaces.sqlite_key_ring import SqliteKeyRing

        self.store.check_pages()
        spaces, keys = list(self.all()), SqliteKeyRing(self.store).all()
        return f"spaces: {len(spaces):,}, keys: {len(keys):,}; all as they were written"

    def add(
        self, names: Iterable[str], shared: str = "", quota: Quota | None = None, identity: str = ""
    ) -> list[SpaceRecord]:
        """Enter new spaces, all of them or none; one alone may be given an ``identity``."""
        made = int(time())
        records = [
            SpaceRecord(identity or new_identity(), space_name(name), made, shared, quota or Quota())
            for name in names
        ]
        with self.store.writing():
            for record in records:
                self._must_be_free(record.name)
                self._insert(record)
        return records

    def find(self, name: str) -> SpaceRecord:
        """The space of a name, in any spelling."""
        found = self.find_if_any(name)
        if found is None:
            raise NoSuchSpace(
                f"There is no space {space_name(name)!r}. deciban space list shows them, add makes one."
            )
        return found

    def find_if_any(self, name: str) -> SpaceRecord | None:
        """The space of a name; None if there is none. Nothing is ever made by looking."""
        if not can_be_name(name):
            return None
        rows = self.store.rows(f"SELECT {_FIELDS} FROM spaces WHERE key = ?", space_key(name))
        return self._record(rows[0]) if rows else None

    def has(self, identity: str) -> bool:
        """Whether there is a space of this id."""
        return bool(self.store.rows("SELECT 1 FROM spaces WHERE id = ?", identity))

    def all(self) -> Iterator[SpaceRecord]:
        """Every space, in the order of their names."""
        return map(self._record, self.store.rows(f"SELECT {_FIELDS} FROM spaces ORDER BY key"))

    def rename(self, name: str, new: str) -> SpaceRecord:
        """Give a space another name, or its name another spelling."""
        new = space_name(new)
        with self.store.writing():
            record = self.find(name)
            if space_key(new) != space_key(record.name):
                self._must_be_free(new)
            return self._replace(record.replaced(name=new))

    def set_quota(self, name: str, quota: Quota) -> SpaceRecord:
        """Change how much a space may hold."""
        with self.store.writing():
            return self._replace(self.find(name).replaced(quota=quota))

    def remove(self, name: str) -> SpaceRecord:
        """Take a space out of the registry; its id stays among those `gone` until its folder is removed."""
        with self.store.writing():
            record = self.find(name)
            self.store.run("DELETE FROM spaces WHERE id = ?", record.id)
            self.store.run("INSERT INTO gone VALUES (?)", record.id)
        return record

    def gone(self) -> list[str]:
        """The ids of deleted spaces whose folders may be there still."""
        found = [identity for (identity,) in self.store.rows("SELECT id FROM gone")]
        return [identity for identity in found if is_identity(identity)]  # damage may make any path of it

    def is_removed(self, identity: str) -> None:
        """Say that nothing is left of a deleted space."""
        with self.store.writing():
            self.store.run("DELETE FROM gone WHERE id = ?", identity)

    def _must_be_free(self, name: str) -> None:
        taken = self.find_if_any(name)
        if taken is not None:
            raise SpaceExists(f"There is a space {taken.name!r} already. Nothing was changed.")

    def _insert(self, record: SpaceRecord) -> None:
        row = row_of(record)
        self.store.run(f"INSERT INTO spaces ({_FIELDS}) VALUES ({', '.join('?' * len(row))})", *row)

    def _replace(self, record: SpaceRecord) -> SpaceRecord:
        self.store.run("DELETE FROM spaces WHERE id = ?", record.id)
        self._insert(record)
        return record

    def _record(self, row: tuple[Any, ...]) -> SpaceRecord:
        *fields, checked = row
        if row_check(*fields) != checked:
            raise self.store.damaged("a space in it is not as it was written")
        identity, name, _, made, shared, lessons, size = fields
        return SpaceRecord(identity, name, made, shared, Quota(lessons, size))


def row_of(record: SpaceRecord) -> tuple[object, ...]:
    """The row of a space; the last value is a check of the others."""
    fields = (
        record.id, record.name, space_key(record.name), record.made, record.shared,
        record.quota.lessons, record.quota.bytes,
    )  # fmt: skip
    return *fields, row_check(*fields)
