"""Hearings last while one question follows the other, and keep no teacher waiting for long."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.errors import LedgerBusy
from deciban.filter.locks import Locks
from deciban.filter.mail import lesson_of, question_of
from deciban.server.turn import LONG_BYTES, Turn
from deciban.sources import RawMessage
from deciban.spaces import Spaces

MAIL = b"Subject: Free money"


@pytest.fixture
def folder(tmp_path: Path) -> str:
    with Spaces(str(tmp_path / "spaces"), create=True) as spaces:
        spaces.add(["mail"])
        with spaces.using("mail") as opened:
            preferences = opened.mail_filter.preferences
            for label, data in ("spam", MAIL), ("ham", b"Subject: Lunch at one"):
                opened.learn([lesson_of(label, "", preferences, RawMessage("", data))])
    return str(tmp_path / "spaces")


@pytest.fixture
def spaces(folder: str) -> Iterator[Spaces]:
    with Spaces(folder, follows=True) as opened:
        yield opened


def can_be_changed(spaces: Spaces) -> bool:
    """Whether a teacher could change the state now."""
    path = spaces.database_of(spaces.find("mail"))
    locks = Locks(path + ".lock", path)
    try:
        with locks.changing(0.0):
            return True
    except LedgerBusy:
        return False
    finally:
        locks.close()


def asked(turn: Turn, spaces: Spaces, size: int = len(MAIL)) -> object:
    found = turn.hearing(spaces.find("mail"), size)
    assert found is not None
    verdict = found[1].judge(question_of(MAIL, found[1].preferences))
    assert verdict is not None
    assert verdict.label == "spam"
    return found[1]


def test_questions_that_follow_each_other_share_a_hearing_that_ends_with_the_first_pause(
    spaces: Spaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deciban.server.turn.TURN_SECONDS", 60.0)  # however slow this machine is

    async def work() -> None:
        turn = Turn(spaces)
        first = asked(turn, spaces)
        assert asked(turn, spaces) is first
        assert not can_be_changed(spaces)
        await asyncio.sleep(0)
        assert asked(turn, spaces) is first
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert can_be_changed(spaces)
        assert asked(turn, spaces) is not first
        turn.end()

    asyncio.run(work())


def changed_by_a_teacher(spaces: Spaces) -> threading.Thread:
    """A teacher who waits to change the state, and lets go of it at once."""
    path = spaces.database_of(spaces.find("mail"))
    locks = Locks(path + ".lock", path)

    def change() -> None:
        with locks.changing(60.0):
            pass
        locks.close()

    teacher = threading.Thread(target=change)
    teacher.start()
    return teacher


def test_questions_without_a_pause_let_a_teacher_in(spaces: Spaces, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deciban.server.turn.LONGEST_SECONDS", 60.0)
    monkeypatch.setattr("deciban.server.turn.LOOP_PATIENCE", 60.0)  # however late the teacher goes on

    async def work() -> None:
        turn = Turn(spaces)
        first = asked(turn, spaces)
        teacher = changed_by_a_teacher(spaces)
        while teacher.is_alive():
            second = asked(turn, spaces)
            await asyncio.sleep(0)
        assert second is not first
        turn.end()

    asyncio.run(work())


def test_a_turn_goes_on_for_as_long_as_nobody_wants_to_teach(
    spaces: Spaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deciban.server.turn.TURN_SECONDS", 0.0)  # we look before each question
    monkeypatch.setattr("deciban.server.turn.LONGEST_SECONDS", 60.0)

    async def work() -> None:
        turn = Turn(spaces)
        first = asked(turn, spaces)
        assert asked(turn, spaces) is first
        monkeypatch.setattr("deciban.server.turn.LONGEST_SECONDS", 0.0)
        turn.end()
        second = asked(turn, spaces)
        assert asked(turn, spaces) is not second
        turn.end()

    asyncio.run(work())


def test_a_turn_that_goes_on_hears_what_the_user_prefers_now(
    spaces: Spaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deciban.server.turn.TURN_SECONDS", 0.0)
    monkeypatch.setattr("deciban.server.turn.LONGEST_SECONDS", 60.0)

    async def work() -> None:
        turn = Turn(spaces)
        asked(turn, spaces)
        with Spaces(spaces.folder) as others, others.using("mail") as opened:
            opened.mail_filter.prefer(cost=99.0)
        found = turn.hearing(spaces.find("mail"), len(MAIL))
        assert found is not None
        assert found[1].preferences.cost == 99.0
        turn.end()

    asyncio.run(work())


def test_hearings_of_several_spaces_are_begun_anew_after_a_while(
    spaces: Spaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Spaces(spaces.folder) as others:
        others.add(["other"])
        others.database_of(others.find("other"))
    monkeypatch.setattr("deciban.server.turn.TURN_SECONDS", 60.0)  # however slow this machine is

    async def work() -> None:
        turn = Turn(spaces)
        first = asked(turn, spaces)
        assert turn.hearing(spaces.find("other"), len(MAIL)) is not None
        assert asked(turn, spaces) is first
        turn._until = 0.0
        assert asked(turn, spaces) is not first
        turn.end()

    asyncio.run(work())


def test_a_long_message_is_read_while_nobody_waits(spaces: Spaces) -> None:
    async def work() -> None:
        turn = Turn(spaces)
        asked(turn, spaces)
        found = turn.hearing(spaces.find("mail"), LONG_BYTES + 1)
        assert found is not None
        assert can_be_changed(spaces)
        turn.end()

    asyncio.run(work())


def test_a_space_that_was_never_used_has_no_hearing(spaces: Spaces) -> None:
    async def work() -> None:
        with Spaces(spaces.folder) as others:
            others.add(["new"])
        assert Turn(spaces).hearing(spaces.find("new"), 10) is None

    asyncio.run(work())
