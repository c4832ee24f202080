"""What a foundation is worth to somebody else's mail, and what harm it does: every corpus on every other.

    python -m benchmarks transfer                   # every pair, three shuffles
    python -m benchmarks transfer sms ling enron1   # some of the corpora only

A foundation has learned one corpus (cut to 6,000 messages). A stream is the first 1,000 messages of a shuffle
of another, each classified and then learned. *Empty* begins with nothing, *resting* is a committee that
begins with the state of the foundation, and *both* is the panel of filters that rest on a starter
(src/deciban/committee/_panel.pyx). Figures are 1-ROCA% over the first messages, means of three shuffles.
SpamAssassin, Enron 1 to 3 and SMS chose what the panel begins with; Ling, Enron 4 to 6 and Chinese confirm
it.

*A starter of other corpora* is made as the one that comes with the package (tools/make_starter.py), but
without the corpus that it is tried on, and without all of Enron for a mailbox of Enron. Before the first
lesson: what such a starter calls 500 messages, in percent.

An inverted foundation was taught a share of its features, drawn by lot, under the other label.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from random import Random
from statistics import fmean
from typing import Protocol

from benchmarks.accuracy import SAMPLE_SEED
from benchmarks.corpora import labelled_mail
from benchmarks.measure import Cell, Table, show
from deciban import metrics
from deciban.committee._committee import Committee
from deciban.committee._lesson_code import FEATURE_BITS, Features
from deciban.committee._panel import Panel
from deciban.committee.extraction import features_of
from deciban.committee.settings import Settings
from deciban.committee.shape import Shape
from deciban.decibans import SPAM, is_unsure
from deciban.evaluate import LabelledMessage, shuffled
from deciban.filter.preferences import Preferences
from deciban.text import read
from tools.make_starter import CORPORA, pruned
from tools.make_starter import SEED as STARTER_SEED

CHOSEN_ON = ("spamassassin", "enron1", "enron2", "enron3", "sms")
CONFIRMED_ON = ("ling", "enron4", "enron5", "enron6", "chinese")
ARCHIVES = {"sms": "sms_spam", "ling": "ling_spam", "chinese": "ccert_zh"}
SEEDS = (1, 2, 3)
MOST = 6000
FIRST = (30, 100, 300, 1000)
# A stream of 1,000 messages touches fewer.
MOST_ROWS = 1 << 20
INVERTED = (0.3, 0.5, 1.0)
OTHER = {SPAM: "ham", "ham": SPAM}
# A figure below this is a handful of pairs of messages: ratios are taken of both figures plus this.
GRAIN = 0.02
ASKED = 500
STARTS = ("empty", "resting", "both")
Lesson = tuple[str, Features]


class Learner(Protocol):
    """A committee or a panel."""

    def totals_of(self, features: Features) -> dict[str, float]:
        """The total of each label."""

    def learn(self, label: str, features: Features) -> tuple[float, ...]:
        """Learn one lesson."""


def archive_of(name: str) -> str:
    """The archive that a corpus is in."""
    return "enron_spam" if name.startswith("enron") else ARCHIVES.get(name, name)


@cache
def messages_of(name: str) -> Sequence[LabelledMessage]:
    """A corpus, or one of Enron's mailboxes, in an order that is always the same."""
    found = _archive(archive_of(name))
    if name.startswith("enron"):
        found = [message for message in found if name in message.path.parts]
    return shuffled(found, SAMPLE_SEED)[:MOST]


@cache
def _archive(name: str) -> Sequence[LabelledMessage]:
    return labelled_mail(name)


@cache
def lessons_of(name: str) -> Sequence[tuple[str, bytes]]:
    """The lessons of a corpus, coded as a ledger keeps them."""
    return [(message.label, features_of(read(message.read())).encode()) for message in messages_of(name)]


def decoded(lessons: Sequence[tuple[str, bytes]]) -> Iterator[Lesson]:
    """Lessons with their features."""
    for label, code in lessons:
        yield label, Features.decode(code)


def foundation(name: str, inverted: float = 0.0) -> Committee:
    """A committee that has learned a corpus."""
    committee = Committee.fresh(Settings())
    for label, features in decoded(lessons_of(name)):
        right, wrong = divided(features, inverted)
        if len(right):
            committee.learn(label, right)
        if len(wrong):
            committee.learn(OTHER[label], wrong)
    return committee


def divided(features: Features, share: float) -> tuple[Features, Features]:
    """The features that are taught rightly and those that are not, drawn by lot, the same in every lesson."""
    if not share:
        return features, Features.of(array("Q"), array("Q"))
    parts = []
    for is_wrong in (False, True):
        views = [
            array("Q", [one << (64 - FEATURE_BITS) for one in view if (_lot(one) < share) == is_wrong])
            for view in (features.words, features.letters)
        ]
        parts.append(Features.of(*views))
    return parts[0], parts[1]


@cache
def _lot(feature: int) -> float:
    return Random(feature).random()


def begun(start: str, base: Committee | None) -> Learner:
    """Who learns the stream."""
    settings = Settings()
    if start == "empty" or base is None:
        return Committee.fresh(settings)
    layer = Shape.for_rows(base.capacity, base.shape.bits, MOST_ROWS, is_layer=True)
    resting = Committee.fresh(settings, shape=layer, foundation=base)
    if start == "resting":
        return resting
    return Panel(settings, resting, Committee.fresh(settings), Panel.fresh(resting.capacity))


def followed(learner: Learner, stream: Sequence[tuple[str, bytes]]) -> list[float]:
    """1-ROCA% over the first messages of a stream, for each of `FIRST`."""
    scores, spam = [], []
    for label, features in decoded(stream):
        totals = learner.totals_of(features)
        # Who does not know both labels does not know anything.
        scores.append(totals[SPAM] - totals["ham"] if len(totals) > 1 else 0.0)
        spam.append(label == SPAM)
        learner.learn(label, features)
    return [metrics.roc_loss(scores[:first], spam[:first]) for first in FIRST]


def over_shuffles(start: str, base: Committee | None, target: str) -> list[float]:
    """The means of several shuffles."""
    trials = [followed(begun(start, base), shuffled(lessons_of(target), seed)[: FIRST[-1]]) for seed in SEEDS]
    return [fmean(column) for column in zip(*trials, strict=True)]


def ratio(ours: float, empty: float) -> float:
    """How much worse than empty, with a grain of salt."""
    return (ours + GRAIN) / (empty + GRAIN)


def mean_ratio(pairs: Sequence[tuple[float, float]]) -> float:
    """The geometric mean."""
    return math.exp(fmean(math.log(ratio(*pair)) for pair in pairs))


Found = Mapping[tuple[str, str, str], Sequence[float]]


def by_target(found: Found, targets: Sequence[str], sources: Sequence[str]) -> Iterator[Sequence[Cell]]:
    """Per target, each start over the first messages: the mean over all foundations."""
    for target in targets:
        for start in STARTS:
            rows = [found[start, source, target] for source in sources if source != target]
            yield (f"{target}: {start}", *(fmean(column) for column in zip(*rows, strict=True)))


def summary(found: Found, targets: Sequence[str], sources: Sequence[str]) -> Iterator[Sequence[Cell]]:
    """Over all pairs: the mean ratio to empty, the largest at 300, and how many are above 1.05 there."""
    at = FIRST.index(300)
    for start in STARTS[1:]:
        pairs = [(source, target) for target in targets for source in sources if source != target]
        means = [
            mean_ratio([(found[start, *pair][place], found["empty", *pair][place]) for pair in pairs])
            for place in range(len(FIRST))
        ]
        ratios = [ratio(found[start, *pair][at], found["empty", *pair][at]) for pair in pairs]
        yield start, *means, max(ratios), f"{sum(one > 1.05 for one in ratios)} of {len(ratios)}"


def measured(sources: Sequence[str], targets: Sequence[str], inverted: float = 0.0) -> Found:
    """Every start on every pair."""
    empty = {target: over_shuffles("empty", None, target) for target in targets}
    found = {}
    for source in sources:
        base = foundation(source, inverted)
        for target in targets:
            if source != target:
                found["empty", source, target] = empty[target]
                for start in STARTS[1:]:
                    found[start, source, target] = over_shuffles(start, base, target)
    return found


def matrix(found: Found, names: Sequence[str]) -> Iterator[Sequence[Cell]]:
    """Both in parts of empty after 300 messages: a row per foundation, a column per stream."""
    at = FIRST.index(300)
    for source in names:
        yield (
            source,
            *(
                None
                if source == target
                else ratio(found["both", source, target][at], found["empty", source, target][at])
                for target in names
            ),
        )


def starter_for(target: str) -> Committee:
    """A starter of all corpora but that of a stream."""
    lessons: list[tuple[str, bytes]] = []
    for name in CHOSEN_ON + CONFIRMED_ON:
        archive = archive_of(name)
        if archive in CORPORA and archive != archive_of(target):
            boxes = sum(archive_of(other) == archive for other in CHOSEN_ON + CONFIRMED_ON)
            lessons += lessons_of(name)[: CORPORA[archive] // boxes]
    committee = Committee.fresh(Settings())
    for label, features in decoded(shuffled(lessons, STARTER_SEED)):
        committee.learn(label, features)
    return pruned(committee)


def on_a_starter(target: str) -> Iterator[Sequence[Cell]]:
    """1-ROCA% of a stream without and with a starter of other corpora, and what that says at once."""
    base = starter_for(target)
    yield (f"{target}: empty", *over_shuffles("empty", None, target), *[None] * 6)
    begun_with = begun("both", base)
    called: dict[str, list[str]] = {SPAM: [], "ham": []}
    for label, features in decoded(shuffled(lessons_of(target), SEEDS[-1] + 1)[:ASKED]):
        called[label].append(decided(begun_with.totals_of(features)))
    shares = [
        100 * fmean(said == word for said in called[label])
        for label in (SPAM, "ham")
        for word in ("ham", "unsure", SPAM)
    ]
    yield (f"{target}: on a starter", *over_shuffles("both", base, target), *shares)


def decided(totals: dict[str, float]) -> str:
    """A verdict in one word, as a filter with the default cost gives it."""
    best = max(totals, key=totals.__getitem__)
    return "unsure" if is_unsure(totals, math.log(Preferences().cost)) else best


def main(arguments: Sequence[str] = ()) -> Iterator[Table]:
    names = tuple(arguments) or CHOSEN_ON + CONFIRMED_ON
    halves = [
        (title, [name for name in half if name in names])
        for title, half in (("chosen on", CHOSEN_ON), ("confirmed on", CONFIRMED_ON))
    ]
    heads = [f"first {first:,}" for first in FIRST]
    yield Table(
        "1-ROCA% on a starter of other corpora, and what it calls mail before the first lesson",
        ("", *heads, "spam: ham", "unsure", "spam", "good mail: ham", "unsure", "spam"),
        [row for name in names for row in on_a_starter(name)],
    )
    found = measured(names, names)
    compared = ("", *(f"{head} ÷ empty" for head in heads), "most at 300", "above 1.05 at 300")
    for title, half in halves:
        if half:
            yield Table(f"1-ROCA% on corpora {title}", ("", *heads), list(by_target(found, half, names)))
            yield Table(f"all pairs onto corpora {title}", compared, list(summary(found, half, names)))
    yield Table("both ÷ empty, first 300: foundation, then stream", ("", *names), list(matrix(found, names)))
    for share in INVERTED:
        wrong = measured(names[:2], names, share)
        for title, half in halves:
            if half:
                yield Table(
                    f"{share:.0%} of the features inverted, onto corpora {title}",
                    compared,
                    list(summary(wrong, half, names[:2])),
                )


if __name__ == "__main__":
    import sys

    show(main(sys.argv[1:]))
