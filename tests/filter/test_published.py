"""The published state: replaced as a whole, seen at once by whoever had the other one open."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from deciban.committee.shape import Shape
from deciban.filter import Filter, Settings, locks
from deciban.filter.footing import Footing
from deciban.filter.published import Published
from deciban.filter.replaying import Replaying
from deciban.filter.snapshot import Snapshot
from deciban.text import read
from tests.filter.mails import classify, forget, mail, teach

SMALL = Settings(bits=10, salt=99)


@pytest.fixture
def taught(tmp_path: Path) -> Iterator[Filter]:
    with Filter.open(str(tmp_path / "mail"), SMALL) as filter_:
        for number in range(10):
            for label in ("spam", "ham"):
                teach(filter_, label, [mail(label, number)])
        yield filter_


def test_another_that_took_its_place_is_seen_by_who_had_it_open(taught: Filter) -> None:
    with Filter.open(taught.ledger.path) as other:
        classify(other, mail("spam", 20).data)
        before = os.stat(taught.ledger.path + ".snapshot").st_ino
        forget(taught, mail("spam", 3).data)
        assert os.stat(taught.ledger.path + ".snapshot").st_ino != before
        assert other.state() == taught.state()
        assert other.is_replay()


def test_appending_teaches_it_in_place(taught: Filter) -> None:
    before = os.stat(taught.ledger.path + ".snapshot").st_ino
    teach(taught, "spam", [mail("spam", 20)])
    assert os.stat(taught.ledger.path + ".snapshot").st_ino == before
    assert taught.is_replay()


def test_it_has_the_permissions_of_the_ledger(taught: Filter) -> None:
    os.chmod(taught.ledger.path, 0o644)
    forget(taught, mail("spam", 3).data)
    assert os.stat(taught.ledger.path + ".snapshot").st_mode & 0o777 == 0o644


def test_what_a_builder_that_died_left_is_removed_by_the_next(taught: Filter) -> None:
    left = taught.ledger.path + ".snapshot-00000000"
    Path(left).write_bytes(b"half a state")
    forget(taught, mail("spam", 3).data)
    assert not os.path.exists(left)
    files = {name for name in os.listdir(os.path.dirname(left)) if "snapshot" in name}
    assert files == {"mail.snapshot"}


@pytest.mark.parametrize(
    "end", [".new-17-0a", ".new-17-0a-wal", ".format-3.new-17-0a", ".before-restore.new-17-0a"]
)
def test_what_who_died_while_making_a_ledger_left_is_removed_by_the_next_builder(
    taught: Filter, end: str
) -> None:
    left = Path(taught.ledger.path + end)
    left.write_bytes(b"half of a ledger")
    forget(taught, mail("spam", 1).data)
    assert not left.exists()


def test_a_state_of_another_settings_is_none(taught: Filter) -> None:
    published = Published(taught.ledger.path)
    with published.locks.asking():
        assert published.look(Footing(taught.settings, None)) is not None
        assert published.look(Footing(Settings(bits=9, salt=1), None)) is None
    published.close()


def test_a_state_that_is_behind_answers_while_somebody_teaches_and_is_brought_up_otherwise(
    taught: Filter,
) -> None:
    behind = taught.state()
    lesson = next(iter(taught.lessons())).replaced(digest=b"another message!", label="ham")
    with taught.ledger.writing():
        (placed,) = taught.ledger.append([(lesson, taught.ledger.last_taught() + 1)])
    teacher = Published(taught.ledger.path)
    with teacher.locks.teaching():
        assert taught.state() == behind
    teacher.close()
    assert taught.state() != behind
    assert taught.position() == placed.position
    assert taught.is_replay()


def test_a_question_can_ask_for_a_state_that_knows_a_lesson(taught: Filter) -> None:
    before = taught.position()
    teach(taught, "spam", [mail("spam", 30)])
    assert taught.position() == before + 1
    assert (
        taught._own.asking.ask(lambda state: state.address.position, taught.position()) == taught.position()
    )


def test_traces_are_not_called_swept_while_somebody_else_may_still_make_some(
    taught: Filter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deciban.filter.locks.CHANGE_SECONDS", 0.0)
    with taught.ledger.writing():
        taught.ledger.sweep_later()
    builder = Published(taught.ledger.path)
    with builder.locks.building():
        assert not taught.sweep()
        assert not taught.is_swept()
    builder.close()
    assert taught.sweep()
    assert taught.is_swept()


def test_who_learns_next_sweeps_what_could_not_be_swept(taught: Filter) -> None:
    with taught.ledger.writing():
        taught.ledger.sweep_later()
    teach(taught, "spam", [mail("spam", 40)])
    assert taught.is_swept()


def test_forgetting_through_a_link_while_others_have_it_open_leaves_no_trace(
    taught: Filter, tmp_path: Path
) -> None:
    folder = Path(taught.ledger.path).parent
    away = tmp_path / "away"
    away.mkdir()
    (away / "link").symlink_to(taught.ledger.path)
    message = mail("spam", 3)
    traces = [read(message.data).digest, b"uniquespamsubject3", b"<spam-3@example.org>"]
    with Filter.open(taught.ledger.path) as reader, Filter.open(str(away / "link")) as other:
        for filter_ in (reader, other):
            classify(filter_, message.data)
        assert all(trace in _all_of(folder) for trace in traces)
        assert forget(other, message.data) == 1
        assert not any(trace in _all_of(folder) for trace in traces)
        assert reader.is_replay()
        assert reader.position() == taught.position()
    assert os.listdir(away) == ["link"]


def _all_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir() if path.is_file())


def test_others_ask_while_a_full_state_is_poured_into_a_larger_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "QUESTION_SECONDS", 0.0)
    pour = Snapshot.poured
    answers: list[float] = []
    path = str(tmp_path / "mail")
    with Filter.open(path, Settings(bits=16, salt=99)) as teacher, Filter.open(path) as asker:
        teach(teacher, "ham", [mail("ham", 1)])
        teach(teacher, "spam", [mail("spam", 1)])

        def pour_and_ask(self: Snapshot, shape: Shape) -> Snapshot:
            grown = pour(self, shape)
            answers.append(classify(asker, mail("spam", 20).data).decibans)
            return grown

        monkeypatch.setattr(Snapshot, "poured", pour_and_ask)
        for number in range(2, 30):
            teach(teacher, "spam", [mail("spam", number)])
        assert answers
        assert all(answers)  # one of no state would be 0
        assert teacher.is_replay()
        assert sorted(name for name in os.listdir(tmp_path) if "snapshot" in name) == ["mail.snapshot"]


def test_a_history_that_somebody_changed_meanwhile_is_not_set_back_by_a_larger_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "CHANGE_SECONDS", 0.0)  # for the sweep, which waits for who makes the file
    pour = Snapshot.poured
    path = str(tmp_path / "mail")
    with Filter.open(path, Settings(bits=16, salt=99)) as teacher, Filter.open(path) as other:
        teach(teacher, "ham", [mail("ham", 1)])
        teach(teacher, "spam", [mail("spam", 1)])
        own = teacher._own.published.locks
        changing = own.changing

        def forgotten_before(patience: float | None = None) -> AbstractContextManager[None]:
            monkeypatch.setattr(own, "changing", changing)
            forget(other, mail("spam", 1).data)
            monkeypatch.setattr(Replaying, "_build", lambda *_, **__: pytest.fail("a state was made again"))
            return changing(patience)

        def pour_and_lose(self: Snapshot, shape: Shape) -> Snapshot:
            monkeypatch.setattr(Snapshot, "poured", pour)
            monkeypatch.setattr(own, "changing", forgotten_before)
            return pour(self, shape)

        monkeypatch.setattr(Snapshot, "poured", pour_and_lose)
        for number in range(2, 30):
            teach(teacher, "spam", [mail("spam", number)])
        assert teacher.labels() == {"ham": 1, "spam": 28}
        assert Replaying._build.__name__ == "<lambda>"
        assert teacher.is_replay()
        assert sorted(name for name in os.listdir(tmp_path) if "snapshot" in name) == ["mail.snapshot"]
