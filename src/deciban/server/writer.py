"""The writer: the one process of a server that changes anything.

It takes calls from workers over a socket that only their owner can open (frames.py), does each in a thread,
and answers when it is durable. Threads of one process are to each other what processes are
(filter/opened.py), so a long change of one space keeps no other space waiting. What is done for each call
stands in changes.py.

If the writer is killed, the supervisor starts another; workers send again what was not answered. That is
safe, because learning is idempotent by digest, entries of the journal by their ids, and new spaces and keys
by ids that the worker chose: nothing is lost or doubled, and no error is told for work that was done.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from deciban.errors import DecibanError
from deciban.journal.journal_writer import JournalWriter
from deciban.journal.sqlite_journal import SqliteJournal
from deciban.server.changes import CHANGES, OF_THE_JOURNAL, OF_THE_REGISTRY, Changes
from deciban.server.frames import (
    CHANGED,
    DONE,
    ERROR,
    GATHER,
    GATHERED,
    PROGRESS,
    Call,
    FrameReader,
    Reply,
    error_value,
    framed,
)
from deciban.server.learning_stream import LearningStream
from deciban.server.server_log import ServerLog
from deciban.spaces import Spaces

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from deciban.filter import Learned
    from deciban.server.lifeline import Lifeline

# Calls that are done at once; streams have threads of their own, so that they keep nobody waiting.
THREADS, STREAMS = 6, 4
# Changes come after the workers, who answer: a bulk of lessons must not slow verdicts down. Entries of the
# journal do not: where workers have all that the processors can give, they would wait, and be given up.
NICE = 5
OPEN_SPACES = 32
# How long a change waits for the notes of a worker, which has them ready unless it does not move at all.
GATHER_SECONDS = 1.0
# How often the writer tells how many entries of the journal it has given up, if there are any.
LOST_SECONDS = 1.0


class Writer:
    """Takes calls and has them done."""

    def __init__(self, folder: str, log: ServerLog, results_from: tuple[str, ...] = ()) -> None:
        self._log = log
        self._spaces = Spaces(folder, most_open=OPEN_SPACES, results_from=results_from)
        journal = SqliteJournal(self._spaces.journal_path, create=True)
        self.journal = JournalWriter(journal, background=True)
        self._changes = Changes(self._spaces, self.journal)
        self._threads = ThreadPoolExecutor(THREADS, "change", _stand_back)
        self._streaming = ThreadPoolExecutor(STREAMS, "stream", _stand_back)
        self.under_way: set[asyncio.Task[None]] = set()
        self.connections: set[WriterConnection] = set()

    def take(self, call: Call, connection: WriterConnection) -> None:
        """Do what a call asks for: notes and pieces of streams at once and in their order."""
        if call.operation == "note":
            self._changes.note(**call.arguments)
        elif call.operation == GATHERED:
            connection.has_gathered()
        elif call.operation == "more":
            connection.feed(**call.arguments)
        else:
            work = self._stream if call.operation == "stream" else self._change
            if call.operation == "stream":
                connection.begin_stream(call.number)
            task = asyncio.get_running_loop().create_task(work(call, connection))
            self.under_way.add(task)
            task.add_done_callback(self.under_way.discard)

    async def _change(self, call: Call, connection: WriterConnection) -> None:
        if call.operation in OF_THE_JOURNAL:
            await self._gather(connection)
        arguments = call.arguments
        if call.again and call.operation == "undo":  # the others can tell by themselves
            arguments = {**arguments, "again": True}
        await self._answer(call, connection, lambda: CHANGES[call.operation](self._changes, **arguments))

    async def _gather(self, connection: WriterConnection) -> None:
        """Have the notes of all workers; those of the one that asks came before its call."""
        others = [each for each in self.connections if each is not connection and not each.is_late]
        if others:
            waiting = {each.gathering(): each for each in others}
            _, late = await asyncio.wait(waiting, timeout=GATHER_SECONDS)
            for future in late:
                waiting[future].is_late = True

    async def _stream(self, call: Call, connection: WriterConnection) -> None:
        stream = connection.begin_stream(call.number)
        await self._gather(connection)
        loop = asyncio.get_running_loop()

        def progress(learned: Learned) -> None:
            value = {name: getattr(learned, name) for name in learned.field_names}
            loop.call_soon_threadsafe(connection.reply, call.number, PROGRESS, value)

        try:
            await self._answer(
                call,
                connection,
                lambda: self._changes.learn_stream(stream, progress, **call.arguments),
                self._streaming,
            )
        finally:
            connection.end_stream(call.number)

    async def _answer(
        self,
        call: Call,
        connection: WriterConnection,
        work: Callable[[], Any],
        threads: ThreadPoolExecutor | None = None,
    ) -> None:
        loop = asyncio.get_running_loop()
        try:
            value = await loop.run_in_executor(threads or self._threads, work)
        except Exception as error:
            name, text = error_value(error)
            if name == "ServerFault":
                self._log.fault("writer", error, operation=call.operation)
            connection.reply(call.number, ERROR, [name, text])
        else:
            if call.operation in OF_THE_REGISTRY:
                for each in self.connections:
                    each.reply(0, CHANGED, None)
            connection.reply(call.number, DONE, value)

    async def tell_lost_entries(self) -> None:
        """Tell the log once and /metrics every second when entries are given up; it goes on for ever."""
        while not self.journal.lost:
            await asyncio.sleep(LOST_SECONDS)
        self._log.say("journal", "entries are given up, since they are not written in time")
        # Only here: nearly no writer ever needs it.
        from prometheus_client import CollectorRegistry

        from deciban.server.server_metrics import lost_entries

        gauge = lost_entries(CollectorRegistry())
        while True:
            gauge.set(self.journal.lost)
            await asyncio.sleep(LOST_SECONDS)

    async def finish(self) -> None:
        """Finish what is under way, and write the journal."""
        while self.under_way:
            await asyncio.wait(set(self.under_way))
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, self.close)

    def close(self) -> None:
        """Let go of everything."""
        self._threads.shutdown()
        self._streaming.shutdown()
        try:
            self.journal.close()
        except (DecibanError, OSError) as error:
            self._log.say("journal", "the last entries could not be written", error=str(error))
        self._spaces.close()


class WriterConnection(asyncio.Protocol):
    """The connection of one worker."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._frames = FrameReader(Call)
        self._transport: asyncio.Transport | None = None
        self._streams: dict[int, LearningStream] = {}
        self._gathering: deque[asyncio.Future[None]] = deque()
        self.is_late = False
        """Whether the worker was asked for notes and does not move: nobody else waits for it."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A worker is there."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._writer.connections.add(self)

    def connection_lost(self, _: Exception | None) -> None:
        """A worker is gone: its streams end; what they brought is kept."""
        self._transport = None
        self._writer.connections.discard(self)
        while self._gathering:
            self.has_gathered()
        for stream in self._streams.values():
            stream.end()

    def data_received(self, data: bytes) -> None:
        """Take the calls that are whole now."""
        for call in self._frames.feed(data):
            self._writer.take(call, self)

    def gathering(self) -> asyncio.Future[None]:
        """Ask for the notes that the worker holds; done when they are here."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._gathering.append(future)
        self.reply(0, GATHER, None)
        return future

    def has_gathered(self) -> None:
        """The notes are here that were asked for first."""
        future = self._gathering.popleft()
        self.is_late = False
        if not future.done():
            future.set_result(None)

    def reply(self, number: int, kind: str, value: object) -> None:
        """Answer a call, if the worker is still there."""
        if self._transport is not None:
            self._transport.write(framed(Reply(number, kind, value)))

    def begin_stream(self, number: int) -> LearningStream:
        """The stream of a call."""
        return self._streams.setdefault(number, LearningStream())

    def feed(self, stream: int, messages: list[Any], end: bool) -> None:
        """Messages for a stream; its number is that of the call that began it."""
        found = self._streams.get(stream)
        if found is not None:
            found.put([tuple(each) for each in messages])
            if end:
                found.end()

    def end_stream(self, number: int) -> None:
        """Forget a stream that is done."""
        self._streams.pop(number, None)


def _stand_back() -> None:
    """Have this thread come after others; on Linux each thread has a niceness of its own."""
    with suppress(OSError):  # a hardened unit may forbid it
        os.nice(NICE)


def run_writer(
    folder: str, results_from: tuple[str, ...], listening: socket.socket, lifeline: Lifeline, log: ServerLog
) -> None:
    """Be the writer until the supervisor ends or says so."""
    asyncio.run(_serve(Writer(folder, log, results_from), listening, lifeline))


async def _serve(writer: Writer, listening: socket.socket, lifeline: Lifeline) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_unix_server(lambda: WriterConnection(writer), sock=listening)
    ended = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    loop.add_signal_handler(signal.SIGINT, lambda: None)  # of a terminal: the supervisor tells us
    telling = loop.create_task(writer.tell_lost_entries())
    lifeline.watch(ended.set)
    await ended.wait()
    telling.cancel()
    server.close()
    await writer.finish()
