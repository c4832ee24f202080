r"""The door to every source: `open_source` takes what a user names and gives its messages.

>>> import os, tempfile
>>> folder = tempfile.mkdtemp()
>>> with open(os.path.join(folder, "1.eml"), "wb") as file:
...     _ = file.write(b"Subject: hi\n")
>>> source = open_source(folder)
>>> [(os.path.basename(message.id), message.data) for message in source]
[('1.eml', b'Subject: hi\n')]
>>> source.consumed, source.size_hint(), source.skipped
(12, 12, [])
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator

from deciban.errors import NoSuchSource
from deciban.sources.bounds import Bounds
from deciban.sources.contents import read_contents, read_named_file
from deciban.sources.progress import Progress, Skipped, reason_of
from deciban.sources.raw_message import RawMessage
from deciban.sources.stream import counted_stream

STANDARD_INPUT = "-"


def open_source(
    path: str,
    bounds: Bounds | None = None,
    on_skip: Callable[[Skipped], object] | None = None,
) -> Source:
    """The source that ``path`` names: a file, a folder, ``-`` for standard input, or the id of a message.

    ``on_skip`` is called with everything that cannot be read, when it happens.
    """
    place = path if path == STANDARD_INPUT or _is_there(path) else _container(path)
    return Source(place, bounds or Bounds(), on_skip, only=None if place == path else path)


class Source:
    """Messages, read lazily while iterating; what was consumed and skipped meanwhile."""

    def __init__(
        self,
        path: str,
        bounds: Bounds,
        on_skip: Callable[[Skipped], object] | None = None,
        only: str | None = None,
    ) -> None:
        self.path = path
        self._only = only
        self._progress = Progress(bounds, on_skip)

    @property
    def consumed(self) -> int:
        """The bytes of the source read so far, as they lie on the disk: to be held against `size_hint`."""
        return self._progress.consumed

    @property
    def skipped(self) -> list[Skipped]:
        """What could not be read so far: the first thousand records."""
        return self._progress.skipped

    @property
    def skipped_count(self) -> int:
        """How much could not be read so far."""
        return self._progress.skipped_count

    def size_hint(self) -> int | None:
        """The bytes that there are to consume, or None for a pipe; for a folder this looks at every file."""
        try:
            status = os.fstat(0) if self.path == STANDARD_INPUT else os.stat(self.path)
        except OSError:
            return None
        if stat.S_ISDIR(status.st_mode):
            from deciban.sources.folder import folder_size

            return folder_size(self.path)
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    def __iter__(self) -> Iterator[RawMessage]:
        if self._only is None:
            return self._messages()
        return self._find(self._only)

    def _messages(self) -> Iterator[RawMessage]:
        if self.path == STANDARD_INPUT:
            return self._standard_input()
        if os.path.isdir(self.path):
            from deciban.sources.folder import read_folder

            return read_folder(self.path.rstrip("/") or "/", self._progress)
        return read_named_file(self.path, self._progress)

    def _standard_input(self) -> Iterator[RawMessage]:
        stream = counted_stream(0, self._progress)
        yield from read_contents(stream, STANDARD_INPUT, self._progress, descriptor=0)

    def _find(self, wanted: str) -> Iterator[RawMessage]:
        for message in self._messages():
            if message.id == wanted:
                yield message
                return
        self._progress.skip(wanted, "no message of this id is there any more")


def _is_there(path: str) -> bool:
    """Whether there is such a file or folder; refused where nobody lets us look."""
    try:
        os.lstat(path)
    except PermissionError as error:
        raise NoSuchSource(f"{path!r} cannot be read: {reason_of(error)}; check its folder") from None
    except (OSError, ValueError):
        return False
    return True


def _container(id: str) -> str:  # noqa: A002 (the word for it)
    """The file or folder that a message of this id is in: an archive, an mbox or a Maildir."""
    for place in (id[: id.find("!")], id.rpartition("@")[0]):
        if os.path.isfile(place):
            return place
    folder = os.path.dirname(id)
    if os.path.isdir(os.path.join(folder, "cur")):
        return folder
    raise NoSuchSource(
        f"{id!r} is not a file, a folder or a message id; check the spelling, or use - for standard input"
    )
