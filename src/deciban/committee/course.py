r"""A course: lessons learned one after the other in memory, each after its exam, without ledger and files.

This is the online protocol by which filters are measured, and the plainest form of replay:

>>> mails = [("spam", b"Subject: Free money\n\nNow!"), ("ham", b"Subject: Lunch\n\nAt one?")] * 10
>>> exams = list(take_course(mails))
>>> exams[0].totals, exams[-1].label, exams[-1].verdict.label
({}, 'ham', 'ham')
"""

from __future__ import annotations

from deciban.committee._committee import Committee
from deciban.committee._lesson_code import Features
from deciban.committee.extraction import features_of
from deciban.committee.settings import Settings
from deciban.committee.verdict import Verdict
from deciban.text import read
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Exam(Value):
    """How a message was judged before it was learned as ``label``."""

    label: str
    totals: dict[str, float]
    """The judge's totals in nats, by label, for the labels taught before."""

    @property
    def verdict(self) -> Verdict:
        """What would have been said about it."""
        return Verdict.of(self.totals)


class Course:
    """A committee in memory that makes room for every label it meets."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.committee = Committee.fresh(self.settings)
        self._lessons: list[tuple[str, bytes]] = []

    def score(self, features: Features) -> dict[str, float]:
        """The judge's totals by label."""
        return self.committee.totals_of(features)

    def learn(self, label: str, features: Features) -> Exam:
        """Learn one lesson after its exam."""
        exam = Exam(label, self.score(features))
        labels = self.committee.labels
        if label not in labels and len(labels) == self.committee.capacity:
            self._make_room()
        self.committee.learn(label, features)
        self._lessons.append((label, features.encode()))
        return exam

    def _make_room(self) -> None:
        """Go on in a table with room for twice the labels; a table with other slots is taught again."""
        narrow = self.committee
        self.committee = Committee.fresh(self.settings, 2 * narrow.capacity)
        if self.committee.shape.bits == narrow.shape.bits:
            self.committee.take_over(narrow)
            return
        for label, code in self._lessons:
            self.committee.learn(label, Features.decode(code))


def take_course(mails: Iterable[tuple[str, bytes]], settings: Settings | None = None) -> Iterator[Exam]:
    """The exam of each (label, message): classify it, then learn it."""
    course = Course(settings)
    for label, data in mails:
        yield course.learn(label, features_of(read(data)))
