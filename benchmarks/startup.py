"""What one call of ``deciban`` costs beside starting Python: CPU time, the least of many runs.

python -m benchmarks.startup
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile

RUNS = 40
MAIL = b"From: joe@example.org\nSubject: hi\n\nhello\n"


def cpu_milliseconds(arguments: list[str]) -> float:
    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    # An installed package has its byte code compiled; some development environments switch that off.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    best = float("inf")
    for _ in range(RUNS):
        before = spent()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment)
        best = min(best, spent() - before)
    return best * 1000


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mail.eml")
        with open(path, "wb") as file:
            file.write(MAIL)
        # What pip installs as `deciban`, without the -m of which the interpreter needs 3 ms for runpy.
        command = ["-c", "import sys; from deciban.cli import main; sys.exit(main())"]
        rows = {
            "python -c pass": ["-c", "pass"],
            "import argparse": ["-c", "import argparse"],
            "deciban --help": [*command, "--help"],
            "deciban read mail.eml": [*command, "read", path],
            "deciban read --json mail.eml": [*command, "read", "--json", path],
            "deciban read --features all mail.eml": [*command, "read", "--features", "all", path],
            "import email.parser": ["-c", "import email.parser"],
            "import dataclasses": ["-c", "import dataclasses"],
        }
        bare = 0.0
        for name, arguments in rows.items():
            milliseconds = cpu_milliseconds(arguments)
            bare = bare or milliseconds
            print(f"{name:40} {milliseconds:6.1f} ms   {milliseconds / bare:4.1f} × a bare interpreter")


if __name__ == "__main__":
    main()
