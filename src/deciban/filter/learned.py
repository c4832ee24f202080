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

# A batch is one transaction, for which others who want to write wait some 30 ms. With 256 lessons in each, a
# lesson took 50 µs of CPU time to be written instead of 47, and 143 µs of wall time instead of 118: half of
# the waits for the disk are saved (medians of 12 rounds in turns on a busy machine). Lessons from a slow
# source are stored every two seconds.
BATCH_LESSONS = 512
BATCH_SECONDS = 2.0
# This many lessons of one label in a row are mixed with the others. A filter was taught the sample mailbox,
# first 179 ham and then 126 spam. In this order it called all of 45 new good mails spam, with a 1-ROCA% of
# 20; mixed, none of them, with a 1-ROCA% of .18. Taught spam first, it missed all of 49 spams; mixed, it
# missed 6.
BULK_LESSONS = 20
# While a ledger has fewer lessons than YOUNG_LESSONS in all, so few are enough: a young filter has nothing
# else to go by, and a replay takes milliseconds. 1-ROCA% after 5 good mails and then 5 spams, in that order
# and mixed, means of three shuffles: SpamAssassin 17.9 and 7.8, Enron 16.5 and 13.5, SMS 2.0 and 1.6,
# Ling-Spam 5.6 and 3.3 (docs/experiments.md, *The first lessons*).
YOUNG_BULK_LESSONS = 5
YOUNG_LESSONS = 160


class Learned(Value):
    """How many messages were new, known already, or known under another label."""

    learned: int = 0
    known: int = 0
    relearned: int = 0
    beside: int = 0
    """How many of the relearned messages also have a folded lesson, which stays."""

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
    """Lessons in batches, each full or cut off by time; no batch has one message under two labels."""
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
