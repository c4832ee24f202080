"""The first lessons without a starter: deciban beside bogofilter, after 10 to 200 messages.

    python -m benchmarks cold                        # five corpora, some three minutes
    python -m benchmarks cold ling_spam --seeds 1    # some of them

A filter learns 10 to 200 messages and classifies 500 others; 1-ROCA%, means over the seeds. At random, the
lessons are the first of a shuffle, at least one of each label; by folders, one half are good mails, taught
first, and the other half are spam. deciban is the whole filter with its ledger, without a starter. The last
row of a table is the mean of deciban's 1-ROCA% over the corpora, divided by that of bogofilter. SpamAssassin,
Enron and SMS chose how small filters learn (docs/experiments.md, *The first lessons*).

*Three-way verdicts*, after 10 good mails and 10 spams: what spam and good mail are called, in percent.

What comes later is `python -m benchmarks hundredth_day`, and many labels are `python -m benchmarks routing`.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean

from benchmarks.accuracy import CORPORA, SAMPLE_SEED
from benchmarks.corpora import labelled_mail
from benchmarks.measure import Cell, Table, show
from deciban import metrics
from deciban.decibans import SPAM
from deciban.evaluate import (
    DecibanCommittee,
    LabelledMessage,
    Opinion,
    TaughtMessage,
    installed_peers,
    shuffled,
)
from deciban.filter import Filter
from deciban.filter.mail import lessons_from, question_of
from deciban.sources import RawMessage

LESSONS = (10, 20, 50, 100, 200)
ASKED = 500
OURS = DecibanCommittee.name
CHOSEN_ON = ("spamassassin", "enron_spam", "sms_spam")
Messages = Sequence[LabelledMessage]


@cache
def corpus(name: str) -> Messages:
    """A corpus in an order that is always the same."""
    return shuffled(labelled_mail(name), SAMPLE_SEED)


def at_random(order: Messages, count: int) -> list[LabelledMessage]:
    """The first messages; if all are of one label, from which nothing can be told, the last is another."""
    first = list(order[:count])
    if len({message.spam for message in first}) < 2:
        first[-1] = next(message for message in order if message.spam != first[0].spam)
    return first


def by_folders(order: Messages, count: int) -> list[LabelledMessage]:
    """Half of them good, then half of them spam."""
    good = [message for message in order if not message.spam][: count // 2]
    return good + [message for message in order if message.spam][: count // 2]


ORDERS: Mapping[str, Callable[[Messages, int], list[LabelledMessage]]] = {
    "at random": at_random,
    "by folders": by_folders,
}


class WholeFilter:
    """deciban with its ledger, which mixes what was taught by folders; taught and asked once."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="deciban-cold-")
        self._filter = Filter.open(str(Path(self._folder.name, "filter.deciban")))

    def __enter__(self) -> WholeFilter:
        return self

    def __exit__(self, *reason: object) -> None:
        self._filter.close()
        self._folder.cleanup()

    def learn(self, lessons: Sequence[TaughtMessage]) -> None:
        """One label at a time, as folders are taught."""
        labels = list(dict.fromkeys(lesson.label for lesson in lessons))
        for label in labels:
            mails = [RawMessage(str(n), one.data) for n, one in enumerate(lessons) if one.label == label]
            self._filter.learn(lessons_from(mails, label, self._filter.preferences))

    def classify(self, messages: Sequence[bytes]) -> list[Opinion]:
        """What the filter says; the score of a verdict is its decibans for spam."""
        questions = [question_of(message, self._filter.preferences) for message in messages]
        return [
            Opinion(
                verdict.decibans if verdict.label == SPAM else -verdict.decibans,
                verdict.decision == SPAM,
                label=verdict.decision,
            )
            for verdict in self._filter.classify_many(questions)
        ]


def first_lessons(name: str, seed: int, subject: str, order: str, count: int) -> list[tuple[bool, Opinion]]:
    """What a subject says of other mail after a few lessons: whether it is spam, and the opinion."""
    stream = shuffled(corpus(name), seed)
    asked, rest = stream[:ASKED], stream[ASKED:]
    taught = [TaughtMessage(message.label, message.read()) for message in ORDERS[order](rest, count)]
    make = WholeFilter if subject == OURS else installed_peers([subject])[subject]
    with make() as filter_:
        filter_.learn(taught)
        opinions = filter_.classify([message.read() for message in asked])
    return list(zip([message.spam for message in asked], opinions, strict=True))


def roc_loss(found: Sequence[tuple[bool, Opinion]]) -> float:
    """1-ROCA% of opinions."""
    return metrics.roc_loss([opinion.score for _, opinion in found], [spam for spam, _ in found])


def beginnings(names: Sequence[str], order: str, peer: str, seeds: Sequence[int]) -> Iterator[Sequence[Cell]]:
    """Per corpus and subject 1-ROCA% after so many lessons, and the ratio of the means."""
    means = {
        (name, subject, count): fmean(
            roc_loss(first_lessons(name, seed, subject, order, count)) for seed in seeds
        )
        for name in names
        for subject in (OURS, peer)
        for count in LESSONS
    }
    for name in names:
        for subject in (OURS, peer):
            yield (f"{name}: {subject}", *(means[name, subject, count] for count in LESSONS))
    overall = {
        (subject, count): fmean(means[name, subject, count] for name in names)
        for subject in (OURS, peer)
        for count in LESSONS
    }
    yield (
        f"mean of deciban ÷ mean of {peer}",
        *(overall[OURS, count] / overall[peer, count] if overall[peer, count] else None for count in LESSONS),
    )


def three_ways(name: str, seeds: Sequence[int]) -> Sequence[Cell]:
    """What mail is called after 10 lessons of each label, in percent: spam as ham, spam, unsure; and ham."""
    found = [one for seed in seeds for one in first_lessons(name, seed, OURS, "by folders", 20)]
    called = {spam: [opinion.said for true, opinion in found if true == spam] for spam in (True, False)}
    return (
        name,
        *(
            100 * fmean(said == word for said in called[spam])
            for spam in (True, False)
            for word in ("ham", "unsure", SPAM)
        ),
    )


def main(arguments: Sequence[str] = ()) -> Iterator[Table]:
    parser = argparse.ArgumentParser(prog="python -m benchmarks cold")
    parser.add_argument("names", nargs="*", choices=[[], *CORPORA], metavar="CORPUS")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    options = parser.parse_args(arguments)
    names, seeds = options.names or CORPORA, options.seeds
    peers = installed_peers(["bogofilter"])
    halves = {
        "chosen on": [name for name in names if name in CHOSEN_ON],
        "confirmed on": [name for name in names if name not in CHOSEN_ON],
    }
    counts = tuple(f"{count} lessons" for count in LESSONS)
    for order in ORDERS:
        for title, half in halves.items():
            if half and "bogofilter" in peers:
                yield Table(
                    f"1-ROCA% after the first lessons, {order}, corpora {title}",
                    ("", *counts),
                    list(beginnings(half, order, "bogofilter", seeds)),
                )
    yield Table(
        "what is called what after 10 + 10 lessons, in percent",
        ("", "spam: ham", "unsure", "spam", "good mail: ham", "unsure", "spam"),
        [three_ways(name, seeds) for name in names],
    )


if __name__ == "__main__":
    import sys

    show(main(sys.argv[1:]))
