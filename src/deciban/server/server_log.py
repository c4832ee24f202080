r"""The log: lines of text or JSON on standard error, without subjects, addresses or names of spaces.

>>> import io
>>> log = ServerLog("text", io.StringIO())
>>> log.say("worker", "ready", pid=17)
>>> log.stream.getvalue().partition(" ")[2]
'worker: ready pid=17\n'
"""

from __future__ import annotations

import json
import sys
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from typing import IO


class ServerLog:
    """Writes one line for each event, in one write, so that lines of several processes do not mix."""

    def __init__(self, form: str = "text", stream: IO[str] | None = None) -> None:
        self._form = form
        self.stream = stream or sys.stderr

    def say(self, who: str, what: str, **fields: object) -> None:
        """One event."""
        moment = datetime.now(UTC).isoformat(timespec="milliseconds")
        if self._form == "json":
            line = json.dumps({"time": moment, "part": who, "event": what, **fields})
        else:
            shown = "".join(f" {name}={_shown(value)}" for name, value in fields.items())
            line = f"{moment} {who}: {what}{shown}"
        with suppress(OSError, ValueError):  # a log that cannot be written keeps nobody from working
            self.stream.write(line + "\n")
            self.stream.flush()

    def fault(self, who: str, error: BaseException, **fields: object) -> None:
        """Something unforeseen, with the places in our code where it happened."""
        frames = traceback.extract_tb(error.__traceback__)
        where = " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(frames[-6:]))
        self.say(who, "fault", error=type(error).__name__, where=where, **fields)


def _shown(value: object) -> str:
    """A value on one line.

    >>> _shown("a b"), _shown(17)
    ('"a b"', '17')
    """
    text = str(value)
    return text if text.isprintable() and " " not in text and text else json.dumps(text)
