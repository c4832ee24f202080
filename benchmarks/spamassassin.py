"""deciban beside bogofilter and SpamAssassin's Bayes, on SpamAssassin's own mail: half of it learned.

SpamAssassin takes too long for all corpora and seeds of the benchmark `accuracy`, so it has this one. The
README quotes it.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import accuracy
from benchmarks.measure import Table, show

ARGUMENTS = (
    *("--corpora", "spamassassin", "--protocols", "half", "--seeds", "1", "--most", "2000"),
    *("--subjects", "deciban", "bogofilter", "SpamAssassin"),
)


def main() -> Iterator[Table]:
    yield from accuracy.main(ARGUMENTS)


if __name__ == "__main__":
    show(main())
