"""TextFeatures against scikit-learn's vectorizers: words and pairs of Twenty Newsgroups, one core, CPU time.

    python -m benchmarks text_features

Each round runs all of them one after the other; reported is each one's best round, so that other work on the
machine falls out, and the ratio to ours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

from benchmarks.corpora import newsgroups_by_date
from benchmarks.measure import Table, least_cpu, show
from deciban.learners import TextFeatures

PAIRS = {"ngram_range": (1, 2)}


def contestants(texts: list[str]) -> dict[str, Callable[[], Any]]:
    return {
        "TextFeatures": lambda: TextFeatures(**PAIRS).transform(texts),
        "TextFeatures(named=True)": lambda: TextFeatures(named=True, **PAIRS).fit_transform(texts),
        "HashingVectorizer": lambda: HashingVectorizer(**PAIRS).transform(texts),
        "CountVectorizer": lambda: CountVectorizer(**PAIRS).fit_transform(texts),
    }


def main(rounds: int = 3) -> list[Table]:
    texts, _ = newsgroups_by_date()["train"]
    megabytes = sum(map(len, texts)) / 1e6
    best = least_cpu(contestants(texts), rounds)
    rows = [
        (
            name,
            megabytes / seconds,
            seconds / best["TextFeatures"],
            seconds / best["TextFeatures(named=True)"],
        )
        for name, seconds in best.items()
    ]
    title = f"{len(texts):,} texts, {megabytes:.1f} MB, words and pairs, one core, best of {rounds} rounds"
    return [Table(title, ("", "MB/s", "× hashed", "× named"), rows)]


if __name__ == "__main__":
    show(main())
