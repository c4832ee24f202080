"""One benchmark run by itself: shown, and kept as JSON with the facts of the machine.

    python -m benchmarks.outcome NAME [ARGUMENT ...]    # what `python -m benchmarks` starts for each

A process of its own, so that neither memory nor imports of one benchmark weigh on the next.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.measure import cpu_seconds, show
from benchmarks.peers import versions
from deciban.whole_file import WholeFile

RESULTS = Path(__file__).parent / "results"


class Tee(io.TextIOBase):
    """Writes to the terminal and keeps a copy."""

    def __init__(self) -> None:
        self.kept = io.StringIO()

    def write(self, text: str) -> int:
        """Write it twice."""
        sys.__stdout__.write(text)
        sys.__stdout__.flush()
        return self.kept.write(text)


def machine() -> dict[str, object]:
    """What the figures were measured on; nothing that tells whose it is."""
    model = "unknown"
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as lines:
        model = next(
            (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model
        )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "memory_gib": round(memory, 1),
        "load_at_start": round(os.getloadavg()[0], 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": versions(),
    }


def run(name: str, arguments: Sequence[str] = ()) -> dict[str, Any]:
    """Run one benchmark; what there is to keep of it."""
    facts, started = machine(), cpu_seconds()
    module = importlib.import_module(f"benchmarks.{name}")
    if arguments and not inspect.signature(module.main).parameters:
        sys.exit(f"benchmarks: {name} takes no arguments, got {' '.join(arguments)!r}")
    output, tables = Tee(), []
    with contextlib.redirect_stdout(output):
        for table in (module.main(arguments) if arguments else module.main()) or ():
            show([table])
            tables.append(table)
    return {
        "name": name,
        "arguments": list(arguments),
        "about": (module.__doc__ or "").strip(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "cpu_seconds": round(cpu_seconds() - started),
        "machine": facts,
        "tables": [table._asdict() for table in tables],
        "text": "" if tables else output.kept.getvalue(),
    }


def main(name: str, *arguments: str) -> None:
    record = run(name, arguments)
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    with WholeFile(path) as file:
        file.write(json.dumps(record, indent=1, ensure_ascii=False).encode() + b"\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
