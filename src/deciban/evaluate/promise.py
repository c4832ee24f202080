"""Whether a promise was kept: "at most 1% of good mail is lost", followed message by message over a stream.

At each message the bar is the one that the filter would have had by then (`filter.threshold`), read from the
good mails that came before. The promise counts as kept if no larger share was lost, and as broken only if the
loss cannot be chance: its lower 95% limit (Clopper and Pearson) is above the promised rate.

>>> [KeptPromise(rate=0.01, lost=lost, good=1000, caught=90, spam=100).standing for lost in (10, 15, 16)]
['kept', 'not refuted yet', 'broken']
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque

from deciban import metrics
from deciban.evaluate.trial import Trial
from deciban.filter.threshold import Threshold
from deciban.value import Value


class KeptPromise(Value):
    """What became of a promise while it was active, that is, once enough good mail had been seen."""

    rate: float
    lost: int
    good: int
    caught: int
    spam: int

    @property
    def active(self) -> bool:
        """Whether there ever was enough good mail, and then mail to try it on."""
        return self.good > 0 and self.spam > 0

    @property
    def standing(self) -> str:
        """Kept, not refuted yet, or broken."""
        return metrics.standing(self.lost, self.good, self.rate)

    @classmethod
    def followed(cls, rate: float, trial: Trial) -> KeptPromise:
        """The promise over a trial whose scores are log-odds of spam in nats, as deciban's are."""
        threshold = Threshold(promise=rate)
        # Log-odds of good mails, each with its place in their stream: in that order, and sorted.
        recent: deque[tuple[float, int]] = deque()
        ranked: list[tuple[float, int]] = []
        bar = None
        seen = lost = good = caught = spams = 0
        for score, spam in zip(trial.scores, trial.spam, strict=True):
            if bar is not None:
                lost += not spam and score > bar
                good += not spam
                caught += spam and score > bar
                spams += spam
            if not spam:
                recent.append((score, seen))
                insort(ranked, recent[-1])
                seen += 1
                if len(recent) > threshold.window:
                    del ranked[bisect_left(ranked, recent.popleft())]
                if seen >= threshold.needed:
                    bar = threshold.lowest_bar((judged, seen - place) for judged, place in reversed(ranked))
        return cls(rate, lost, good, caught, spams)

    def __str__(self) -> str:
        if not self.active:
            return f"promise {self.rate:.1%}: never active, too few good mails"
        return (
            f"promise {self.rate:.1%}: {self.standing}, lost {self.lost} of {self.good} good "
            f"({self.lost / self.good:.2%}), caught {self.caught / self.spam:.1%} of {self.spam} spams"
        )

    def record(self) -> dict[str, float | bool | str]:
        """The same ready for JSON."""
        return self.as_dict() | {
            "active": self.active,
            "standing": self.standing,
        }
