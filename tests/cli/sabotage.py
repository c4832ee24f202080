"""Runs ``deciban`` so that one thing goes wrong: python -m tests.cli.sabotage EVENT WRONG VERB …

EVENT is an audit event of Python, such as ``fcntl.fcntl``, ``sqlite3.connect`` or ``import:deciban.filter``.
When it comes, WRONG happens there: an exception is raised (``OSError``, ``MemoryError``,
``ZeroDivisionError`` …), or a signal is sent to the process (``SIGTERM`` …).
"""

import builtins
import errno
import os
import signal
import sys

from deciban.cli import main


def sabotage(event: str, wrong: str) -> None:
    """Let it go wrong at the event."""
    name, _, detail = event.partition(":")

    def happen(what: str, details: tuple[object, ...]) -> None:
        if what != name or (detail and detail != details[0]):
            return
        if wrong.startswith("SIG"):
            os.kill(os.getpid(), getattr(signal, wrong))
        elif wrong == "OSError":
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
        else:
            raise getattr(builtins, wrong)("sabotage")

    sys.addaudithook(happen)


if __name__ == "__main__":
    _, event, wrong, *sys.argv[1:] = sys.argv
    sabotage(event, wrong)
    sys.exit(main())
