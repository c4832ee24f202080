"""The command ``deciban``: ``deciban VERB …``, one file a verb.

Only the module of the verb that was asked for is imported, so that a call in a mail delivery costs little
more than starting Python. Errors that deciban itself knows are one line on standard error and exit code 3.
"""

from __future__ import annotations

import gc
import os
import sys

from deciban.errors import DecibanError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FAILED = 3
INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it
CLOSED_PIPE = 141  # 128 + SIGPIPE
# New objects before Python looks for garbage among them: more than one call for one mail makes (5,100).
YOUNG_OBJECTS = 20_000

__all__ = ["CLOSED_PIPE", "FAILED", "INTERRUPTED", "main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, that of the process if none is given, and return the exit code."""
    if arguments is not None:
        return _answer(arguments)
    # Looking for garbage among all that was imported, now and then and at the end, took a tenth of the CPU
    # time of `deciban classify < mail`, and there is hardly any.
    gc.set_threshold(YOUNG_OBJECTS)
    code = _answer(sys.argv[1:])
    gc.freeze()
    return code


def _answer(arguments: Sequence[str]) -> int:
    try:
        from deciban.cli.program import run

        code = run(arguments)
        sys.stdout.flush()
    except DecibanError as error:
        from deciban.cli.terminal import harmless

        print(f"deciban: {harmless(str(error))}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        # The interpreter flushes once more when it ends and must not stumble over the same output again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return CLOSED_PIPE
        print(f"deciban: {error.strerror or error}; nothing more was written", file=sys.stderr)
        return FAILED
    return code
