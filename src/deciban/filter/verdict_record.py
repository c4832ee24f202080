"""A verdict as a record of plain values, for JSON, the server and programs that are not in Python.

>>> from deciban.committee.verdict import Verdict
>>> spam = Verdict("spam", 0.75, 4.8, {"spam": 0.75, "ham": 0.25}, unsure=True)
>>> record = verdict_record(spam)
>>> record["verdict"], record["label"], record["decibans"]
('unsure', 'spam', 4.8)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.committee.verdict import Verdict


def verdict_record(verdict: Verdict) -> dict[str, object]:
    """A verdict ready for JSON; docs/cli.md describes the fields."""
    return {
        "verdict": verdict.decision,
        "label": verdict.label,
        "unsure": verdict.unsure,
        "probability": verdict.probability,
        "decibans": verdict.decibans,
        "probabilities": verdict.probabilities,
        "otherwise": None if verdict.otherwise is None else verdict_record(verdict.otherwise),
    }
