r"""Files that were found in a folder: nearly always small ones that hold one message each.

>>> import os, tempfile
>>> from deciban.sources.bounds import Bounds
>>> path = os.path.join(tempfile.mkdtemp(), "1.eml")
>>> with open(path, "wb") as file:
...     _ = file.write(b"Subject: hi\n")
>>> [message.data for message in messages_of([path], Progress(Bounds()))]
[b'Subject: hi\n']
"""

from __future__ import annotations

from collections.abc import Iterator

from deciban.sources._separator import find_from, without_separator
from deciban.sources._small_file import MOST_FILES, read_small_files
from deciban.sources.contents import read_found_file
from deciban.sources.kind import LOOK_AHEAD, not_mail, recognise
from deciban.sources.progress import Progress
from deciban.sources.raw_message import RawMessage


def messages_of(paths: list[str], progress: Progress) -> Iterator[RawMessage]:
    """The messages in some files; small ones are read several at a time."""
    done = 0
    while done < len(paths):
        for data in read_small_files(paths[done : done + MOST_FILES]):
            message = _only_message(paths[done], data, progress)
            if message is not None:
                yield message
            else:
                yield from read_found_file(paths[done], progress)
            done += 1


def _only_message(path: str, data: bytes | None, progress: Progress) -> RawMessage | None:
    """The message of a small file that holds one and nothing else; None if that takes a closer look."""
    if data is None or len(data) >= progress.bounds.message_bytes:
        return None
    head = data[:LOOK_AHEAD]
    kind = recognise(head)
    if kind == "message" and not not_mail(head):
        message = RawMessage(path, data)
    elif kind == "mbox" and find_from(data, 1) < 0:
        message = RawMessage(f"{path}@0", without_separator(data, 0, len(data)))
    else:
        return None
    progress.consumed += len(data)
    return message
