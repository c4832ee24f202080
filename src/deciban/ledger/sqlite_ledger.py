r"""A ledger in a SQLite file: lessons, their order, exams, what was folded, checkpoints and kept mail.

>>> import os, tempfile
>>> from deciban.committee.settings import Settings
>>> from deciban.ledger import create_ledger
>>> path = os.path.join(tempfile.mkdtemp(), "mail.deciban")
>>> with create_ledger(path, Settings(bits=10)) as ledger:
...     oct(os.stat(path).st_mode & 0o777), ledger.settings.bits, ledger.stamp().changes, ledger.labels()
('0o600', 10, 0, {})
"""

from __future__ import annotations

from deciban.committee._lesson_code import Features
from deciban.ledger import facts
from deciban.ledger.lesson import Lesson, check_of
from deciban.ledger.records import Checkpoint, ExamRow, Folded, KeptMails
from deciban.ledger.sqlite_labels import FIELDS, FROM_LESSONS, LESSONS_IN_ORDER, SqliteLabels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from deciban.ledger.lesson import Selection

FROM_EXAMS = f"FROM {LESSONS_IN_ORDER} JOIN labels ON lessons.label = labels.number"
WRITTEN_LABEL = "(SELECT name FROM main.labels AS own WHERE own.number = lessons.label)"
# So many lessons are read at once.
PAGE = 200


class SqliteLedger(SqliteLabels):
    """An open ledger; `writing` is the only way to change it."""

    def labels_of(self, digests: list[bytes]) -> dict[bytes, str]:
        """The labels that messages were taught as, of those that were."""
        # One question for many: 256 single ones take 4 ms.
        places = ", ".join("?" * len(digests))
        taught = f"SELECT digest, labels.name {FROM_LESSONS} WHERE digest IN ({places})"
        return self.folded_labels_of(digests) | dict(self._execute(taught, *digests))

    def folded_labels_of(self, digests: list[bytes]) -> dict[bytes, str]:
        """The labels of lessons that were folded, of those that were."""
        places = ", ".join("?" * len(digests))
        folded = (
            f"SELECT digest, name FROM folded JOIN labels ON label = labels.number WHERE digest IN ({places})"
        )
        return dict(self._execute(folded, *digests))

    def has(self, digest: bytes) -> bool:
        """Whether there is a lesson of a message that can be forgotten."""
        return bool(self._execute("SELECT 1 FROM lessons WHERE digest = ?", digest))

    def count_of(self, selection: Selection) -> int:
        """How many lessons are meant."""
        from deciban.ledger.sqlite_selection import condition

        test, values = condition(selection)
        return int(self._execute(f"SELECT count(*) {FROM_LESSONS} WHERE {test}", *values)[0][0])

    def last_position(self) -> int:
        """The position of the last lesson; 0 if there is none."""
        return int(self._execute("SELECT coalesce(max(position), 0) FROM exams")[0][0])

    def last_taught(self) -> int:
        """When the last lesson was taught, in microseconds; 0 if there is none."""
        # All lessons must be looked at, 5 ms for 6,000: once, and again after others have written.
        version = int(self._execute("PRAGMA data_version")[0][0])
        if self._latest is None or self._latest[0] != version:
            latest = "SELECT max(taught) AS taught FROM lessons UNION ALL SELECT max(taught) FROM folded"
            ((found,),) = self._execute(f"SELECT coalesce(max(taught), 0) FROM ({latest})")
            self._latest = version, int(found)
        return self._latest[1]

    def append(self, lessons: Iterable[tuple[Lesson, int, ExamRow]]) -> None:
        """Write lessons at the end, each with when it was taught and its exam."""
        ((number,),) = self._execute("SELECT coalesce(max(number), 0) FROM lessons")
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

    def remove(self, digests: Iterable[bytes]) -> int:
        """Erase lessons with all that belongs to them, and labels left without any; how many lessons."""
        removed = []
        for digest in digests:
            found = "SELECT number, position FROM lessons JOIN exams ON lesson = number WHERE digest = ?"
            for number, position in self._execute(found, digest):
                self._execute("DELETE FROM exams WHERE position = ?", position)
                self._execute("DELETE FROM lessons WHERE number = ?", number)
                self._execute("DELETE FROM mails WHERE digest = ?", digest)
                removed.append(position)
        if removed:
            self._execute("DELETE FROM checkpoints WHERE position >= ?", min(removed))
            self._changed = True
            self._latest = None
            self._drop_idle_labels()  # which looks at all lessons
        return len(removed)

    def last_run(self) -> tuple[int, int]:
        """How many lessons of one label are at the end, one after the other, and how many it has in all.

        Nothing of both if there is no other label.
        """
        # Read backwards as far as the run goes: while there is one label only, that would be all lessons.
        if not self.has_two_labels():
            return 0, 0
        backwards = "ORDER BY position DESC LIMIT 1"
        last = self._execute(f"SELECT label FROM {LESSONS_IN_ORDER} {backwards}")
        if not last:
            return 0, 0
        ((own,),) = self._execute("SELECT count(*) FROM lessons WHERE label = ?", *last[0])
        other = self._execute(
            f"SELECT position FROM {LESSONS_IN_ORDER} WHERE label <> ? {backwards}", *last[0]
        )
        if not other:
            return 0, 0
        ((run,),) = self._execute("SELECT count(*) FROM exams WHERE position > ?", *other[0])
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
        order = self._execute(wanted)
        if order == self._execute("SELECT lesson FROM exams ORDER BY position"):
            return False
        self._execute("DELETE FROM exams")
        self._execute("DELETE FROM checkpoints")
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
        from deciban.ledger.sqlite_selection import condition

        test, values = condition(selection)
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
        while rows := self._execute(sql, after, *values):
            for position, code, checked, written, *fields in rows:
                digest, _, *rest = fields
                if position <= after or check_of(code, digest, written, *rest) != checked:
                    raise self._damaged(position)
                after = position
                yield position, fields, Features.decode(code)

    def recent_good(self, count: int) -> list[float]:
        """The log-odds of spam in the most recent exams of good mail, at most so many."""
        good = "AND labels.name <> 'spam' AND spam IS NOT NULL"
        sql = f"SELECT spam {FROM_EXAMS} WHERE 1 {good} ORDER BY position DESC LIMIT ?"
        found = [spam for (spam,) in self._execute(sql, count)]
        sql = f"""SELECT spam FROM folded JOIN labels ON label = labels.number {good}
            ORDER BY folded.number DESC LIMIT ?"""
        return found + [spam for (spam,) in self._execute(sql, count - len(found))]

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

    def names(self) -> set[str]:
        """The names that lessons kept, folded ones too."""
        texts = self._folded_names()
        texts += [names for (names,) in self._execute("SELECT names FROM lessons")]
        return _lines(texts)

    def _folded_names(self) -> list[str]:
        return [bytes(value).decode() for value in self._founded("names")]

    def _founded(self, what: str) -> list[bytes]:
        return [value for (value,) in self._execute("SELECT value FROM foundation WHERE what = ?", what)]

    def positions_before(self, before: float) -> set[int]:
        """Where the lessons taught before a time are, in seconds since 1970."""
        old = f"SELECT position FROM {LESSONS_IN_ORDER} WHERE taught < ?"
        return {position for (position,) in self._execute(old, int(before * 1e6))}

    def fold(self, positions: set[int], foundation: bytes, capacity: int) -> None:
        """Put a packed state, with room for so many labels, in place of the lessons that it was made of."""
        texts = self._folded_names()
        for position in sorted(positions):
            texts += self._fold_lesson(position)
        names = "\n".join(sorted(_lines(texts)))
        for what, value in (("state", foundation), ("names", names.encode())):
            self._execute("INSERT OR REPLACE INTO foundation VALUES (?, ?)", what, value)
        self.set_fact(facts.FOUNDATION_CAPACITY, capacity)
        self.drop_checkpoints()
        self._changed = True

    def _fold_lesson(self, position: int) -> list[str]:
        """Leave only digest, label and exam of a lesson; its names."""
        self._execute(
            f"""INSERT OR REPLACE INTO folded SELECT NULL, digest, label, taught, best, truth, spam
            FROM {LESSONS_IN_ORDER} WHERE position = ?""",
            position,
        )
        ((number,),) = self._execute("DELETE FROM exams WHERE position = ? RETURNING lesson", position)
        gone = self._execute("DELETE FROM lessons WHERE number = ? RETURNING digest, names", number)
        for digest, _ in gone:
            self._execute("DELETE FROM mails WHERE digest = ?", digest)
        return [names for _, names in gone]

    def foundation(self) -> bytes | None:
        """The packed state of the folded lessons."""
        states = self._founded("state")
        return states[0] if states else None

    def folded(self) -> Folded:
        """How many lessons were folded, and up to when."""
        ((lessons, until),) = self._execute("SELECT count(*), coalesce(max(taught), 0) FROM folded")
        return Folded(lessons, until)

    def checkpoints(self) -> list[Checkpoint]:
        """Those on the list, the last first."""
        rows = self._execute(
            "SELECT position, name, capacity, checked FROM checkpoints ORDER BY position DESC"
        )
        return [Checkpoint(*row) for row in rows]

    def list_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Put one on the list."""
        self._execute(
            "INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?)",
            checkpoint.position,
            checkpoint.name,
            checkpoint.capacity,
            checkpoint.checked,
        )

    def drop_checkpoints(self, positions: Iterable[int] | None = None) -> None:
        """Take those at these positions off the list, or all of them."""
        if positions is None:
            self._execute("DELETE FROM checkpoints")
            return
        for position in positions:
            self._execute("DELETE FROM checkpoints WHERE position = ?", position)

    def keep_mail(self, digest: bytes, moment: int, packed: bytes) -> None:
        """Keep the packed mail of a lesson, and since when, in seconds since 1970."""
        self._execute("INSERT OR REPLACE INTO mails VALUES (?, ?, ?)", digest, moment, packed)

    def kept_mail(self, digest: bytes) -> bytes | None:
        """The packed mail of a lesson, if it was kept."""
        rows = self._execute("SELECT mail FROM mails WHERE digest = ?", digest)
        return rows[0][0] if rows else None

    def kept_mails(self) -> KeptMails:
        """How many mails are kept, and the bytes that they take."""
        ((count, size),) = self._execute("SELECT count(*), coalesce(sum(length(mail)), 0) FROM mails")
        return KeptMails(count, size)

    def erase_mails(self, before: int) -> int:
        """Erase the mail kept since before a moment; how many there were."""
        return len(self._execute("DELETE FROM mails WHERE kept < ? RETURNING 1", before))


def _lines(texts: Iterable[str]) -> set[str]:
    return {line for text in texts for line in text.split("\n") if line}
