r"""A file that was found in a folder: nearly always a small one that holds one message.

>>> import os, tempfile
>>> from deciban.sources.bounds import Bounds
>>> path = os.path.join(tempfile.mkdtemp(), "1.eml")
>>> with open(path, "wb") as file:
...     _ = file.write(b"Subject: hi\n")
>>> [message.data for message in messages_of(path, Progress(Bounds()))]
[b'Subject: hi\n']
"""

from __future__ import annotations

from collections.abc import Iterable

from deciban.sources._from import find_from
from deciban.sources._small_file import read_small_file
from deciban.sources.contents import read_found_file
from deciban.sources.kind import LOOK_AHEAD, not_mail, recognise
from deciban.sources.progress import Progress
from deciban.sources.raw_message import RawMessage
from deciban.sources.separator import without_separator


def messages_of(path: str, progress: Progress) -> Iterable[RawMessage]:
    """The messages in the file."""
    message = _only_message(path, progress)
    return (message,) if message is not None else read_found_file(path, progress)


def _only_message(path: str, progress: Progress) -> RawMessage | None:
    """The message of a small file that holds one and nothing else; None if that takes a closer look."""
    data = read_small_file(path)
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
