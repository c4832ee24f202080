"""What the writer does may be asked for twice: it may have died after the work and before the answer."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deciban.errors import NoSuchEntry, SpaceExists
from deciban.journal.journal_writer import JournalWriter
from deciban.journal.sqlite_journal import SqliteJournal
from deciban.server.changes import Changes
from deciban.server.frames import DONE, Call, FrameReader, Reply, framed
from deciban.server.writer_link import WriterLink
from deciban.sources import RawMessage
from deciban.spaces import Spaces
from deciban.spaces.sqlite_key_ring import new_key_id
from deciban.spaces.sqlite_registry import new_identity


@pytest.fixture
def spaces(tmp_path: Path) -> Iterator[Spaces]:
    with Spaces(str(tmp_path), create=True) as opened:
        opened.add(["mail"])
        yield opened


@pytest.fixture
def changes(spaces: Spaces) -> Iterator[Changes]:
    with JournalWriter(SqliteJournal(spaces.journal_path, create=True)) as journal:
        yield Changes(spaces, journal)


def named(spaces: Spaces, name: str) -> dict[str, str]:
    return {"name": name, "identity": spaces.find(name).id}


def test_a_space_that_was_made_is_made_when_it_is_asked_for_again(spaces: Spaces, changes: Changes) -> None:
    wanted: dict[str, Any] = {"name": "Ann", "identity": new_identity(), "lessons": None, "size": None}
    wanted["starter"] = True
    assert changes.add_space(**wanted) == changes.add_space(**wanted) == {"name": "Ann"}
    assert [each.name for each in spaces.all()] == ["Ann", "mail"]


def test_a_space_of_somebody_else_is_no_space_that_was_made(changes: Changes) -> None:
    with pytest.raises(SpaceExists):
        changes.add_space("mail", new_identity(), None, None, starter=False)


def test_a_space_that_was_renamed_or_deleted_stays_so_when_that_is_asked_for_again(
    spaces: Spaces, changes: Changes
) -> None:
    space = named(spaces, "mail")
    assert changes.rename_space("post", **space) == changes.rename_space("post", **space) == {"name": "post"}
    renamed = named(spaces, "post")
    assert changes.delete_space(**renamed) == changes.delete_space(**renamed) == {}
    assert list(spaces.all()) == []


def test_a_key_is_made_once_and_the_text_that_is_told_opens(spaces: Spaces, changes: Changes) -> None:
    wanted: dict[str, Any] = {
        "rights": ["classify"], "scope": ["", ""], "expires": None, "note": "", "by": "", "name": "",
        "identity": new_key_id(),
    }  # fmt: skip
    changes.add_key(**wanted)
    text = changes.add_key(**wanted)["key"]
    (key,) = spaces.keys.all()
    assert spaces.keys.unlock(text) == key
    assert changes.revoke_key(key.id) == changes.revoke_key(key.id) == {}


def test_a_correction_that_was_undone_is_undone_when_that_is_asked_for_again(
    spaces: Spaces, changes: Changes
) -> None:
    space = named(spaces, "mail")
    with spaces.using("mail") as opened:
        desk = opened.desk(changes._journal, "test")
        entry = desk.ask(RawMessage("", b"Subject: Lunch\n\nAt one?")).id
    changes.correct(entry, "ham", "", **space)
    first = changes.undo(entry, **space)
    assert changes.undo(entry, again=True, **space) == first
    with pytest.raises(NoSuchEntry):
        changes.undo(entry, **space)


def test_a_call_that_a_dead_writer_may_have_done_says_so_when_it_is_sent_again(tmp_path: Path) -> None:
    path = str(tmp_path / "writer.sock")
    seen: list[bool] = []

    class DyingWriter(asyncio.Protocol):
        """Dies at the first call, and answers the second."""

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport, self.frames = transport, FrameReader(Call)

        def data_received(self, data: bytes) -> None:
            for call in self.frames.feed(data):
                seen.append(call.again)
                if call.again:
                    self.transport.write(framed(Reply(call.number, DONE, {})))  # type: ignore[attr-defined]
                else:
                    self.transport.close()

    async def asked() -> None:
        server = await asyncio.get_running_loop().create_unix_server(DyingWriter, path)
        link = WriterLink(path)
        await link.connect()
        assert await link.call("undo", entry=b"") == {}
        await link.close()
        server.close()

    asyncio.run(asked())
    assert seen == [False, True]
