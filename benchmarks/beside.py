"""What the results of SpamAssassin and rspamd add as facts: the same stream without and with them.

    python -m benchmarks beside                  # 2,000 messages of two corpora: some 30 minutes
    python -m benchmarks beside --keep FOLDER    # what they wrote is kept there, and not asked for again

Debian's spamd and rspamd judge each message by their rules, without Bayes and without the network
(ruled_peers.py). deciban classifies and learns the messages one by one, as they are, and with the fields that
the programs wrote, whose host is named (docs/beside.md). *Rules alone* ranks messages by the points of the
program. SpamAssassin's rules were made with mail of the first corpus, so that its rows are kind to it; the
other corpus is Chinese. SPF, DKIM and DMARC ask the network about mail as it comes: about mail from 2002 they
can find out nothing, so what they add is not measured.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean

from benchmarks.accuracy import SAMPLE_SEED
from benchmarks.corpora import labelled_mail
from benchmarks.measure import Cell, Table, show
from benchmarks.ruled_peers import HOST, RuledRspamd, RuledSpamd
from benchmarks.serving_peers import CORES
from deciban import metrics
from deciban.committee._lesson_code import Features
from deciban.committee.course import Course
from deciban.decibans import SPAM
from deciban.evaluate import LabelledMessage, shuffled
from deciban.filter.mail import question_of
from deciban.filter.preferences import Preferences

CORPORA = ("spamassassin", "ccert_zh")
MOST = 2000
SEEDS = (1, 2, 3, 4, 5)
FIRST = 200
PEERS: dict[str, Callable[[], RuledSpamd | RuledRspamd]] = {
    RuledSpamd.name: RuledSpamd,
    RuledRspamd.name: RuledRspamd,
}
POINTS = re.compile(r"(?:score=|\[)(-?\d+\.\d+)")
NAMED = Preferences(results_from=[HOST])


def fields_of(peer: str, messages: Sequence[LabelledMessage], kept: Path) -> list[str]:
    """What a program writes into each message; asked for once."""
    if not kept.exists():
        with PEERS[peer]() as running, ThreadPoolExecutor(CORES) as threads:
            found = threads.map(lambda message: running.fields(message.read()), messages)
            kept.write_text(json.dumps([fields.decode("utf-8", "replace") for fields in found]))
    fields: list[str] = json.loads(kept.read_text())
    return fields


def online(stream: Sequence[tuple[LabelledMessage, Features]]) -> tuple[float, float]:
    """1-ROCA% over all messages and over the first, each classified and then learned."""
    course, scores, spam = Course(), [], []
    for message, features in stream:
        totals = course.score(features)
        scores.append(totals[SPAM] - totals["ham"] if len(totals) > 1 else 0.0)
        spam.append(message.spam)
        course.learn(message.label, features)
    return metrics.roc_loss(scores, spam), metrics.roc_loss(scores[:FIRST], spam[:FIRST])


def streams(messages: Sequence[LabelledMessage], fields: Sequence[str]) -> list[tuple[float, float]]:
    """The same in several shuffles; with facts, if fields were written."""
    read = [
        (
            message,
            question_of(written.encode() + message.read(), NAMED if written else Preferences()).features,
        )
        for message, written in zip(messages, fields, strict=True)
    ]
    return [online(shuffled(read, seed)) for seed in SEEDS]


def points_in(fields: str) -> float:
    """The points that a program gave."""
    found = POINTS.search(fields)
    return float(found[1]) if found else 0.0


def compared(corpus: str, keep: Path) -> Iterator[Sequence[Cell]]:
    """The rows of one corpus."""
    messages = shuffled(labelled_mail(corpus), SAMPLE_SEED)[:MOST]
    spam = [message.spam for message in messages]
    written = {peer: fields_of(peer, messages, keep / f"{corpus}-{peer}.json") for peer in PEERS}
    alone = streams(messages, [""] * len(messages))
    yield f"{corpus}: deciban alone", *map(fmean, zip(*alone, strict=True)), 1.0, None
    both = ["".join(each) for each in zip(*written.values(), strict=True)]
    for title, fields in (*written.items(), ("both", both)):
        found = streams(messages, fields)
        means = [fmean(column) for column in zip(*found, strict=True)]
        better = sum(with_facts < without for (with_facts, _), (without, _) in zip(found, alone, strict=True))
        ratio = means[0] / fmean(without for without, _ in alone)
        yield f"{corpus}: with facts of {title}", *means, ratio, f"{better} of {len(SEEDS)}"
    for peer, fields in written.items():
        yield (
            f"{corpus}: {peer}, rules alone",
            metrics.roc_loss(list(map(points_in, fields)), spam),
            *[None] * 3,
        )


def main(arguments: Sequence[str] = ()) -> Iterator[Table]:
    parser = argparse.ArgumentParser(prog="python -m benchmarks beside")
    parser.add_argument("--keep", type=Path, help="a folder to keep the fields in, and to find them again")
    with tempfile.TemporaryDirectory(prefix="deciban-beside-") as folder:
        keep = parser.parse_args(arguments).keep or Path(folder)
        keep.mkdir(parents=True, exist_ok=True)
        yield Table(
            f"1-ROCA% online over {MOST:,} messages, mean of {len(SEEDS)} shuffles",
            ("", "all", f"first {FIRST}", "÷ alone", "shuffles better"),
            [row for corpus in CORPORA for row in compared(corpus, keep)],
        )


if __name__ == "__main__":
    import sys

    show(main(sys.argv[1:]))
