"""What one call of ``deciban`` costs beside starting Python: CPU time, the least of many runs.

python -m benchmarks.startup
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile

from benchmarks.measure import Table, show

RUNS = 40
MAIL = b"From: joe@example.org\nSubject: hi\n\nhello\n"


def cpu_milliseconds(arguments: list[str], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # The exit code of classify is its verdict, so only 3 is a failure.
    done = subprocess.run(
        [sys.executable, *arguments],
        input=MAIL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment,
    )
    assert done.returncode < 3, done.stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def main() -> list[Table]:
    # An installed package has its byte code compiled; some development environments switch that off.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    # What pip installs as `deciban`, without the -m for which the interpreter needs 3 ms more.
    command = ["-c", "import sys; from deciban.cli import main; sys.exit(main())"]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mail.eml")
        with open(path, "wb") as file:
            file.write(MAIL)
        environment["DECIBAN_DB"] = os.path.join(folder, "filter.db")
        for label, subject in (("spam", b"free money"), ("ham", b"hi")):
            lessons = b"".join(
                b"From a Thu Jan  1 00:00:00 2026\nSubject: %b %d\n\nx\n\n" % (subject, n) for n in range(30)
            )
            subprocess.run(
                [sys.executable, *command, "learn", label, "-"],
                check=True,
                input=lessons,
                capture_output=True,
                env=environment,
            )
        rows = {
            "python -c pass": ["-c", "pass"],
            "import argparse": ["-c", "import argparse"],
            "deciban --help": [*command, "--help"],
            "deciban read mail.eml": [*command, "read", path],
            "deciban read --json mail.eml": [*command, "read", "--json", path],
            "deciban read --features all mail.eml": [*command, "read", "--features", "all", path],
            "deciban classify < mail.eml": [*command, "classify"],
            "deciban filter < mail.eml": [*command, "filter"],
            "import dataclasses": ["-c", "import dataclasses"],
            "import email.parser": ["-c", "import email.parser"],
        }
        # In turns, so that a busy moment of the machine meets all of them.
        rounds = [
            [cpu_milliseconds(arguments, environment) for arguments in rows.values()] for _ in range(RUNS)
        ]
    best = [min(column) for column in zip(*rounds, strict=True)]
    shown = [(name, spent, spent / best[0]) for name, spent in zip(rows, best, strict=True)]
    return [Table(f"CPU time of one call, least of {RUNS}", ("", "ms", "× a bare interpreter"), shown)]


if __name__ == "__main__":
    show(main())
