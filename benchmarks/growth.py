"""How time and memory grow with the data: 1, 2, 4 and 8 times as much, and the exponent that fits.

An exponent of 1 is linear: twice the data, twice the cost. Each size runs in a process of its own. Time is
CPU time; memory is the peak of the process beyond its imports and its data, which for a filter hardly grows,
because its tables have a fixed size.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from benchmarks.measure import Table, growth_exponent, show

FACTORS = (1, 2, 4, 8)
CHILD = """
import sys, time
from benchmarks.growth_cases import CASES

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024

prepare, work = CASES[sys.argv[1]]
data = prepare(int(sys.argv[2]))
work(prepare(1))  # imports and page faults
with open("/proc/self/clear_refs", "w") as refs:
    refs.write("5")  # the peak starts anew from here
before, started = peak(), time.process_time()
work(data)
print(time.process_time() - started, peak() - before)
"""


def cost(case: str, factor: int) -> tuple[float, float]:
    """CPU seconds and MiB of one size."""
    with tempfile.TemporaryDirectory() as folder:  # where ledgers go
        done = subprocess.run(
            [sys.executable, "-c", CHILD, case, str(factor)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "TMPDIR": folder},
        )
    seconds, memory = map(float, done.stdout.split())
    return seconds, memory


def main() -> list[Table]:
    from benchmarks.growth_cases import CASES

    rows = []
    for case in CASES:
        costs = [cost(case, factor) for factor in FACTORS]
        seconds = [spent for spent, _ in costs]
        memory = [taken for _, taken in costs]
        rows.append((case, *seconds, growth_exponent(FACTORS, seconds), memory[0], memory[-1]))
    columns = ("", *(f"{factor}× s" for factor in FACTORS), "exponent", "1× MiB", "8× MiB")
    return [Table("CPU seconds and peak memory", columns, rows)]


if __name__ == "__main__":
    show(main())
