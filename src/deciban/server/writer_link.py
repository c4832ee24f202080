"""A worker's connection to the writer: calls go out, replies come back, and a dead writer is replaced.

The supervisor holds the socket at which the writer listens, so a worker can always connect; if the writer is
being replaced, the connection waits for the next one. Calls that were not answered are sent again then: all
of them may be done twice, and the answer is that of the first time (changes.py). A stream cannot be sent
again, because its messages are gone: whoever sends it is told what is safe by then, and to send the rest
again.

Notes for the journal are kept for a moment, and many go in one frame: one by one, each would wake the writer.
They go before any call of this worker, and at once if the writer gathers them, because somebody asks for
something that needs the notes of all workers. So whoever has an answer finds its entry.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from deciban.errors import NotReady
from deciban.server.frames import (
    CHANGED,
    DONE,
    ERROR,
    GATHER,
    GATHERED,
    Call,
    FrameReader,
    Reply,
    error_of,
    framed,
)

if TYPE_CHECKING:
    from deciban.journal.journal_entry import JudgedEntry

CALL_SECONDS = 120.0
RECONNECT_SECONDS = 0.05
# Notes are kept for so long, unless there are so many: some 10 KB each.
NOTES_SECONDS, NOTES_AT_ONCE = 0.02, 64
# Notes that wait for a writer; beyond that the oldest are given up.
MOST_NOTES = 10_000
# A stream may be ahead of the writer by so many bytes.
WINDOW_BYTES = 4_000_000


_encode = msgspec.json.Encoder().encode


class WriterLink:
    """Calls to the writer."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.when_changed: Callable[[], object] = lambda: None
        """Called when the writer has changed spaces or keys."""
        self._number = 0
        self._waiting: dict[int, tuple[Call, asyncio.Future[Any]]] = {}
        self._streams: dict[int, asyncio.Queue[Reply | None]] = {}
        self._notes: deque[JudgedEntry] = deque(maxlen=MOST_NOTES)
        self.lost_notes = 0
        self._sending: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._room = asyncio.Event()
        self._room.set()
        self._closed = False

    async def connect(self) -> None:
        """Connect, and stay connected from now on."""
        loop = asyncio.get_running_loop()
        while not self._closed:
            try:
                await loop.create_unix_connection(lambda: _LinkProtocol(self), self._path)
                return
            except OSError:
                await asyncio.sleep(RECONNECT_SECONDS)

    async def close(self) -> None:
        """Hand over what is left, and let go."""
        deadline = asyncio.get_running_loop().time() + 1.0
        while self._notes and asyncio.get_running_loop().time() < deadline:
            self._send_notes()
            await asyncio.sleep(0.01)
        self._closed = True
        if self._transport is not None:
            self._transport.close()

    @property
    def is_connected(self) -> bool:
        """Whether there is a writer that takes calls."""
        return self._transport is not None

    async def call(self, operation: str, /, **arguments: Any) -> dict[str, Any]:
        """Have something done; its result, or the error that the writer met."""
        self._number += 1
        call = Call(self._number, operation, arguments)
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[call.number] = call, future
        self._send(call)
        try:
            return await asyncio.wait_for(future, CALL_SECONDS)
        except TimeoutError:
            raise NotReady(
                "This change takes longer than two minutes. It goes on; sending it again does no harm."
            ) from None
        finally:
            self._waiting.pop(call.number, None)

    def note(self, entry: JudgedEntry) -> None:
        """An entry for the journal; nobody waits for it."""
        if len(self._notes) == MOST_NOTES:
            self.lost_notes += 1
        self._notes.append(entry)
        if len(self._notes) >= NOTES_AT_ONCE:
            self._send_notes()
        elif self._sending is None:
            self._sending = asyncio.get_running_loop().call_later(NOTES_SECONDS, self._send_notes)

    def _send_notes(self) -> None:
        """Send the notes if there is room; otherwise they go when there is."""
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None
        if self._room.is_set():
            self._hand_over()

    def _hand_over(self) -> None:
        if self._notes and self._transport is not None:
            rows = [entry.row(_json_text) for entry in self._notes]
            self._notes.clear()
            self._transport.write(framed(Call(0, "note", {"rows": rows})))

    async def stream(
        self, pieces: AsyncIterator[list[Any]], /, **arguments: Any
    ) -> AsyncIterator[tuple[bool, dict[str, Any]]]:
        """Have a stream learned: what is durable, batch by batch, and at last (True) the result."""
        self._number += 1
        number = self._number
        replies: asyncio.Queue[Reply | None] = asyncio.Queue()
        self._streams[number] = replies
        self._send(Call(number, "stream", arguments))
        feeding = asyncio.get_running_loop().create_task(self._feed(number, pieces))
        feeding.add_done_callback(lambda _: None if feeding.cancelled() else feeding.exception())
        try:
            while (reply := await replies.get()) is not None and reply.kind not in (DONE, ERROR):
                yield False, reply.value
            if reply is None:
                raise NotReady(
                    "The writer was replaced meanwhile. What was acknowledged is kept; send the rest again."
                )
            if feeding.done() and feeding.exception() is not None:
                raise feeding.exception() or NotReady("")
            if reply.kind == ERROR:
                raise error_of(reply.value)
            yield True, reply.value
        finally:
            feeding.cancel()
            self._streams.pop(number, None)

    async def _feed(self, number: int, pieces: AsyncIterator[list[Any]]) -> None:
        try:
            async for messages in pieces:
                await self._room.wait()
                self._send(Call(0, "more", {"stream": number, "messages": messages, "end": False}))
        finally:
            self._send(Call(0, "more", {"stream": number, "messages": [], "end": True}))

    def _send(self, call: Call) -> None:
        if self._transport is not None:
            self._hand_over()  # whatever is asked for, it finds what was noted before
            self._transport.write(framed(call))

    # What the connection tells

    def is_open(self, transport: asyncio.Transport) -> None:
        """A writer is there: send what was not answered."""
        transport.set_write_buffer_limits(WINDOW_BYTES)
        self._transport = transport
        self._room.set()
        for call, _ in list(self._waiting.values()):
            self._send(call)
        self._send_notes()

    def is_lost(self) -> None:
        """The writer is gone: wait for the next."""
        self._transport = None
        for call, _ in self._waiting.values():
            call.again = True
        for replies in self._streams.values():
            replies.put_nowait(None)
        if not self._closed:
            with suppress(RuntimeError):  # the loop is closing
                self._connecting = asyncio.get_running_loop().create_task(self.connect())

    def has_room(self, room: bool) -> None:
        """Whether more can be sent now."""
        if room:
            self._room.set()
            self._send_notes()
        else:
            self._room.clear()

    def takes(self, reply: Reply) -> None:
        """A reply came."""
        if reply.kind == CHANGED:
            self.when_changed()
            return
        if reply.kind == GATHER:
            self._send(Call(0, GATHERED, {}))
            return
        if reply.number in self._streams:
            self._streams[reply.number].put_nowait(reply)
            return
        _, future = self._waiting.get(reply.number, (None, None))
        if future is None or future.done():
            return
        if reply.kind == DONE:
            future.set_result(reply.value)
        elif reply.kind == ERROR:
            future.set_exception(error_of(reply.value))


def _json_text(record: object) -> str:
    return _encode(record).decode()


class _LinkProtocol(asyncio.Protocol):
    def __init__(self, link: WriterLink) -> None:
        self._link = link
        self._frames = FrameReader(Reply)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._link.is_open(transport)  # type: ignore[arg-type]  # uvloop's is no asyncio.Transport

    def connection_lost(self, _: Exception | None) -> None:
        self._link.is_lost()

    def data_received(self, data: bytes) -> None:
        for reply in self._frames.feed(data):
            self._link.takes(reply)

    def pause_writing(self) -> None:
        self._link.has_room(False)

    def resume_writing(self) -> None:
        self._link.has_room(True)
