"""Learning and classifying mail in bulk, beside bogofilter, SpamAssassin's Bayes and Vowpal Wabbit.

The same messages of the SpamAssassin corpus in the same order, each subject in a process of its own: half of
them are learned, then the other half is classified. CPU time includes the programs that a subject starts;
memory is the larger of the process and the largest program that it started, beyond that of a subject that
does nothing. deciban is measured as a user runs it, with a durable ledger.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

from benchmarks.corpora import labelled_mail
from benchmarks.measure import Table, cpu_seconds, show
from deciban.evaluate import (
    PEERS,
    LabelledMessage,
    Opinion,
    Subject,
    TaughtMessage,
    installed_peers,
    shuffled,
)

MESSAGES = 2000
SEED = 1


class Ledger:
    """deciban with its ledger on disk."""

    name = "deciban"

    def __init__(self) -> None:
        from deciban.filter import Filter

        self._folder = tempfile.TemporaryDirectory()
        self._filter = Filter.open(os.path.join(self._folder.name, "mail.deciban"))

    def learn(self, lessons: Sequence[TaughtMessage]) -> None:
        """In batches of one label, as `deciban learn` does."""
        from deciban.filter.mail import lessons_from
        from deciban.sources import RawMessage

        for label in ("spam", "ham"):
            messages = [RawMessage(str(n), one.data) for n, one in enumerate(lessons) if one.label == label]
            self._filter.learn(lessons_from(messages, label, self._filter.preferences))

    def classify(self, messages: Sequence[bytes]) -> list[Opinion]:
        """One after the other."""
        from deciban.filter.mail import question_of

        preferences = self._filter.preferences
        verdicts = [self._filter.classify(question_of(message, preferences)) for message in messages]
        return [Opinion(verdict.decibans, verdict.label == "spam") for verdict in verdicts]

    def close(self) -> None:
        """Remove the ledger."""
        self._filter.close()
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()


class Idle:
    """Does nothing: what the harness itself costs."""

    name = "nothing"

    def learn(self, lessons: Sequence[TaughtMessage]) -> None:
        """Nothing."""

    def classify(self, messages: Sequence[bytes]) -> list[Opinion]:
        """The same of everything."""
        return [Opinion(0.0, rejected=False) for _ in messages]

    def close(self) -> None:
        """Nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        """Nothing."""


SUBJECTS: dict[str, Callable[[], Subject]] = {"deciban": Ledger, "nothing": Idle, **PEERS}


def work(name: str, index: str, steps: str) -> None:
    """What the process of one subject does: prints its CPU seconds, and its peak in MB."""
    messages = [LabelledMessage(*line.split("\t")) for line in Path(index).read_text().splitlines()]
    lessons = [TaughtMessage(message.label, Path(message.path).read_bytes()) for message in messages]
    half = len(lessons) // 2
    started = cpu_seconds()
    with SUBJECTS[name]() as subject:
        subject.learn(lessons[:half])
        if steps == "both":
            subject.classify([lesson.data for lesson in lessons[half:]])
    peaks = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(cpu_seconds() - started, max(peaks) / 1e3)


def spent(name: str, index: Path, steps: str) -> tuple[float, float]:
    """CPU seconds and MB of one subject; programs are counted when they have ended, so steps are runs."""
    words = [sys.executable, "-m", "benchmarks.throughput", name, str(index), steps]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    seconds, memory = map(float, done.stdout.split())
    return seconds, memory


def main() -> list[Table]:
    messages = shuffled(labelled_mail("spamassassin"), SEED)[:MESSAGES]
    half = len(messages) // 2
    costs: dict[str, tuple[float, float, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder, "index.tsv")
        index.write_text("".join(f"{message.label}\t{message.path}\n" for message in messages))
        for name in ("nothing", "deciban", *installed_peers()):
            learning, _ = spent(name, index, "learn")
            both, memory = spent(name, index, "both")
            costs[name] = 1000 * learning / half, 1000 * (both - learning) / half, memory
    idle, ours = costs.pop("nothing"), costs["deciban"]
    rows = [
        (name, learn, learn / ours[0], classify, classify / ours[1], memory - idle[2])
        for name, (learn, classify, memory) in costs.items()
    ]
    columns = ("", "learn, ms", "× deciban", "classify, ms", "× deciban", "memory, MB")
    note = "A memory of 0 is less than that of the Python which starts the program."
    return [Table(f"{half:,} learned, {half:,} classified; CPU time a message", columns, rows, note)]


if __name__ == "__main__":
    if len(sys.argv) > 1:
        work(*sys.argv[1:])
    else:
        show(main())
