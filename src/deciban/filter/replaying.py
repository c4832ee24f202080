"""Replaying: the state of a ledger, made from its lessons in their order, each after its exam.

    state == replay(settings, foundation, lessons)

A replay begins with the last checkpoint of use, or with the foundation, and writes the exams again.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from deciban.committee._committee import FORMAT, Committee
from deciban.committee.label import united
from deciban.decibans import SPAM, log_odds
from deciban.errors import DamagedSnapshot
from deciban.filter.checkpoints import Checkpoints
from deciban.filter.foundation import begin, room
from deciban.ledger.facts import EXAM_FORMAT, POSTPONED
from deciban.ledger.records import NO_EXAM, ExamRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deciban.committee._lesson_code import Features
    from deciban.filter.snapshot import Snapshot
    from deciban.ledger.ledger import Ledger


class Replaying:
    """Makes the state of a ledger: that of the snapshot, or one in memory."""

    def __init__(self, ledger: Ledger, snapshot: Snapshot) -> None:
        self.checkpoints = Checkpoints(ledger)
        self._ledger = ledger
        self._snapshot = snapshot

    def begin(self) -> Committee:
        """A committee in memory before its first lesson."""
        capacity = room(self._ledger)
        return begin(self._ledger, capacity, bytearray(Committee.size(self._ledger.settings, capacity)))

    def in_memory(self) -> Committee:
        """A committee in memory that was taught all lessons."""
        committee = self.begin()
        self._teach(committee)
        return committee

    def make_fit(self) -> None:
        """Replay, if the snapshot is not that of the ledger; under its exclusive lock."""
        stamp = self._ledger.stamp()
        if not self._snapshot.fits(stamp, self._ledger.settings):
            self.again(write_exams=False)
            self._snapshot.mark_clean(stamp)

    def has_old_exams(self) -> bool:
        """Whether the exams were made by another version, whose last digits may differ."""
        return bool(self._ledger.fact(EXAM_FORMAT) != FORMAT)

    def again(self, *labels: str, write_exams: bool = True, checkpoints: int | None = None) -> Committee:
        """Make the snapshot again from the last checkpoint, with room for these labels too.

        The last so many ``checkpoints`` are saved on the way, or all that are of use. After a bulk that is
        one: each costs as much as 150 lessons, and whoever forgets one from further back saves the others.
        """
        capacity = room(self._ledger, labels)
        start = self.checkpoints.last(capacity) or (0, partial(begin, self._ledger, capacity))
        committee = self._snapshot.begin(capacity, start[1])
        if write_exams:
            targets = self.checkpoints.targets(start[0])
            targets = targets[-checkpoints:] if checkpoints else targets
            self._ledger.set_exams(self._saving(self._taught(committee, start[0]), targets))
            self._ledger.set_fact(POSTPONED, None)
            self._ledger.set_fact(EXAM_FORMAT, FORMAT)
        else:
            self._teach(committee, start[0])
        return committee

    def save_checkpoint(self, position: int) -> None:
        """Save the state of the snapshot, which is that after the lesson at a position."""
        committee = self._snapshot.committee
        with suppress(DamagedSnapshot):  # whoever uses the damaged part finds it; it must not be kept
            committee.check()
            self.checkpoints.save(position, committee.capacity, self._snapshot.buffer())

    def exams(self, committee: Committee) -> list[ExamRow]:
        """Teach a committee all lessons; their exams."""
        return [exam for _, exam in self._taught(committee)]

    def _saving(
        self, taught: Iterable[tuple[int, ExamRow]], targets: list[int]
    ) -> Iterator[tuple[int, ExamRow]]:
        """The exams of a replay by position; checkpoints are saved on the way."""
        for position, exam in taught:
            yield position, exam
            if targets and position >= targets[0]:
                self.save_checkpoint(position)
                targets = [target for target in targets if target > position]

    def _taught(self, committee: Committee, after: int = 0) -> Iterator[tuple[int, ExamRow]]:
        """Teach every lesson behind a position in its order; its position and exam."""
        for position, label, features in self._ledger.replay(after):
            yield position, learn(committee, label, features)

    def _teach(self, committee: Committee, after: int = 0) -> None:
        """The same without a look at the exams."""
        for _, label, features in self._ledger.replay(after):
            committee.learn(label, features)


def learn(committee: Committee, label: str, features: Features) -> ExamRow:
    """Teach a committee one lesson; its exam."""
    labels = committee.labels
    return examined(label, united(dict(zip(labels, committee.learn(label, features), strict=True))))


def examined(label: str, totals: dict[str, float]) -> ExamRow:
    """What the ledger keeps of an exam; nothing while there was nothing to choose.

    >>> examined("ham", {"ham": 1.0, "spam": -1.0}), examined("new", {"ham": 1.0, "spam": -1.0})
    (ExamRow(best='ham', truth=2.0, spam=-2.0), ExamRow(best=None, truth=None, spam=None))
    """
    if len(totals) < 2 or label not in totals:
        return NO_EXAM
    best = max(totals, key=totals.__getitem__)
    return ExamRow(best, log_odds(totals, label), log_odds(totals) if SPAM in totals else None)
