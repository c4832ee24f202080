"""Messages of a Maildir: a file each, delivered to ``new`` and moved to ``cur`` when a mail program saw it.

    Maildir/new/1592223000.M1P7.host            id: Maildir/1592223000.M1P7.host
    Maildir/cur/1592223000.M1P7.host:2,RS       the same message, replied and seen; the same id
    Maildir/tmp/…                               being delivered: not read

A message changes its folder and its flags as it is read, answered and flagged, so neither is in its id.
Folders inside a Maildir (``.Sent``, ``.Junk``) are Maildirs of their own and are read only when named:
whoever teaches his inbox as good mail does not mean the junk in it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from deciban.sources.file_names import in_natural_order
from deciban.sources.message_file import read_message_file
from deciban.sources.progress import Progress, reason_of
from deciban.sources.raw_message import RawMessage


def is_maildir(folder: str) -> bool:
    """Whether the folder has what every Maildir has."""
    return os.path.isdir(os.path.join(folder, "cur")) and os.path.isdir(os.path.join(folder, "new"))


def read_maildir(folder: str, progress: Progress) -> Iterator[RawMessage]:
    """The messages of ``new`` and ``cur`` by name, and a name begins with the time of delivery."""
    # cur is listed last: a message that moves between the two listings is then seen twice, not missed.
    paths = _listing(folder, "new", progress) | _listing(folder, "cur", progress)
    opening = os.path.join(folder, "")  # of each id
    for name in in_natural_order(paths):
        if not os.path.lexists(paths[name]):
            # Renamed since it was listed, as happens whenever somebody reads mail meanwhile.
            paths |= _listing(folder, "cur", progress)
        yield from read_message_file(paths[name], opening + name, progress)


def _listing(folder: str, part: str, progress: Progress) -> dict[str, str]:
    """The path of each message in ``new`` or ``cur``, by its name without flags."""
    place = os.path.join(folder, part, "")
    try:
        names = os.listdir(place)
    except OSError as error:
        progress.skip(place.rstrip("/"), reason_of(error))
        return {}
    return {_without_flags(name): place + name for name in names if not name.startswith(".")}


def _without_flags(name: str) -> str:
    # Everything after the colon is about the state; file systems without colons use ; or !.
    for mark in (":2,", ";2,", "!2,"):
        name = name.partition(mark)[0]
    return name
