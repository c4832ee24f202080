r"""The ledger: the durable, ordered list of lessons. It is the only truth; all else is made from it.

One SQLite file in WAL mode, for its owner only; `application_id` is 'deci', `user_version` the format.

    facts      key, value     what holds for the whole ledger: id, settings, changes, features …
    labels     number, name
    lessons    position       the order in which lessons are replayed; then the fields of `Lesson`, the
                              features (see _lesson_code.pyx) last, so that a listing need not read them
    exams      position       derived from lessons, rewritten by replay: what was made of a lesson before it
               best           was learned: the label that won,
               truth, spam    the log-odds (nats) of the true label, and those of `spam`; NULL while fewer
                              than two labels, or not the true one, were known

`changes` counts the transactions that changed lessons; with `id`, which is random, it stamps a snapshot. What
is deleted is overwritten (`secure_delete`), and `sweep` empties the write-ahead log of it.

>>> import os, tempfile
>>> path = os.path.join(tempfile.mkdtemp(), "mail.deciban")
>>> with Ledger.create(path, Settings(bits=10)) as ledger:
...     oct(os.stat(path).st_mode & 0o777), ledger.settings.bits, ledger.stamp().changes, ledger.count()
('0o600', 10, 0, 0)
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager

from deciban.errors import CannotWrite, DamagedLedger, FilterError, LedgerBusy, NewerFormat, NoSuchSource
from deciban.filter._lesson_code import Features
from deciban.filter.lesson import Lesson, Selection
from deciban.filter.settings import Settings
from deciban.text._hashing import FORMAT as FEATURE_FORMAT
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Self

FORMAT = 1
APPLICATION = int.from_bytes(b"deci", "big")
# How long one process waits for another that is writing; a replay of a million lessons takes that long.
PATIENCE_SECONDS = 120.0

SCHEMA = f"""
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {FORMAT};
CREATE TABLE facts (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE labels (number INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
CREATE TABLE lessons (
    position INTEGER PRIMARY KEY,
    digest BLOB UNIQUE NOT NULL,
    label INTEGER NOT NULL REFERENCES labels,
    taught INTEGER NOT NULL,
    by TEXT NOT NULL,
    source TEXT NOT NULL,
    sender TEXT NOT NULL,
    subject TEXT NOT NULL,
    date TEXT NOT NULL,
    message_id TEXT NOT NULL,
    features BLOB NOT NULL
);
CREATE TABLE exams (position INTEGER PRIMARY KEY, best INTEGER, truth REAL, spam REAL);
"""
LISTED = "position, digest, labels.name, taught, by, source, sender, subject, date, message_id, features"
FROM_LESSONS = "FROM lessons JOIN labels ON lessons.label = labels.number"


class Stamp(Value):
    """Which state of which ledger a snapshot was made from."""

    __slots__ = ("id", "changes")  # noqa: RUF023
    id: bytes
    changes: int

    def __init__(self, id: bytes, changes: int) -> None:  # noqa: A002 (the word for it)
        self._set(id=id, changes=changes)


class ExamRow(Value):
    """What the ledger keeps of an exam."""

    __slots__ = ("best", "truth", "spam")  # noqa: RUF023
    best: str | None
    """The label that won."""
    truth: float | None
    """The log-odds of the true label, in nats."""
    spam: float | None
    """The log-odds of `spam`, if that was known."""

    def __init__(self, best: str | None, truth: float | None, spam: float | None) -> None:
        self._set(best=best, truth=truth, spam=spam)


class Ledger:
    """An open ledger; `writing` is the only way to change it."""

    def __init__(self, path: str, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self._changed = False
        self._labels: dict[str, int] = {}
        with self._telling():
            self._connection = self._connect()
            try:
                self._check_format()
                self.settings = self._stored_settings()
                self._id = bytes(self.fact("id"))
            except BaseException:
                self._connection.close()
                raise

    @classmethod
    def create(cls, path: str, settings: Settings) -> Ledger:
        """A new ledger, or the one that is there by now: it appears whole or not at all."""
        new = f"{path}.new-{os.getpid()}-{os.urandom(4).hex()}"
        try:
            os.close(os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            try:
                _begin(new, settings)
                os.link(new, path)
            except FileExistsError:
                pass
            finally:
                os.unlink(new)
        except (OSError, sqlite3.Error) as error:
            raise CannotWrite(f"{path} cannot be made: {error}. Choose another place with --db.") from None
        return cls(path)

    def _connect(self) -> sqlite3.Connection:
        if not os.path.exists(self.path):
            raise NoSuchSource(f"There is no ledger {self.path}. Teach it something first: deciban learn.")
        if os.path.getsize(self.path) == 0:
            raise DamagedLedger(f"{self.path} is empty, no ledger. Restore it from a copy, or remove it.")
        place = "file:" + "".join(c if c.isalnum() or c in "/._-" else _percent(c) for c in self.path)
        mode = "ro" if self.read_only else "rw"
        if self.read_only and not os.access(os.path.dirname(self.path) or ".", os.W_OK):
            # SQLite would make its -shm file beside the ledger, which is not allowed here. Without a -wal
            # file nobody is writing, and whoever begins to writes there, not into what is read.
            mode += "" if os.path.exists(self.path + "-wal") else "&immutable=1"
        connection = sqlite3.connect(
            f"{place}?mode={mode}",
            uri=True,
            timeout=PATIENCE_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA wal_autocheckpoint = 100")
        return connection

    def _check_format(self) -> None:
        (page_size,) = self._one("PRAGMA page_size")
        # SQLite reads what is missing of the last page as zeros, unless the log still has the whole page.
        log = self.path + "-wal"
        if os.path.getsize(self.path) % page_size and not (os.path.exists(log) and os.path.getsize(log)):
            raise DamagedLedger(f"{self.path} is cut short. Restore it from a copy.")
        (application,) = self._one("PRAGMA application_id")
        (version,) = self._one("PRAGMA user_version")
        if application != APPLICATION:
            raise DamagedLedger(f"{self.path} is a database, but no ledger of deciban. Choose another file.")
        if version > FORMAT or self.fact("features") > FEATURE_FORMAT:
            raise NewerFormat(
                f"{self.path} was written by a newer version of deciban. Upgrade deciban to use it."
            )

    def _stored_settings(self) -> Settings:
        return Settings.from_text(str(self.fact("settings")))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """What SQLite complains about, in words that say what to do."""
        try:
            yield
        except sqlite3.Error as error:
            raise _told(self.path, error) from error

    def _one(self, sql: str, *values: object) -> tuple[Any, ...]:
        row: tuple[Any, ...] = self._connection.execute(sql, values).fetchone()
        return row

    def _all(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with self._telling():
            return self._connection.execute(sql, values).fetchall()

    def fact(self, key: str, otherwise: object = None) -> Any:
        """What holds for the whole ledger under this key."""
        with self._telling():
            row = self._one("SELECT value FROM facts WHERE key = ?", key)
        return otherwise if row is None else row[0]

    def set_fact(self, key: str, value: object) -> None:
        """Change what holds for the whole ledger; only while writing."""
        with self._telling():
            self._connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (key, value))

    def stamp(self) -> Stamp:
        """The state that the ledger is in."""
        return Stamp(self._id, self.fact("changes"))

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
                self._connection.execute("ROLLBACK")

    def commit(self) -> None:
        """Make what was written durable; within `writing`, which does it at its end unless it is done."""
        with self._telling():
            if self._connection.in_transaction:
                if self._changed:
                    self._connection.execute("UPDATE facts SET value = value + 1 WHERE key = 'changes'")
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

    def sweep(self) -> None:
        """Empty the write-ahead log, which still holds what was overwritten."""
        with self._telling():
            busy, _, _ = self._one("PRAGMA wal_checkpoint(TRUNCATE)")
        if busy:
            raise LedgerBusy(f"{self.path} is being read, so traces are left in its log. Run forget again.")

    def labels_of(self, digests: list[bytes]) -> dict[bytes, str]:
        """The labels that messages were taught as, of those that were."""
        # One question for many: 256 single ones take 4 ms.
        places = ", ".join("?" * len(digests))
        return dict(
            self._all(f"SELECT digest, labels.name {FROM_LESSONS} WHERE digest IN ({places})", *digests)
        )

    def labels(self) -> dict[str, int]:
        """How many lessons of each label there are, in the order of their first lessons."""
        counts = "SELECT name, count(*) FROM lessons JOIN labels ON label = number"
        with self._telling():
            rows = self._connection.execute(f"{counts} GROUP BY number ORDER BY min(position)").fetchall()
        return dict(rows)

    def count(self) -> int:
        """How many lessons there are."""
        with self._telling():
            return int(self._one("SELECT count(*) FROM lessons")[0])

    def last_taught(self) -> int:
        """When the last lesson was taught, in microseconds; 0 if there is none."""
        with self._telling():
            return int(self._one("SELECT coalesce(max(taught), 0) FROM lessons")[0])

    def append(self, lesson: Lesson, taught: int, exam: ExamRow) -> None:
        """Write one lesson at the end, taught at that time, with its exam."""
        self._changed = True
        with self._telling():
            written = self._connection.execute(
                "INSERT INTO lessons VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    lesson.digest, self._number(lesson.label), taught, lesson.by, lesson.source,
                    lesson.sender, lesson.subject, lesson.date, lesson.message_id, lesson.features.encode(),
                ),
            )  # fmt: skip
            assert written.lastrowid is not None
            self.set_exam(written.lastrowid, exam)

    def set_exam(self, position: int, exam: ExamRow) -> None:
        """Write or rewrite the exam of a lesson."""
        self.set_exams([(position, exam)])

    def set_exams(self, exams: Iterable[tuple[int, ExamRow]]) -> None:
        """Write or rewrite the exams of lessons, by position."""
        rows = (
            (position, None if exam.best is None else self._number(exam.best), exam.truth, exam.spam)
            for position, exam in exams
        )
        with self._telling():
            self._connection.executemany("INSERT OR REPLACE INTO exams VALUES (?, ?, ?, ?)", rows)

    def _number(self, label: str) -> int:
        """The number of a label, which gets one if it has none."""
        if label not in self._labels:
            self._connection.execute("INSERT OR IGNORE INTO labels (name) VALUES (?)", (label,))
            (self._labels[label],) = self._one("SELECT number FROM labels WHERE name = ?", label)
        return self._labels[label]

    def remove(self, digests: Iterable[bytes]) -> int:
        """Erase lessons and their exams, and labels without lessons; how many lessons there were."""
        removed = 0
        with self._telling():
            for digest in digests:
                exam = "DELETE FROM exams WHERE position = (SELECT position FROM lessons WHERE digest = ?)"
                self._connection.execute(exam, (digest,))
                removed += self._connection.execute(
                    "DELETE FROM lessons WHERE digest = ?", (digest,)
                ).rowcount
            self._connection.execute("DELETE FROM labels WHERE number NOT IN (SELECT label FROM lessons)")
        self._labels.clear()
        self._changed = self._changed or removed > 0
        return removed

    def arrange(self, longest_run: int) -> bool:
        """Number the lessons by (time taught, digest), or, if that puts a run of one label too long, mixed.

        Mixed, each label keeps its order and is spread evenly over the whole: of 2 lessons of ham and 4 of
        spam comes spam, ham, spam, spam, ham, spam. Whether any lesson moved; if so, exams are dropped.
        """
        ranked = "SELECT position, row_number() OVER (ORDER BY taught, digest) AS rank FROM lessons"
        if self._longest_run() >= longest_run:
            ranked = """SELECT position, row_number() OVER (ORDER BY share, digest) AS rank FROM (
                SELECT position, digest,
                    (row_number() OVER (PARTITION BY label ORDER BY taught, digest) - 0.5)
                    / count(*) OVER (PARTITION BY label) AS share FROM lessons)"""
        with self._telling():
            (moved,) = self._one(f"""SELECT count(*) FROM ({ranked}) AS here JOIN
                (SELECT position, row_number() OVER (ORDER BY position) AS rank FROM lessons) AS now
                ON here.position = now.position WHERE here.rank <> now.rank""")
            if not moved:
                return False
            self._connection.execute("DELETE FROM exams")
            # Behind all others: no two lessons may have one position, not even for a moment.
            (last,) = self._one("SELECT max(position) FROM lessons")
            self._connection.execute(
                f"""UPDATE lessons SET position = ? + ranked.rank FROM ({ranked}) AS ranked
                WHERE lessons.position = ranked.position""",
                (last,),
            )
        self._changed = True
        return True

    def _longest_run(self) -> int:
        """The most lessons of one label that were taught one after the other."""
        # Within a run, the rank among all and the rank within the label grow alike.
        (longest,) = self._one("""SELECT coalesce(max(length), 0) FROM (SELECT count(*) AS length FROM (
            SELECT label, row_number() OVER (ORDER BY taught, digest)
                - row_number() OVER (PARTITION BY label ORDER BY taught, digest) AS run FROM lessons)
            GROUP BY label, run)""")
        return int(longest)

    def select(self, selection: Selection) -> Iterator[Lesson]:
        """The lessons that are meant, in their order; all of them for an empty selection."""
        test, values = selection.condition() if selection else ("1", [])
        # Page by page: an unfinished query would keep this connection from seeing what others write.
        sql = f"SELECT {LISTED} {FROM_LESSONS} WHERE position > ? AND {test} ORDER BY position LIMIT 200"
        last = 0
        while rows := self._all(sql, last, *values):
            for position, *fields, code in rows:
                if position <= last:
                    raise DamagedLedger(
                        f"{self.path} is damaged: its lessons are out of order. Restore a copy."
                    )
                last = position
                yield Lesson(*fields, Features.decode(code))  # type: ignore[call-arg]

    def recent_good(self, count: int) -> list[float]:
        """The log-odds of spam in the most recent exams of good mail, at most so many."""
        sql = f"""SELECT spam {FROM_LESSONS} JOIN exams USING (position)
            WHERE labels.name <> 'spam' AND spam IS NOT NULL ORDER BY position DESC LIMIT ?"""
        return [spam for (spam,) in self._all(sql, count)]

    def replay(self) -> Iterator[tuple[int, str, Features]]:
        """The position, label and features of every lesson, in their order."""
        sql = f"SELECT position, labels.name, features {FROM_LESSONS} ORDER BY position"
        with self._telling():
            for position, label, code in self._connection.execute(sql):
                yield position, label, Features.decode(code)

    def exams(self) -> Iterator[tuple[bytes, str, ExamRow]]:
        """The digest, true label and exam of every lesson, in their order."""
        sql = f"""SELECT digest, labels.name, winner.name, truth, spam {FROM_LESSONS}
            JOIN exams USING (position)
            LEFT JOIN labels AS winner ON best = winner.number ORDER BY position"""
        with self._telling():
            for digest, label, best, truth, spam in self._connection.execute(sql):
                yield digest, label, ExamRow(best, truth, spam)


def _begin(path: str, settings: Settings) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        # A lesson of 4.6 KB takes 5.0 KB in pages of 64 KB, but 5.4 KB in pages of 4 KB.
        connection.execute("PRAGMA page_size = 65536")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(SCHEMA)
        facts = {
            "id": os.urandom(16),
            "settings": settings.text(),
            "changes": 0,
            "features": FEATURE_FORMAT,
        }
        connection.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
    finally:
        connection.close()


def _percent(character: str) -> str:
    return "".join(f"%{byte:02x}" for byte in os.fsencode(character))


def _told(path: str, error: sqlite3.Error) -> FilterError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LedgerBusy(f"{path} is in use by another process. Try again when that is done.")
    if code == sqlite3.SQLITE_FULL:
        return CannotWrite(f"The disk of {path} is full. Nothing was changed; make room and try again.")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR):
        return CannotWrite(
            f"{path} cannot be written ({error}). Check its permissions and those of its folder."
        )
    return DamagedLedger(f"{path} is damaged or no ledger ({error}). Restore it from a copy.")
