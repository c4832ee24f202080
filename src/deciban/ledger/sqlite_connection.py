"""The SQLite file of a ledger, opened: transactions, facts and the address.

sqlite_file.py describes the tables. What is deleted is overwritten (`secure_delete`), and `sweep` empties the
write-ahead log of it.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress

from deciban.committee.settings import Settings
from deciban.errors import BadSetting, CannotWrite, FilterError, LedgerBusy
from deciban.ledger import facts
from deciban.ledger.ledger import Ledger
from deciban.ledger.records import Address
from deciban.ledger.sqlite_file import (
    END_BYTES,
    ID_BYTES,
    WRITING_KIB,
    base_of,
    connect,
    damaged,
    end_of,
    fact_check,
    told,
)
from deciban.ledger.trail import TRAIL_BYTES, keyed
from deciban.sqlite_store import ERRORS, file_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from deciban.errors import DamagedLedger

# For so long a sweep waits for readers. One that takes longer may stand still, and a sweep stays due.
SWEEP_MILLISECONDS = 5_000


class SqliteConnection(Ledger):
    """A ledger's file, its transactions and its facts; `SqliteLedger` adds what is in them."""

    def __init__(self, path: str, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        # Number and spelling of labels in a transaction.
        self._labels: dict[str, tuple[int, str]] = {}
        self._settings = "", Settings()
        # By the id of the ledger, once that is read.
        self._keyed = keyed(b"")
        self._kept: _Facts | None = None
        self._kept_kib = 0
        with self._telling():
            self._connection = connect(path, read_only)
            try:
                self._file = file_at(path)
                self.check_base()
            except BaseException:
                self._connection.close()
                raise

    @property
    def settings(self) -> Settings:
        """What lessons are replayed with, as of the last `address`."""
        return self._settings[1]

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """What SQLite complains about, in words that say what to do."""
        try:
            yield
        except ERRORS as error:
            raise told(self.path, error) from error

    def _keep_pages(self, kib: int) -> None:
        """Let SQLite keep so much of the file in memory, unless it may keep more already."""
        if self._kept_kib < kib:
            self._kept_kib = kib
            self._execute(f"PRAGMA cache_size = -{kib}")

    def _one(self, sql: str, *values: object) -> tuple[Any, ...]:
        with self._telling():
            row: tuple[Any, ...] = self._connection.execute(sql, values).fetchone()
        return row

    def _execute(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Run one statement; the rows that it found."""
        with self._telling():
            return self._connection.execute(sql, values).fetchall()

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows that a question finds; for who checks the file."""
        return self._execute(sql)

    def fact(self, key: str, otherwise: object = None) -> Any:
        """What holds for the whole ledger under this key."""
        return self._facts(key).get(key, otherwise)

    def _facts(self, *keys: str) -> dict[str, Any]:
        """Several facts, all of them as of one moment."""
        return self._told(self._now(), keys)

    def _now(self) -> _Facts:
        """All facts; they are read again only if somebody has written since.

        A question needs facts three times. Reading them takes 40 µs, and asking whether somebody has written
        takes 8.
        """
        if self._connection.in_transaction:
            return self._read_facts(0)
        try:
            (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        except ERRORS as error:
            raise told(self.path, error) from error
        if self._kept is None or self._kept.version != version:
            self._kept = self._read_facts(version)
        return self._kept

    def _read_facts(self, version: int) -> _Facts:
        rows = self._execute("SELECT key, value, checked FROM facts")
        return _Facts(version, {key: (value, checked) for key, value, checked in rows})

    def _told(self, now: _Facts, keys: tuple[str, ...]) -> dict[str, Any]:
        """Those of the facts that are there, each once its check is right."""
        for key in keys:
            if key in now.rows and key not in now.known:
                value, checked = now.rows[key]
                if fact_check(key, value) != checked or type(value) is not facts.TYPES[key]:
                    raise self._wrong_fact(key)
                now.known[key] = value
        return {key: now.known[key] for key in keys if key in now.known}

    def _wrong_fact(self, key: str) -> DamagedLedger:
        return damaged(self.path, f"its {key} is not as it was written")

    def set_fact(self, key: str, value: object) -> None:
        """Change what holds for the whole ledger, nothing for None; only while writing."""
        self._kept = None
        if value is None:
            self._execute("DELETE FROM facts WHERE key = ?", key)
        else:
            self._execute(
                "INSERT OR REPLACE INTO facts (key, value, checked) VALUES (?, ?, ?)",
                key,
                value,
                fact_check(key, value),
            )
        if key in (facts.SHARED, facts.SETTINGS, facts.FOUNDATION_DIGEST):
            self._execute(
                "INSERT OR REPLACE INTO facts (key, value, checked) VALUES (?, ?, ?)",
                facts.BASE,
                base := self._base(),
                fact_check(facts.BASE, base),
            )

    def _base(self) -> bytes:
        known = self._facts(facts.SETTINGS, facts.SHARED, facts.FOUNDATION_DIGEST)
        return base_of(
            known[facts.SETTINGS], known.get(facts.SHARED, ""), known.get(facts.FOUNDATION_DIGEST, b"")
        )

    def check_base(self) -> None:
        """Refuse a ledger whose settings are not those that its states were made with."""
        self.address()
        if self._base() != self.fact(facts.BASE):
            raise self._wrong_fact(facts.BASE)

    def _check_pages(self) -> None:
        """Refuse a file whose pages are not in order."""
        for (found,) in self._execute("PRAGMA integrity_check(1)"):
            if found != "ok":
                raise damaged(self.path, str(found).replace("\n", " "))

    def address(self) -> Address:
        """The address of the state of all lessons."""
        now = self._now()
        if now.address is None:
            now.address = self._read_address(now)
        return now.address

    def _read_address(self, now: _Facts) -> Address:
        known = self._told(now, (facts.ID, facts.SETTINGS, facts.BASE, facts.END))
        try:
            identity, end = known[facts.ID], known[facts.END]
            settings, base = known[facts.SETTINGS], known[facts.BASE]
            if len(identity) != ID_BYTES or len(end) != END_BYTES:
                raise self._wrong_fact("head")
            if settings != self._settings[0]:
                self._settings = settings, Settings.from_text(settings)
        except (KeyError, BadSetting):
            raise self._wrong_fact("head") from None
        self._keyed = keyed(identity)  # another, if a backup of another ledger was restored
        return Address(identity, base, int.from_bytes(end[:-TRAIL_BYTES], "big"), end[-TRAIL_BYTES:])

    def _set_end(self, position: int, trail: bytes) -> None:
        self.set_fact(facts.END, end_of(position, trail))

    def set_settings(self, settings: Settings) -> None:
        """Replay with other settings from now on; only while writing."""
        self.set_fact(facts.SETTINGS, settings.text())
        self.address()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction: all of it happens, durably, or nothing."""
        if self.read_only:
            raise CannotWrite(f"{self.path} was opened to read only.")
        self._keep_pages(WRITING_KIB)
        with self._telling():
            self._connection.execute("BEGIN IMMEDIATE")
        try:
            if file_at(self.path) != self._file:
                raise LedgerBusy(f"{self.path} was replaced by another file meanwhile. Try again.")
            self.address()
            yield
            self.commit()
        finally:
            self._kept = None  # SQLite tells only what others wrote
            self._labels.clear()
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def commit(self) -> None:
        """Make what was written durable; within `writing`, which does it at its end unless it is done."""
        with self._telling():
            if self._connection.in_transaction:
                self._connection.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One view of the ledger, whatever others write meanwhile."""
        if self._connection.in_transaction:
            yield
            return
        with self._telling():
            self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.execute("ROLLBACK")

    def sweep_later(self) -> None:
        """Make a sweep due; only while writing."""
        self.set_fact(facts.SWEEP_DUE, os.urandom(8))

    def is_swept(self) -> bool:
        """Whether no sweep is due."""
        return self.fact(facts.SWEEP_DUE) is None

    def sweep(self, waiting: bool = True) -> bool:
        """Empty the write-ahead log, which still holds what was overwritten; False if it cannot be now."""
        due = self.fact(facts.SWEEP_DUE)
        ((patience,),) = self._execute("PRAGMA busy_timeout")
        try:
            shorter = min(patience, SWEEP_MILLISECONDS) if waiting else 0
            self._execute(f"PRAGMA busy_timeout = {shorter}")
            if not self._empty_log():
                return False
            if due is not None:
                # Only what was due before: somebody may have removed more meanwhile.
                with suppress(LedgerBusy, CannotWrite):
                    self._execute("DELETE FROM facts WHERE key = ? AND value = ?", facts.SWEEP_DUE, due)
                    self._kept = None
            return True
        finally:
            self._execute(f"PRAGMA busy_timeout = {patience}")

    def remove_copies(self) -> None:
        """Remove the copies that were kept when the ledger was taken over, restored or repaired."""
        from deciban.ledger.sqlite_copy import kept_copies

        for path in kept_copies(self.path):
            with suppress(OSError):
                os.unlink(path)

    def remove_left_overs(self) -> None:
        """Remove what processes left that died while they made, copied or restored the ledger."""
        from deciban.ledger.sqlite_copy import left_overs

        for path in left_overs(self.path):
            with suppress(OSError):
                os.unlink(path)

    def back_up(self, path: str, replacing: bool = False) -> None:
        """Copy the ledger as it is now to a new file, while others use it."""
        from deciban.ledger.sqlite_copy import copy_to

        with self._telling():
            copy_to(self._connection, path, replacing)

    def become(self, path: str) -> None:
        """Take over all that another ledger's file holds, in one transaction, while others use this one."""
        from deciban.ledger.sqlite_copy import copy_into

        with self.writing():  # whoever is writing finishes first, or we say that it takes too long
            pass
        self._kept = None
        with self._telling():
            copy_into(path, self._connection, self.path)

    def _empty_log(self) -> bool:
        try:
            with self._telling():
                busy, _, _ = self._one("PRAGMA wal_checkpoint(TRUNCATE)")
        except (CannotWrite, LedgerBusy):
            return False
        return not busy

    def shrink(self) -> None:
        """Give back the room of what was deleted, if nobody is using the file; otherwise it is used again."""
        with suppress(FilterError):  # what was deleted is deleted
            self._execute("VACUUM")
            self.sweep()


class _Facts:
    """The facts of a ledger as of one moment."""

    def __init__(self, version: int, rows: dict[str, tuple[Any, int]]) -> None:
        self.version = version
        """By which SQLite tells whether others have written since."""
        self.rows = rows
        """Value and check of each."""
        self.known: dict[str, Any] = {}
        """Those whose checks were found to be right."""
        self.address: Address | None = None
