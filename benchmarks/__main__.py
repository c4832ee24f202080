"""Run all benchmarks, or those that are named.

    python -m benchmarks                    everything; results go to benchmarks/results/
    python -m benchmarks naive_bayes        one of them
    python -m benchmarks --document         make docs/benchmarks.md from the results

A benchmark is a module with a ``main()`` that prints, or returns tables (see measure.py).
"""

from __future__ import annotations

import argparse
import os
import pkgutil
import subprocess
import sys

import benchmarks
from benchmarks import document, peers
from benchmarks.outcome import RESULTS

SHARED = {"__main__", "measure", "corpora", "document", "growth_cases", "outcome", "peers"}


def known() -> list[str]:
    """The benchmarks that there are."""
    return sorted({module.name for module in pkgutil.iter_modules(benchmarks.__path__)} - SHARED)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(known())}")
    parser.add_argument(
        "--document", action="store_true", help="make docs/benchmarks.md, and measure nothing"
    )
    options = parser.parse_args()
    if options.document:
        document.write(RESULTS)
        return 0
    unknown = set(options.names) - set(known())
    if unknown:
        sys.exit(f"benchmarks: there is no {unknown.pop()!r}; there are {', '.join(known())}")
    for line in peers.install():
        print(f"A peer is missing, and left out. Run: {line}", file=sys.stderr)
    # One thread each: BLAS would otherwise use as many cores as the noise leaves it.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    failed = []
    for name in options.names or known():
        print(f"\n## {name}\n", flush=True)
        done = subprocess.run([sys.executable, "-m", "benchmarks.outcome", name], env=environment)
        failed += [name] * bool(done.returncode)
    if failed:
        print(f"\nThese did not finish: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
