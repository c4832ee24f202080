"""Run every example, one after the other, and say what each took.

    python examples --pictures docs/gallery      all of them at full size, as `make gallery` does
    python examples --quick                      a small part of the data

Arguments are handed to each example. All run in one process: to import numpy, scikit-learn and matplotlib
takes four seconds, more than most examples take with --quick.
"""

from __future__ import annotations

import os
import runpy
import sys
import time
import traceback
from pathlib import Path


def main() -> int:
    """Stop at the first example that fails."""
    # One thread: where other work goes on, threads that wait for each other burn what they gain (example 3
    # took 66 s of CPU time with two on a busy machine, and 14 s with one).
    os.environ["OMP_NUM_THREADS"] = "1"
    took = []
    for example in sorted(Path(__file__).parent.glob("[0-9]*_*.py"), key=number):
        print(f"\n## {example.name}\n", flush=True)
        began, spent = time.perf_counter(), time.process_time()
        failed = run(example)
        took.append((example.stem, time.process_time() - spent, time.perf_counter() - began))
        if failed:
            break
    took.append(("all", *(sum(column) for column in list(zip(*took, strict=True))[1:])))
    print(f"\n{'seconds':20}{'CPU':>8}{'wall':>8}")
    for name, cpu, wall in took:
        print(f"{name:20}{cpu:8.1f}{wall:8.1f}")
    return failed


def run(example: Path) -> int:
    """Run one example as a program; its exit code."""
    try:
        runpy.run_path(str(example), run_name="__main__")
    except SystemExit as stop:
        if isinstance(stop.code, str):
            print(stop.code, file=sys.stderr)
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except Exception:
        traceback.print_exc()
        return 1
    return 0


def number(example: Path) -> int:
    """Its place in the gallery."""
    return int(example.stem.partition("_")[0])


if __name__ == "__main__":
    sys.exit(main())
