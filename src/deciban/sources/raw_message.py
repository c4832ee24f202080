r"""One message as a source gives it: an id to find it again, and its bytes, not yet read as mail.

>>> RawMessage("inbox.mbox@0", b"Subject: hi\n\nhello\n")
RawMessage(id='inbox.mbox@0', data=b'Subject: hi\n\nhello\n', cut=0)
"""

from __future__ import annotations

from deciban.value import Value


class RawMessage(Value):
    """A message found in a source.

    ``id`` says where (docs/sources.md has the forms), ``data`` holds the bytes, and ``cut`` counts those
    left out at the end because the message is larger than `Bounds.message_bytes`.
    """

    id: str
    data: bytes
    cut: int

    def __init__(self, id: str, data: bytes, cut: int = 0) -> None:  # noqa: A002 (the word for it)
        # What `_set` does in a third of its time: each message of a folder is one of these.
        assign = object.__setattr__
        assign(self, "id", id)
        assign(self, "data", data)
        assign(self, "cut", cut)
