"""Runs ``deciban`` so that one thing goes wrong: python -m tests.cli.sabotage EVENT WRONG VERB …

EVENT is an audit event of Python, such as ``fcntl.flock``, ``sqlite3.connect`` or ``import:deciban.filter``.
When it comes, WRONG happens there: an exception is raised (``OSError``, ``MemoryError``,
``ZeroDivisionError`` …), or a signal is sent to the process (``SIGTERM`` …).
"""

import builtins
import errno
import os
import signal
import sys

from deciban.cli import main

EVENT, WRONG, *ARGUMENTS = sys.argv[1:]


def happen(event: str, details: tuple[object, ...]) -> None:
    """Let it go wrong at the event."""
    name, _, detail = EVENT.partition(":")
    if event != name or (detail and detail != details[0]):
        return
    if WRONG.startswith("SIG"):
        os.kill(os.getpid(), getattr(signal, WRONG))
    elif WRONG == "OSError":
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
    else:
        raise getattr(builtins, WRONG)("sabotage")


sys.argv[1:] = ARGUMENTS
sys.addaudithook(happen)
sys.exit(main())
