"""What a replay begins with: nothing, or the state of folded lessons."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.committee._committee import Committee
from deciban.committee.settings import Settings
from deciban.errors import DamagedLedger
from deciban.filter.footing import Footings, footing_of
from deciban.filter.foundation import begin, has_its_slots, pack, unpack
from deciban.ledger import Ledger, create_ledger
from tests.ledger.lessons import append, lesson

SMALL = Settings(bits=8, salt=99)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with create_ledger(str(tmp_path / "mail"), SMALL) as made:
        yield made


def taught(capacity: int) -> Committee:
    committee = Committee.fresh(SMALL, capacity)
    for number in range(5):
        for label in ("ham", "spam"):
            committee.learn(label, lesson(label, number).features)
    return committee


def fold(ledger: Ledger, folded: Committee) -> None:
    with ledger.writing():
        ledger.fold(set(), pack(folded.code()), folded.capacity, {})


def test_a_packed_code_is_unpacked() -> None:
    code = taught(2).code()
    assert unpack(pack(code), "mail", SMALL, 2) == code


@pytest.mark.parametrize("capacity", [2, 3, 0, 1 << 40])
def test_a_state_that_cannot_be_unpacked_is_damage(capacity: int) -> None:
    with pytest.raises(DamagedLedger, match="mail is damaged"):
        unpack(b"no zlib", "mail", SMALL, capacity)


def test_without_folded_lessons_a_replay_begins_with_nothing(ledger: Ledger) -> None:
    assert begin(ledger, footing_of(ledger)).state() == Committee.fresh(SMALL).state()


def test_a_replay_begins_with_what_was_folded(ledger: Ledger) -> None:
    folded = taught(2)
    fold(ledger, folded)
    assert begin(ledger, footing_of(ledger)).state() == folded.state()


def test_many_labels_have_fewer_slots_unless_there_is_a_foundation(ledger: Ledger) -> None:
    footings = Footings(ledger)
    first = begin(ledger, footings.now())
    assert has_its_slots(ledger, footings.now(), first)
    append(ledger, *(lesson(f"label {number}", number) for number in range(33)))
    assert not has_its_slots(ledger, footings.now(), first)
    assert begin(ledger, footings.now()).shape.bits == SMALL.bits - 1
    fold(ledger, taught(2))
    assert has_its_slots(ledger, footings.now(), begin(ledger, footings.now()))
    assert begin(ledger, footings.now()).shape.bits == SMALL.bits
