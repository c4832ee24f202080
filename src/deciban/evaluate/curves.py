"""Curves of a trial as plain numbers: how a filter improves over the stream, and its trade between errors.

>>> roc_curve([0.1, 0.8, 0.7, 0.9], [False, False, True, True])
[(0.0, 100.0), (0.0, 50.0), (50.0, 50.0), (50.0, 0.0), (100.0, 0.0)]
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from deciban import metrics
from deciban.evaluate.label_figures import is_right
from deciban.evaluate.trial import Trial
from deciban.value import Value


class CurvePoint(Value):
    """How good a subject was over the first messages of the stream; in percent."""

    messages: int
    wrong: float
    """The share whose most probable label was not the true one."""
    roc_loss: float | None
    """None, as the other two, while only one kind of mail has come."""
    ham_lost: float | None
    spam_missed: float | None

    @classmethod
    def of(cls, trial: Trial) -> CurvePoint:
        """All messages of a trial as one point."""
        pairs = zip(trial.labels, trial.opinions, strict=True)
        wrong = 100 * sum(not is_right(truth, opinion) for truth, opinion in pairs) / len(trial.messages)
        if not trial.has_both_kinds:
            return cls(len(trial.messages), wrong, None, None, None)
        errors = metrics.misclassified([opinion.rejected for opinion in trial.opinions], trial.spam)
        loss = metrics.roc_loss(trial.scores, trial.spam)
        return cls(len(trial.messages), wrong, loss, errors.ham, errors.spam)

    def record(self) -> dict[str, float | None]:
        """The point ready for JSON."""
        return self.as_dict()


def learning_curve(trial: Trial, least: int = 50, points_a_doubling: int = 3) -> list[CurvePoint]:
    """What the figures were after the first messages, at steps that grow with the stream.

    Cumulative, as TREC draws it: the end of the curve is the figure of the whole trial.
    """
    sizes = [len(trial.messages)]
    while sizes[-1] > least:
        sizes.append(int(sizes[-1] / 2 ** (1 / points_a_doubling)))
    return [
        CurvePoint.of(Trial(trial.messages[:size], trial.opinions[:size])) for size in reversed(sizes) if size
    ]


def roc_curve(scores: Sequence[float], spam: Sequence[bool]) -> list[tuple[float, float]]:
    """The corners (ham lost, spam missed), in percent, as the threshold falls; equal scores fall together."""
    hams = len(spam) - sum(spam)
    spams = len(spam) - hams
    lost, missed = 0, spams
    corners = [(0.0, 100.0)]
    ranked = sorted(zip(scores, spam, strict=True), key=itemgetter(0), reverse=True)
    for _, tied in groupby(ranked, key=itemgetter(0)):
        for _, true in tied:
            missed -= true
            lost += not true
        corner = (100 * lost / hams, 100 * missed / spams)
        if len(corners) > 1 and _in_line(corners[-2], corners[-1], corner):
            corners[-1] = corner
        else:
            corners.append(corner)
    return corners


def _in_line(first: tuple[float, float], second: tuple[float, float], third: tuple[float, float]) -> bool:
    """Whether the middle one of three points is not a corner."""
    return first[0] == second[0] == third[0] or first[1] == second[1] == third[1]
