"""Run every example, one after the other, and say what each took.

    python examples --pictures docs/gallery      all of them at full size, as `make gallery` does
    python examples --quick                      a small part of the data

Arguments are handed to each example.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path


def main() -> int:
    """Stop at the first example that fails."""
    # One thread: where other work goes on, threads that wait for each other burn what they gain (example 3
    # took 66 s of CPU time with two on a busy machine, and 14 s with one).
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    took = []
    for example in sorted(Path(__file__).parent.glob("[0-9]*_*.py"), key=number):
        print(f"\n## {example.name}\n", flush=True)
        began, spent = time.perf_counter(), cpu_seconds()
        failed = subprocess.run([sys.executable, example, *sys.argv[1:]], env=environment).returncode
        took.append((example.stem, cpu_seconds() - spent, time.perf_counter() - began))
        if failed:
            break
    took.append(("all", *(sum(column) for column in list(zip(*took, strict=True))[1:])))
    print(f"\n{'seconds':20}{'CPU':>8}{'wall':>8}")
    for name, cpu, wall in took:
        print(f"{name:20}{cpu:8.0f}{wall:8.0f}")
    return failed


def number(example: Path) -> int:
    """Its place in the gallery."""
    return int(example.stem.partition("_")[0])


def cpu_seconds() -> float:
    """What the examples have used so far, on all cores."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
