"""Folded lessons of versions before the sparse tables: their state is taken over, because they are gone.

A state of the formats 3 and 4 was a dense table behind a shorter head, in another code (_earlier_code.pyx).
Its rows are as they are today. A state of format 3 differs in the last digits of exp and log only.
"""

from __future__ import annotations

import struct

from deciban.committee._committee import Committee
from deciban.committee._committee_buffer import LAYOUT
from deciban.committee._earlier_code import decode
from deciban.committee.shape import Shape, row_bytes
from deciban.errors import DamagedSnapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.committee.settings import Settings

EARLIER_FORMATS = 3, 4
HEAD_WORDS = 26
LABEL_BYTES = 112
BLOCK = 4096
FACTOR = 0x9E3779B97F4A7C15
MOST_LABELS = 4096


def is_earlier(code: bytes) -> bool:
    """Whether a code is one of an earlier format: today's begins with the magic of a state."""
    return code[:8] != b"deciban\0"


def earlier_size(settings: Settings, capacity: int) -> int:
    """The bytes of an earlier state with room for so many labels."""
    return _table_start(capacity, _blocks(settings, capacity)) + _blocks(settings, capacity) * BLOCK


def taken_over(settings: Settings, code: bytes, capacity: int) -> Committee:
    """The committee of an earlier code, in memory."""
    state = bytearray(earlier_size(settings, capacity))
    decode(code, state)
    head = list(struct.unpack_from(f"<{HEAD_WORDS}Q", state))
    *_, head_capacity, bits, labels = head[:6]
    blocks = _blocks(settings, capacity)
    labels_end = 8 * HEAD_WORDS + capacity * LABEL_BYTES
    if (
        head[1] % 1000 not in EARLIER_FORMATS
        or head_capacity != capacity
        or bits != _bits(settings, capacity)
        or labels > capacity
        or head[7] != _check([*head[:7], 0, *head[8:]], state[8 * HEAD_WORDS : labels_end])
    ):
        raise DamagedSnapshot("A saved state is damaged. Remove it: it is made again from the ledger.")
    shape = Shape.dense(capacity, bits)
    sizes = [capacity, bits, 0, shape.rows, shape.rows]
    today = [head[0], head[1] - head[1] % 1000 + LAYOUT, head[2], *sizes, 0, *head[5:7], 0, *head[8:]]
    records = state[8 * HEAD_WORDS : labels_end]
    today[11] = _check(today, records)
    buffer = bytearray(Committee.size(settings, shape))
    front = struct.pack(f"<{len(today)}Q", *today) + records + state[labels_end : labels_end + 8 * blocks]
    buffer[: len(front)] = front
    buffer[-blocks * BLOCK :] = state[-blocks * BLOCK :]
    committee = Committee(settings, buffer)
    committee.check()
    return committee


def _bits(settings: Settings, capacity: int) -> int:
    """Four times the labels had half the slots."""
    return max(settings.bits - (capacity.bit_length() - 1) // 2, 4)


def _blocks(settings: Settings, capacity: int) -> int:
    return -(-((2 * row_bytes(capacity)) << _bits(settings, capacity)) // BLOCK)


def _table_start(capacity: int, blocks: int) -> int:
    return -(-(8 * HEAD_WORDS + capacity * LABEL_BYTES + 8 * blocks) // BLOCK) * BLOCK


def _check(head: list[int], records: bytearray) -> int:
    """The check of head and labels (see _row_table.pyx)."""
    words: list[int] = [*head, *struct.unpack(f"<{len(records) // 8}Q", records)]
    return sum(word * (2 * place + 1) * FACTOR for place, word in enumerate(words)) % 2**64
