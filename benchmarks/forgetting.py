"""What it takes to forget one late mail in ledgers of 1,000 to 1,000,000 lessons.

python -m benchmarks forgetting [LESSONS]

Lessons are tiny: up to 24 features each, of some 100,000. They are written straight through the contract of
the ledger, in turns ham and spam, and replayed once; the last 300 are taught as mail is, so that there are
checkpoints. What is measured are whole commands, ``deciban forget --digest``, each for another one of the
last hundred lessons, and beside them the same command for a digest that was never taught. The rest is a
partial replay of some hundred lessons, and the state, which is written anew with an exam for each lesson.
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

LESSONS = 1_000_000
SMALLEST = 1_000
TAUGHT = 300
LATE = 100
RUNS = 5
# What the command says if nothing was forgotten.
NOTHING = 3
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


def forget(path: str, digest: bytes) -> tuple[float, float]:
    """CPU time and time of a whole command that forgets a lesson, in seconds."""
    before, start = cpu_seconds(), time.perf_counter()
    words = ["forget", "--yes", "--digest", digest.hex(), "--db", path]
    done = subprocess.run([sys.executable, "-m", "deciban", *words], capture_output=True, check=False)
    assert done.returncode in (0, NOTHING), done.stderr
    return cpu_seconds() - before, time.perf_counter() - start


def row(count: int, folder: str) -> tuple[int, float, float, float, float, float]:
    """What a ledger of so many lessons takes."""
    path = str(Path(folder, str(count)))
    make(path, count)
    sizes = [Path(name).stat().st_size / 1e6 for name in (path, path + ".snapshot")]
    runs = [forget(path, digest_of(count - 50 - number)) for number in range(RUNS)]
    nothing = statistics.median(forget(path, digest_of(count + number))[0] for number in range(RUNS))
    cpu, wall = (statistics.median(column) for column in zip(*runs, strict=True))
    return count, *sizes, nothing, cpu, wall


def main(arguments: Sequence[str] = ()) -> Iterator[Table]:
    most = int(arguments[0]) if arguments else LESSONS
    counts = [count for count in (SMALLEST * 10**power for power in range(4)) if count < most]
    columns = (
        "lessons",
        "MB of ledger",
        "MB of state",
        "CPU s, nothing to forget",
        "CPU s, a late lesson",
        "seconds, a late lesson",
    )
    with tempfile.TemporaryDirectory() as folder:
        rows = [row(count, folder) for count in (*counts, most)]
    yield Table(f"deciban forget --digest of one of the last {LATE} lessons", columns, rows)


if __name__ == "__main__":
    show(main(sys.argv[1:]))
