r"""The worst mistakes of a trial, explained by what the filter knew when it made them.

An explanation cannot be had afterwards: by then the filter has learned the message. So a `MistakeKeeper`
watches the trial (`trial.follow(…, watch=keeper)`), and keeps the few messages about which the subject was
most sure and wrong.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from deciban.committee.evidence import Evidence
from deciban.committee.evidence_map import EvidenceMap, Spot
from deciban.decibans import DECIBANS_A_NAT, log_odds
from deciban.evaluate.index import LabelledMessage
from deciban.evaluate.subject import Opinion, Subject, explains
from deciban.text import read
from deciban.value import Value

MOST_MISTAKES = 20
MOST_SPOTS = 20
MOST_CHARACTERS = 400


class Mistake(Value):
    """A message that was taken for something else, and why."""

    number: int
    """Its place in the trial, from 1 on."""
    name: str
    """The end of its path."""
    label: str
    taken_for: str
    decibans: float
    """The evidence against the true label."""
    sender: str
    subject: str
    text: str
    """How it begins."""
    kinds: dict[str, float]
    """What each kind of place says for what it was taken for, in decibans."""
    spots: tuple[Spot, ...]
    """The strongest places, for (above 0) and against what it was taken for; strongest for it first."""

    def record(self) -> dict[str, object]:
        """The mistake ready for JSON."""
        fields = {name: value for name, value in self.as_dict().items() if name != "spots"}
        rows = [{"kind": spot.kind, "name": spot.name, "decibans": spot.decibans} for spot in self.spots]
        return fields | {"spots": rows}


class MistakeKeeper:
    """Watches a trial and keeps its worst mistakes; none if the subject cannot say why."""

    def __init__(self, most: int = MOST_MISTAKES) -> None:
        self._most = most
        self._count = 0
        self._kept: list[tuple[float, int, Mistake]] = []  # a heap: the least bad comes first

    def __call__(self, subject: Subject, message: LabelledMessage, data: bytes, opinion: Opinion) -> None:
        """Look at one opinion, before the subject learns anything more."""
        self._count += 1
        totals = opinion.totals or {}
        if message.label not in totals or not explains(subject) or not self._most:
            return
        against = -log_odds(totals, message.label)
        if against <= 0 or (len(self._kept) == self._most and against <= self._kept[0][0]):
            return
        taken_for = max(totals, key=totals.__getitem__)
        if taken_for == message.label:  # it is the likeliest of several labels, though below one half
            return
        evidence = subject.explain(data, taken_for, message.label)
        mistake = self._mistake(message, data, taken_for, DECIBANS_A_NAT * against, evidence)
        heapq.heappush(self._kept, (against, -self._count, mistake))
        if len(self._kept) > self._most:
            heapq.heappop(self._kept)

    @property
    def worst(self) -> list[Mistake]:
        """The mistakes, the worst first."""
        return [mistake for _, _, mistake in sorted(self._kept, key=lambda kept: kept[:2], reverse=True)]

    def _mistake(
        self,
        message: LabelledMessage,
        data: bytes,
        taken_for: str,
        decibans: float,
        evidence: Sequence[Evidence],
    ) -> Mistake:
        content = read(data)
        found = EvidenceMap(content, evidence)
        strongest = sorted(found.strongest(MOST_SPOTS), key=lambda spot: -spot.decibans)
        return Mistake(
            number=self._count,
            name="/".join(message.path.parts[-2:]),
            label=message.label,
            taken_for=taken_for,
            decibans=decibans,
            sender=content.header("from")[:MOST_CHARACTERS],
            subject=content.header("subject")[:MOST_CHARACTERS],
            text=" ".join(content.text[: 4 * MOST_CHARACTERS].split())[:MOST_CHARACTERS],
            kinds=found.subtotals(),
            spots=tuple(strongest),
        )
