"""Points: the unit of the doors that stand in for SpamAssassin and rspamd. A point is two decibans.

Rules that people have for SpamAssassin (5 points are spam) and rspamd (6 are tagged, 15 rejected) must go on
to mean something sensible: 5 points are odds of 10 to 1, 15 points are odds of 1,000 to 1. What is called
spam has at least the points that are required, and what is not has fewer.

>>> from deciban.committee.verdict import Verdict
>>> spam = Verdict("spam", 0.99931, 31.6, {"spam": 0.99931, "ham": 0.00069}, unsure=False)
>>> points_of(spam), points_of(spam.replaced(unsure=True)), points_of(Verdict("", None, 0.0, {}, True))
(15.8, 4.9, 0.0)
"""

from __future__ import annotations

from deciban.decibans import SPAM
from deciban.filter.tag import spam_decibans

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.filter import Verdict

REQUIRED = 5.0
DECIBANS_PER_POINT = 2.0


def points_of(verdict: Verdict, required: float = REQUIRED, most_good: float | None = None) -> float:
    """The points of a verdict: at least what is required if it is spam, and fewer if not."""
    just_below = round(required - 0.1, 1) if most_good is None else most_good
    if verdict.otherwise is not None:  # an allowed sender: no rule on points may put it among the spam
        return min(0.0, just_below)
    if SPAM not in verdict.probabilities:
        return required if verdict.decision == SPAM else min(0.0, just_below)
    points = round(spam_decibans(verdict) / DECIBANS_PER_POINT, 1)
    return max(points, required) if verdict.decision == SPAM else min(points, just_below)
