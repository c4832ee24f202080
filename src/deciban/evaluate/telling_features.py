r"""The features that tell labels apart: what spoke most for a label in its own mail, once all was learned.

The filter keeps hashes, not words, so features have names only where there is a message to look at. A sample
of the mail of each label is explained; a feature's strength is its evidence for the label, in decibans, added
up over the sample, so that a word counts by how much it decides *and* by how often.
"""

from __future__ import annotations

from collections.abc import Sequence

from deciban.evaluate.index import LabelledMessage
from deciban.evaluate.subject import Subject, explains
from deciban.value import Value

SAMPLE = 200
MOST = 15


class TellingFeature(Value):
    """A feature of the mail of one label."""

    name: str
    decibans: float
    """What it says for the label against the next best: the mean over the messages that have it."""
    share: float
    """How many of the sampled messages of the label have it."""

    def record(self) -> dict[str, object]:
        """The feature ready for JSON."""
        return self.as_dict()


def telling_features(
    subject: Subject, messages: Sequence[LabelledMessage], sample: int = SAMPLE, most: int = MOST
) -> dict[str, list[TellingFeature]]:
    """The strongest features of each label, strongest first; none if the subject cannot say why."""
    if not explains(subject):
        return {}
    by_label: dict[str, list[LabelledMessage]] = {}
    for message in messages:
        by_label.setdefault(message.label, []).append(message)
    return {
        label: found
        for label, its in sorted(by_label.items())
        if (found := _strongest(subject, label, its[:: max(len(its) // sample, 1)][:sample], most))
    }


def _strongest(
    subject: Subject, label: str, sample: Sequence[LabelledMessage], most: int
) -> list[TellingFeature]:
    totals: dict[str, float] = {}
    counts: dict[str, int] = {}
    for message in sample:
        data = message.read()
        (opinion,) = subject.classify([data])
        others = {other: total for other, total in (opinion.totals or {}).items() if other != label}
        if not others or not explains(subject) or label not in (opinion.totals or {}):
            continue
        for item in subject.explain(data, label, max(others, key=others.__getitem__)):
            if item.view == "words":
                totals[item.name] = totals.get(item.name, 0.0) + item.decibans
                counts[item.name] = counts.get(item.name, 0) + 1
    ranked = sorted((name for name in totals if totals[name] > 0), key=lambda name: (-totals[name], name))
    return [
        TellingFeature(name, totals[name] / counts[name], counts[name] / len(sample))
        for name in ranked[:most]
    ]
