r"""Verdicts in the system's log, one line for each message that `deciban filter` passed on.

>>> from deciban.committee.verdict import Verdict
>>> spam = Verdict("spam", 0.99931, 31.6, {"spam": 0.99931, "ham": 0.00069}, unsure=False)
>>> record_of(b"Message-ID: <1@example.org>\nSubject: hi\n\nhello", spam)
'spam; 31.6 dB; p=0.9993; message-id=<1@example.org>; 46 bytes'
"""

from __future__ import annotations

import os

from deciban.cli.complaint import complain
from deciban.cli.terminal import shortened
from deciban.filter.tag import tags_of
from deciban.text import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.committee.verdict import Verdict

SOCKET = "/dev/log"
MAIL_INFO = 2 << 3 | 6  # facility mail, severity info: RFC 3164
LONGEST_ID = 200


def log_verdict(where: str, message: bytes, verdict: Verdict) -> None:
    """Send a record to the log; that it cannot be reached is told, and keeps no message back."""
    import socket

    line = f"<{MAIL_INFO}>deciban[{os.getpid()}]: {record_of(message, verdict)}"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
            log.setblocking(False)
            log.connect(SOCKET if where == "yes" else where)
            log.send(line.encode("utf-8", "replace"))
    except OSError as error:
        complain(error, f"the verdict was not logged to {SOCKET if where == 'yes' else where}")


def record_of(message: bytes, verdict: Verdict) -> str:
    """What is logged of a verdict: never a subject, a sender or any text."""
    (_, told), *_ = tags_of(verdict)
    name = shortened(read(message).header("message-id"), LONGEST_ID)
    return f"{told}; message-id={name or 'none'}; {len(message):,} bytes"
