"""States of lessons that earlier versions folded are taken over, bit for bit, or refused."""

import struct

import pytest

from deciban.committee._committee import Committee
from deciban.committee._committee_buffer import LAYOUT
from deciban.committee.settings import Settings
from deciban.committee.shape import Shape
from deciban.errors import DamagedSnapshot
from deciban.filter.earlier_state import FACTOR, earlier_size, is_earlier, taken_over
from tests.committee.streams import buffer_of, made_up_lessons
from tests.committee.test_earlier_code import encode

# Filters of those formats have no such setting.
SMALL = Settings(bits=8, salt=99, complement=0.0)


def earlier_code(settings: Settings, committee: Committee, format_: int) -> bytes:
    """What has been learned, as an earlier version kept it; its table must have the slots of then."""
    capacity, bits = committee.capacity, committee.shape.bits
    buffer = bytes(buffer_of(settings, committee, Shape.dense(capacity, bits)))
    words = list(struct.unpack_from("<30Q", buffer))
    head = [words[0], words[1] - LAYOUT + format_, words[2], capacity, bits, *words[9:11], 0, *words[12:30]]
    records = buffer[240 : 240 + 112 * capacity]
    all_words = [*head, *struct.unpack(f"<{len(records) // 8}Q", records)]
    head[7] = sum(word * (2 * place + 1) * FACTOR for place, word in enumerate(all_words)) % 2**64
    size = earlier_size(settings, capacity)
    start = committee.table_start
    table = buffer[start:]
    checks = buffer[240 + len(records) :][: 8 * (len(table) // 4096)]
    front = struct.pack("<26Q", *head) + records + checks
    return encode(front.ljust(size - len(table), b"\0") + table)


def taught(capacity: int, bits: int) -> Committee:
    committee = Committee.fresh(SMALL, shape=Shape.dense(capacity, bits))
    for label, features in made_up_lessons(min(capacity, 3), 60):
        committee.learn(label, features)
    return committee


@pytest.mark.parametrize("format_", [3, 4])
@pytest.mark.parametrize(("capacity", "bits"), [(2, 8), (4, 7), (8, 7), (16, 6)])
def test_what_was_folded_then_is_known_today(format_: int, capacity: int, bits: int) -> None:
    before = taught(capacity, bits)
    code = earlier_code(SMALL, before, format_)
    assert is_earlier(code)
    assert not is_earlier(before.code())
    again = taken_over(SMALL, code, capacity)
    assert again.state() == before.state()


def test_a_damaged_code_is_refused() -> None:
    code = earlier_code(SMALL, taught(2, 8), 4)
    for place in range(0, len(code), 7):
        damaged = bytearray(code)
        damaged[place] ^= 4
        with pytest.raises(DamagedSnapshot):
            taken_over(SMALL, bytes(damaged), 2)


def test_another_format_is_refused() -> None:
    with pytest.raises(DamagedSnapshot):
        taken_over(SMALL, earlier_code(SMALL, taught(2, 8), 2), 2)
