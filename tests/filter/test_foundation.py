"""What a replay begins with: nothing, or the state of folded lessons, wide enough for all labels."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.committee._committee import Committee
from deciban.committee.settings import Settings
from deciban.errors import DamagedLedger
from deciban.filter.foundation import begin, capacity_for, pack, restore, room, unpack
from deciban.ledger import Ledger, create_ledger
from tests.ledger.lessons import append, lesson

SMALL = Settings(bits=8, salt=99)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with create_ledger(str(tmp_path / "mail"), SMALL) as made:
        yield made


def empty(capacity: int) -> bytearray:
    return bytearray(Committee.size(SMALL, capacity))


def taught(capacity: int) -> Committee:
    committee = Committee.begin(SMALL, capacity, empty(capacity))
    for number in range(5):
        for label in ("ham", "spam"):
            committee.learn(label, lesson(label, number).features)
    return committee


def test_a_packed_state_is_restored_bit_for_bit() -> None:
    state = taught(2).state()
    restored = restore(SMALL, unpack(pack(state), "mail", SMALL, 2), empty(2))
    assert restored.state() == state


def test_a_state_that_cannot_be_unpacked_is_damage() -> None:
    with pytest.raises(DamagedLedger, match="mail is damaged"):
        unpack(b"no zlib", "mail", SMALL, 2)


def test_without_folded_lessons_a_replay_begins_with_nothing(ledger: Ledger) -> None:
    assert begin(ledger, 2, empty(2)).state() == Committee.begin(SMALL, 2, empty(2)).state()


@pytest.mark.parametrize("capacity", [2, 4])
def test_a_foundation_says_what_was_folded_also_where_there_is_more_room(
    ledger: Ledger, capacity: int
) -> None:
    folded = taught(2)
    with ledger.writing():
        ledger.fold(set(), pack(folded.state()), folded.capacity, {})
    committee = begin(ledger, capacity, empty(capacity))
    probe = lesson("spam", 1).features
    assert committee.labels == folded.labels
    assert [len(committee.labels), committee.capacity] == [2, capacity]
    if capacity == 2:
        assert committee.score(probe) == folded.score(probe)
    assert committee.score(probe)[1] > committee.score(probe)[0]


def test_there_is_room_for_every_label_that_was_taught_or_will_be(ledger: Ledger) -> None:
    assert room(ledger) == 2
    append(ledger, lesson("ham", 1), lesson("spam", 1), lesson("work", 1))
    assert (room(ledger), room(ledger, ["work"]), room(ledger, ["news", "shop"])) == (4, 4, 8)
    assert [capacity_for(labels) for labels in (4, 9)] == [4, 16]
