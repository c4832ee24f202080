"""Unpacking what zlib packed, without trusting it.

>>> from zlib import compress
>>> unpacked(compress(bytes(1000)), most=1000) == bytes(1000), unpacked(compress(bytes(1001)), most=1000)
(True, None)
"""

from __future__ import annotations

# No kept mail is larger: sources cut off what is longer than an eighth of that (sources/bounds.py).
MOST_MAIL_BYTES = 1 << 28


def unpacked(packed: bytes, most: int) -> bytes | None:
    """What was packed, if it is whole and has at most so many bytes: a bomb is never blown up."""
    from zlib import decompressobj, error

    unpacking = decompressobj()
    try:
        # One byte more: a stream is at its end only once its checksum was read.
        content = unpacking.decompress(packed, most + 1)
    except (error, TypeError):
        return None
    return content if unpacking.eof and not unpacking.unused_data and len(content) <= most else None
