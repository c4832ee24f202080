"""Hearings last while one question follows the other, and keep no teacher waiting for long."""

import asyncio
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


def test_questions_without_a_pause_let_a_teacher_in_after_a_while(
    spaces: Spaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        turn = Turn(spaces)
        monkeypatch.setattr("deciban.server.turn.TURN_SECONDS", 0.0)
        asked(turn, spaces)
        assert not can_be_changed(spaces)
        await asyncio.sleep(0)
        assert can_be_changed(spaces)
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


def test_a_turn_that_takes_long_lets_a_teacher_in(spaces: Spaces, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        turn = Turn(spaces)
        first = asked(turn, spaces)
        monkeypatch.setattr("deciban.server.turn.TURN_SECONDS", 0.0)
        turn.end()
        second = asked(turn, spaces)
        assert asked(turn, spaces) is not second
        assert second is not first
        turn.end()

    asyncio.run(work())


def test_a_space_that_was_never_used_has_no_hearing(spaces: Spaces) -> None:
    async def work() -> None:
        with Spaces(spaces.folder) as others:
            others.add(["new"])
        assert Turn(spaces).hearing(spaces.find("new"), 10) is None

    asyncio.run(work())
