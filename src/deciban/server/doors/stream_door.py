"""What the doors for mail servers share: they listen, and hold one conversation on each connection.

A conversation that breaks, whatever the reason, ends alone: the reason is logged, the connection is closed.
When the server stops, connections on which nothing was begun are closed; the others first finish what was.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol, TypeVar

from deciban.errors import BadDialogue
from deciban.server.listening import BACKLOG
from deciban.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deciban.server.reception import Reception

Request = TypeVar("Request", covariant=True)
PIECE_BYTES = 1 << 17
# How long a client may take to read an answer.
SENDING_SECONDS = 60.0
# For so long those who have just come may bring their first message when the door closes.
NEW_SECONDS = 1.0


class Peer(Value):
    """Who is at the other end."""

    uid: int | None = None
    """Whose process it is, if it came through a socket in the file system: the kernel knows."""
    address: str = ""
    """Otherwise, its address."""

    @classmethod
    def of(cls, connection: socket.socket) -> Peer:
        """The peer of a connection."""
        if connection.family == socket.AF_UNIX:
            size = struct.calcsize("3i")
            told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
            return cls(uid=struct.unpack("3i", told)[1])
        return cls(address=connection.getpeername()[0])


class RequestProtocol(Protocol[Request]):
    """What makes one request of the bytes of a client."""

    @property
    def request(self) -> Request | None:
        """The request, once it is whole."""

    @property
    def is_resting(self) -> bool:
        """Whether nothing of it has come."""

    def receive(self, data: bytes) -> None:
        """Take bytes."""

    def end(self) -> None:
        """The client sends nothing more."""


class StreamDoor:
    """A door that holds conversations; each kind has its own `converse`."""

    name = ""

    def __init__(self, reception: Reception) -> None:
        self.reception = reception
        self.is_closing = False
        self._most = reception.configuration.limits.connections
        self._servers: list[asyncio.Server] = []
        self._conversations: set[asyncio.Task[None]] = set()
        self._resting: set[asyncio.Task[None]] = set()
        self._new: set[asyncio.Task[None]] = set()
        """Conversations that have not had a message yet."""
        self._held: dict[asyncio.Task[None], int] = {}
        """How many bytes of unfinished messages each conversation has sent."""

    async def open(self, sockets: Sequence[socket.socket]) -> None:
        """Listen at sockets."""
        for listening in sockets:
            is_unix = listening.family == socket.AF_UNIX
            start = asyncio.start_unix_server if is_unix else asyncio.start_server
            # While as many wait to be accepted, a socket in the file system turns everybody away at once.
            self._servers.append(await start(self._begin, sock=listening, backlog=BACKLOG))

    async def close(self) -> None:
        """Accept nobody any more, and finish what was begun.

        Somebody whose connection we have taken already is about to ask, and is given a moment for it.
        """
        self.is_closing = True
        for server in self._servers:
            server.close()
        for resting in self._resting - self._new:
            resting.cancel()
        await asyncio.sleep(0)  # what was accepted just now begins
        if self._new:
            await asyncio.wait(list(self._new), timeout=NEW_SECONDS)
            self._new.clear()
        for resting in list(self._resting):
            resting.cancel()
        if self._conversations:
            await asyncio.wait(list(self._conversations))

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: Peer) -> None:
        """Hold one conversation, to its end."""
        raise NotImplementedError

    async def read(self, reader: asyncio.StreamReader, seconds: float, is_resting: bool = False) -> bytes:
        """What comes next; empty at the end, and if nothing comes for too long.

        ``is_resting``: whether nothing was begun, so that the door may close now.
        """
        task = asyncio.current_task()
        if is_resting and self.is_closing and task not in self._new:
            return b""
        if is_resting and task is not None:
            self._resting.add(task)
        try:
            async with asyncio.timeout(seconds):
                data = await reader.read(PIECE_BYTES)
        except TimeoutError:
            return b""
        finally:
            if task is not None:
                self._resting.discard(task)
        self._hold(len(data))
        return data

    async def request(
        self, reader: asyncio.StreamReader, protocol: RequestProtocol[Request]
    ) -> Request | None:
        """One whole request; None from somebody who only looked whether we are there."""
        seconds = self.reception.configuration.limits.idle_seconds
        while protocol.request is None:
            data = await self.read(reader, seconds, protocol.is_resting)
            if not data and protocol.is_resting:
                return None
            if not data:
                protocol.end()
            protocol.receive(data)
        return protocol.request

    def _hold(self, size: int) -> None:
        """Count bytes that are held; with too many of them a conversation ends before more work is done."""
        task = asyncio.current_task()
        assert task is not None
        self._held[task] = self._held.get(task, 0) + size
        most = self.reception.configuration.limits.waiting_bytes
        if sum(self._held.values()) > most:
            raise BadDialogue(f"This worker holds {most:,} bytes of messages already: see waiting_bytes.")

    def let_go(self) -> None:
        """The message of this conversation is done, and its bytes are held no more."""
        task = asyncio.current_task()
        if task is not None:
            self._held.pop(task, None)
            self._new.discard(task)

    async def send(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        """Send an answer; a client that does not read it is given up."""
        writer.write(data)
        async with asyncio.timeout(SENDING_SECONDS):
            await writer.drain()

    def tell(self, error: BaseException, **fields: object) -> None:
        """Log why a message goes on without a verdict, or why a conversation ended."""
        if isinstance(error, TimeoutError):
            self.reception.log.say(self.name, "took too long", **fields)
        elif isinstance(error, BadDialogue):
            self.reception.log.say(self.name, "refused", why=str(error), **fields)
        else:  # other messages may have names of spaces and addresses, which no log tells
            self.reception.log.say(self.name, "failed", error=type(error).__name__, **fields)

    async def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if len(self._conversations) >= self._most:
            self.reception.log.say(self.name, "too many connections", most=self._most)
            writer.close()
            return
        self._conversations.add(task)
        self._new.add(task)
        try:
            await self.converse(reader, writer, Peer.of(writer.get_extra_info("socket")))
        except (BadDialogue, OSError, TimeoutError) as error:
            self.tell(error)
        except asyncio.CancelledError:  # we are closing
            pass
        except Exception as error:
            self.reception.log.fault(self.name, error)
        finally:
            self._conversations.discard(task)
            self._new.discard(task)
            self._held.pop(task, None)
            with suppress(OSError, RuntimeError):
                writer.close()
