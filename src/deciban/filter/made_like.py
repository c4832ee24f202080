"""Files beside a ledger, made with its permissions, and by root with its owner; how they are written.

Whoever may read a ledger may read its state, whatever the umask of the process that made the state. And if
root works on a user's filter, that user can still open it afterwards.
"""

from __future__ import annotations

import os
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import Buffer

# Files are written in pieces of so many bytes. For more at once the system looks for huge pages; on a virtual
# machine that has handed its free memory back, 26 MB then took 200 to 300 ms instead of 6.
PIECE = 1 << 18


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


def others_may_read(ledger: str) -> bool:
    """Whether not only its owner and root may read a ledger."""
    return bool(os.stat(ledger).st_mode & 0o077)


def write_at(file: int, start: int, content: Buffer) -> int:
    """Write all of it behind the start of a file; where it ends."""
    with memoryview(content) as rest:
        done = 0
        while done < len(rest):
            done += os.pwrite(file, rest[done : done + PIECE], start + done)
    return start + done
