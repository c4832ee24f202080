"""How many slots a table should have: accuracy, size and speed from 2^16 to 2^22, on five corpora.

    python -m benchmarks slots                                  # 3,000 messages of each corpus, two seeds
    python -m benchmarks slots --most 20000 --seeds 1 2 3 4 5   # nearly everything: some hours
    python -m benchmarks slots --corpora ling_spam --bits 18 21

Every table meets the same messages in the same shuffles, with a salt of its own in each. Accuracy is
1-ROCA%, the mean over the seeds, and its ratio to that of the default. Speed is CPU time of the committee
alone, the least of the seeds; features are extracted beforehand. The state is the file of a filter that was
taught half of the messages. Choose on SpamAssassin and Ling, and confirm on the others.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Self

from benchmarks.corpora import labelled_mail
from benchmarks.measure import Cell, Table, show
from deciban.committee._committee import Committee
from deciban.committee._lesson_code import Features
from deciban.committee.extraction import features_of
from deciban.committee.settings import Settings
from deciban.decibans import SPAM, log_odds, probability_of
from deciban.evaluate import (
    Figures,
    LabelledMessage,
    Opinion,
    TaughtMessage,
    Trial,
    online,
    shuffled,
    split_in_half,
)
from deciban.filter import Filter
from deciban.filter.mail import lesson_of
from deciban.filter.preferences import Preferences
from deciban.sources import RawMessage
from deciban.text import read

CORPORA = ("spamassassin", "ling_spam", "enron_spam", "sms_spam", "ccert_zh")
DEFAULT = Settings().bits
BITS = tuple(range(16, 23))
SAMPLE_SEED = 2026
COLUMNS = ("", "online", "÷ default", "half", "÷ default", "learn, µs", "score, µs", "state, MB")


class SlotTable:
    """A committee with so many slots, asked and taught by features that were extracted before."""

    name = "deciban"

    def __init__(self, bits: int, salt: int, known: dict[bytes, Features]) -> None:
        self._committee = Committee.fresh(Settings(bits=bits, salt=salt))
        self._known = known
        self.learning = 0.0
        self.scoring = 0.0

    def _features(self, message: bytes) -> Features:
        if message not in self._known:
            self._known[message] = features_of(read(message))
        return self._known[message]

    def learn(self, lessons: Sequence[TaughtMessage]) -> None:
        """One lesson after the other."""
        taught = [(lesson.label, self._features(lesson.data)) for lesson in lessons]
        begun = time.process_time()
        for label, features in taught:
            self._committee.learn(label, features)
        self.learning += time.process_time() - begun

    def classify(self, messages: Sequence[bytes]) -> list[Opinion]:
        """The log-odds of spam."""
        asked = [self._features(message) for message in messages]
        begun = time.process_time()
        totals = [self._committee.totals_of(features) for features in asked]
        self.scoring += time.process_time() - begun
        scores = [log_odds(total) if len(total) > 1 and SPAM in total else 0.0 for total in totals]
        return [Opinion(score, rejected=False, probability=probability_of(score)) for score in scores]

    def close(self) -> None:
        """Nothing is left behind."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()


def state_size(bits: int, messages: Sequence[LabelledMessage]) -> float:
    """The MB of the state of a filter that was taught these messages."""
    lessons = [
        lesson_of(each.label, "", Preferences(), RawMessage(str(each.path), Path(each.path).read_bytes()))
        for each in messages
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mail.deciban")
        with Filter.open(path, Settings(bits=bits, salt=1)) as mail:
            mail.learn(lessons)
        return os.path.getsize(path + ".snapshot") / 1e6


def measured(
    corpus: str, messages: Sequence[LabelledMessage], bits: Sequence[int], seeds: Sequence[int]
) -> Table:
    """One row for each number of slots; tables take turns, so that all meet the same noise."""
    known: dict[bytes, Features] = {}
    losses: dict[tuple[int, str], list[float]] = {}
    speeds: dict[int, list[tuple[float, float]]] = {each: [] for each in bits}
    for seed in seeds:
        for each in bits:
            for protocol in ("online", "half"):
                subject = SlotTable(each, seed, known)
                trial = (
                    online(subject, shuffled(messages, seed))
                    if protocol == "online"
                    else split_in_half(subject, messages, seed)
                )
                losses.setdefault((each, protocol), []).append(Figures.of(trial).roc_loss)
                if protocol == "half":
                    speeds[each].append(_microseconds(subject, trial, len(messages)))
            print(f"  {corpus}, seed {seed}, 2^{each}", file=sys.stderr, flush=True)
    half = list(messages[: len(messages) // 2])
    rows = [_row(each, losses, speeds[each], state_size(each, half)) for each in bits]
    spams = sum(message.spam for message in messages)
    return Table(
        f"{corpus}: {len(messages):,} messages, {spams:,} of them spam, {len(seeds)} seeds", COLUMNS, rows
    )


def _microseconds(subject: SlotTable, trial: Trial, count: int) -> tuple[float, float]:
    asked = len(trial.messages)
    return subject.learning / (count - asked) * 1e6, subject.scoring / asked * 1e6


def _row(
    bits: int, losses: dict[tuple[int, str], list[float]], speeds: list[tuple[float, float]], state: float
) -> Sequence[Cell]:
    cells: list[Cell] = []
    for protocol in ("online", "half"):
        mean = fmean(losses[bits, protocol])
        default = fmean(losses.get((DEFAULT, protocol), [0.0]))
        cells += [mean, mean / default if default else None]
    learn, score = (min(column) for column in zip(*speeds, strict=True))
    return (f"2^{bits}", *cells, learn, score, state)


def options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.slots", description=__doc__.partition("\n")[0])
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=CORPORA)
    parser.add_argument("--bits", nargs="+", type=int, default=BITS)
    parser.add_argument("--seeds", nargs="+", type=int, default=(1, 2))
    parser.add_argument("--most", type=int, default=3000, help="a sample of so many messages of each corpus")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] = ()) -> Iterator[Table]:
    chosen = options(arguments)
    for corpus in chosen.corpora:
        messages = shuffled(labelled_mail(corpus), SAMPLE_SEED)[: chosen.most]
        yield measured(corpus, messages, chosen.bits, chosen.seeds)


if __name__ == "__main__":
    show(main(sys.argv[1:]))
