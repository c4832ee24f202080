"""Exams in a state: what was made of each lesson before it was learned, in records of 40 bytes.

They belong to the state, not to the ledger: a replay makes them anew, and the bar that spam must exceed comes
from the same address as the totals. A label is stored as its number in the state. Each record has a checksum.

>>> exam = KeptExam(7, "ham", ExamRow("spam", -2.0, 2.0), "incoming", 1.0)
>>> record = _record(7, -2.0, 2.0, 1.0, 0, 1, 0)
>>> len(record), list(read(record, ("spam", "ham"))) == [exam]
(40, True)
>>> list(read(bytes(40), ("spam", "ham")))
Traceback (most recent call last):
deciban.errors.DamagedSnapshot: The exams of this state are damaged. Remove the snapshot: it is made again.
"""

from __future__ import annotations

import struct
from binascii import crc32

from deciban.committee.label import key_of, spellings, united
from deciban.decibans import SPAM, log_odds
from deciban.errors import DamagedSnapshot
from deciban.ledger.lesson import ORIGINS
from deciban.ledger.records import NO_EXAM, ExamRow
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deciban.filter.footing import Learner
    from deciban.ledger._placed import Placed

# Position, log-odds of truth and spam, share, number of the label that won and of the true one, origin.
FIELDS = struct.Struct("<QddfHHB3x")
RECORD = FIELDS.size + 4
NONE = 0xFFFF
NOT_A_NUMBER = float("nan")


class KeptExam(Value):
    """What was made of the lesson at one position."""

    position: int
    label: str
    row: ExamRow
    origin: str
    share: float


def taught(committee: Learner, lessons: Sequence[Placed]) -> bytes:
    """Teach a committee lessons, one after the other; the records of their exams."""
    records: list[bytes] = []
    done = 0
    while done < len(lessons):
        rest = lessons[done:]
        examiner = _Examiner(committee.labels, committee.considered)
        exams = committee.learn_many(
            [lesson.label for lesson in rest], [lesson.features_or_code for lesson in rest]
        )
        # What follows a lesson of a new label is not learned yet.
        records.append(examiner.records(rest[: len(exams)], exams, committee.labels))
        done += len(exams)
    return b"".join(records)


def _record(*fields: float) -> bytes:
    """One record: the fields in their order, and their checksum."""
    packed = FIELDS.pack(*fields)
    return packed + crc32(packed).to_bytes(4, "little")


class _Examiner:
    """Makes exams of the totals that a committee or a panel with these labels gives those it considers.

    >>> _Examiner(("spam", "ham"), ("spam", "ham")).graded("ham", (1.0, -1.0))
    (0, -2.0, 2.0)
    >>> _Examiner(("spam", "ham", "work"), ("spam", "work")).graded("work", (1.0, -1.0))
    (0, -2.0, 2.0)
    """

    def __init__(self, labels: tuple[str, ...], considered: tuple[str, ...]) -> None:
        self._labels = labels
        self._considered = considered
        self.numbers = {label: number for number, label in enumerate(labels)}
        # No two labels are spellings of one, and each is shown as it is: there is nothing to unite.
        self._is_plain = all(label == shown for label, shown in spellings(considered).items())
        self._is_pair = len(labels) == 2 and self._is_plain and considered == labels

    def records(
        self, lessons: Sequence[Placed], exams: list[tuple[float, ...]], labels: tuple[str, ...]
    ) -> bytes:
        """The records of lessons; ``labels`` are those that are known after them."""
        if self._is_pair and lessons[-1].label in self.numbers:
            from deciban.filter._pair_exams import pair_records

            return pair_records(list(lessons), exams, self.numbers, SPAM)
        numbers = {label: number for number, label in enumerate(labels)}
        records = []
        for lesson, exam in zip(lessons, exams, strict=True):
            best, truth, spam = self.graded(lesson.label, exam)
            number, origin = numbers[lesson.label], ORIGINS.index(lesson.origin)
            records.append(_record(lesson.position, truth, spam, lesson.share, best, number, origin))
        return b"".join(records)

    def graded(self, label: str, totals: tuple[float, ...]) -> tuple[int, float, float]:
        """The number of the label that won, and the log-odds of the true label and of spam."""
        named = dict(zip(self._considered, totals, strict=True))
        row = examined(label, named if self._is_plain else united(named))
        return (
            NONE if row.best is None else _number(row.best, self._labels),
            NOT_A_NUMBER if row.truth is None else row.truth,
            NOT_A_NUMBER if row.spam is None else row.spam,
        )


def examined(label: str, totals: dict[str, float]) -> ExamRow:
    """What is kept of an exam; empty while there were no two labels to choose from.

    >>> examined("ham", {"ham": 1.0, "spam": -1.0}), examined("new", {"ham": 1.0, "spam": -1.0})
    (ExamRow(best='ham', truth=2.0, spam=-2.0), ExamRow(best=None, truth=None, spam=None))
    """
    if len(totals) < 2 or label not in totals:
        return NO_EXAM
    best = max(totals, key=totals.__getitem__)
    return ExamRow(best, log_odds(totals, label), log_odds(totals) if SPAM in totals else None)


def _number(label: str, labels: tuple[str, ...]) -> int:
    """The number of a label in a state, which may spell it in its own way."""
    if label in labels:
        return labels.index(label)
    return [key_of(one) for one in labels].index(key_of(label))


def read(records: bytes, labels: tuple[str, ...]) -> Iterator[KeptExam]:
    """The exams of records."""
    try:
        for start in range(0, len(records), RECORD):
            end = start + FIELDS.size
            if crc32(records[start:end]) != int.from_bytes(records[end : end + 4], "little"):
                raise ValueError
            position, truth, spam, share, best, label, origin = FIELDS.unpack_from(records, start)
            row = ExamRow(
                None if best == NONE else labels[best],
                None if truth != truth else truth,
                None if spam != spam else spam,
            )
            yield KeptExam(position, labels[label], row, ORIGINS[origin], share)
    except (IndexError, ValueError, struct.error):
        raise DamagedSnapshot(
            "The exams of this state are damaged. Remove the snapshot: it is made again."
        ) from None
