"""Files beside a ledger, made with its permissions, and by root with its owner.

Whoever may read a ledger may read its state, whatever the umask of the process that made the state. And if
root works on a user's filter, that user can still open it afterwards.
"""

from __future__ import annotations

import os
from contextlib import suppress


def make_like(ledger: str, path: str) -> int:
    """A new file, open to read and write; FileExistsError if something has its name."""
    like = os.stat(ledger)
    mode = like.st_mode & 0o777
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    made = os.fstat(file)
    if made.st_mode & 0o777 != mode:
        with suppress(OSError):
            os.fchmod(file, mode)
    if made.st_uid != like.st_uid:
        with suppress(OSError):
            os.fchown(file, like.st_uid, like.st_gid)
    return file
