r"""A verdict written into the header of a message, for whoever sorts the mail behind the filter.

>>> message = b"From joe Mon Jan  1 00:00:00 2026\nX-Spam-Flag: NO\nSubject: hi\n\nhello\n"
>>> print(tagged(message, [("X-Deciban", "spam; 31.6 dB; p=0.9993")]).decode(), end="")
From joe Mon Jan  1 00:00:00 2026
X-Deciban: spam; 31.6 dB; p=0.9993
Subject: hi
<BLANKLINE>
hello

Tags that the message brought along are removed, because anybody can send them; SpamAssassin removes all
X-Spam fields for the same reason. The tags stand first, where no reader that gives up at a broken line misses
them.

Law: tagging a mail changes neither its digest nor a byte of its body. What header fields and line ends are
is therefore decided here as the reader decides it (text/_canonical.pyx), a lone CR and CRCRLF included. Bytes
that are no mail get a header of tags in front.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_END = rb"(?:\r++\n|\n|\r)"
_FROM_LINE = re.compile(rb">*+F[Rr][Oo][Mm] [^\r\n]*+" + _END)
_FIELD = re.compile(
    rb"([!-9;-~]++):[^\r\n]*+(?:" + _END + rb"[ \t][^\r\n]*+)*+(?:" + _END + rb"|\Z)",
)
_MARK = b"\xef\xbb\xbf"


def tagged(message: bytes, tags: Iterable[tuple[str, str]]) -> bytes:
    """The message with these header fields in front, and without those of their kind from outside."""
    front, fields, body = _divided(message)
    end = b"\r\n" if re.match(rb"[^\r\n]*\r+\n", message) else b"\n"
    header = b"".join(f"{name}: {value}".encode() + end for name, value in tags)
    if not fields:
        return front + header + end + body
    return front + header + _joined([field for name, field in fields if not _is_tag(name)], body)


def untagged(message: bytes) -> bytes:
    """The message without the tags that it brought along."""
    front, fields, body = _divided(message)
    return front + _joined([field for name, field in fields if not _is_tag(name)], body)


def _divided(message: bytes) -> tuple[bytes, list[tuple[bytes, bytes]], bytes]:
    """The mbox lines in front, the header fields with their names, and the rest."""
    # A byte order mark in front would spoil the first field for every reader but ours.
    start = len(_MARK) if message.startswith(_MARK) else 0
    place = start
    while line := _FROM_LINE.match(message, place):
        place = line.end()
    if not _FIELD.match(message, place):  # prose that begins with "From "
        return b"", [], message
    front = message[start:place]
    fields: list[tuple[bytes, bytes]] = []
    while field := _FIELD.match(message, place):
        fields.append((field[1], field[0]))
        place = field.end()
    return front, fields, message[place:]


def _is_tag(name: bytes) -> bool:
    return name.lower().startswith((b"x-deciban", b"x-spam"))


def _joined(fields: list[bytes], body: bytes) -> bytes:
    r"""The fields and the rest; a lone CR must not become half of a CRLF when what stood between is gone.

    >>> _joined([b"Subject: hi\r"], b"\nhello")
    b'Subject: hi\n\nhello'
    """
    header = b"".join(fields)
    if header.endswith(b"\r") and body.startswith((b"\r", b"\n")):
        header = header[:-1] + b"\n"
    return header + body
