"""Run all benchmarks, or those that are named.

    python -m benchmarks                        everything; results go to benchmarks/results/
    python -m benchmarks naive_bayes startup    some of them
    python -m benchmarks accuracy --seeds 1 2   one of them, with arguments of its own
    python -m benchmarks --plan                 say what it would take, and measure nothing
    python -m benchmarks --document             make docs/benchmarks.md from the results

A benchmark is a module with a ``main()`` that prints, or gives tables (see measure.py). What it takes is what
its last run took.
"""

from __future__ import annotations

import argparse
import json
import os
import pkgutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import benchmarks
from benchmarks import document, peers
from benchmarks.outcome import RESULTS

SHARED = {
    "__main__",
    "measure",
    "corpora",
    "document",
    "growth_cases",
    "load_client",
    "nine_tables",
    "outcome",
    "peers",
    "ruled_peers",
    "serving_peers",
    "waiting_processes",
}


def known() -> list[str]:
    """The benchmarks that there are."""
    return sorted({module.name for module in pkgutil.iter_modules(benchmarks.__path__)} - SHARED)


def plan(names: Sequence[str], results: Path = RESULTS) -> str:
    """What the last run of each benchmark took, and all together; arguments are told where it had some."""
    lines, whole, unknown = [], 0.0, 0
    for name in names:
        path = results / f"{name}.json"
        record = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        seconds = record.get("cpu_seconds")
        whole, unknown = whole + (seconds or 0), unknown + (seconds is None)
        took = "not known yet" if seconds is None else document.duration(seconds)
        with_them = f" with {' '.join(record['arguments'])}" if record.get("arguments") else ""
        lines.append(f"  {name:16}{took}{with_them}")
    more = f", and {unknown} that never told" if unknown else ""
    return "\n".join([*lines, f"CPU time of the last runs: {document.duration(whole)} in all{more}."])


def parsed() -> tuple[argparse.Namespace, list[str]]:
    """The options, and the arguments that are for the one benchmark named."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(known())}")
    parser.add_argument("--plan", action="store_true", help="say what it would take, and measure nothing")
    parser.add_argument(
        "--document", action="store_true", help="make docs/benchmarks.md, and measure nothing"
    )
    words = sys.argv[1:]
    if words and words[0] in known() and not {"--plan", "--document"} & set(words):
        # Words after the first name that are no benchmarks are for it: `accuracy --seeds 1 2`.
        own = next((place for place, word in enumerate(words) if word not in known()), len(words))
        if own > 1 and own < len(words):
            parser.error(f"{words[own]!r} is no benchmark; arguments can be given to one benchmark at a time")
        return parser.parse_args(words[:own]), words[own:]
    return parser.parse_args(words), []


def main() -> int:
    options, arguments = parsed()
    unknown = set(options.names) - set(known())
    if unknown:
        sys.exit(f"benchmarks: there is no {unknown.pop()!r}; there are {', '.join(known())}")
    names = options.names or known()
    if options.document:
        document.write(RESULTS)
        return 0
    print(plan(names), flush=True)
    if options.plan:
        return 0
    for line in peers.install():
        print(f"A peer is missing, and left out. Run: {line}", file=sys.stderr)
    # One thread each: BLAS would otherwise use as many cores as the noise leaves it.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    failed = []
    for name in names:
        print(f"\n## {name}\n", flush=True)
        command = [sys.executable, "-m", "benchmarks.outcome", name, *arguments]
        failed += [name] * bool(subprocess.run(command, env=environment).returncode)
    if failed:
        print(f"\nThese did not finish: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
