"""docs/benchmarks.md, made from benchmarks/results/: `python -m benchmarks --document`."""

from __future__ import annotations

import json
import shlex
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import cell_text
from deciban.whole_file import WholeFile

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
OPENING = """# Benchmarks

deciban and its peers, measured in the same run on the same data. `make bench` measures everything (of
accuracy a sample), says first what that took the last time, installs the peers that it can and names those
that it cannot; `python -m benchmarks NAME` measures one thing, and `python -m benchmarks --document` makes
this page from `benchmarks/results/`. Compare only figures of one table: machines are noisy, and ratios within
one run are what counts.
"""


def document(results: Path) -> str:
    """The page."""
    records = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(results.glob("*.json"))]
    return OPENING + "".join(f"\n{section}" for record in records for section in _sections(record))


def _sections(record: dict[str, Any]) -> Iterator[str]:
    title, _, about = record["about"].partition("\n")
    prose = [
        part for part in about.split("\n\n") if part.strip() and not part.lstrip("\n").startswith("    ")
    ]
    yield f"## {record['name']}\n\n{_wrapped(title)}\n"
    for part in prose:
        if "python -m benchmarks" not in part:
            yield f"{_wrapped(part)}\n"
    command = shlex.join(["python", "-m", "benchmarks", record["name"], *record.get("arguments", ())])
    spent = f", {duration(record['cpu_seconds'])} of CPU time" if "cpu_seconds" in record else ""
    yield _wrapped(f"`{command}`, {record['date']}{spent}, {_facts(record['machine'])}.") + "\n"
    for table in record["tables"]:
        yield _table(table)
    if record["text"].strip():
        yield f"```\n{record['text'].strip()}\n```\n"


def _table(table: dict[str, Any]) -> str:
    lines = [table["columns"], ["---", *(["---:"] * (len(table["columns"]) - 1))]]
    lines += [[cell_text(cell) for cell in row] for row in table["rows"]]
    body = "\n".join("| " + " | ".join(text.replace("|", "\\|") for text in line) + " |" for line in lines)
    note = f"\n\n{_wrapped(table['note'])}" if table["note"] else ""
    return f"**{table['title']}**\n\n{body}{note}\n"


def _facts(machine: dict[str, Any]) -> str:
    peers = ", ".join(
        f"{name} {version}" for name, version in machine["versions"].items() if name != "deciban"
    )
    return (
        f"{machine['cores']} cores ({machine['processor']}), {machine['memory_gib']} GiB, load "
        f"{machine['load_at_start']} at the start, Python {machine['python']}, {peers}"
    )


def duration(seconds: float) -> str:
    """Seconds or minutes, as one says it.

    >>> duration(48), duration(90), duration(5000)
    ('48 s', '2 minutes', '83 minutes')
    """
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds / 60:.0f} minutes"


def _wrapped(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), 118, break_long_words=False, break_on_hyphens=False)


def write(results: Path, page: Path = PAGE) -> None:
    """Write the page."""
    with WholeFile(page) as file:
        file.write(document(results).encode())
