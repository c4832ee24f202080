"""How much of a verdict its explanation shows: the strongest places of `deciban why`, on SpamAssassin.

A filter is taught a shuffle of SpamAssassin but for its last 200 messages, and explains its verdicts about
those. A row is one word, link, header field or other place of the message (`committee/evidence_map.py`);
subtotals and the prior are none. Shown is Σ|dB| of the strongest rows over Σ|dB| of all rows, the median over
the verdicts; at least 45% in 32 rows and 60% in 64 are wanted. For comparison the same for single features.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from benchmarks.corpora import labelled_mail
from benchmarks.measure import Table, show
from deciban.committee.course import Course
from deciban.committee.evidence import PRIOR, gather_evidence
from deciban.committee.evidence_map import EvidenceMap
from deciban.committee.extraction import features_of, whereabouts_of
from deciban.evaluate import shuffled
from deciban.text import read

VERDICTS = 200
ROWS = (32, 64)
WANTED = {32: 45.0, 64: 60.0}


def share(decibans: Iterable[float], rows: int) -> float:
    """What so many rows, the strongest, have of all evidence, in percent.

    >>> share([3.0, -2.0, 1.0], 2)
    83.33333333333333
    """
    weights = sorted(map(abs, decibans), reverse=True)
    return 100 * sum(weights[:rows]) / sum(weights)


def explained() -> Iterator[tuple[list[float], list[float]]]:
    """For each verdict the decibans of its places and those of its features."""
    messages = shuffled(labelled_mail("spamassassin"), 1)
    course = Course()
    for message in messages[:-VERDICTS]:
        course.learn(message.label, features_of(read(message.read())))
    for message in messages[-VERDICTS:]:
        mail = read(message.read())
        features = features_of(mail)
        totals = course.score(features)
        first, second = sorted(totals, key=totals.__getitem__, reverse=True)
        evidence = gather_evidence(course.committee, features, whereabouts_of(mail), first, second)
        spots = EvidenceMap(mail, evidence).spots
        yield (
            [spot.decibans for spot in spots if spot.kind != PRIOR],
            [item.decibans for item in evidence if item.view != "judge"],
        )


def main() -> Sequence[Table]:
    verdicts = list(explained())
    columns = ("rows", "by place %", "wanted %", "by feature %")
    rows = [
        (
            str(count),
            median(share(places, count) for places, _ in verdicts),
            WANTED[count],
            median(share(features, count) for _, features in verdicts),
        )
        for count in ROWS
    ]
    places, features = (median(len(one[which]) for one in verdicts) for which in (0, 1))
    note = f"In the median a verdict has {places:.0f} places and {features:,.0f} features."
    return [Table(f"evidence shown, median of {len(verdicts)} verdicts", columns, rows, note)]


if __name__ == "__main__":
    show(main())
