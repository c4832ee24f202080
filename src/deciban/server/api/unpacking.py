"""Bodies that come packed (gzip or deflate), unpacked piece by piece and never beyond a limit.

A kilobyte can hold a gigabyte of zeros. So at most `PIECE` bytes are unpacked at a time, and whoever reads
counts them: the limit for a body holds for what it is unpacked to.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator

from deciban.errors import BadRequest, UnknownContent

PIECE = 262_144
# What zlib is told: a gzip head, or a zlib one.
_WINDOWS = {"gzip": 31, "x-gzip": 31, "deflate": 15}


def unpacked(pieces: AsyncIterator[bytes], encoding: str) -> AsyncIterator[bytes]:
    """The pieces of a body, unpacked if need be."""
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        return pieces
    if encoding not in _WINDOWS:
        raise UnknownContent("Content-Encoding can be gzip, deflate or identity.")
    return _inflated(pieces, _WINDOWS[encoding])


async def _inflated(pieces: AsyncIterator[bytes], window: int) -> AsyncIterator[bytes]:
    engine = zlib.decompressobj(window)
    try:
        async for piece in pieces:
            while piece and not engine.eof:
                yield engine.decompress(piece, PIECE)
                piece = engine.unconsumed_tail
    except zlib.error:
        raise BadRequest("The packed body is damaged.") from None
    if not engine.eof:
        raise BadRequest("The packed body ends too early.")
