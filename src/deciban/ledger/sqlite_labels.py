"""The labels of a ledger, each in one spelling: committee/label.py says which spellings are one label.

An early version kept spellings apart. A ledger of that time is united when somebody opens it who may write;
whoever may only read sees it as if it had been.
"""

from __future__ import annotations

from binascii import crc32

from deciban.committee.label import key_of, shown, spellings
from deciban.ledger.facts import MIXING_DUE
from deciban.ledger.lesson import check_of
from deciban.ledger.sqlite_file import damaged, digest_text
from deciban.ledger.sqlite_trail import LESSONS_IN_ORDER, WRITTEN_LABEL, SqliteTrail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from deciban.errors import DamagedLedger

# The fields of `Lesson` in their order, but for its features.
FIELDS = """digest, labels.name, taught, by, source, sender, subject, date, message_id, names,
    origin, share"""
FROM_LESSONS = "FROM lessons JOIN labels ON lessons.label = labels.number"
# What a process that may not write shows of a ledger that nobody has united yet (label.py): all names of a
# label as the first. The check of a lesson is that of the name as it was written.
UNITED_LABELS = """CREATE TEMP VIEW labels AS SELECT number, (
    SELECT label_shown(name) FROM main.labels AS other
    WHERE label_key(other.name) = label_key(own.name) ORDER BY number LIMIT 1) AS name
    FROM main.labels AS own"""

# What is left of a folded lesson, its check first.
FOLDED = "checked, digest, label, taught, best, truth, spam, origin, share"


def folded_check(*fields: object) -> int:
    """A check of what is left of a folded lesson: the fields of `FOLDED` in their order."""
    return crc32(repr(fields).encode())


class SqliteLabels(SqliteTrail):
    """What labels there are, and how they are spelled."""

    # The name of a joined label as its lessons were written with it; NULL where it is the one that is shown.
    _written_label = "NULL"

    def __init__(self, path: str, read_only: bool = False) -> None:
        super().__init__(path, read_only)
        try:
            if read_only and self.has_split_labels():
                self._execute(UNITED_LABELS)
                self._written_label = WRITTEN_LABEL
        except BaseException:
            self.close()
            raise

    def labels(self) -> dict[str, int]:
        """How many lessons of each label there are, folded ones too, in the order of their first lessons."""
        return dict(
            self._execute(f"""SELECT name, count(*) FROM (
                SELECT label, 0 AS left, number AS place FROM folded
                UNION ALL SELECT label, 1, position FROM {LESSONS_IN_ORDER})
            JOIN labels ON label = labels.number
            GROUP BY name ORDER BY min(left), min(place)""")
        )

    def label_names(self) -> tuple[str, ...]:
        """The labels of all lessons, folded ones too, without counting them."""
        return tuple(name for (name,) in self._execute("SELECT DISTINCT name FROM labels ORDER BY number"))

    def has_two_labels(self) -> bool:
        """Whether lessons of more than one label were taught, folded ones too."""
        return int(self._execute("SELECT count(DISTINCT name) FROM labels")[0][0]) > 1

    def is_mixing_due(self) -> bool:
        """Whether lessons were left to be mixed, and there is something to mix them with.

        A folder that was taught first waits for that, however often somebody asks before the second label.
        """
        return self.fact(MIXING_DUE) is not None and self.has_two_labels()

    def first_taught(self) -> dict[str, int]:
        """When the first lesson of each label was taught, folded ones too, in microseconds since 1970."""
        return dict(
            self._execute("""SELECT name, min(taught) FROM (
                SELECT label, taught FROM folded UNION ALL SELECT label, taught FROM lessons)
            JOIN labels ON label = labels.number GROUP BY name""")
        )

    def _label(self, label: str) -> tuple[int, str]:
        """The number of a label, which gets one if it has none, and how it is spelled here."""
        if label not in self._labels:
            if self.spelling(label) is None:
                # The number of a label that is gone may still be named by the exam of a folded lesson.
                self._execute(
                    """INSERT INTO labels (number, name) SELECT 1 + max(
                        (SELECT coalesce(max(number), 0) FROM labels), (SELECT coalesce(max(best), 0) FROM
                        folded)
                    ), ?""",
                    shown(label),
                )
            known = "SELECT number, name FROM labels WHERE label_key(name) = ? ORDER BY number"
            self._labels[label] = self._execute(known, key_of(label))[0]
        return self._labels[label]

    def spelling(self, label: str) -> str | None:
        """How a label is spelled that was taught in any spelling; None if it never was."""
        known = "SELECT name FROM labels WHERE label_key(name) = ? ORDER BY number"
        return next((name for (name,) in self._execute(known, key_of(label))), None)

    def has_split_labels(self, spelled_before: Iterable[str] = ()) -> bool:
        """Whether some label is not in the one spelling that is shown."""
        names = [name for (name,) in self._execute("SELECT name FROM labels ORDER BY number")]
        spelled = spellings((*spelled_before, *names))
        return any(spelled[name] != name for name in names)

    def unite_labels(self, spelled_before: Iterable[str] = ()) -> None:
        """Give each label one spelling: that of ``spelled_before``, or else its first; only while writing."""
        rows = self._execute("SELECT number, name FROM labels ORDER BY number")
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
            for (lesson,) in self._execute("SELECT number FROM lessons WHERE label = ?", number):
                found = f"SELECT features, checked, {FIELDS} {FROM_LESSONS} WHERE lessons.number = ?"
                ((code, checked, digest, label, *rest),) = self._execute(found, lesson)
                if check_of(code, digest, label, *rest) != checked:
                    raise self._damaged(lesson)
                checked = check_of(code, digest, name, *rest)
                self._execute(
                    "UPDATE lessons SET label = ?, checked = ? WHERE number = ?", first, checked, lesson
                )
        for number in others:
            self._refold(number, first)
            self._execute("DELETE FROM labels WHERE number = ?", number)
        self._execute("UPDATE labels SET name = ? WHERE number = ?", name, first)
        self._labels.clear()
        self._lay()

    def _refold(self, number: int, first: int) -> None:
        """Give the folded lessons of one label the number of another."""
        of_it = self._execute(f"SELECT number, {FOLDED} FROM folded WHERE ? IN (label, best)", number)
        for folded, checked, digest, label, taught, best, *exam in of_it:
            if folded_check(digest, label, taught, best, *exam) != checked:
                raise self._damaged_fold(digest)
            label, best = (first if one == number else one for one in (label, best))
            self._execute(
                "UPDATE folded SET label = ?, best = ?, checked = ? WHERE number = ?",
                label,
                best,
                folded_check(digest, label, taught, best, *exam),
                folded,
            )

    def _damaged_fold(self, digest: object) -> DamagedLedger:
        return damaged(self.path, f"the folded lesson {digest_text(digest)} is not as it was written")

    def _drop_idle_labels(self) -> None:
        """Erase the names of labels that no lesson has."""
        self._execute("""DELETE FROM labels WHERE number NOT IN (SELECT label FROM folded)
            AND NOT EXISTS (SELECT 1 FROM lessons WHERE label = labels.number)""")
        self._labels.clear()
