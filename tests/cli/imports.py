"""What a command imports, in a process of its own."""

import subprocess
import sys

SCRIPT = """
import sys
before = set(sys.modules)
from deciban.cli import main
code = main()
print(*set(sys.modules) - before, sep="\\n")
sys.exit(code)
"""
# Each takes a millisecond or more, on every delivery, where Python itself starts in 10.
SLOW = frozenset(
    {
        "argparse",
        "dataclasses",
        "datetime",
        "enum",
        "importlib",
        "json",
        "re",
        "sqlite3",
        "tempfile",
        "typing",
    }
)


def imported_by(*arguments: str, stdin: bytes = b"") -> tuple[int, list[str]]:
    """The exit code of a command, and the modules that it needed beyond those of Python itself."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, *arguments], input=stdin, capture_output=True)
    return done.returncode, done.stdout.decode().split()
