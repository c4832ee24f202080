"""A small SQLite file of records: the registry of spaces is one, the journal another.

Such a file is made whole or not at all, for its owner only. Its tables must be exactly ours: views and
triggers of somebody else would run what they say. What is deleted is overwritten with zeros
(`secure_delete`), and there is no write-ahead log: once a deletion is committed, no byte of it is left in the
file or beside it. The price is that a reader and a writer wait for each other for some milliseconds, which
files with a commit or two per second can pay; a ledger could not (ledger/sqlite_file.py).

>>> import os, tempfile
>>> path = os.path.join(tempfile.mkdtemp(), "birds.db")
>>> kind = StoreKind("list of birds", b"bird", 1, ("CREATE TABLE birds (name TEXT NOT NULL)",))
>>> with SqliteStore(path, kind, create=True) as store:
...     with store.writing():
...         store.run("INSERT INTO birds VALUES (?)", "wren")
...     store.rows("SELECT name FROM birds")
[('wren',)]

Each row that matters has a check of its fields (`row_check`), so that a flipped bit is noticed. Several
threads may use one store.
"""

from __future__ import annotations

import _sqlite3 as sqlite3  # see ledger/sqlite_file.py
import os
from _thread import RLock
from binascii import crc32
from contextlib import contextmanager, suppress

from deciban.errors import CannotWrite, DamagedStore, DecibanError, LedgerBusy, NewerFormat, NoSuchSource
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, Self

# What SQLite may keep beside a file.
LOGS = ("-wal", "-shm", "-journal")
# What the name of a file has behind its own until it is whole.
NEW = ".new-"
# What a damaged file is called that was repaired and is kept.
REPAIRED = ".before-repair"
# How long one process waits for another that is writing.
PATIENCE_SECONDS = 30.0


# What SQLite complains by. It quotes damaged names in a complaint, which then may be no text.
ERRORS = (sqlite3.Error, UnicodeDecodeError)


class _Undone(Exception):
    """Raised to undo a transaction on purpose."""


class StoreKind(Value):
    """What a file is for, and the tables that it must have."""

    noun: str
    """What errors call it."""
    mark: bytes
    """Four bytes in the head of the file."""
    version: int
    tables: tuple[str, ...]
    """The statements that make tables and indexes."""
    repair: str = "deciban check --repair"
    """What saves what is whole of a damaged one."""
    page_bytes: int = 4096
    """Of a new file; an older one keeps the pages that it has."""
    cache_kib: int = 2000
    """How much of the file SQLite may keep in memory."""


class SqliteStore:
    """An open file of records."""

    def __init__(self, path: str, kind: StoreKind, create: bool = False) -> None:
        self.path, self.kind = path, kind
        self._lock = RLock()
        self._changes = 0
        if create and not os.path.exists(path):
            self._make()
        if not os.path.isfile(path):
            raise NoSuchSource(f"There is no {kind.noun} {path}.")
        self.read_only = not os.access(path, os.W_OK)
        with self._telling():
            self._connection = self._connect()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def writing(self, patience: float = PATIENCE_SECONDS) -> Iterator[None]:
        """One transaction: all of it happens, durably, or nothing.

        ``patience`` says for how many seconds we wait for another process that is writing.
        """
        with self._lock:
            if self.read_only:
                raise CannotWrite(f"{self.path} is not yours to write. Check its permissions.")
            with self._telling():
                self._look()
                self._begin_writing(patience)
            try:
                yield
                with self._telling():
                    self._connection.execute("COMMIT")
                self._changes += 1
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    def _begin_writing(self, patience: float) -> None:
        if patience == PATIENCE_SECONDS:
            self._connection.execute("BEGIN IMMEDIATE")
            return
        self._connection.execute(f"PRAGMA busy_timeout = {int(1000 * patience)}")
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        finally:
            self._connection.execute(f"PRAGMA busy_timeout = {int(1000 * PATIENCE_SECONDS)}")

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows that a question finds."""
        with self._lock, self._telling():
            self._look()
            return self._connection.execute(sql, values).fetchall()

    def run(self, sql: str, *values: object) -> None:
        """Change something; within `writing`."""
        self.rows(sql, *values)

    def run_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Change something once for each row of values; within `writing`."""
        with self._lock, self._telling():
            self._connection.executemany(sql, rows)

    def check_pages(self) -> None:
        """Look at every page and index, and try whether the file can be written; an error if not."""
        wrong = [str(text) for (text,) in self.rows("PRAGMA integrity_check(3)") if text != "ok"]
        if wrong:
            raise self.damaged("; ".join(wrong).replace("\n", " "))
        if not self.read_only:
            with suppress(_Undone), self.writing():
                # SQLite can read a file with a wrong number in its head, but not write it.
                self.run(f"PRAGMA user_version = {self.kind.version}")
                raise _Undone

    def version(self) -> tuple[int, int]:
        """Two numbers that are others once somebody has changed the file: by this object, or another."""
        ((version,),) = self.rows("PRAGMA data_version")  # counts what others change
        return version, self._changes

    def damaged(self, what: str) -> DamagedStore:
        """That something is not as it was written."""
        return DamagedStore(
            f"The {self.kind.noun} {self.path} is damaged: {what}. "
            f"Restore a copy of it, or save what is whole: {self.kind.repair}."
        )

    def _connect(self) -> sqlite3.Connection:
        mode = "ro" if self.read_only else "rw"
        connection = sqlite3.connect(
            f"{uri_of(self.path)}?mode={mode}",
            uri=True,
            timeout=PATIENCE_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "secure_delete = ON"):
                connection.execute(f"PRAGMA {pragma}")
            for pragma in ("synchronous = FULL", "temp_store = MEMORY"):
                connection.execute(f"PRAGMA {pragma}")
            connection.execute(f"PRAGMA cache_size = -{self.kind.cache_kib}")
            self._check(connection)
            self._file = file_at(self.path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _look(self) -> None:
        """Open the file again if another has taken its place: a repaired one, or a copy."""
        if not self._connection.in_transaction and file_at(self.path) not in (self._file, None):
            new = self._connect()
            self._connection.close()
            self._connection = new
            self._changes += 1

    def _check(self, connection: sqlite3.Connection) -> None:
        kind = self.kind
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if mark != int.from_bytes(kind.mark, "big"):
            raise DamagedStore(f"{self.path} is a database, but no {kind.noun} of deciban. Move it away.")
        if not version:
            raise self.damaged("it does not say which version it is of")
        if version > kind.version:
            raise NewerFormat(
                f"{self.path} was written by a newer version of deciban. Upgrade deciban to use it."
            )
        found = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        if {text for (text,) in found} != set(kind.tables):
            raise self.damaged("it has other tables than it should")

    def _make(self) -> None:
        try:
            make_whole(self.path, self._begin)
        except (OSError, *ERRORS) as error:
            raise CannotWrite(f"{self.path} cannot be made: {error}. Choose another place.") from None

    def _begin(self, path: str) -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            connection.execute(f"PRAGMA page_size = {self.kind.page_bytes}")
            connection.execute(f"PRAGMA application_id = {int.from_bytes(self.kind.mark, 'big')}")
            connection.execute(f"PRAGMA user_version = {self.kind.version}")
            for statement in self.kind.tables:
                connection.execute(statement)
        finally:
            connection.close()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """What SQLite complains about, in words that say what to do."""
        try:
            yield
        except ERRORS as error:
            raise self._told(error) from error

    def _told(self, error: Exception) -> DecibanError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
            return LedgerBusy(f"{self.path} is in use by another process. Try again when that is done.")
        if code == sqlite3.SQLITE_FULL:
            return CannotWrite(
                f"The disk of {self.path} is full, so this was not written. Make room and try again."
            )
        if code in (
            sqlite3.SQLITE_READONLY,
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_PERM,
            sqlite3.SQLITE_IOERR,
        ):
            return CannotWrite(
                f"{self.path} cannot be read or written ({error}). Check the permissions of its folder."
            )
        return self.damaged(complaint_of(error))


def complaint_of(error: Exception) -> str:
    r"""What SQLite complains about, in one line: it quotes a text that is no UTF-8, however long it is.

    >>> complaint_of(sqlite3.OperationalError("Could not decode to UTF-8 column 'names' with text 'a\nb'"))
    "Could not decode to UTF-8 column 'names'"
    """
    if isinstance(error, UnicodeDecodeError):
        return "its tables have no names"
    return " ".join(str(error).partition(" with text ")[0].split())


def make_whole(path: str, begin: Callable[[str], None]) -> None:
    """Make a new SQLite file for its owner, unless there is one by now: it appears whole or not at all.

    ``begin`` fills a file that has another name yet.
    """
    new = f"{path}{NEW}{os.getpid()}-{os.urandom(4).hex()}"
    os.close(os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        begin(new)
        try:
            os.link(new, path)
        except (FileExistsError, FileNotFoundError):  # somebody was faster, and has swept ours
            if not os.path.exists(path):
                raise
    finally:
        for part in ("", *LOGS):
            with suppress(OSError):
                os.unlink(new + part)


def uri_of(path: str) -> str:
    """A path as SQLite takes it where more is said about how to open it.

    >>> uri_of("/srv/my mail?.db")
    'file:/srv/my%20mail%3F.db'
    """
    return "file:" + "".join(c if c.isalnum() or c in "/._-" else _percent(c) for c in path)


def file_at(path: str) -> tuple[int, int] | None:
    """Which file is at a path: whoever has it open finds out that another has taken its place."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def row_check(*fields: object) -> int:
    """A check of the fields of a row, with their types (CRC-32)."""
    return crc32(repr(fields).encode("utf-8", "surrogatepass"))


def _percent(character: str) -> str:
    return "".join(f"%{byte:02x}" for byte in os.fsencode(character)).upper()
