r"""The ledger: the durable, ordered list of lessons. It is the only truth; all else is made from it.

ledger_file.py describes its tables. `changes` counts the transactions that changed what a replay gives, and
each of them leaves a random `mark`: copies of a ledger that took equally many changes have different marks.
With `id`, which is random too, they stamp a snapshot. What is deleted is overwritten (`secure_delete`), and
`sweep` empties the write-ahead log of it. Every lesson has a check of all its fields, so that not one
flipped bit of it is believed.

>>> import os, tempfile
>>> path = os.path.join(tempfile.mkdtemp(), "mail.deciban")
>>> with Ledger.create(path, Settings(bits=10)) as ledger:
...     oct(os.stat(path).st_mode & 0o777), ledger.settings.bits, ledger.stamp().changes, ledger.labels()
('0o600', 10, 0, {})
"""

from __future__ import annotations

import _sqlite3 as sqlite3  # see ledger_file.py
import os
from contextlib import contextmanager, suppress

from deciban.committee._lesson_code import Features
from deciban.committee.label import key_of, shown, spellings
from deciban.committee.settings import Settings
from deciban.errors import CannotWrite, DamagedLedger, LedgerBusy
from deciban.filter.ledger_file import connect, make, told
from deciban.filter.lesson import Lesson, Selection, check_of
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Self

# In the order of the fields of `Lesson`, but for its features.
FIELDS = "digest, labels.name, taught, by, source, sender, subject, date, message_id, names"
FROM_LESSONS = "FROM lessons JOIN labels ON lessons.label = labels.number"
LESSONS_IN_ORDER = "exams JOIN lessons ON lesson = lessons.number"
FROM_EXAMS = f"FROM {LESSONS_IN_ORDER} JOIN labels ON lessons.label = labels.number"
# What a process that may not write shows of a ledger that nobody has united yet (label.py): all names of a
# label as the first. The check of a lesson is that of the name as it was written.
UNITED_LABELS = """CREATE TEMP VIEW labels AS SELECT number, (
    SELECT label_shown(name) FROM main.labels AS other
    WHERE label_key(other.name) = label_key(own.name) ORDER BY number LIMIT 1) AS name
    FROM main.labels AS own"""
WRITTEN_LABEL = "(SELECT name FROM main.labels AS own WHERE own.number = lessons.label)"
# So many lessons are read at once.
PAGE = 200
NO_MARK = bytes(8)
# The fact that a filter rests on a shared one, and which (shared_filter.py).
SHARED = "shared"


class Stamp(Value):
    """Which state of which ledger a snapshot was made from."""

    id: bytes
    changes: int
    mark: bytes
    """What the last change left, in 8 random bytes; zeros before the first."""


class ExamRow(Value):
    """What the ledger keeps of an exam."""

    best: str | None
    """The label that won."""
    truth: float | None
    """The log-odds of the true label, in nats."""
    spam: float | None
    """The log-odds of `spam`, if that was known."""


NO_EXAM = ExamRow(None, None, None)


class Ledger:
    """An open ledger; `writing` is the only way to change it."""

    def __init__(self, path: str, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self._changed = False
        self._labels: dict[str, tuple[int, str]] = {}
        self._latest: tuple[int, int] | None = None
        self._settings = "", Settings()
        with self._telling():
            self._connection = connect(path, read_only)
            try:
                self._id = bytes(self.fact("id"))
                self.stamp()
                if read_only and self.has_split_labels():
                    self.execute(UNITED_LABELS)
            except BaseException:
                self._connection.close()
                raise

    @classmethod
    def create(cls, path: str, settings: Settings) -> Ledger:
        """A new ledger, or the one that is there by now."""
        make(path, settings)
        return cls(path)

    @property
    def settings(self) -> Settings:
        """What lessons are replayed with, as of the last `stamp`."""
        return self._settings[1]

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
            raise told(self.path, error) from error

    def _one(self, sql: str, *values: object) -> tuple[Any, ...]:
        row: tuple[Any, ...] = self._connection.execute(sql, values).fetchone()
        return row

    def execute(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
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
            self.execute("DELETE FROM facts WHERE key = ?", key)
            return
        with self._telling():
            self._connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (key, value))

    def stamp(self) -> Stamp:
        """The state that the ledger is in."""
        # All by one statement, so that they belong together; another process may have changed the settings.
        rows = dict(self.execute("SELECT key, value FROM facts WHERE key IN ('changes', 'mark', 'settings')"))
        if rows["settings"] != self._settings[0]:
            self._settings = rows["settings"], Settings.from_text(rows["settings"])
        return Stamp(self._id, rows["changes"], rows.get("mark", NO_MARK))

    def set_settings(self, settings: Settings) -> None:
        """Replay with other settings from now on; only while writing."""
        self.set_fact("settings", settings.text())
        self.mark_changed()
        self.stamp()

    def mark_changed(self) -> None:
        """Say that a replay will give another state than before; only while writing."""
        self._changed = True

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
                    self.set_fact("mark", os.urandom(len(NO_MARK)))
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
        taught = f"SELECT digest, labels.name {FROM_LESSONS} WHERE digest IN ({places})"
        return self.folded_labels_of(digests) | dict(self.execute(taught, *digests))

    def folded_labels_of(self, digests: list[bytes]) -> dict[bytes, str]:
        """The labels of lessons that were folded (see folding.py), of those that were."""
        places = ", ".join("?" * len(digests))
        folded = (
            f"SELECT digest, name FROM folded JOIN labels ON label = labels.number WHERE digest IN ({places})"
        )
        return dict(self.execute(folded, *digests))

    def shrink(self) -> None:
        """Give back the room of what was deleted, if nobody is using the file; otherwise it is used again."""
        with suppress(LedgerBusy):
            self.execute("VACUUM")
            self.sweep()

    def has(self, digest: bytes) -> bool:
        """Whether there is a lesson of a message that can be forgotten."""
        return bool(self.execute("SELECT 1 FROM lessons WHERE digest = ?", digest))

    def labels(self) -> dict[str, int]:
        """How many lessons of each label there are, folded ones too, in the order of their first lessons."""
        return dict(
            self.execute(f"""SELECT name, count(*) FROM (
                SELECT label, 0 AS left, number AS place FROM folded
                UNION ALL SELECT label, 1, position FROM {LESSONS_IN_ORDER})
            JOIN labels ON label = labels.number
            GROUP BY name ORDER BY min(left), min(place)""")
        )

    def first_taught(self) -> dict[str, int]:
        """When the first lesson of each label was taught, folded ones too, in microseconds since 1970."""
        return dict(
            self.execute("""SELECT name, min(taught) FROM (
                SELECT label, taught FROM folded UNION ALL SELECT label, taught FROM lessons)
            JOIN labels ON label = labels.number GROUP BY name""")
        )

    def has_two_labels(self) -> bool:
        """Whether lessons of more than one label were taught, folded ones too."""
        return int(self.execute("SELECT count(DISTINCT name) FROM labels")[0][0]) > 1

    def count_of(self, selection: Selection) -> int:
        """How many lessons are meant."""
        test, values = selection.condition()
        return int(self.execute(f"SELECT count(*) {FROM_LESSONS} WHERE {test}", *values)[0][0])

    def last_position(self) -> int:
        """The position of the last lesson; 0 if there is none."""
        return int(self.execute("SELECT coalesce(max(position), 0) FROM exams")[0][0])

    def last_taught(self) -> int:
        """When the last lesson was taught, in microseconds; 0 if there is none."""
        # All lessons must be looked at, 5 ms for 6,000: once, and again after others have written.
        version = int(self.execute("PRAGMA data_version")[0][0])
        if self._latest is None or self._latest[0] != version:
            latest = "SELECT max(taught) AS taught FROM lessons UNION ALL SELECT max(taught) FROM folded"
            ((found,),) = self.execute(f"SELECT coalesce(max(taught), 0) FROM ({latest})")
            self._latest = version, int(found)
        return self._latest[1]

    def append(self, lessons: Iterable[tuple[Lesson, int, ExamRow]]) -> None:
        """Write lessons at the end, each with when it was taught and its exam."""
        ((number,),) = self.execute("SELECT coalesce(max(number), 0) FROM lessons")
        position = self.last_position()
        rows, exams = [], []
        for lesson, taught, exam in lessons:
            number, position = number + 1, position + 1
            texts = lesson.by, lesson.source, lesson.sender, lesson.subject, lesson.date, lesson.message_id
            code = lesson.features.encode()
            label, spelling = self._label(lesson.label)
            checked = check_of(code, lesson.digest, spelling, taught, *texts, lesson.names)
            rows.append((number, lesson.digest, label, taught, *texts, lesson.names, checked, code))
            exams.append((position, number, *self._exam_fields(exam)))
            if self._latest is not None:
                self._latest = self._latest[0], max(self._latest[1], taught)
        if rows:
            self._changed = True
        with self._telling():
            places = ", ".join("?" * 13)
            self._connection.executemany(f"INSERT INTO lessons VALUES ({places})", rows)
            self._connection.executemany("INSERT INTO exams VALUES (?, ?, ?, ?, ?)", exams)

    def set_exams(self, exams: Iterable[tuple[int, ExamRow]]) -> None:
        """Rewrite the exams of lessons, by position."""
        rows = ((*self._exam_fields(exam), position) for position, exam in exams)
        with self._telling():
            self._connection.executemany(
                "UPDATE exams SET best = ?, truth = ?, spam = ? WHERE position = ?", rows
            )

    def _exam_fields(self, exam: ExamRow) -> tuple[int | None, float | None, float | None]:
        return None if exam.best is None else self._label(exam.best)[0], exam.truth, exam.spam

    def _label(self, label: str) -> tuple[int, str]:
        """The number of a label, which gets one if it has none, and how it is spelled here."""
        if label not in self._labels:
            if self.spelling(label) is None:
                self.execute("INSERT INTO labels (name) VALUES (?)", shown(label))
            known = "SELECT number, name FROM labels WHERE label_key(name) = ? ORDER BY number"
            self._labels[label] = self.execute(known, key_of(label))[0]
        return self._labels[label]

    def spelling(self, label: str) -> str | None:
        """How a label is spelled that was taught in any spelling; None if it never was."""
        known = "SELECT name FROM labels WHERE label_key(name) = ? ORDER BY number"
        return next((name for (name,) in self.execute(known, key_of(label))), None)

    def has_split_labels(self, spelled_before: Iterable[str] = ()) -> bool:
        """Whether some label is not in the one spelling that is shown."""
        names = [name for (name,) in self.execute("SELECT name FROM labels ORDER BY number")]
        spelled = spellings((*spelled_before, *names))
        return any(spelled[name] != name for name in names)

    def unite_labels(self, spelled_before: Iterable[str] = ()) -> None:
        """Give each label one spelling: that of ``spelled_before``, or else its first; only while writing."""
        rows = self.execute("SELECT number, name FROM labels ORDER BY number")
        spelled = spellings((*spelled_before, *(name for _, name in rows)))
        groups: dict[str, list[int]] = {}
        for number, name in rows:
            groups.setdefault(spelled[name], []).append(number)
        for name, numbers in groups.items():
            if len(numbers) > 1 or (numbers[0], name) not in rows:
                self._respell(numbers, name)

    def _respell(self, numbers: list[int], name: str) -> None:
        """Make one label of several, under this name: the check of a lesson covers it."""
        first, *others = numbers
        for number in numbers:
            for (lesson,) in self.execute("SELECT number FROM lessons WHERE label = ?", number):
                found = f"SELECT features, checked, {FIELDS} {FROM_LESSONS} WHERE lessons.number = ?"
                ((code, checked, digest, label, *rest),) = self.execute(found, lesson)
                if check_of(code, digest, label, *rest) != checked:
                    raise self._damaged(lesson)
                checked = check_of(code, digest, name, *rest)
                self.execute(
                    "UPDATE lessons SET label = ?, checked = ? WHERE number = ?", first, checked, lesson
                )
        for number in others:
            for table, column in ("exams", "best"), ("folded", "best"), ("folded", "label"):
                self.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", first, number)
            self.execute("DELETE FROM labels WHERE number = ?", number)
        self.execute("UPDATE labels SET name = ? WHERE number = ?", name, first)
        self.execute("DELETE FROM checkpoints")
        self._labels.clear()
        self._changed = True

    def remove(self, digests: Iterable[bytes]) -> int:
        """Erase lessons with all that belongs to them, and labels left without any; how many lessons."""
        removed = []
        for digest in digests:
            found = "SELECT number, position FROM lessons JOIN exams ON lesson = number WHERE digest = ?"
            for number, position in self.execute(found, digest):
                self.execute("DELETE FROM exams WHERE position = ?", position)
                self.execute("DELETE FROM lessons WHERE number = ?", number)
                self.execute("DELETE FROM mails WHERE digest = ?", digest)
                removed.append(position)
        if removed:
            self.execute("DELETE FROM checkpoints WHERE position >= ?", min(removed))
            self._changed = True
            self._latest = None
            self.drop_idle_labels()  # which looks at all lessons
        return len(removed)

    def drop_idle_labels(self) -> None:
        """Erase the names of labels that no lesson has."""
        used = "SELECT label FROM lessons UNION SELECT label FROM folded"
        self.execute(f"DELETE FROM labels WHERE number NOT IN ({used})")
        self._labels.clear()

    def last_run(self) -> tuple[int, int]:
        """How many lessons of one label are at the end, one after the other, and how many it has in all.

        Nothing of both if there is no other label.
        """
        # Read backwards as far as the run goes: while there is one label only, that would be all lessons.
        if not self.has_two_labels():
            return 0, 0
        backwards = "ORDER BY position DESC LIMIT 1"
        last = self.execute(f"SELECT label FROM {LESSONS_IN_ORDER} {backwards}")
        if not last:
            return 0, 0
        ((own,),) = self.execute("SELECT count(*) FROM lessons WHERE label = ?", *last[0])
        other = self.execute(
            f"SELECT position FROM {LESSONS_IN_ORDER} WHERE label <> ? {backwards}", *last[0]
        )
        if not other:
            return 0, 0
        ((run,),) = self.execute("SELECT count(*) FROM exams WHERE position > ?", *other[0])
        return run, own

    def arrange(self, longest_run: int) -> bool:
        """Number the lessons by (time taught, digest), or, if that puts a run of one label too long, mixed.

        Mixed, each label keeps its order and is spread evenly over the whole: of 2 lessons of ham and 4 of
        spam comes spam, ham, spam, spam, ham, spam. Whether any lesson moved; if so, exams are dropped.
        """
        wanted = "SELECT number FROM lessons ORDER BY taught, digest"
        if self._longest_run() >= longest_run:
            wanted = """SELECT number FROM (
                SELECT number, digest,
                    (row_number() OVER (PARTITION BY label ORDER BY taught, digest) - 0.5)
                    / count(*) OVER (PARTITION BY label) AS share FROM lessons) ORDER BY share, digest"""
        order = self.execute(wanted)
        if order == self.execute("SELECT lesson FROM exams ORDER BY position"):
            return False
        self.execute("DELETE FROM exams")
        self.execute("DELETE FROM checkpoints")
        with self._telling():
            self._connection.executemany("INSERT INTO exams (lesson) VALUES (?)", order)
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
        for _, fields, features in self._pages(test, values):
            yield Lesson(*fields, features)  # type: ignore[call-arg]

    def replay(self, after: int = 0) -> Iterator[tuple[int, str, Features]]:
        """The position, label and features of every lesson behind a position, in their order."""
        for position, (_, label, *_), features in self._pages("1", [], after):
            yield position, label, features

    def _pages(
        self, test: str, values: list[object], after: int = 0
    ) -> Iterator[tuple[int, list[Any], Features]]:
        """Position, fields and features of the lessons that pass a test, once their checks do."""
        # Page by page: an unfinished query would keep this connection from seeing what others write.
        sql = f"""SELECT position, features, checked, {WRITTEN_LABEL}, {FIELDS} {FROM_EXAMS}
            WHERE position > ? AND {test} ORDER BY position LIMIT {PAGE}"""
        while rows := self.execute(sql, after, *values):
            for position, code, checked, written, *fields in rows:
                digest, _, *rest = fields
                if position <= after or check_of(code, digest, written, *rest) != checked:
                    raise self._damaged(position)
                after = position
                yield position, fields, Features.decode(code)

    def _damaged(self, position: int) -> DamagedLedger:
        return DamagedLedger(
            f"{self.path} is damaged: lesson {position} is not as it was written. Restore a copy."
        )

    def recent_good(self, count: int) -> list[float]:
        """The log-odds of spam in the most recent exams of good mail, at most so many."""
        good = "AND labels.name <> 'spam' AND spam IS NOT NULL"
        sql = f"SELECT spam {FROM_EXAMS} WHERE 1 {good} ORDER BY position DESC LIMIT ?"
        found = [spam for (spam,) in self.execute(sql, count)]
        sql = f"""SELECT spam FROM folded JOIN labels ON label = labels.number {good}
            ORDER BY folded.number DESC LIMIT ?"""
        return found + [spam for (spam,) in self.execute(sql, count - len(found))]

    def exams(self) -> Iterator[tuple[bytes, str, ExamRow]]:
        """The digest, true label and exam of every lesson, in their order; folded ones first."""
        sql = f"""SELECT digest, truly.name, winner.name, truth, spam FROM (
                SELECT digest, label, best, truth, spam, 1 AS left, position AS place
                FROM {LESSONS_IN_ORDER}
                UNION ALL SELECT digest, label, best, truth, spam, 0, number FROM folded)
            JOIN labels AS truly ON label = truly.number
            LEFT JOIN labels AS winner ON best = winner.number ORDER BY left, place"""
        with self._telling():
            for digest, label, best, truth, spam in self._connection.execute(sql):
                yield digest, label, ExamRow(best, truth, spam)
