"""The command ``deciban``: ``deciban VERB …``, one file per verb.

Only the module of the verb that was asked for is imported, so that a call in a mail delivery costs little
more than starting Python. Every error, foreseen or not, is one line on standard error and exit code 3: Python
itself would exit with 1, which means good mail.
"""

from __future__ import annotations

import gc
import os
import sys

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
    _occupy_closed_streams()
    code = _answer(sys.argv[1:])
    gc.freeze()
    return code


def _answer(arguments: Sequence[str]) -> int:
    try:
        from deciban.cli.program import run

        code = run(arguments)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        code = CLOSED_PIPE
    except Exception as error:
        from deciban.cli.complaint import complain

        complain(error, "nothing more was written" if _is_ours_to_explain(error) else "")
        code = FAILED
    _flush_or_drop()
    return code


def _is_ours_to_explain(error: Exception) -> bool:
    """Whether the operating system refused something, and no error of deciban says more."""
    from deciban.errors import DecibanError

    return isinstance(error, OSError) and not isinstance(error, DecibanError)


def _flush_or_drop() -> None:
    """Write what is left. If that fails, drop it: Python would try again at its end, and exit with 120."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _occupy_closed_streams() -> None:
    """Open what is closed of descriptors 0 to 2: the next file would get that number, and what is printed.

    Whoever reads standard input or writes standard output then still gets an error; complaints go nowhere.
    """
    if sys.stdin is None:
        os.open(os.devnull, os.O_WRONLY)
        sys.stdin = open(0)  # noqa: SIM115 (for as long as the process lives)
    if sys.stdout is None:
        os.open(os.devnull, os.O_RDONLY)
        sys.stdout = open(1, "w")  # noqa: SIM115
    if sys.stderr is None:
        os.open(os.devnull, os.O_WRONLY)
        sys.stderr = open(2, "w")  # noqa: SIM115
