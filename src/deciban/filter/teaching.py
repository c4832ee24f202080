r"""How a filter is taught: mail becomes lessons, lessons are learned in their order, each after its exam.

>>> from deciban.filter.preferences import Preferences
>>> from deciban.sources import RawMessage
>>> mail = RawMessage("inbox@0", b"From: Ann <ann@example.org>\nSubject: Lunch\n\nAt one?")
>>> lesson, _ = make_lesson("ham", "", Preferences(), mail)
>>> lesson.sender, lesson.subject, lesson.source
('ann@example.org', 'Lunch', 'inbox@0')
"""

from __future__ import annotations

from time import monotonic

from deciban.committee.label import united
from deciban.decibans import SPAM, log_odds
from deciban.filter.ledger import NO_EXAM, ExamRow
from deciban.filter.lesson import Lesson, storable
from deciban.text import read
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from deciban.committee._committee import Committee
    from deciban.filter.ledger import Ledger
    from deciban.filter.preferences import Preferences
    from deciban.sources import RawMessage

    # A lesson, and the bytes of its message if they are to be kept.
    Made = tuple[Lesson, bytes | None]
    Extract = Callable[[Callable[[RawMessage], Made], Iterable[RawMessage]], Iterable[Made]]

# A batch is one transaction. 256 lessons are learned in some 60 ms, for which readers wait; a slow source is
# acknowledged every two seconds.
BATCH_LESSONS = 256
BATCH_SECONDS = 2.0
# What is kept of a header to find a lesson again.
MOST_CHARACTERS = 120


class Learned(Value):
    """How many messages were new, known already, or known under another label."""

    learned: int = 0
    known: int = 0
    relearned: int = 0
    beside: int = 0
    """Of the relearned ones, those whose other lesson is folded and stays."""

    def __add__(self, other: Learned) -> Learned:
        return Learned(
            self.learned + other.learned,
            self.known + other.known,
            self.relearned + other.relearned,
            self.beside + other.beside,
        )


def make_lesson(label: str, by: str, preferences: Preferences, raw: RawMessage) -> Made:
    """What is learned from a message, and its bytes if they are to be kept."""
    from deciban.filter.names import features_with_names
    from deciban.text.words import sender_of

    message = read(raw.data)
    facts = preferences.facts(message)
    features, names = features_with_names(message, facts)
    lesson = Lesson(
        digest=message.digest,
        label=label,
        taught=0,
        by=storable(by),
        source=storable(raw.id),
        sender=storable(sender_of(message)[:MOST_CHARACTERS]),
        subject=storable(message.header("subject")[:MOST_CHARACTERS]),
        date=storable(message.header("date")[:MOST_CHARACTERS]),
        message_id=storable(message.header("message-id")[:MOST_CHARACTERS]),
        names=names,
        features=features,
    )
    return lesson, raw.data if preferences.keep_mail else None


def in_batches(lessons: Iterable[Made]) -> Iterator[list[Made]]:
    """Lessons as they come, so many at once or what came in time."""
    batch: list[Made] = []
    began = monotonic()
    for lesson in lessons:
        batch.append(lesson)
        if len(batch) == BATCH_LESSONS or monotonic() - began > BATCH_SECONDS:
            yield batch
            batch, began = [], monotonic()
    if batch:
        yield batch


def replay(
    ledger: Ledger, committee: Committee, after: int = 0
) -> Iterator[tuple[int, str, dict[str, float]]]:
    """Teach every lesson behind a position in its order; its position, label and exam."""
    for position, label, features in ledger.replay(after):
        labels = committee.labels
        yield position, label, united(dict(zip(labels, committee.learn(label, features), strict=True)))


def teach(ledger: Ledger, committee: Committee, after: int = 0) -> None:
    """Replay without a look at the exams."""
    for _, label, features in ledger.replay(after):
        committee.learn(label, features)


def examined(label: str, totals: dict[str, float]) -> ExamRow:
    """What the ledger keeps of an exam; nothing while there was nothing to choose.

    >>> examined("ham", {"ham": 1.0, "spam": -1.0}), examined("new", {"ham": 1.0, "spam": -1.0})
    (ExamRow(best='ham', truth=2.0, spam=-2.0), ExamRow(best=None, truth=None, spam=None))
    """
    if len(totals) < 2 or label not in totals:
        return NO_EXAM
    best = max(totals, key=totals.__getitem__)
    return ExamRow(best, log_odds(totals, label), log_odds(totals) if SPAM in totals else None)
