"""How much of a source is read at most: one frozen value, so that hostile input has known costs.

>>> Bounds(message_bytes=1000).message_bytes
1000
"""

from __future__ import annotations

from deciban.value import Value

MIB = 1 << 20


class Bounds(Value):
    """The limits of a source.

    ``message_bytes``: more of one message is cut off, and its `RawMessage.cut` says how much. 32 MiB
    holds the largest mail that the big providers let through (25 MB of attachments, in base64).
    ``unpacked_ratio``: an archive that unpacks to more than so many times its packed size is taken for
    a bomb and left there. Mail packs 3 to 10 times; deflate can do 1,032 times at most.
    ``unpacked_grace``: so many bytes may be unpacked before the ratio counts, because a small archive of
    one repetitive log is no attack.
    ``members``: files in one tar archive; a hash of each name is kept, to tell apart those of one name, which
    makes 200 MB at the most.
    ``directory_bytes``: a zip archive whose table of contents is larger is not opened, since the table
    must be held in memory (32 MiB list about 300,000 messages).
    """

    message_bytes: int = 32 * MIB
    unpacked_ratio: int = 200
    unpacked_grace: int = 64 * MIB
    members: int = 2_000_000
    directory_bytes: int = 32 * MIB
