r"""The one way to write a file: it appears whole under its name, or not at all.

The content goes to a new file beside the target, is forced to the disk, and takes the target's name in one
step. Two processes that write one path both succeed, and the last one wins; a reader sees the old file or
the new one, never a piece of either. The new file has a random name that nobody can guess, is created and
never opened if something has that name, so no link that was planted there is followed. After any failure
it is removed, and the old file is as it was.

>>> import os, tempfile
>>> path = os.path.join(tempfile.mkdtemp(), "greeting")
>>> with WholeFile(path) as file:
...     _ = file.write(b"hello\n")
>>> open(path).read(), os.listdir(os.path.dirname(path))
('hello\n', ['greeting'])

A link under the target's own name is replaced, not followed. A file that is replaced passes on its
permissions. What is no plain file (a pipe, a terminal, /dev/stdout) cannot be replaced, and is written to
directly.
"""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import BinaryIO

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# Names here stand for what a process has open, such as /dev/stdout, also where that is a plain file.
OPENED = ("/dev", "/dev/fd", "/proc/self/fd")


class WholeFile:
    """A file to be written within a ``with`` statement; it gets its name when that ends well."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._unfinished = ""
        self._file: BinaryIO | None = None

    def __enter__(self) -> BinaryIO:
        if _cannot_be_replaced(self.path):
            self._file = open(self.path, "wb")
            return self._file
        if os.path.isdir(self.path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), self.path)
        unfinished = os.path.join(os.path.dirname(self.path), f".deciban-{os.urandom(8).hex()}.part")
        self._file = os.fdopen(os.open(unfinished, NEW, 0o666), "wb")
        self._unfinished = unfinished
        return self._file

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._file is not None
        try:
            if kind is None and self._unfinished:
                self._publish(self._file)
        finally:
            try:
                self._file.close()
            finally:
                self._remove()

    def _publish(self, file: BinaryIO) -> None:
        file.flush()
        mode = _mode_of(self.path)
        if mode is not None:
            os.fchmod(file.fileno(), mode)
        os.fsync(file.fileno())
        os.rename(self._unfinished, self.path)
        self._unfinished = ""
        _sync_folder(os.path.dirname(self.path) or ".")

    def _remove(self) -> None:
        if self._unfinished:
            os.unlink(self._unfinished)
            self._unfinished = ""


def _cannot_be_replaced(path: str) -> bool:
    """Whether a path is a pipe, a socket or a device, perhaps through a link such as /dev/stdout."""
    if os.path.dirname(os.path.abspath(path)) in OPENED:
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _mode_of(path: str) -> int | None:
    """The permissions of the plain file that is there now."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return None
    return mode & 0o777 if stat.S_ISREG(mode) else None


def _sync_folder(path: str) -> None:
    """Force the new name to the disk too, where the folder lets itself be opened and synced."""
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:
        return
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems cannot
            raise
    finally:
        os.close(folder)
