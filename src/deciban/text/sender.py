r"""Who sent a message: the address in its From field.

>>> from deciban.text import read
>>> sender_of(read(b'From: "a@b" <Ann@Example.org>\n\n')), address_in("nobody")
('ann@example.org', '')
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.text._reader import Message


def sender_of(message: Message) -> str:
    """The address in the From field, lower-cased; empty if there is none."""
    return address_in(message.header("from"))


def address_in(value: str) -> str:
    """The address in the value of a From field, lower-cased; empty if there is none."""
    start, end = value.rfind("<"), value.rfind(">")
    address = value[start + 1 : end] if 0 <= start < end else value
    for word in address.split():
        if "@" in word:
            return word.lower()
    return ""
