"""The loop of a coverage-guided fuzzer: inputs that reach something new join a pool, and are mutated.

Something new is an edge between two basic blocks, or a known one twice as often as before (trace.c). What is
about to be tried stands in a file of build/fuzz, so the input that ended a run can be tried again.
"""

import ctypes
import random
import sys
from collections.abc import Callable
from hashlib import sha1
from itertools import count
from pathlib import Path

from fuzz.instrumented import ROOT, run

HOME = ROOT / "build" / "fuzz"


def explore(
    check: Callable[[bytes], None],
    mutated: Callable[[random.Random, list[bytes]], bytes],
    first: list[bytes],
    inputs: int | None,
    seed: int | None,
    current: str,
    kept: Path | None = None,
) -> None:
    """Checks so many inputs, or goes on for ever; without a seed, a kept pool is taken up and added to."""
    trace = ctypes.CDLL(None)
    source = random.Random(seed)
    HOME.mkdir(parents=True, exist_ok=True)
    if seed is not None:
        kept = None
    if kept is not None:
        kept.mkdir(exist_ok=True)
    waiting = first + ([] if kept is None else [path.read_bytes() for path in sorted(kept.iterdir())])
    pool = list(first)
    for number in count() if inputs is None else range(inputs):
        raw = waiting[number] if number < len(waiting) else mutated(source, pool)
        (HOME / current).write_bytes(raw)
        trace.trace_begin()
        check(raw)
        if trace.trace_news():
            pool.append(raw)
            if kept is not None:
                (kept / sha1(raw).hexdigest()).write_bytes(raw)
        if inputs is None and number % 10_000 == 0:
            print(f"{number} inputs, {len(pool)} in the pool", flush=True)
    print(f"{inputs} inputs, {len(pool)} in the pool, nothing found")


def main(module: str, fuzz: Callable[[int | None, int | None], None], current: str) -> None:
    """Runs a fuzzer with the numbers of the command line, on the instrumented build."""
    numbers = [int(argument) for argument in sys.argv[1:]] + [None, None]
    if hasattr(ctypes.CDLL(None), "trace_begin"):
        fuzz(numbers[0], numbers[1])
    else:
        code = run(["-m", module, *sys.argv[1:]]).returncode
        sys.exit(f"ended with code {code}; the input that did it is {HOME / current}" if code else 0)
