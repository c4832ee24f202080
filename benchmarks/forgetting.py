"""What it takes to forget one late mail in ledgers of 1,000 to 1,000,000 lessons.

python -m benchmarks forgetting [LESSONS]

Lessons are tiny: 24 features each, of 50,000. They are written straight through the contract of the ledger,
in turns ham and spam, and replayed once; then 300 are taught as mail is, so that there are checkpoints. What
is measured are whole commands, ``deciban forget --digest``: their CPU time, and the steps of SQLite that one
of them takes. Each forgets one of the last 100 lessons. Beside it: what is inherent, a partial replay
and a state written anew, without ledger and command; and the CPU time of forgetting one of the first hundred,
which replays everything.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.measure import Table, cpu_seconds, show
from deciban.committee._lesson_code import Features
from deciban.filter import Filter, Settings
from deciban.ledger.lesson import Lesson
from deciban.ledger.sqlite_connection import SqliteConnection

LESSONS = 1_000_000
SMALLEST = 1_000
TAUGHT = 300
LATE = 100
RUNS = 5
AT_ONCE = 10_000
WORDS = 50_000
WORDS_EACH = 12


def lessons(first: int, count: int) -> Iterator[Lesson]:
    """Tiny lessons, in turns ham and spam; each number gives the same one at any time."""
    for number in range(first, first + count):
        drawn = random.Random(number)
        words, letters = (
            array("Q", sorted({_feature(drawn, number % 2) for _ in range(WORDS_EACH)})) for _ in range(2)
        )
        label = ("ham", "spam")[number % 2]
        yield Lesson(digest_of(number), label, 0, "", str(number), "", "", "", "", "",
                     Features.of(words, letters))  # fmt: skip


def _feature(drawn: random.Random, side: int) -> int:
    """One of many, the first of them often; the two labels prefer different ones."""
    rank = int(WORDS ** drawn.random())
    return (rank * 2 + (side if drawn.random() < 0.7 else 1 - side)) * 0x9E3779B97F4A7C15 % (1 << 64)


def digest_of(number: int) -> bytes:
    """The digest of a lesson."""
    return number.to_bytes(16, "big")


def make(path: str, count: int) -> None:
    """A filter of so many lessons."""
    with Filter.open(path, Settings(salt=1)) as filter_:
        for first in range(0, count - TAUGHT, AT_ONCE):
            with filter_.ledger.writing():
                some = lessons(first, min(AT_ONCE, count - TAUGHT - first))
                filter_.ledger.append(zip(some, range(first + 1, first + AT_ONCE + 1), strict=False))
        for first in range(count - TAUGHT, count, LATE):
            filter_.learn(lessons(first, LATE))


def forget(path: str, number: int) -> tuple[float, float]:
    """CPU time and time of a whole command that forgets a lesson, in seconds."""
    before, start = cpu_seconds(), time.perf_counter()
    words = ["forget", "--yes", "--digest", digest_of(number).hex(), "--db", path]
    subprocess.run([sys.executable, "-m", "deciban", *words], check=True, capture_output=True)
    return cpu_seconds() - before, time.perf_counter() - start
