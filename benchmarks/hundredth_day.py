"""The hundredth day: deciban, bogofilter and Vowpal Wabbit where labels are few, late, or of other mail.

    python -m benchmarks hundredth_day                        # five corpora, some six minutes
    python -m benchmarks hundredth_day ling_spam --seeds 1 2  # some of them

Streams of 2,500 messages of a corpus, 1-ROCA% of what is asked:

    late             each label is told 1,000 messages later; nothing is asked before the first is told
    mistakes only    a label is told if the verdict was wrong or unsure, of which Vowpal Wabbit has none
    a tenth          the labels of a tenth of the mail are told, drawn by lot
    in a row         the corpora follow one another, 1,000 messages of each, every label told at once; each
                     figure is of the messages of one corpus. The first begins with nothing.

Nothing was chosen by these figures. The last rows are geometric means over the corpora of deciban's figure
divided by that of a peer, with .02 added to both.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from random import Random
from statistics import fmean

from benchmarks.accuracy import CORPORA, SAMPLE_SEED
from benchmarks.corpora import labelled_mail
from benchmarks.measure import Cell, Table, show
from deciban import metrics
from deciban.decibans import SPAM, UNSURE
from deciban.evaluate import (
    DecibanCommittee,
    LabelledMessage,
    Opinion,
    StreamStep,
    Subject,
    Trial,
    follow,
    installed_peers,
    shuffled,
)
from deciban.evaluate.corrections import Corrections, corrected
from deciban.evaluate.feedback import delayed, immediate
from deciban.evaluate.peers import Bogofilter

STREAM = 2500
DELAY = 1000
TOLD = 0.1
IN_A_ROW = 1000
HAM_CUTOFF = 0.45
GRAIN = 0.02
OURS = DecibanCommittee.name
Make = Callable[[], Subject]
Messages = Sequence[LabelledMessage]


@cache
def corpus(name: str) -> Messages:
    """A corpus in an order that is always the same."""
    return shuffled(labelled_mail(name), SAMPLE_SEED)


class ThreeWayBogofilter(Bogofilter):
    """bogofilter as its own three-way verdict says: below .45 it calls mail good, from .99 on spam."""

    def classify(self, messages: Sequence[bytes]) -> list[Opinion]:
        """The same scores, with what it calls them."""
        return [opinion._replace(label=self._called(opinion)) for opinion in super().classify(messages)]

    def _called(self, opinion: Opinion) -> str:
        if opinion.rejected:
            return SPAM
        return "ham" if opinion.score <= HAM_CUTOFF else UNSURE


def late(subject: Subject, messages: Messages, _: int) -> Trial:
    """What is said before the first label is told tells nothing, so it is not asked."""
    return follow(subject, delayed(messages, DELAY)[DELAY:])


def mistakes_only(subject: Subject, messages: Messages, _: int) -> Trial:
    """Only what was wrong or unsure is told."""
    return corrected(subject, Corrections(messages, share=0.0))


def a_tenth(subject: Subject, messages: Messages, seed: int) -> Trial:
    """A tenth of the labels is told, drawn by lot."""
    dice = Random(seed)
    return follow(subject, [StreamStep(message, told=dice.random() < TOLD) for message in messages])


FEEDBACK = {"late": late, "mistakes only": mistakes_only, "a tenth": a_tenth}


def loss(trial: Trial) -> float:
    """1-ROCA%."""
    return metrics.roc_loss(trial.scores, trial.spam)


def days(name: str, make: Make, seed: int) -> list[float]:
    """1-ROCA% of one subject on one corpus under each kind of feedback."""
    messages = shuffled(corpus(name), seed)[:STREAM]
    found = []
    for told in FEEDBACK.values():
        with make() as subject:
            found.append(loss(told(subject, messages, seed)))
    return found


def in_a_row(names: Sequence[str], make: Make, seed: int) -> dict[str, float]:
    """1-ROCA% of one subject on each corpus of a row."""
    messages = [message for name in names for message in shuffled(corpus(name), seed)[:IN_A_ROW]]
    with make() as subject:
        trial = follow(subject, immediate(messages))
    parts = [slice(place * IN_A_ROW, (place + 1) * IN_A_ROW) for place in range(len(names))]
    return {
        name: metrics.roc_loss(trial.scores[part], trial.spam[part])
        for name, part in zip(names, parts, strict=True)
    }


Figures = Mapping[tuple[str, str], Sequence[float]]


def measured(names: Sequence[str], subjects: Mapping[str, Make], seeds: Sequence[int]) -> Figures:
    """Every subject on every corpus, means over the seeds."""
    found = {}
    for title, make in subjects.items():
        rows = [in_a_row(names, make, seed) for seed in seeds]
        for name in names:
            columns = zip(*(days(name, make, seed) for seed in seeds), strict=True)
            found[name, title] = [*map(fmean, columns), fmean(row[name] for row in rows)]
    return found


def compared(figures: Figures, names: Sequence[str], peer: str) -> list[float]:
    """deciban's figures in parts of a peer's, over all corpora."""
    pairs = [zip(figures[name, OURS], figures[name, peer], strict=True) for name in names]
    return [
        math.exp(fmean(math.log((ours + GRAIN) / (theirs + GRAIN)) for ours, theirs in column))
        for column in zip(*pairs, strict=True)
    ]


def rows(figures: Figures, names: Sequence[str], subjects: Sequence[str]) -> Iterator[Sequence[Cell]]:
    """A row per corpus and subject, and one per peer."""
    for name in names:
        for title in subjects:
            yield f"{name}: {title}", *figures[name, title]
    for peer in subjects:
        if peer != OURS:
            yield f"deciban ÷ {peer}", *compared(figures, names, peer)


def main(arguments: Sequence[str] = ()) -> Iterator[Table]:
    parser = argparse.ArgumentParser(prog="python -m benchmarks hundredth_day")
    parser.add_argument("names", nargs="*", choices=[[], *CORPORA], metavar="CORPUS")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    options = parser.parse_args(arguments)
    names = options.names or CORPORA
    subjects = {OURS: DecibanCommittee, **installed_peers(["bogofilter", "Vowpal Wabbit"])}
    if Bogofilter.name in subjects:
        subjects[Bogofilter.name] = ThreeWayBogofilter
    figures = measured(names, subjects, options.seeds)
    yield Table(
        "1-ROCA% where little is told, late, or of other mail",
        ("", *FEEDBACK, "in a row"),
        list(rows(figures, names, list(subjects))),
    )


if __name__ == "__main__":
    import sys

    show(main(sys.argv[1:]))
