r"""When spam is rejected: by what a lost good mail costs, or by a promise.

**Cost** c (the default): reject when p(spam) / p(not spam) > c, that is, when the log-odds are above log c.

**Promise** "at most a share r of good mail is lost": the bar is read from the most recent good mails of the
ledger, as they were judged before they were learned. Of n of them, at most (n + 1) · r/2 lie above the bar
(split-conformal): half the promised rate, because mail drifts, and a bar at the full rate lost 1.4% where 1%
was promised. It takes 2 / r good mails; until there are so many, what looks like spam is *unsure*.

>>> judged = [-5.0] * 150 + [-1.0] * 48 + [2.5, 3.0]
>>> Assurance.of(Threshold(promise=0.01), judged)
Assurance(bar=3.0, good=200, needed=200)
>>> Assurance.of(Threshold(promise=0.01), judged[1:])
Assurance(bar=None, good=199, needed=200)
>>> Assurance.of(Threshold(cost=1.0), judged).bar
0.0
"""

from __future__ import annotations

from math import ceil, log

from deciban.errors import BadSetting
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# A promise is read from as many recent good mails as this times what it takes at least: so few that drift is
# followed, so many that one odd mail does not decide.
WINDOW = 5


class Threshold(Value):
    """What must hold before a message is called spam."""

    __slots__ = ("cost", "promise")
    cost: float
    """How many missed spams one lost good mail is worth."""
    promise: float | None
    """The share of good mail that may be lost; None to decide by cost."""

    def __init__(self, cost: float = 9.0, promise: float | None = None) -> None:
        if not cost > 0:
            raise BadSetting(f"cost must be above 0, got {cost!r} instead.")
        if promise is not None and not 1e-6 <= promise <= 0.5:
            raise BadSetting(f"promise must be a share from 0.000001 to 0.5, got {promise!r} instead.")
        self._set(cost=cost, promise=promise)

    @property
    def needed(self) -> int:
        """The good mails that it takes."""
        return 0 if self.promise is None else ceil(2 / self.promise)

    @property
    def window(self) -> int:
        """The most recent good mails that are looked at."""
        return WINDOW * self.needed


class Assurance(Value):
    """Where the bar lies for now, and on how much evidence."""

    __slots__ = ("bar", "good", "needed")
    bar: float | None
    """The log-odds of spam, in nats, that must be exceeded; None while there are too few good mails."""
    good: int
    """Good mails that it was read from."""
    needed: int

    def __init__(self, bar: float | None, good: int, needed: int) -> None:
        self._set(bar=bar, good=good, needed=needed)

    @classmethod
    def of(cls, threshold: Threshold, judged: Sequence[float]) -> Assurance:
        """The bar of a threshold over the log-odds of recent good mails."""
        if threshold.promise is None:
            return cls(log(threshold.cost), len(judged), 0)
        if len(judged) < threshold.needed:
            return cls(None, len(judged), threshold.needed)
        # 1e-9: 200 · .005 must be 1 in binary too.
        above = int((len(judged) + 1) * threshold.promise / 2 + 1e-9)
        # Never below even odds: what is more likely good than spam is not rejected, whatever was promised.
        bar = max(sorted(judged)[len(judged) - above], 0.0)
        return cls(bar, len(judged), threshold.needed)
