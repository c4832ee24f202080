"""Checkpoints save the way back, and are believed only where they are what the ledger says."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.filter import Filter, Settings
from deciban.filter.checkpoints import MOST
from tests.filter.mails import forget, mail, teach

SMALL = Settings(bits=10, salt=99)
LABELS = ("spam", "ham")


@pytest.fixture
def taught(tmp_path: Path) -> Iterator[Filter]:
    with Filter.open(str(tmp_path / "mail"), SMALL) as filter_:
        filter_.checkpoints.nearest = 4
        for number in range(60):
            teach(filter_, LABELS[number % 2], [mail(LABELS[number % 2], number)])
        yield filter_


def positions(filter_: Filter) -> list[int]:
    return [checkpoint.address.position for checkpoint in filter_.checkpoints.listed()]


def replayed(filter_: Filter, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Where the replays of a filter begin from now on."""
    begun: list[int] = []
    replay = filter_.ledger.replay
    monkeypatch.setattr(
        filter_.ledger, "replay", lambda after=0, until=None: begun.append(after) or replay(after, until)
    )
    return begun


def test_checkpoints_are_few_and_closest_at_the_end(taught: Filter) -> None:
    found = positions(taught)
    assert len(found) == MOST == len(list(taught.checkpoints.files()))
    assert 60 - found[0] < 2 * taught.checkpoints.nearest
    assert found[0] - found[1] < found[1] - found[2] + 60 - found[0]


def test_forgetting_a_late_lesson_replays_from_the_last_checkpoint_before_it(
    taught: Filter, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = positions(taught)[0]
    begun = replayed(taught, monkeypatch)
    assert forget(taught, mail("ham", 59).data) == 1
    assert begun[0] == last
    assert taught.is_replay()


def test_forgetting_an_early_lesson_removes_every_checkpoint_behind_it(taught: Filter) -> None:
    before = set(taught.checkpoints.files())
    forget(taught, mail("spam", 0).data)
    assert not before & set(taught.checkpoints.files())
    assert taught.is_replay()


def test_a_lost_snapshot_is_made_from_a_checkpoint(taught: Filter, monkeypatch: pytest.MonkeyPatch) -> None:
    state = taught.state()
    os.unlink(taught.ledger.path + ".snapshot")
    begun = replayed(taught, monkeypatch)
    assert taught.state() == state
    assert begun[0] == positions(taught)[0]


@pytest.mark.parametrize("place", [0, 40, -1])
def test_a_damaged_checkpoint_is_passed_over(
    taught: Filter, place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = taught.state()
    for path in taught.checkpoints.files():
        content = bytearray(Path(path).read_bytes())
        content[place] ^= 1
        Path(path).write_bytes(content)
    os.unlink(taught.ledger.path + ".snapshot")
    begun = replayed(taught, monkeypatch)
    assert taught.state() == state
    assert begun[0] == 0


def test_a_checkpoint_with_room_for_fewer_labels_is_passed_over(taught: Filter) -> None:
    teach(taught, "work", [mail("work", 1)])
    forget(taught, mail("ham", 59).data)
    assert taught.is_replay()


def test_files_that_a_dead_process_left_are_removed(taught: Filter) -> None:
    left = taught.ledger.path + ".checkpoint-00000000"
    Path(left).write_bytes(b"of a change that was never committed")
    forget(taught, mail("ham", 59).data)
    assert not os.path.exists(left)


def test_a_folder_that_cannot_take_them_is_no_error(taught: Filter, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(*_: object) -> int:
        raise OSError("No space left on device")

    monkeypatch.setattr("deciban.filter.checkpoints.write_at", no_space)
    assert forget(taught, mail("spam", 0).data) == 1
    assert taught.is_replay()
    assert list(taught.checkpoints.files()) == []


def test_checkpoints_of_another_history_are_not_believed(taught: Filter, tmp_path: Path) -> None:
    # A ledger and its copy are taught equally many other lessons; then one is copied over the other.
    path = taught.ledger.path
    taught.close()
    copy = str(tmp_path / "copy")
    shutil.copy(path, copy)
    for place, swapped in ((path, False), (copy, True)):
        with Filter.open(place) as filter_:
            filter_.checkpoints.nearest = 4
            for number in range(60, 90):
                teach(filter_, LABELS[number % 2], [mail(LABELS[(number + swapped) % 2], number)])
    with Filter.open(copy) as other:
        state = other.state()
    shutil.copy(copy, path)
    with Filter.open(path) as filter_:
        assert filter_.state() == state
        forget(filter_, mail("ham", 88).data)
        assert filter_.is_replay()


def test_a_link_in_place_of_a_checkpoint_is_not_followed(
    taught: Filter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = taught.state()
    for number, path in enumerate(taught.checkpoints.files()):
        os.rename(path, tmp_path / f"elsewhere{number}")
        os.symlink(tmp_path / f"elsewhere{number}", path)
    os.unlink(taught.ledger.path + ".snapshot")
    begun = replayed(taught, monkeypatch)
    assert taught.state() == state
    assert begun[0] == 0
