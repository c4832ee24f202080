"""How good a filter is on its owner's own mail, from its exams: no test set, nothing learned by heart.

Every lesson was classified before it was learned. What was said then is an honest sample of what the filter
says about new mail, as long as new mail resembles what was taught:

>>> rows = [("ham", -4.0), ("ham", 1.0), ("spam", 3.0), ("spam", 5.0)]
>>> quality = Quality.of([(label == "spam", nats) for label, nats in rows], bar=0.0)
>>> quality.good, quality.lost, quality.spam, quality.missed, quality.roc_loss
(2, 1, 2, 0, 0.0)

At its first lessons a filter knows nothing yet and guesses. So only the most recent exams say how good it is
*by now*; the learning curve shows how it became so.
"""

from __future__ import annotations

from math import exp

from deciban import metrics
from deciban.decibans import SPAM
from deciban.filter.drift import LAG, NEWS, REFERENCE, ExamWatch, WordWatch
from deciban.filter.shared_filter import labels_of
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from deciban.filter import Filter
    from deciban.filter.shared_filter import SharedFilter
    from deciban.filter.threshold import Assurance, Threshold
    from deciban.ledger.records import ExamRow, Folded, KeptMails

# This many recent exams say how good the filter is by now: enough to see an error rate of .2%.
RECENT = 2_000
# Exams that can raise an alarm which is news, and those before them that they are compared with.
WATCHED = NEWS + 2 * REFERENCE + LAG
CURVE_POINTS = 24
DOUBTS = 5


class Quality(Value):
    """What exams say about telling spam from good mail."""

    good: int
    """Exams of good mail …"""
    lost: int
    """… and how many of them were above the bar, and would be rejected."""
    spam: int
    missed: int
    """Spam that was not above the bar."""
    roc_loss: float | None
    """1-ROCA%; None where there were not both kinds."""
    calibration_error: float | None
    """How far probabilities are, on average, from what was seen."""
    log_loss: float | None

    @classmethod
    def of(cls, exams: Sequence[tuple[bool, float]], bar: float | None) -> Quality:
        """The quality over exams: whether each was spam, and the log-odds for spam that it was given.

        The bar is what a message must exceed to be called spam; without a bar no message is called spam.
        """
        is_spam = [spam for spam, _ in exams]
        scores = [nats for _, nats in exams]
        probabilities = [_probability(nats) for nats in scores]
        spams = sum(is_spam)
        both = 0 < spams < len(exams)

        def above(nats: float) -> bool:
            return bar is not None and nats > bar

        return cls(
            good=len(exams) - spams,
            lost=sum(1 for spam, nats in exams if not spam and above(nats)),
            spam=spams,
            missed=sum(1 for spam, nats in exams if spam and not above(nats)),
            roc_loss=metrics.roc_loss(scores, is_spam) if both else None,
            calibration_error=metrics.calibration_error(probabilities, is_spam) if exams else None,
            log_loss=metrics.log_loss(probabilities, is_spam) if exams else None,
        )

    @property
    def lost_at_most(self) -> float | None:
        """The share of good mail lost that is still plausible at 95%; None without good mail."""
        return metrics.upper_limit(self.lost, self.good) if self.good else None

    @property
    def missed_at_most(self) -> float | None:
        """The share of spam missed that is still plausible at 95%."""
        return metrics.upper_limit(self.missed, self.spam) if self.spam else None


class Doubt(Value):
    """A lesson that contradicted the filter: perhaps it was taught wrongly."""

    digest: bytes
    label: str
    """What it was taught as."""
    best: str
    """What the filter took it for."""
    nats: float
    """The log-odds against the label."""


class LabelExams(Value):
    """What was said about the lessons of one label before they were learned."""

    lessons: int
    examined: int
    right: int
    taken_for: dict[str, int]
    """What the others were taken for, the most frequent first."""


class Status(Value):
    """The lessons of a filter, what its exams say about it, and which lessons deserve a second look."""

    lessons: dict[str, int]
    """By label."""
    examined: int
    """Lessons of labels that the filter knew by then, …"""
    right: int
    """… and how many of them it gave the right label."""
    threshold: Threshold
    """What was asked of the filter …"""
    assurance: Assurance
    """… and where the bar lies by now, on how much evidence."""
    good: int
    """The last good mails that came in, as the promise counts them, …"""
    lost: int
    """… and how many of them lie above the bar."""
    overall: Quality
    recent: Quality
    by_label: dict[str, LabelExams]
    curve: tuple[tuple[int, float], ...]
    """The learning curve: exams so far, and the share of wrong labels among those since the last point."""
    doubts: tuple[Doubt, ...]
    folded: Folded
    """Lessons that cannot be taken back any more; they are among the lessons above."""
    shared: SharedFilter | None
    """What the filter rests on; its lessons are not among those above."""
    mails: KeptMails
    belief: float | None = None
    """On a starter: how far the starter, with own lessons on top, is believed, not own lessons alone."""
    last_taught: int = 0
    """When the last lesson was taught, in microseconds since 1970."""
    changed: int | None = None
    """How many exams ago it was noticed that mail had changed (drift.py); None if it was not, or long ago."""

    @property
    def standing(self) -> str | None:
        """Whether recent good mail keeps the promise at today's bar; None without a promise or a bar."""
        if self.threshold.promise is None or self.assurance.bar is None:
            return None
        return metrics.standing(self.lost, self.good, self.threshold.promise)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that a verdict can have."""
        return labels_of(self.shared, self.lessons)


def status_of(mail_filter: Filter) -> Status:
    """The status of a filter as it is now."""
    exams = [(digest, label, exam) for digest, label, exam in mail_filter.exams() if exam.best is not None]
    spam_exams = [(label == SPAM, exam.spam) for _, label, exam in exams if exam.spam is not None]
    right = [exam.best == label for _, label, exam in exams]
    assurance = mail_filter.assurance()
    judged = mail_filter.good_mail(RECENT)
    return Status(
        lessons=mail_filter.labels(),
        examined=len(exams),
        right=sum(right),
        threshold=mail_filter.preferences.threshold,
        assurance=assurance,
        good=len(judged),
        lost=sum(1 for nats in judged if assurance.bar is not None and nats > assurance.bar),
        overall=Quality.of(spam_exams, assurance.bar),
        recent=Quality.of(spam_exams[-RECENT:], assurance.bar),
        by_label=exams_by_label(mail_filter.labels(), [(label, exam.best or "") for _, label, exam in exams]),
        curve=learning_curve(right),
        doubts=_doubts(exams, mail_filter.can_forget),
        folded=mail_filter.folded(),
        shared=mail_filter.shared(),
        mails=mail_filter.kept_mails(),
        belief=mail_filter.belief(),
        last_taught=mail_filter.last_taught(),
        changed=_changed(mail_filter, exams),
    )


def _changed(mail_filter: Filter, exams: Sequence[tuple[bytes, str, ExamRow]]) -> int | None:
    """How many lessons ago the last alarm was, if it is news."""
    watch, words = ExamWatch(), WordWatch()
    by_exams = [
        watch.see(label == SPAM, exam.truth) for _, label, exam in exams[-WATCHED:] if exam.truth is not None
    ]
    by_words = [
        words.see(lesson.label == SPAM, lesson.features.words)
        for lesson in mail_filter.recent_lessons(WATCHED)
    ]
    ago = min(_since_alarm(by_exams), _since_alarm(by_words))
    return ago if ago <= NEWS else None


def _since_alarm(alarms: Sequence[bool]) -> int:
    """How many lessons ago the last alarm was; more than are news if there was none.

    >>> _since_alarm([False, True, False, False]), _since_alarm([False])
    (3, 501)
    """
    return next((ago for ago, alarm in enumerate(reversed(alarms), start=1) if alarm), NEWS + 1)


def exams_by_label(lessons: Mapping[str, int], exams: Iterable[tuple[str, str]]) -> dict[str, LabelExams]:
    """The exams of each label, from pairs of the true label and what was said.

    >>> exams_by_label({"ham": 3, "spam": 2}, [("ham", "ham"), ("ham", "spam"), ("spam", "spam")])["ham"]
    LabelExams(lessons=3, examined=2, right=1, taken_for={'spam': 1})
    """
    said: dict[str, dict[str, int]] = {label: {} for label in lessons}
    for label, best in exams:
        counts = said.setdefault(label, {})
        counts[best] = counts.get(best, 0) + 1
    return {
        label: LabelExams(
            lessons.get(label, 0),
            sum(counts.values()),
            counts.get(label, 0),
            {
                best: count
                for best, count in sorted(counts.items(), key=lambda item: -item[1])
                if best != label
            },
        )
        for label, counts in said.items()
    }


def learning_curve(right: Sequence[bool]) -> tuple[tuple[int, float], ...]:
    """The share of errors in stretches of equal length: (exams by its end, share wrong).

    >>> learning_curve([False, True] + [True] * 46)[:3]
    ((2, 0.5), (4, 0.0), (6, 0.0))
    """
    stretch = max(-(-len(right) // CURVE_POINTS), 1)
    points = []
    for start in range(0, len(right), stretch):
        part = right[start : start + stretch]
        points.append((start + len(part), part.count(False) / len(part)))
    return tuple(points)


def _doubts(
    exams: Iterable[tuple[bytes, str, ExamRow]], can_be_forgotten: Callable[[bytes], bool]
) -> tuple[Doubt, ...]:
    against = [
        Doubt(digest, label, exam.best or "", -exam.truth)
        for digest, label, exam in exams
        if exam.truth is not None and exam.truth < 0 and exam.best != label and can_be_forgotten(digest)
    ]
    return tuple(sorted(against, key=lambda doubt: -doubt.nats)[:DOUBTS])


def _probability(nats: float) -> float:
    return 1 / (1 + exp(-nats)) if nats > 0 else exp(nats) / (1 + exp(nats))
