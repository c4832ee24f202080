"""The first lessons and the hundredth day: deciban beside bogofilter and Vowpal Wabbit where little is told.

    python -m benchmarks cold                  # five corpora
    python -m benchmarks cold ling_spam        # some of them

*First lessons*: a filter learns 10 to 200 messages and classifies 500 others. At random, they are the first
of a shuffle; by folders, one half are good mails, taught first, and the other half are spam. The last row is
the mean of deciban's 1-ROCA% over the corpora, divided by that of bogofilter. *Three-way verdicts*, after 10
good mails and 10 spams: what spam and good mail are called.

*The hundredth day*: a stream of 3,000 messages. Each label is told 1,000 messages later, or only if the
subject was wrong or unsure, or for a tenth of the mail; in drift one corpus follows another, 1,500 messages
of each. *Folders*: Twenty Newsgroups, routed after 1, 5 and 20 examples of each group, and what the first
mails of a new folder change.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from statistics import fmean

from benchmarks.accuracy import CORPORA, SAMPLE_SEED
from benchmarks.corpora import labelled_mail, newsgroups_by_date
from benchmarks.drift import FOLLOWING
from benchmarks.measure import Cell, Table, show
from deciban import metrics
from deciban.committee.course import Course
from deciban.committee.extraction import features_of
from deciban.decibans import SPAM
from deciban.evaluate import (
    DecibanCommittee,
    LabelledMessage,
    Opinion,
    StreamStep,
    Subject,
    TaughtMessage,
    follow,
    installed_peers,
    shuffled,
)
from deciban.evaluate.corrections import Corrections, corrected
from deciban.evaluate.feedback import delayed
from deciban.filter import Filter
from deciban.filter.mail import lessons_from, question_of
from deciban.sources import RawMessage
from deciban.text import read

LESSONS = (10, 20, 50, 100, 200)
SEEDS = (1, 2, 3)
ASKED = 500
STREAM = 3000
DELAY = 1000
TOLD = 0.1
EXAMPLES = (1, 5, 20)
ROUTED = 1000
NAMING = ("newsgroups:", "xref:", "path:", "followup-to:")
OURS = DecibanCommittee.name
CHOSEN_ON = ("spamassassin", "enron_spam", "sms_spam")
Messages = Sequence[LabelledMessage]


@cache
def corpus(name: str) -> Messages:
    """A corpus in an order that is always the same."""
    return shuffled(labelled_mail(name), SAMPLE_SEED)


def at_random(order: Messages, count: int) -> list[LabelledMessage]:
    """The first messages."""
    return list(order[:count])


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


def beginnings(names: Sequence[str], order: str, peer: str) -> Iterator[Sequence[Cell]]:
    """Per corpus and subject 1-ROCA% after so many lessons, and the ratio of the means."""
    means = {
        (name, subject, count): fmean(
            roc_loss(first_lessons(name, seed, subject, order, count)) for seed in SEEDS
        )
        for name in names
        for subject in (OURS, peer)
        for count in LESSONS
    }
    for name in names:
        for subject in (OURS, peer):
            yield (f"{name}: {subject}", *(means[name, subject, count] for count in LESSONS))
    yield (
        f"mean of deciban ÷ mean of {peer}",
        *(
            fmean(means[name, OURS, count] for name in names)
            / fmean(means[name, peer, count] for name in names)
            for count in LESSONS
        ),
    )


def three_ways(name: str) -> Sequence[Cell]:
    """What mail is called after 10 lessons of each label, in percent: spam as ham, spam, unsure; and ham."""
    found = [one for seed in SEEDS for one in first_lessons(name, seed, OURS, "by folders", 20)]
    called = {spam: [opinion.said for true, opinion in found if true == spam] for spam in (True, False)}
    return (
        name,
        *(
            100 * fmean(said == word for said in called[spam])
            for spam in (True, False)
            for word in ("ham", "unsure", SPAM)
        ),
    )


def seldom_told(messages: Messages, seed: int) -> list[StreamStep]:
    """A tenth of the labels is told, drawn by lot."""
    dice = Random(seed)
    return [StreamStep(message, told=dice.random() < TOLD) for message in messages]


def days(name: str, make: Callable[[], Subject]) -> Iterator[float]:
    """1-ROCA% of one subject on one corpus with feedback that is late, of mistakes only, and rare."""
    messages = shuffled(corpus(name), SEEDS[0])[:STREAM]
    trials = (
        lambda subject: follow(subject, delayed(messages, DELAY)),
        lambda subject: corrected(subject, Corrections(messages, share=0.0)),
        lambda subject: follow(subject, seldom_told(messages, SEEDS[0])),
    )
    for trial in trials:
        with make() as subject:
            found = trial(subject)
        yield metrics.roc_loss(found.scores, found.spam)


def drifted(pair: tuple[str, str], make: Callable[[], Subject]) -> float:
    """1-ROCA% of one subject where one corpus follows another."""
    messages = [one for name in pair for one in shuffled(corpus(name), SEEDS[0])[: STREAM // 2]]
    with make() as subject:
        found = follow(subject, [StreamStep(message) for message in messages])
    return metrics.roc_loss(found.scores, found.spam)


def hundredth_day(
    names: Sequence[str], subjects: Mapping[str, Callable[[], Subject]]
) -> Iterator[Sequence[Cell]]:
    """Every subject on every corpus, and on corpora in a row."""
    for name in names:
        for title, make in subjects.items():
            yield (f"{name}: {title}", *days(name, make), None)
    for pair in FOLLOWING:
        if set(pair) <= set(names):
            for title, make in subjects.items():
                yield f"{', then '.join(pair)}: {title}", None, None, None, drifted(pair, make)


Folders = Mapping[str, Sequence[bytes]]
Asked = Sequence[tuple[str, bytes]]


def routed(train: Folders, asked: Asked) -> Iterator[Sequence[Cell]]:
    """How much mail finds its folder after so many examples of each."""
    for count in EXAMPLES:
        course = Course()
        for place in range(count):
            for label, texts in train.items():
                course.learn(label, features_of(read(texts[place])))
        totals = [(label, course.score(features_of(read(text)))) for label, text in asked]
        yield count, 100 * fmean(max(found, key=found.__getitem__) == label for label, found in totals)


def new_folder(train: Folders, asked: Asked) -> Iterator[Sequence[Cell]]:
    """What the first mails of a new folder change, for its mail and for that of older folders."""
    labels = list(train)
    course = Course()
    for place in range(EXAMPLES[-1]):
        for label in labels[:-1]:
            course.learn(label, features_of(read(train[label][place])))
    for place in range(5):
        course.learn(labels[-1], features_of(read(train[labels[-1]][place])))
        right: dict[bool, list[bool]] = {True: [], False: []}
        for label, text in asked:
            found = course.score(features_of(read(text)))
            right[label == labels[-1]].append(max(found, key=found.__getitem__) == label)
        yield place + 1, 100 * fmean(right[True]), 100 * fmean(right[False])


def without_group(text: str) -> bytes:
    """A message without the fields that name its group."""
    head, _, body = text.partition("\n\n")
    kept = [line for line in head.split("\n") if not line.lower().startswith(NAMING)]
    return "\n".join([*kept, "", body]).encode()


def newsgroups() -> tuple[dict[str, list[bytes]], list[tuple[str, bytes]]]:
    """Mails by group without the fields that name it, and others to ask about."""
    parts = newsgroups_by_date()
    order = shuffled(list(zip(*parts["train"], strict=True)), SAMPLE_SEED)
    train: dict[str, list[bytes]] = {label: [] for label in sorted(set(parts["train"][1]))}
    for text, label in order:
        train[label].append(without_group(text))
    asked = shuffled(list(zip(parts["test"][1], parts["test"][0], strict=True)), SAMPLE_SEED)[:ROUTED]
    return train, [(label, without_group(text)) for label, text in asked]


def main(arguments: Sequence[str] = ()) -> Iterator[Table]:
    names = tuple(arguments) or CORPORA
    peers = installed_peers(["bogofilter", "Vowpal Wabbit"])
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
                    list(beginnings(half, order, "bogofilter")),
                )
    yield Table(
        "what is called what after 10 + 10 lessons, in percent",
        ("", "spam: ham", "unsure", "spam", "good mail: ham", "unsure", "spam"),
        [three_ways(name) for name in names],
    )
    yield Table(
        f"1-ROCA% over {STREAM:,} messages with little feedback",
        ("", f"{DELAY:,} messages late", "mistakes only", "a tenth", "drift"),
        list(hundredth_day(names, {OURS: DecibanCommittee, **peers})),
    )
    train, asked = newsgroups()
    yield Table(
        "Twenty Newsgroups, right in percent", ("examples a folder", "right"), list(routed(train, asked))
    )
    yield Table(
        "a new folder beside 19 others of 20 examples each, right in percent",
        ("its examples", "its mail", "other mail"),
        list(new_folder(train, asked)),
    )


if __name__ == "__main__":
    import sys

    show(main(sys.argv[1:]))
