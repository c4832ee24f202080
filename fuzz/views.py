"""A coverage-guided fuzzer for the views, made as fuzz/reader.py is: python -m fuzz.views [INPUTS] [SEED]."""

import ctypes
import random
import sys
from itertools import count

from deciban.text import Limits, read
from deciban.text.views import extract, trace
from fuzz.instrumented import run
from fuzz.reader import HOME, mutated, seeds

SMALL = Limits(features=100)
PIECES = (
    "http://a.b:8/@c?d=%41 www.x.y $1,000 v1agra v.i.a.g.r.a ca$h рaypal f\u200bree 免费 ไทย 🚀!".encode()
)


def check(raw: bytes) -> None:
    """Both views, and their traces, of any bytes; all the same with a small limit."""
    for limits in (Limits(), SMALL):
        message = read(raw, limits)
        words, letters = extract(message, (), limits)
        assert [feature.hash for feature in trace(message, "words", (), limits)] == list(words)
        assert [feature.hash for feature in trace(message, "letters", (), limits)] == list(letters)


def fuzz(inputs: int | None, seed: int | None) -> None:
    """Takes so many inputs, or goes on for ever."""
    coverage = ctypes.CDLL(None)
    source = random.Random(seed)
    HOME.mkdir(parents=True, exist_ok=True)
    waiting = [PIECES, b"From: " + PIECES, b"Received: " + PIECES, *seeds()]
    pool = list(waiting)
    for number in count() if inputs is None else range(inputs):
        raw = waiting[number] if number < len(waiting) else mutated(source, pool)
        (HOME / "current-views").write_bytes(raw)
        coverage.trace_begin()
        check(raw)
        if coverage.trace_news():
            pool.append(raw)
        if inputs is None and number % 10_000 == 0:
            print(f"{number} inputs, {len(pool)} in the pool", flush=True)
    print(f"{inputs} inputs, {len(pool)} in the pool, nothing found")


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]] + [None, None]
    if hasattr(ctypes.CDLL(None), "trace_begin"):
        fuzz(numbers[0], numbers[1])
    else:
        sys.exit(run(["-m", "fuzz.views", *sys.argv[1:]]).returncode)
