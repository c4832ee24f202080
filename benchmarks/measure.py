"""Fair comparison on a noisy machine: interleaved repetitions, medians, and ratios instead of seconds."""

from __future__ import annotations

import gc
import statistics
import time
import tracemalloc
from collections.abc import Callable, Mapping
from typing import Any


def interleaved(calls: Mapping[str, Callable[[], Any]], repetitions: int = 7) -> dict[str, float]:
    """The median time of each call in seconds; one of each in turn, so that all meet the same noise."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()  # the first time pays for imports and page faults
    for _ in range(repetitions):
        for name, call in calls.items():
            gc.collect()
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in times.items()}


def peak_memory(call: Callable[[], Any]) -> float:
    """The most memory, in MB, that a call holds beyond what was there before."""
    gc.collect()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()
