r"""Why: the part that each feature of a message had in the difference between two labels, in decibans.

The evidence of a verdict is, in this order: one item for each feature of `words`, one for each of `letters`
(both by increasing hash), and the remainder, which is what the judge believes before reading anything, and
rounding. Added up in this order, the decibans are those of the verdict.

>>> from deciban.committee.course import Course
>>> from deciban.committee.extraction import features_of, whereabouts_of
>>> from deciban.text import read
>>> course = Course()
>>> for _ in range(5):
...     for label, data in ("spam", b"Subject: Free money"), ("ham", b"Subject: Lunch at one"):
...         _ = course.learn(label, features_of(read(data)))
>>> free_lunch = read(b"Subject: Free lunch")
>>> features, whereabouts = features_of(free_lunch), whereabouts_of(free_lunch)
>>> evidence = gather_evidence(course.committee, features, whereabouts, "ham", "spam")
>>> [(item.name, item.view) for item in evidence if item.view == "judge"]
[('prior', 'judge')]
>>> strength = {item.name: round(item.decibans, 1) for item in evidence if item.view == "words"}
>>> strength["subject:free"] < 0 < strength["subject:lunch"]
True
"""

from __future__ import annotations

from deciban.committee.extraction import VIEWS
from deciban.decibans import DECIBANS_A_NAT
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.committee._committee import Committee
    from deciban.committee._lesson_code import Features
    from deciban.committee._panel import Panel
    from deciban.committee.extraction import Place, Whereabouts

PRIOR = "prior"


class Evidence(Value):
    """What one feature says, for (above 0) or against the label of the verdict."""

    name: str
    """Such as ``subject:free``, or four letters; two names in the rare case that they share a feature."""
    view: str
    """words or letters; judge for the remainder."""
    decibans: float
    places: tuple[Place, ...] = ()
    """Where it was seen: (where, number, start, end), as `deciban.text.views.Place` explains them."""


def gather_evidence(
    committee: Committee | Panel, features: Features, whereabouts: Whereabouts, favoured: str, against: str
) -> tuple[Evidence, ...]:
    """The evidence for one label against another, in the order described above."""
    words, letters, _ = committee.explain(features, favoured, against)
    parts = {
        "words": zip(features.words, words, strict=True),
        "letters": zip(features.letters, letters, strict=True),
    }
    evidence = []
    for view in VIEWS:
        names, places = whereabouts.names[view], whereabouts.places[view]
        for feature, nats in parts[view]:
            evidence.append(Evidence(names[feature], view, DECIBANS_A_NAT * nats, places[feature]))
    totals = committee.totals_of(features)
    total = DECIBANS_A_NAT * (totals[favoured] - totals[against])
    evidence.append(Evidence(PRIOR, "judge", total - sum(item.decibans for item in evidence)))
    return tuple(evidence)


def subtotals_of(
    committee: Committee | Panel, features: Features, favoured: str, against: str, decibans: float
) -> dict[str, float]:
    """What each view says for one label against another, and the prior: together ``decibans``, the verdict's.

    It takes half the time of a score, because the rows are at hand; gathering all evidence takes three times
    as long as a score.
    """
    words, letters = committee.subtotals(features, favoured, against)
    words, letters = DECIBANS_A_NAT * words, DECIBANS_A_NAT * letters
    return {"words": words, "letters": letters, PRIOR: decibans - (words + letters)}
