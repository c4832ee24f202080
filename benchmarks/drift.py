"""Promises where mail drifts: one corpus follows another, or the good mail of another joins in halfway.

"A, then B" is a shuffle of A followed by one of B: every kind of good mail and of spam changes overnight.
"A and good mail of B" is a shuffle of A in whose second half all good mail of B is mixed. Corpora are cut to
6,000 messages. A promise counts as broken if the lower 95% limit of the loss is above it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from statistics import fmean

from benchmarks.accuracy import PROMISES, SAMPLE_SEED
from benchmarks.corpora import labelled_mail
from benchmarks.measure import Table, show
from deciban.decibans import SPAM
from deciban.evaluate import DecibanCommittee, KeptPromise, LabelledMessage, online, shuffled
from deciban.metrics import BROKEN

SEEDS = (1, 2, 3)
MOST = 6000
FOLLOWING = (
    ("spamassassin", "ling_spam"),
    ("spamassassin", "enron_spam"),
    ("enron_spam", "spamassassin"),
    ("ling_spam", "spamassassin"),
    ("sms_spam", "spamassassin"),
    ("ccert_zh", "spamassassin"),
    ("enron_spam", "ling_spam"),
)
JOINING = (
    ("spamassassin", "enron_spam"),
    ("spamassassin", "ling_spam"),
    ("enron_spam", "spamassassin"),
)


@cache
def corpus(name: str) -> Sequence[LabelledMessage]:
    """A sample of a corpus, always the same."""
    return shuffled(labelled_mail(name), SAMPLE_SEED)[:MOST]


def streams(seed: int) -> Iterator[tuple[str, Sequence[LabelledMessage]]]:
    """Every stream, with its name."""
    for first, second in FOLLOWING:
        yield f"{first}, then {second}", shuffled(corpus(first), seed) + shuffled(corpus(second), seed)
    for first, second in JOINING:
        before = shuffled(corpus(first), seed)
        half = len(before) // 2
        joining = [message for message in shuffled(corpus(second), seed) if message.label != SPAM]
        yield (
            f"{first} and good mail of {second}",
            before[:half] + shuffled(before[half:] + joining, seed),
        )


def rows(kept: Mapping[str, Sequence[KeptPromise]]) -> Iterator[tuple[str | float, ...]]:
    """A row a stream: over the seeds, good mail lost in percent, spam caught in percent, promises broken."""
    for name, several in kept.items():
        yield (
            name,
            100 * fmean(one.lost / one.good for one in several),
            100 * fmean(one.caught / one.spam for one in several),
            sum(one.standing == BROKEN for one in several),
        )


def main() -> list[Table]:
    followed: dict[float, dict[str, list[KeptPromise]]] = {rate: {} for rate in PROMISES}
    for seed in SEEDS:
        for name, messages in streams(seed):
            with DecibanCommittee() as subject:
                trial = online(subject, messages)
            for rate, kept in followed.items():
                kept.setdefault(name, []).append(KeptPromise.followed(rate, trial))
    return [
        Table(
            f"at most {rate:.1%} of good mail lost, {len(SEEDS)} seeds",
            ("", "lost %", "caught %", "broken"),
            list(rows(kept)),
        )
        for rate, kept in followed.items()
    ]


if __name__ == "__main__":
    show(main())
