"""Messages of an MH folder: files named by numbers, read in the order of the numbers.

    inbox/1  inbox/2  inbox/10  inbox/.mh_sequences

The sequences file tells the folder from a plain one and is not read; it lists what is seen and replied.
Other files (``,3`` is a message that was deleted) and folders within are not read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from deciban.sources.message_file import read_message_file
from deciban.sources.progress import Progress, reason_of
from deciban.sources.raw_message import RawMessage


def is_mh(folder: str) -> bool:
    """Whether the folder is one of MH."""
    return os.path.isfile(os.path.join(folder, ".mh_sequences"))


def read_mh(folder: str, progress: Progress) -> Iterator[RawMessage]:
    """The messages in the order of their numbers; the id is the path."""
    try:
        names = os.listdir(folder)
    except OSError as error:
        progress.skip(folder, reason_of(error))
        return
    # Ten digits are more messages than a folder can hold, and int() of a longer name could be slow.
    numbers = [name for name in names if name.isascii() and name.isdigit() and len(name) <= 10]
    for name in sorted(numbers, key=lambda name: (int(name), name)):
        path = os.path.join(folder, name)
        yield from read_message_file(path, path, progress)
