"""The log of a SQLite file (`-wal`): whether SQLite will read all of it.

A log has a head, then frames, each one page with a head of its own:

    head     magic, version, page size, number of the log, two salts, two sums
    frame    number of the page, size of the file after a commit or 0, the two salts, two sums, the page

Numbers have 4 bytes, big end first. The sums run on from the head through all frames, so after a damaged
frame SQLite believes none that follow: what was committed there is missing, and SQLite does not say so.
Frames of an earlier log may stand behind the last one; they have other salts. A process that is killed while
it writes leaves at most one frame that is not whole, and none behind it.
"""

from __future__ import annotations

import struct
import sys
from array import array

MAGIC = 0x377F0682
HEAD = struct.Struct(">8I")
FRAME = struct.Struct(">6I")
PAGE_SIZES = tuple(1 << power for power in range(9, 17))


def passed_over(log: bytes) -> int:
    """How many whole frames of this log follow a damaged one, and are lost if SQLite opens the file."""
    if len(log) <= HEAD.size:
        return 0
    magic, _, page_size, _, *salts = HEAD.unpack_from(log)[:6]
    if page_size not in PAGE_SIZES:
        return 1
    step = FRAME.size + page_size
    starts = range(HEAD.size, len(log) - step + 1, step)
    sums = _sums(log[:24], magic, (0, 0))
    if sums != HEAD.unpack_from(log)[6:]:
        return max(len(starts), 1)  # the size of a page may be what is wrong
    for place, start in enumerate(starts):
        sums = _sums(log[start : start + 8] + log[start + FRAME.size : start + step], magic, sums)
        fields = FRAME.unpack_from(log, start)
        if [*fields[2:4]] != salts or fields[4:] != sums:
            return sum([*FRAME.unpack_from(log, each)[2:4]] == salts for each in starts[place + 1 :])
    return 0


def _sums(data: bytes, magic: int, sums: tuple[int, int]) -> tuple[int, int]:
    """The two sums of SQLite, over words in the byte order that the last bit of the magic number tells."""
    words = array("I", data)
    if (sys.byteorder == "big") != (magic & 1):
        words.byteswap()
    first, second = sums
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = first + one + second & 0xFFFFFFFF
        second = second + other + first & 0xFFFFFFFF
    return first, second
