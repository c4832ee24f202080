"""Is a change of mail noticed, and how soon? The test of filter/drift.py on corpora.

python -m benchmarks noticing [SEEDS]

*Stable*: a corpus in random order, up to 20,000 messages; every alarm is a false one. *Changes*: 2,500
messages of one corpus, or all that it has, then 300 of another, for each pair of five corpora; told is a
change that raises an alarm within the 300. Every message is examined, then learned.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import permutations
from random import Random

from benchmarks.corpora import labelled_mail
from benchmarks.measure import Table, show
from deciban.committee._lesson_code import Features
from deciban.committee.course import Course
from deciban.committee.extraction import features_of
from deciban.decibans import SPAM
from deciban.filter.drift import ExamWatch, WordWatch
from deciban.filter.exams import examined
from deciban.text import read

CORPORA = ("spamassassin", "enron_spam", "ling_spam", "sms_spam", "ccert_zh")
STABLE = 20_000
BEFORE, AFTER = 2_500, 300
Known = tuple[str, Features]


@cache
def corpus(name: str) -> tuple[Known, ...]:
    """A corpus in random order, read."""
    messages = labelled_mail(name)
    Random(5).shuffle(messages)
    return tuple((message.label, features_of(read(message.read()))) for message in messages[:STABLE])


def stream(name: str, seed: int, count: int) -> list[Known]:
    """So many messages of a corpus, in the order of a seed."""
    messages = list(corpus(name))
    Random(f"{name} {seed}").shuffle(messages)
    return messages[:count]


def alarms(messages: Sequence[Known]) -> Iterator[int]:
    """Where the alarm is raised, by exams or by words."""
    course, exams, words = Course(None), ExamWatch(), WordWatch()
    for place, (label, features) in enumerate(messages):
        row = examined(label, course.learn(label, features).totals)
        by_exam = row.truth is not None and exams.see(label == SPAM, row.truth)
        if words.see(label == SPAM, features.words) or by_exam:
            yield place


def main(arguments: Sequence[str] = ()) -> Iterator[Table]:
    seeds = range(1, 1 + int(arguments[0]) if arguments else 2)
    rows = []
    for name in CORPORA:
        found = [len(list(alarms(stream(name, seed, STABLE)))) for seed in seeds]
        rows.append((name, len(corpus(name)) * len(found), sum(found)))
    yield Table("stable streams", ("", "messages", "false alarms"), rows)
    pairs = []
    for first, second in permutations(CORPORA, 2):
        delays, told, false = [], 0, 0
        for seed in seeds:
            before = stream(first, seed, BEFORE)
            found = list(alarms(before + stream(second, seed, AFTER)))
            after = [place - len(before) for place in found if place >= len(before)]
            false += len(found) - len(after)
            told += bool(after)
            delays += after[:1]
        late = statistics.median(delays) if delays else None
        pairs.append((f"{first}, then {second}", told, len(seeds), late, false))
    columns = ("", "told", "of", "after messages", "false alarms before")
    yield Table("changes", columns, pairs)


if __name__ == "__main__":
    show(main(sys.argv[1:]))
