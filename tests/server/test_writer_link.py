"""Notes wait in workers for a moment, but nobody who asks for the journal misses one."""

import asyncio
import io
import os
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

from deciban.committee.verdict import Verdict
from deciban.filter.mail import lesson_of
from deciban.filter.preferences import Preferences
from deciban.journal.journal_entry import ID_BYTES, TOLD, JudgedEntry
from deciban.journal.sqlite_journal import SqliteJournal
from deciban.server.server_log import ServerLog
from deciban.server.writer import NICE, Writer, WriterConnection
from deciban.server.writer_link import WriterLink
from deciban.sources import RawMessage
from deciban.spaces import Spaces

SPACE = "1f0c"
Links = tuple[WriterLink, WriterLink]


def note_of(number: int) -> JudgedEntry:
    lesson = lesson_of("", "", Preferences(), RawMessage("-", b"Subject: Lunch %d" % number))
    verdict = Verdict.of({"spam": 0.0, "ham": 1.0})
    return JudgedEntry(os.urandom(ID_BYTES), lesson, verdict, "http", TOLD, SPACE)


def with_two_workers(folder: Path, work: Callable[[Links], Awaitable[None]]) -> None:
    """Do something with the links of two workers to one writer."""
    spaces, path = str(folder / "spaces"), str(folder / "writer.sock")
    with Spaces(spaces, create=True) as opened:
        opened.add(["mail"])

    async def serve() -> None:
        writer = Writer(spaces, ServerLog("text", io.StringIO()))
        loop = asyncio.get_running_loop()
        server = await loop.create_unix_server(lambda: WriterConnection(writer), path)
        links = WriterLink(path), WriterLink(path)
        for link in links:
            await link.connect()
        await work(links)
        for link in links:
            await link.close()
        server.close()
        await writer.finish()

    asyncio.run(serve())


def count_in(folder: Path) -> int:
    with SqliteJournal(str(folder / "spaces" / "journal.db")) as journal:
        return journal.count(SPACE)


def test_the_notes_of_every_worker_are_in_the_journal_for_whoever_asks(tmp_path: Path) -> None:
    async def work(links: Links) -> None:
        for number in range(1, 6):
            for link in links:
                link.note(note_of(number))
            await links[number % 2].call("flush journal")
            assert count_in(tmp_path) == 2 * number

    with_two_workers(tmp_path, work)


def test_notes_are_handed_over_when_a_worker_ends(tmp_path: Path) -> None:
    async def work(links: Links) -> None:
        for link in links:
            link.note(note_of(1))

    with_two_workers(tmp_path, work)
    assert count_in(tmp_path) == 2


def test_changes_come_after_the_workers_and_entries_of_the_journal_do_not(tmp_path: Path) -> None:
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    with Spaces(str(tmp_path), create=True):
        writer = Writer(str(tmp_path), ServerLog("text", io.StringIO()))
    (journal,) = (thread for thread in threading.enumerate() if thread.name == "journal")
    assert journal.native_id is not None
    assert os.getpriority(os.PRIO_PROCESS, journal.native_id) == niceness()
    for threads in (writer._threads, writer._streaming):
        assert threads.submit(niceness).result() == niceness() + NICE
    writer.close()
