"""One benchmark run by itself: shown, and kept as JSON with the facts of the machine.

    python -m benchmarks.outcome NAME FOLDER      # what `python -m benchmarks` starts for each benchmark

A process of its own, so that neither memory nor imports of one benchmark weigh on the next.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.measure import Table, show
from benchmarks.peers import versions

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


def run(name: str) -> dict[str, Any]:
    """Run one benchmark; what there is to keep of it."""
    facts = machine()
    module = importlib.import_module(f"benchmarks.{name}")
    output = Tee()
    with contextlib.redirect_stdout(output):
        tables: list[Table] | None = module.main()
        show(tables)
    return {
        "name": name,
        "about": (module.__doc__ or "").strip(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "machine": facts,
        "tables": [table._asdict() for table in tables or ()],
        "text": "" if tables else output.kept.getvalue(),
    }


def main(name: str, folder: str = str(RESULTS)) -> None:
    record = run(name)
    Path(folder).mkdir(exist_ok=True)
    path = Path(folder, f"{name}.json")
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
