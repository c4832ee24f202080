"""What teaching did, counted; and lessons in batches, each of which is one transaction.

>>> Learned(2, 1, 0) + Learned(1, 0, 1)
Learned(learned=3, known=1, relearned=1, beside=0)
"""

from __future__ import annotations

from time import monotonic

from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deciban.ledger.lesson import Lesson

# A batch is one transaction. 256 lessons are learned in some 60 ms, for which readers wait; a slow source is
# acknowledged every two seconds.
BATCH_LESSONS = 256
BATCH_SECONDS = 2.0
# So many lessons of one label in a row are mixed with the others. Taught ham and then spam (179 and 126 of
# the sample mailbox), a filter in the order of teaching called all of 45 new good mails spam, 1-ROCA% 20;
# mixed, none of them, 1-ROCA% .18. Taught spam first, it missed all of 49 spams; mixed, 6.
BULK_LESSONS = 20


class Learned(Value):
    """How many messages were new, known already, or known under another label."""

    learned: int = 0
    known: int = 0
    relearned: int = 0
    beside: int = 0
    """Of the relearned ones, those whose other lesson is folded and stays."""

    @property
    def count(self) -> int:
        """All of them."""
        return self.learned + self.known + self.relearned

    def __add__(self, other: Learned) -> Learned:
        return Learned(
            self.learned + other.learned,
            self.known + other.known,
            self.relearned + other.relearned,
            self.beside + other.beside,
        )


def in_batches(lessons: Iterable[Lesson]) -> Iterator[list[Lesson]]:
    """Lessons as they come, so many at once or what came in time; no batch has a message under two labels."""
    batch: list[Lesson] = []
    labels: dict[bytes, str] = {}
    began = monotonic()
    for lesson in lessons:
        if labels.get(lesson.digest, lesson.label) != lesson.label:
            yield batch
            batch, labels, began = [], {}, monotonic()
        batch.append(lesson)
        labels[lesson.digest] = lesson.label
        if len(batch) == BATCH_LESSONS or monotonic() - began > BATCH_SECONDS:
            yield batch
            batch, labels, began = [], {}, monotonic()
    if batch:
        yield batch
