"""Teaching in turns with those who ask: how many lessons at a time, and the bits of a replay all the same."""

import fcntl
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from deciban.filter import Filter, changing, locks, turns
from deciban.filter.mail import lessons_from
from deciban.filter.snapshot import Snapshot
from deciban.ledger._placed import Placed
from deciban.sources import RawMessage
from tests.filter.mails import DENSE, SPARSE, a_starter, mail, teach


@pytest.fixture(params=["dense", "sparse", "started"])
def taught(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Filter]:
    starter = a_starter(tmp_path) if request.param == "started" else None
    settings = DENSE if request.param == "dense" else SPARSE
    with Filter.open(str(tmp_path / "mail"), settings, starter=starter) as filter_:
        for number in range(10):
            for label in ("spam", "ham"):
                teach(filter_, label, [mail(label, number)])
        yield filter_


@pytest.fixture
def slices(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many lessons the published state was taught at a time."""
    sizes: list[int] = []
    teach_slice = Snapshot.teach_what_fits

    def teach_and_tell(self: Snapshot, lessons: Sequence[Placed]) -> None:
        sizes.append(len(lessons))
        teach_slice(self, lessons)

    monkeypatch.setattr(Snapshot, "teach_what_fits", teach_and_tell)
    # A young filter would not teach a bulk in slices: it is mixed at the end.
    monkeypatch.setattr(changing, "YOUNG_LESSONS", 0)
    return sizes


def sixteen() -> Iterator[RawMessage]:
    return (mail("spam", number) for number in range(100, 100 + 16))


@pytest.mark.parametrize(("long_wait", "size"), [(float("inf"), turns.SLICE), (-1.0, turns.LONG_SLICE)])
def test_who_waited_long_for_its_turn_teaches_more_in_it(
    taught: Filter, monkeypatch: pytest.MonkeyPatch, slices: list[int], long_wait: float, size: int
) -> None:
    monkeypatch.setattr(turns, "LONG_WAIT_SECONDS", long_wait)
    teach(taught, "spam", sixteen())
    assert slices == [size] * (16 // size) + [16 % size] * (16 % size > 0)
    assert taught.is_replay()


@pytest.fixture
def waiting(taught: Filter, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Somebody waits to ask, all the time."""
    monkeypatch.setattr(turns, "LONG_WAIT_SECONDS", float("inf"))
    path = taught.ledger.path
    asker = locks.Locks(path + ".lock", path)
    assert asker._take(locks.WAITING, fcntl.F_RDLCK)
    yield
    asker.close()


@pytest.mark.usefixtures("waiting")
def test_who_had_to_let_somebody_in_teaches_less_at_a_time(taught: Filter, slices: list[int]) -> None:
    teach(taught, "spam", sixteen())
    assert sum(slices) == 16
    assert set(slices[1:]) == {turns.SHORT_SLICE}
    assert taught.is_replay()


@pytest.mark.usefixtures("waiting")
def test_who_is_in_before_the_teacher_looks_again_was_waiting_too(
    taught: Filter, monkeypatch: pytest.MonkeyPatch, slices: list[int]
) -> None:
    monkeypatch.setattr(locks.Locks, "give_way", lambda _: False)
    teach(taught, "spam", sixteen())
    assert set(slices[1:]) == {turns.SHORT_SLICE}


def test_slices_stay_short_for_a_while_after_somebody_waited(
    taught: Filter, monkeypatch: pytest.MonkeyPatch, slices: list[int]
) -> None:
    monkeypatch.setattr(turns, "LONG_WAIT_SECONDS", float("inf"))
    monkeypatch.setattr(turns, "SHORT_SLICES", 3)
    monkeypatch.setattr(locks.Locks, "is_waited_for", lambda _: len(slices) == 1)
    teach(taught, "spam", sixteen())
    assert slices == [4, 1, 1, 1, 4, 4, 1]


@pytest.mark.usefixtures("waiting")
def test_a_new_label_is_learned_in_short_slices_too(taught: Filter) -> None:
    for number in range(3):
        teach(taught, "spam", [mail("spam", 100 + number)])
        teach(taught, "work", [mail("work", 100 + number)])
    assert taught.is_replay()


def test_what_was_scored_before_somebody_else_taught_is_not_believed(taught: Filter) -> None:
    (lesson,) = lessons_from([mail("spam", 100)], "spam", taught.preferences)
    own = taught._own
    placed = Placed(21, b"", b"", lesson.label, lesson.features, lesson.origin, 1.0)
    own.changing._turns._score(own.footings.now(), placed)
    with Filter.open(taught.ledger.path) as other:
        teach(other, "ham", [mail("ham", 100)])
    taught.learn([lesson])
    assert taught.is_replay()
