"""Locks on a file of their own: who excludes whom, who died holds none, and nobody waits for ever."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from deciban.errors import CannotWrite, LedgerBusy
from deciban.filter import locks as module
from deciban.filter.locks import Locks


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(module, "QUESTION_SECONDS", 0.0)
    monkeypatch.setattr(module, "CHANGE_SECONDS", 0.0)
    path = tmp_path / "mail"
    path.touch(mode=0o640)
    return str(path)


@pytest.fixture
def two(ledger: str) -> Iterator[tuple[Locks, Locks]]:
    pair = Locks(ledger + ".lock", ledger), Locks(ledger + ".lock", ledger)
    yield pair
    for each in pair:
        each.close()


def test_many_may_ask_at_once_and_nobody_changes_meanwhile(two: tuple[Locks, Locks]) -> None:
    one, other = two
    with one.asking():
        with other.asking():
            pass
        with pytest.raises(LedgerBusy, match="Try again"), other.changing():
            pass
    with other.changing():
        pass


def test_who_changes_is_alone(two: tuple[Locks, Locks]) -> None:
    one, other = two
    with one.changing():
        for lock in (other.asking, other.changing):
            with pytest.raises(LedgerBusy), lock():
                pass
    with other.asking():
        pass


def test_a_writer_that_waits_keeps_new_readers_behind_it(two: tuple[Locks, Locks], ledger: str) -> None:
    one, other = two
    third = Locks(ledger + ".lock", ledger)
    # As a writer does while it waits for those who are asking already.
    waiting = other._locked(module.GATE, module.fcntl.F_WRLCK, 0.0)
    with one.asking(), waiting, pytest.raises(LedgerBusy), third.asking():
        pass
    with third.asking():
        third.close()


def test_one_builds_at_a_time_while_others_ask(two: tuple[Locks, Locks]) -> None:
    one, other = two
    with one.building():
        with other.asking(), other.building_if_free() as free:
            assert not free
            assert other.is_being_built()
        with other.changing():
            pass
    with other.building_if_free() as free:
        assert free
        assert one.is_being_built()
    assert not one.is_being_built()


def test_several_may_teach_and_everybody_else_knows(two: tuple[Locks, Locks]) -> None:
    one, other = two
    with one.teaching():
        assert other.is_being_taught() or other._open(module.fcntl.F_RDLCK)
        assert other.is_being_taught()
        assert not one.is_being_taught()
        with other.teaching():
            assert one.is_being_taught()
    assert not other.is_being_taught()


def test_who_died_holds_no_lock(two: tuple[Locks, Locks], ledger: str) -> None:
    one, _ = two
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from deciban.filter.locks import Locks\n"
            "locks = Locks(sys.argv[1] + '.lock', sys.argv[1])\n"
            "with locks.building(), locks.changing():\n    print('held', flush=True); sys.stdin.read()",
            ledger,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(LedgerBusy), one.asking():
        pass
    holder.kill()
    holder.wait()
    with one.building(), one.changing():
        pass


def test_the_file_has_the_permissions_of_the_ledger_and_stays(two: tuple[Locks, Locks], ledger: str) -> None:
    one, _ = two
    with one.changing():
        assert os.stat(ledger + ".lock").st_mode & 0o777 == 0o640
    one.close()
    assert os.path.exists(ledger + ".lock")


def test_a_link_planted_under_its_name_is_not_followed(ledger: str, tmp_path: Path) -> None:
    os.symlink(tmp_path / "victim", ledger + ".lock")
    locks = Locks(ledger + ".lock", ledger)
    with pytest.raises(CannotWrite), locks.changing():
        pass
    assert not (tmp_path / "victim").exists()


def test_where_there_is_no_file_and_none_can_be_made_who_only_reads_needs_none(ledger: str) -> None:
    locks = Locks(ledger + ".lock", ledger, read_only=True)
    with locks.asking():
        assert not locks.is_being_built()
    with pytest.raises(CannotWrite), locks.building():
        pass
    assert not os.path.exists(ledger + ".lock")


def test_who_teaches_lets_those_in_who_wait_to_ask(
    two: tuple[Locks, Locks], monkeypatch: pytest.MonkeyPatch
) -> None:
    teacher, asker = two
    monkeypatch.setattr(module, "QUESTION_SECONDS", 60.0)
    monkeypatch.setattr(module, "GIVE_WAY_SECONDS", 60.0)
    let_in = Event()

    def ask() -> None:
        with asker.asking():
            let_in.set()

    waiting = Thread(target=ask)
    with teacher.changing():
        waiting.start()
        while not teacher._is_held(module.WAITING):
            pass
    teacher.give_way()
    assert let_in.is_set() or not teacher._is_held(module.WAITING)
    waiting.join()
    assert let_in.is_set()
    teacher.give_way()  # at once: nobody waits


HOLDER = """
import sys
from deciban.filter import locks
locks.QUESTION_SECONDS = locks.CHANGE_SECONDS = 60.0
own = locks.Locks(sys.argv[1] + ".lock", sys.argv[1])
for how in map(str.strip, sys.stdin):
    with getattr(own, how)():
        print("in", flush=True)
        sys.stdin.readline()
    print("out", flush=True)
"""


class Holder:
    """A process that asks or changes when it is told to, and goes on until it is told to leave."""

    def __init__(self, ledger: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, ledger], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def tell(self, word: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(word + "\n")
        self._process.stdin.flush()

    def said(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def end(self) -> None:
        self._process.communicate()


def test_readers_whose_turns_always_overlap_do_not_keep_a_writer_out(
    two: tuple[Locks, Locks], ledger: str
) -> None:
    """No reader leaves before another one is in, or waits behind the writer."""
    onlooker, _ = two
    onlooker._open(module.fcntl.F_RDLCK)
    writer, asking, next_one = (Holder(ledger) for _ in range(3))
    asking.tell("asking")
    assert asking.said() == "in"
    for _ in range(20):
        writer.tell("changing")
        while not onlooker._is_held(module.GATE):  # nobody else is on the way in
            assert not writer.has_ended()
        next_one.tell("asking")
        while not onlooker._is_held(module.WAITING):
            assert not next_one.has_ended()
        asking.tell("leave")
        assert [asking.said(), writer.said()] == ["out", "in"]
        writer.tell("leave")
        assert [writer.said(), next_one.said()] == ["out", "in"]
        asking, next_one = next_one, asking
    asking.tell("leave")
    for each in (writer, asking, next_one):
        each.end()


def test_whoever_asks_twice_at_once_holds_the_lock_until_both_have_ended(two: tuple[Locks, Locks]) -> None:
    one, other = two
    assert one.begin_asking(0.0)
    with one.asking():
        pass
    with pytest.raises(LedgerBusy), other.changing(0.0):
        pass
    one.end_asking()
    with other.changing(0.0):
        pass
