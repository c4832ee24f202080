"""Fair comparison on a noisy machine: interleaved repetitions, medians, and ratios instead of seconds.

The ``main()`` of a benchmark either prints, or gives tables, all at once or one by one, which `python -m
benchmarks` shows, keeps in `benchmarks/results/` and puts into docs/benchmarks.md. A benchmark that runs by
itself ends with

    if __name__ == "__main__":
        show(main())

>>> show([Table("speed", ("", "MB/s", "ratio"), [("deciban", 120.4, 1.0), ("peer", 40.0, 3.01)])])
speed
           MB/s  ratio
deciban  120.40   1.00
peer      40.00   3.01
>>> round(growth_exponent([1, 2, 4, 8], [3, 12, 48, 192]), 3)
2.0
"""

from __future__ import annotations

import gc
import math
import resource
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

Cell = str | int | float | None


class Table(NamedTuple):
    """Measurements in rows; the first cell of a row says what was measured."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""


class Goal(NamedTuple):
    """A figure that should be at most so much, or at least."""

    what: str
    found: float
    at_most: float | None = None
    at_least: float | None = None

    def row(self) -> tuple[str, float, str, str]:
        """What it says in a table, and whether the goal is met."""
        if self.at_least is not None:
            return self.what, self.found, f"≥ {self.at_least:g}", self._word(self.found >= self.at_least)
        assert self.at_most is not None
        return self.what, self.found, f"≤ {self.at_most:g}", self._word(self.found <= self.at_most)

    @staticmethod
    def _word(met: bool) -> str:
        return "met" if met else "MISSED"


def goals_table(goals: Iterable[Goal]) -> Table:
    """Which goals are met.

    >>> goals_table([Goal("time ÷ peer's", 0.82, at_most=1), Goal("accuracy, %", 87.1, at_least=87.9)]).rows
    [("time ÷ peer's", 0.82, '≤ 1', 'met'), ('accuracy, %', 87.1, '≥ 87.9', 'MISSED')]
    """
    return Table("What was asked for", ("goal", "found", "asked", ""), [goal.row() for goal in goals])


def cell_text(cell: Cell) -> str:
    """A number with as many digits as can be trusted.

    >>> [cell_text(cell) for cell in (1234567, 12345.6, 1.234, 0.01234, None, "–")]
    ['1,234,567', '12,346', '1.23', '0.0123', '', '–']
    """
    if cell is None:
        return ""
    if not isinstance(cell, float):
        return f"{cell:,}" if isinstance(cell, int) else cell
    if abs(cell) >= 1000:
        return f"{cell:,.0f}"
    return f"{cell:.2f}" if abs(cell) >= 0.1 or cell == 0 else f"{cell:.3g}"


def show(tables: Iterable[Table] | None) -> None:
    """Print tables; None comes from a benchmark that has printed already."""
    for table in tables or ():
        lines = [list(table.columns), *([cell_text(cell) for cell in row] for row in table.rows)]
        widths = [max(len(line[place]) for line in lines) for place in range(len(table.columns))]
        print(table.title)
        for line in lines:
            first = f"{line[0]:{widths[0]}}"
            rest = (f"{text:>{width}}" for text, width in zip(line[1:], widths[1:], strict=True))
            print("  ".join((first, *rest)).rstrip(), flush=True)
        if table.note:
            print(table.note)


def interleaved_cpu(calls: Mapping[str, Callable[[], Any]], repetitions: int = 7) -> dict[str, float]:
    """The same in CPU time, which other work on the machine disturbs less."""
    return interleaved(calls, repetitions, time.process_time)


def interleaved(
    calls: Mapping[str, Callable[[], Any]],
    repetitions: int = 7,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """The median time of each call in seconds; one of each in turn, so that all meet the same noise."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()  # the first time pays for imports and page faults
    for _ in range(repetitions):
        for name, call in calls.items():
            gc.collect()
            start = clock()
            call()
            times[name].append(clock() - start)
    return {name: statistics.median(values) for name, values in times.items()}


def cpu_seconds() -> float:
    """What this process and its children have used so far."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )


def least_cpu(calls: Mapping[str, Callable[[], Any]], rounds: int = 3) -> dict[str, float]:
    """The least CPU time of each call, children included; one of each in turn."""
    least = dict.fromkeys(calls, math.inf)
    for _ in range(rounds):
        for name, call in calls.items():
            start = cpu_seconds()
            call()
            least[name] = min(least[name], cpu_seconds() - start)
    return least


def peak_memory(call: Callable[[], Any]) -> float:
    """The most memory, in MB, that a call holds beyond what was there before."""
    gc.collect()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def growth_exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The b of cost = a · size^b, by least squares on logarithms: 1 is linear, 2 quadratic."""
    slope, _ = statistics.linear_regression([math.log(size) for size in sizes], [math.log(c) for c in costs])
    return slope
