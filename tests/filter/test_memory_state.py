"""States make room for themselves: in memory by doubling, as a file by a larger file that takes its place."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.committee._committee import Committee
from deciban.committee.settings import Settings
from deciban.committee.shape import Shape
from deciban.filter import Filter
from deciban.filter.footing import Footing
from deciban.filter.memory_state import MemoryState, begin_in_memory
from deciban.filter.replaying import Replaying
from deciban.filter.snapshot import GROWN, Snapshot
from deciban.ledger import create_ledger
from deciban.ledger._placed import Placed
from deciban.ledger.records import Address
from tests.filter.mails import classify, forget, mail, teach
from tests.ledger.lessons import append, lesson

WIDE = Settings(bits=16, salt=99)
FOOTING = Footing(WIDE, None)
NOWHERE = Address(b"i" * 16, b"b" * 16, 0, bytes(16))


@pytest.fixture
def lessons(tmp_path: Path) -> list[Placed]:
    made = [lesson(label, number) for number in range(60) for label in ("ham", "spam", "work")]
    with create_ledger(str(tmp_path / "lessons"), WIDE) as ledger:
        append(ledger, *made)
        return list(ledger.replay())


def empty() -> MemoryState:
    return MemoryState(FOOTING, begin_in_memory(FOOTING, Shape.for_rows(2, 16, 10)), NOWHERE)


def test_it_grows_by_rows_and_labels_and_says_what_a_dense_one_says(lessons: list[Placed]) -> None:
    state = empty()
    for start in range(0, len(lessons), 7):
        state.teach(lessons[start : start + 7])
    dense = Committee.fresh(WIDE, 4)
    for one in lessons:
        dense.learn(one.label, one.features)
    assert not state.look().shape.is_dense
    assert state.look().state() == dense.state()
    assert state.address == NOWHERE.replaced(position=lessons[-1].position, trail=lessons[-1].trail)
    assert [exam.position for exam in state.exams()] == [one.position for one in lessons]
    assert [*state.exams_backwards()] == [*state.exams()][::-1]
    state.close()


def test_work_in_bulk_has_a_directory_and_room_and_grows_with_both(lessons: list[Placed]) -> None:
    shape = Shape.for_rows(4, 16, 10_000)
    for footing in (FOOTING, Footing(WIDE, Committee.fresh(WIDE, 2))):
        listed, plain = (
            MemoryState(footing, begin_in_memory(footing, shape, in_bulk), NOWHERE)
            for in_bulk in (True, False)
        )
        assert (listed.look().has_directory, plain.look().has_directory) == (True, False)
        assert listed.look().shape.rows == 2 * plain.look().shape.rows
        for state in (listed, plain):
            state.teach(lessons)
        listed._grow(Shape.for_rows(8, 16, 20_000))
        assert listed.look().has_directory
        assert listed.look().state() == plain.look().state()
        assert listed.exam_records() == plain.exam_records()


def test_a_copy_is_its_own(lessons: list[Placed]) -> None:
    state = empty()
    state.teach(lessons[:5])
    copy = MemoryState.copy_of(state)
    assert (copy.look().state(), copy.exam_records()) == (state.look().state(), state.exam_records())
    copy.teach(lessons[5:9])
    assert (copy.exam_count, state.exam_count) == (9, 5)
    assert copy.look().state() != state.look().state()
    assert copy.is_as_it_was()


def test_a_file_that_is_full_goes_on_in_a_larger_one(tmp_path: Path, lessons: list[Placed]) -> None:
    state = empty()
    state.teach(lessons[:3])
    path = tmp_path / "state"
    file = os.open(path, os.O_RDWR | os.O_CREAT)
    snapshot = Snapshot.make(str(path), file, state, Shape(4, 16, state.look().rows))
    (tmp_path / ("state" + GROWN)).write_bytes(b"of a process that died here")
    before = path.stat()
    reader = Snapshot.open(str(path), FOOTING)
    assert reader is not None
    reader.look()
    for start in range(3, len(lessons), 8):
        snapshot.teach(lessons[start : start + 8])
        state.teach(lessons[start : start + 8])
    assert not os.path.samestat(path.stat(), before)
    assert path.stat().st_size > before.st_size
    assert os.listdir(tmp_path).count("state") == 1
    assert not (tmp_path / ("state" + GROWN)).exists()
    assert not reader.is_in_place()
    assert snapshot.is_in_place()
    again = Snapshot.open(str(path), FOOTING)
    assert again is not None
    assert again.look().state() == snapshot.look().state() == state.look().state()
    assert again.exam_records() == state.exam_records()


@pytest.fixture
def taught(tmp_path: Path) -> Iterator[Filter]:
    with Filter.open(str(tmp_path / "mail"), WIDE) as filter_:
        for number in range(10):
            for label in ("spam", "ham"):
                teach(filter_, label, [mail(label, number)])
        yield filter_


def test_a_new_label_costs_no_replay(taught: Filter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Replaying, "_build", lambda *_, **__: pytest.fail("a state was made again"))
    for number in range(6):
        teach(taught, f"folder {number}", [mail("work", number)])
    assert len(classify(taught, mail("spam", 50).data).probabilities) == 8
    monkeypatch.undo()
    assert taught.is_replay()


def test_above_32_labels_the_lessons_are_replayed_with_fewer_slots(taught: Filter) -> None:
    for number in range(31):
        teach(taught, f"folder {number}", [mail("work", number)])
    bits = taught.ask(lambda committee: committee.shape.bits)
    assert (bits, taught.is_replay()) == (WIDE.bits - 1, True)
    forget(taught, mail("work", 30).data)
    bits = taught.ask(lambda committee: committee.shape.bits)
    assert (bits, taught.is_replay()) == (WIDE.bits, True)


def test_what_a_teacher_left_half_grown_is_removed_with_other_traces(taught: Filter) -> None:
    left = Path(taught.ledger.path + ".snapshot" + GROWN)
    left.write_bytes(b"traces")
    forget(taught, mail("spam", 3).data)
    assert not left.exists()
