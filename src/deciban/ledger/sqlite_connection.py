"""The SQLite file of a ledger, opened: transactions, facts and the stamp.

sqlite_file.py describes the tables. `changes` counts the transactions that changed what a replay gives, and
each of them leaves a random `mark`: copies of a ledger that took equally many changes have different marks.
With `id`, which is random too, they stamp a snapshot. What is deleted is overwritten (`secure_delete`), and
`sweep` empties the write-ahead log of it.
"""

from __future__ import annotations

import _sqlite3 as sqlite3  # see sqlite_file.py
import os
from contextlib import contextmanager, suppress

from deciban.committee.settings import Settings
from deciban.errors import CannotWrite, LedgerBusy
from deciban.ledger import facts
from deciban.ledger.ledger import Ledger
from deciban.ledger.records import Stamp
from deciban.ledger.sqlite_file import connect, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

NO_MARK = bytes(8)


class SqliteConnection(Ledger):
    """A ledger's file, its transactions and its facts; `SqliteLedger` adds what is in them."""

    def __init__(self, path: str, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self._changed = False
        # Number and spelling of labels in a transaction; when the last lesson was taught, by data version.
        self._labels: dict[str, tuple[int, str]] = {}
        self._latest: tuple[int, int] | None = None
        self._settings = "", Settings()
        with self._telling():
            self._connection = connect(path, read_only)
            try:
                self._id = bytes(self.fact(facts.ID))
                self.stamp()
            except BaseException:
                self._connection.close()
                raise

    @property
    def settings(self) -> Settings:
        """What lessons are replayed with, as of the last `stamp`."""
        return self._settings[1]

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """What SQLite complains about, in words that say what to do."""
        try:
            yield
        except sqlite3.Error as error:
            raise told(self.path, error) from error

    def _one(self, sql: str, *values: object) -> tuple[Any, ...]:
        row: tuple[Any, ...] = self._connection.execute(sql, values).fetchone()
        return row

    def _execute(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Run one statement; the rows that it found."""
        with self._telling():
            return self._connection.execute(sql, values).fetchall()

    def fact(self, key: str, otherwise: object = None) -> Any:
        """What holds for the whole ledger under this key."""
        with self._telling():
            row = self._one("SELECT value FROM facts WHERE key = ?", key)
        return otherwise if row is None else row[0]

    def set_fact(self, key: str, value: object) -> None:
        """Change what holds for the whole ledger, nothing for None; only while writing."""
        if value is None:
            self._execute("DELETE FROM facts WHERE key = ?", key)
            return
        with self._telling():
            self._connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (key, value))

    def stamp(self) -> Stamp:
        """The state that the ledger is in."""
        # All by one statement, so that they belong together; another process may have changed the settings.
        rows = dict(
            self._execute("SELECT key, value FROM facts WHERE key IN ('changes', 'mark', 'settings')")
        )
        settings = rows[facts.SETTINGS]
        if settings != self._settings[0]:
            self._settings = settings, Settings.from_text(settings)
        return Stamp(self._id, rows[facts.CHANGES], rows.get(facts.MARK, NO_MARK))

    def set_settings(self, settings: Settings) -> None:
        """Replay with other settings from now on; only while writing."""
        self.set_fact(facts.SETTINGS, settings.text())
        self._changed = True
        self.stamp()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction: all of it happens, durably, or nothing."""
        if self.read_only:
            raise CannotWrite(f"{self.path} was opened to read only.")
        with self._telling():
            self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.commit()
        finally:
            self._changed = False
            self._labels.clear()
            if self._connection.in_transaction:
                self._latest = None
                self._connection.execute("ROLLBACK")

    def commit(self) -> None:
        """Make what was written durable; within `writing`, which does it at its end unless it is done."""
        with self._telling():
            if self._connection.in_transaction:
                if self._changed:
                    self._connection.execute("UPDATE facts SET value = value + 1 WHERE key = 'changes'")
                    self.set_fact(facts.MARK, os.urandom(len(NO_MARK)))
                self._connection.execute("COMMIT")
                self._changed = False

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
        """Empty the write-ahead log, which still holds what was overwritten; False if others were reading."""
        due = self.fact(facts.SWEEP_DUE)
        ((patience,),) = self._execute("PRAGMA busy_timeout")
        try:
            self._execute(f"PRAGMA busy_timeout = {patience if waiting else 0}")
            if not self._empty_log():
                return False
            if due is not None:
                # Only what was due before: somebody may have removed more meanwhile.
                with suppress(LedgerBusy, CannotWrite):
                    self._execute("DELETE FROM facts WHERE key = ? AND value = ?", facts.SWEEP_DUE, due)
            return True
        finally:
            self._execute(f"PRAGMA busy_timeout = {patience}")

    def _empty_log(self) -> bool:
        try:
            with self._telling():
                busy, _, _ = self._one("PRAGMA wal_checkpoint(TRUNCATE)")
        except CannotWrite as error:
            raise CannotWrite(
                f"The change is made, but the log still holds traces of what was erased. {error} "
                "The next command that can write empties the log."
            ) from None
        except LedgerBusy:
            return False
        return not busy

    def shrink(self) -> None:
        """Give back the room of what was deleted, if nobody is using the file; otherwise it is used again."""
        with suppress(LedgerBusy, CannotWrite):
            self._execute("VACUUM")
        self.sweep()
