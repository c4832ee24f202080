"""What went wrong, in one line on standard error. To complain never fails, whatever became of that stream.

>>> complaint(MemoryError())
'out of memory'
>>> complaint(FileNotFoundError(2, "No such file or directory", "mail.eml"))
"'mail.eml': No such file or directory"
>>> complaint(KeyError("spam"))
"unforeseen KeyError: 'spam'; DECIBAN_TRACEBACK=1 shows where it happened"
"""

from __future__ import annotations

import errno
import os
import sys

from deciban.cli.terminal import harmless
from deciban.errors import DecibanError

TRACEBACK = "DECIBAN_TRACEBACK"


def complain(error: BaseException, consequence: str = "") -> None:
    """Say what went wrong, and what follows from it; with the traceback if the environment asks for it."""
    try:
        if os.environ.get(TRACEBACK):
            import traceback

            traceback.print_exception(error, file=sys.stderr)
        text = complaint(error) + (f"; {consequence}" if consequence else "")
        print(f"deciban: {harmless(text)}", file=sys.stderr, flush=True)
    except Exception:  # nobody can be told
        return


def complaint(error: BaseException) -> str:
    """The line for an error, foreseen or not."""
    if isinstance(error, DecibanError):
        return str(error)
    if isinstance(error, MemoryError):
        return "out of memory"
    if isinstance(error, OSError) and error.errno == errno.EBADF:
        return "standard input or output is closed"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename!r}: {error.strerror}" if error.filename else error.strerror
    return f"unforeseen {type(error).__name__}: {error}; {TRACEBACK}=1 shows where it happened"
