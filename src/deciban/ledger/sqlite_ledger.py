r"""A ledger in a SQLite file: lessons and their order, and kept mail.

>>> import os, tempfile
>>> from deciban.committee.settings import Settings
>>> from deciban.ledger import create_ledger
>>> path = os.path.join(tempfile.mkdtemp(), "mail.deciban")
>>> with create_ledger(path, Settings(bits=10)) as ledger:
...     oct(os.stat(path).st_mode & 0o777), ledger.settings.bits, ledger.address().position, ledger.labels()
('0o600', 10, 0, {})
"""

from __future__ import annotations

from deciban.committee._lesson_code import Features
from deciban.committee.label import label_of
from deciban.errors import BadLabel, BadSetting, DamagedLedger
from deciban.ledger.fresh_lessons import FreshLessons
from deciban.ledger.lesson import Lesson, Selection, check_of, is_possible
from deciban.ledger.records import Finding, KeptMails
from deciban.ledger.sqlite_file import READING_KIB, blob
from deciban.ledger.sqlite_foundation import SqliteFoundation, lines_of
from deciban.ledger.sqlite_labels import FIELDS, FROM_LESSONS
from deciban.ledger.sqlite_trail import LESSONS_IN_ORDER, WRITTEN_LABEL
from deciban.ledger.trail import START, follow, link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from deciban.ledger._placed import Placed
    from deciban.ledger.cursor import Cursor

FROM_TRAIL = f"FROM {LESSONS_IN_ORDER} JOIN labels ON lessons.label = labels.number"
READ = f"position, trail, features, {WRITTEN_LABEL}, checked, {FIELDS}"
# What a replay needs of a lesson (_placed.pyx). The texts that only its check covers are one: each by itself,
# they took 1.5 µs of some 9, and as much again to be put together. What else the check covers is not in it:
# to put that there took .4 µs of 3.5.
CHECKED_TEXTS = "by", "source", "sender", "subject", "date", "message_id", "names"
PLACED = f"""position, trail, features, checked, digest, {{written}}, labels.name, origin, share, taught,
    CAST({" || x'00' || ".join(CHECKED_TEXTS)} AS BLOB)"""
# So many lessons are read at once: a quarter of a megabyte, which is still in the cache when they are taught.
PAGE = 50
COLUMNS = """number, digest, label, taught, by, source, sender, subject, date, message_id, names,
    origin, share, checked, features"""


class SqliteLedger(SqliteFoundation):
    """An open ledger; `writing` is the only way to change it."""

    # The order in which `arranged` read lessons last, their places in it, and the trail up to there before.
    _arranged: tuple[list[int], list[tuple[int, int, bytes]], bytes | None] = [], [], None

    def __init__(self, path: str, read_only: bool = False) -> None:
        super().__init__(path, read_only)
        self._fresh = FreshLessons()

    def labels_of(self, digests: list[bytes]) -> dict[bytes, str]:
        """The labels that messages were taught as, of those that were."""
        # One question for many: 256 single ones take 4 ms.
        places = ", ".join("?" * len(digests))
        taught = f"SELECT digest, labels.name {FROM_LESSONS} WHERE digest IN ({places})"
        return self.folded_labels_of(digests) | dict(self._execute(taught, *map(blob, digests)))

    def has(self, digest: bytes) -> bool:
        """Whether there is a lesson of a message that can be forgotten."""
        return bool(self._execute("SELECT 1 FROM lessons WHERE digest = ?", digest))

    def count_of(self, selection: Selection) -> int:
        """How many lessons are meant."""
        from deciban.ledger.sqlite_selection import condition

        test, values = condition(selection)
        return int(self._execute(f"SELECT count(*) {FROM_LESSONS} WHERE {test}", *values)[0][0])

    def last_taught(self) -> int:
        """When the last lesson was taught, in microseconds; 0 if there is none."""
        latest = "SELECT max(taught) AS taught FROM lessons UNION ALL SELECT max(taught) FROM folded"
        return int(self._execute(f"SELECT coalesce(max(taught), 0) FROM ({latest})")[0][0])

    def append(self, lessons: Iterable[tuple[Lesson, int]], to_arrange: bool = False) -> list[Placed]:
        """Write lessons at the end, each with when it was taught; where they are now.

        Those that are ``to_arrange`` soon stay in memory until then.
        """
        from deciban.ledger._placed import written

        ((number,),) = self._execute("SELECT coalesce(max(number), 0) FROM lessons")
        end = self.address()
        position, trail = end.position, end.trail
        rows, places, placed = [], [], []
        for lesson, taught in lessons:
            number, position = number + 1, position + 1
            label, spelling = self._label(lesson.label)
            row, one = written(lesson, taught, number, label, spelling, position, trail, self._keyed)
            trail = one.trail
            rows.append(row)
            places.append((position, number, trail))
            placed.append(one)
        if rows:
            with self._telling():
                values = ", ".join("?" * 15)
                self._connection.executemany(f"INSERT INTO lessons ({COLUMNS}) VALUES ({values})", rows)
            self._place(places)
            self._set_end(position, trail)
            if to_arrange:
                self._fresh.add(end, [(one, place[1]) for one, place in zip(placed, places, strict=True)])
            else:
                self._fresh.clear()
        return placed

    def remove(self, digests: Iterable[bytes]) -> int:
        """Erase lessons with all that belongs to them, and labels left without any; how many lessons."""
        removed = []
        for digest in digests:
            found = "SELECT number, position FROM lessons JOIN trail ON lesson = number WHERE digest = ?"
            for number, position in self._execute(found, digest):
                self._execute("DELETE FROM trail WHERE position = ?", position)
                self._execute("DELETE FROM lessons WHERE number = ?", number)
                self._execute("DELETE FROM mails WHERE digest = ?", digest)
                removed.append(position)
        if removed:
            self._drop_idle_labels()
            self._lay(self._before(min(removed)))
        return len(removed)

    def position_of(self, digest: bytes) -> int | None:
        """Where the lesson of a message is; None if there is none."""
        found = "SELECT position FROM lessons JOIN trail ON lesson = number WHERE digest = ?"
        rows = self._execute(found, digest)
        return int(rows[0][0]) if rows else None

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
        ((run,),) = self._execute("SELECT count(*) FROM trail WHERE position > ?", *other[0])
        return run, own

    def wanted_order(self, longest_run: int) -> list[int] | None:
        """The positions of all lessons, in the order in which `arrange` puts them; None if they are in it."""
        from deciban.ledger import mixed_order

        self._keep_pages(READING_KIB)
        found = f"SELECT position, label, digest FROM {LESSONS_IN_ORDER} ORDER BY taught, digest"
        lessons: list[Any] = self._execute(found)
        if mixed_order.longest_run(label for _, label, _ in lessons) >= longest_run:
            order = mixed_order.mixed(lessons)
        else:
            order = [position for position, _, _ in lessons]
        if order == sorted(order):
            self._fresh.clear()
            return None
        return order

    def arrange(self, order: list[int]) -> None:
        """Put the lessons at these positions in this order, and those behind them after it."""
        self._fresh.clear()
        last = max(order, default=0)
        places = self._places_in(order)
        found = f"""SELECT position, lesson, digest, {WRITTEN_LABEL}, checked FROM {LESSONS_IN_ORDER}
            WHERE position > ? ORDER BY position"""
        lessons = {position: lesson for position, *lesson in self._execute(found, last if places else 0)}
        trail = places[-1][2] if places else START
        behind = [position for position in lessons if position > last]
        for place, position in enumerate(behind if places else [*order, *behind], len(places) + 1):
            if position not in lessons:
                raise self._damaged(position)
            number, digest, label, checked = lessons[position]
            trail = follow(self._keyed, trail, link(digest, label, checked))
            places.append((place, number, trail))
        self._execute("DELETE FROM trail")
        self._place(places)
        self._set_end(len(places), trail)

    def _places_in(self, order: list[int]) -> list[tuple[int, int, bytes]]:
        """Place, number and trail of each lesson, if they have just been read in this order."""
        arranged, places, before = self._arranged
        self._arranged = [], [], None
        is_known = order and arranged == order and before == self.trail_at(max(order))
        return places if is_known else []

    def select(self, selection: Selection) -> Iterator[Lesson]:
        """The lessons that are meant, in their order; all of them for an empty selection."""
        from deciban.ledger.sqlite_selection import condition

        test, values = condition(selection)
        if selection.digest is not None:
            # Found by the index of digests: along the trail all lessons would be looked at.
            yield from map(self._lesson, self._execute(f"SELECT {READ} {FROM_TRAIL} WHERE {test}", *values))
        else:
            for rows in self._pages(READ, test, values):
                yield from map(self._lesson, rows)

    def newest(self, selection: Selection, behind: Cursor, most: int) -> list[Lesson]:
        """The lessons that are meant and were taught last, the newest first: at most so many behind one."""
        from deciban.ledger.sqlite_selection import condition

        test, values = condition(selection)
        rows = self._execute(
            f"SELECT {READ} {FROM_TRAIL} WHERE (taught, digest) < (?, ?) AND {test} "
            "ORDER BY taught DESC, digest DESC LIMIT ?",
            behind.moment, behind.id, *values, most,
        )  # fmt: skip
        return [self._lesson(row) for row in rows]

    def foreign_lessons(self) -> Iterator[Lesson]:
        """All lessons of a ledger that may be somebody else's, in their order: nothing of it is trusted."""
        # First of all: pages that refer to each other in circles could be read for ever.
        self._check_pages()
        try:
            for lesson in self.select(Selection()):
                if not is_possible(lesson):
                    raise BadSetting("a digest, a time and texts are expected")
                label_of(lesson.label)
                yield lesson
        except (BadSetting, BadLabel):
            raise DamagedLedger(
                f"{self.path} has a lesson that cannot be one. Nothing was taken over."
            ) from None

    def replay(self, after: int = 0, until: int | None = None) -> Iterator[Placed]:
        """Every lesson behind a position, in order; the trail is followed, so that none is missed."""
        from deciban.ledger._placed import placed_in_turn

        columns, trail = PLACED.format(written=self._written_label), self.trail_at(after)
        if trail is None:
            raise self._damaged(after)
        end = self.address().position if until is None else until
        while after < end:
            position = after
            for rows in self._pages(columns, "position <= ?", [end], after):
                placed = placed_in_turn(rows, trail, self._keyed)
                yield from placed
                if len(placed) < len(rows):
                    raise self._damaged(rows[len(placed)][0])
                position, trail = placed[-1].position, placed[-1].trail
            if until is not None:
                return
            if position < end:  # the last lesson is missing
                raise self._damaged(end)
            after, end = end, self.address().position  # more may have come meanwhile

    def arranged(self, order: list[int]) -> Iterator[Placed]:
        """The lessons at these positions, each in the place that it has when they are put in this order."""
        from deciban.ledger._placed import placed_in

        self._keep_pages(READING_KIB)
        before = self.trail_at(max(order, default=0))
        fresh = self._fresh.taken(self.trail_at)
        columns = PLACED.format(written=self._written_label)
        trail, places = START, []
        for start in range(0, len(order), PAGE):
            wanted = order[start : start + PAGE]
            to_read = [position for position in wanted if position not in fresh]
            marks = ", ".join("?" * len(to_read))
            found = self._execute(
                f"SELECT {columns}, lesson {FROM_TRAIL} WHERE position IN ({marks})", *to_read
            )
            rows = {row[0]: row for row in found}
            for place, position in enumerate(wanted, start + 1):
                placed: Placed | None
                if position in fresh:
                    lesson, number = fresh.pop(position)
                    placed = lesson.at(place, follow(self._keyed, trail, lesson.step))
                elif position in rows:
                    number = rows[position][-1]
                    placed = placed_in(rows[position], place, trail, self._keyed)
                else:
                    placed = None
                if placed is None:
                    raise self._damaged(position)
                trail = placed.trail
                places.append((place, number, trail))
                yield placed
        self._arranged = order, places, before

    def _pages(
        self, columns: str, test: str, values: list[object], after: int = 0
    ) -> Iterator[list[tuple[Any, ...]]]:
        """The lessons that pass a test, page by page: these columns, of which the first is the position."""
        self._keep_pages(READING_KIB)
        # An unfinished query would keep this connection from seeing what others write.
        sql = f"SELECT {columns} {FROM_TRAIL} WHERE position > ? AND {test} ORDER BY position LIMIT {PAGE}"
        while rows := self._execute(sql, after, *values):
            for row in rows:
                if row[0] <= after:
                    raise self._damaged(row[0])
                after = row[0]
            yield rows

    def _lesson(self, row: tuple[Any, ...]) -> Lesson:
        """The lesson of a row of `READ`."""
        self._check(row)
        return Lesson(*row[5:15], Features.decode(row[2]), *row[15:])  # type: ignore[call-arg]

    def _check(self, row: Sequence[Any]) -> None:
        """Refuse a row of `READ` if the check of the lesson is wrong."""
        position, _, code, written, checked, digest, _, *rest = row
        try:
            whole = check_of(code, digest, written, *rest) == checked
        except (TypeError, AttributeError):  # of another type than was written
            whole = False
        if not whole:
            raise self._damaged(position)

    def findings(self) -> Iterator[Finding]:
        """What a check of everything finds, part by part."""
        from deciban.ledger.sqlite_findings import findings

        with self.reading():
            yield from findings(self)

    def wrong_lessons(self) -> tuple[list[int], int]:
        """The numbers of lessons whose checks are wrong, and how many lessons there are."""
        wrong, count, after = [], 0, -1
        sql = f"""SELECT lessons.number, NULL, features, {WRITTEN_LABEL}, checked, {FIELDS}
            FROM lessons LEFT JOIN labels ON lessons.label = labels.number
            WHERE lessons.number > ? ORDER BY lessons.number LIMIT {PAGE}"""
        while rows := self._execute(sql, after):
            for row in rows:
                count += 1
                try:
                    self._check(row)
                    Features.decode(row[2])
                except DamagedLedger:
                    wrong.append(row[0])
                if row[0] <= after:
                    raise self._damaged(row[0])
                after = row[0]
        return wrong, count

    def digests(self) -> Iterator[tuple[int, bytes]]:
        """The position and digest of every lesson, in their order."""
        yield from self._execute(f"SELECT position, digest FROM {LESSONS_IN_ORDER} ORDER BY position")

    def names(self) -> set[str]:
        """The names that lessons kept, folded ones too."""
        texts = self._folded_names()
        texts += [names for (names,) in self._execute("SELECT names FROM lessons")]
        return lines_of(texts)

    def positions_before(self, before: float) -> set[int]:
        """Where the lessons taught before a time are, in seconds since 1970."""
        old = f"SELECT position FROM {LESSONS_IN_ORDER} WHERE taught < ?"
        return {position for (position,) in self._execute(old, int(before * 1e6))}

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
