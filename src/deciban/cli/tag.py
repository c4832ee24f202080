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
them. What a tag is, and where the head of a message ends, text/_tags.pyx says.

Law: tagging a mail changes neither its digest nor a byte of its body. Bytes that are no mail get a head of
tags in front.
"""

from __future__ import annotations

from deciban.text._tags import with_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def tagged(message: bytes, tags: Iterable[tuple[str, str]]) -> bytes:
    """The message with these header fields in front, and without those of their kind from outside."""
    return with_fields(message, "".join(f"{name}: {value}\n" for name, value in tags).encode())


def untagged(message: bytes) -> bytes:
    """The message without the tags that it brought along."""
    return with_fields(message, b"")
