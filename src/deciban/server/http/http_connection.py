"""One connection of HTTP/1.1: httptools parses, and limits are looked at as the bytes come.

A request whose body is short is handed to the door when it is whole, so that most are answered without a task
of their own (some 20 µs). A long one is handed over with its header, and read by the door as it comes.
Requests of one connection are answered one after the other, in their order (pipelining).

After an error the rest of the request is read and thrown away for a while before the connection is closed:
otherwise the client, who is still sending, would see a broken connection instead of the answer.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic
from typing import Any, Protocol

import httptools

from deciban.errors import BadRequest, DecibanError, ServerUnreachable, TooSlow
from deciban.server.attendance import Attendance
from deciban.server.http.http_message import HttpBody, HttpRequest, HttpResponse

# A body up to this size is handed over whole.
SHORT_BODY = 262_144
# So much of a long body waits for the door before the client has to.
READ_AHEAD = 524_288
# So much of a streamed answer waits for a client that sends all before it reads anything.
ANSWER_AHEAD = 16_000_000
MOST_HEADERS = 100
# For so long a connection is left to a worker that has fewer.
STEP_BACK_SECONDS = 0.002
# The time after which the rate of a body counts, and for which the rest of a refused request is read.
WINDOW_SECONDS, LINGER_SECONDS = 10.0, 5.0
# For so long a connection that has brought nothing yet is left open when we end.
SILENT_SECONDS = 1.0
# Bodies that are worked through as they come are not held.
STREAMED = "application/x-ndjson"
# Names of fields that need not be read again: as clients write them, and in small letters.
_USUAL_FIELDS = {
    spelling.encode(): name.lower()
    for name in ("Host", "Authorization", "Content-Type", "Content-Length", "User-Agent", "Accept",
                 "Accept-Encoding", "Connection", "X-Request-Id")
    for spelling in (name, name.lower())
}  # fmt: skip
ONCE = frozenset({"host", "authorization", "content-length", "content-type", "origin", "content-encoding"})


class HttpLimits(Protocol):
    """What a connection must know of `LimitSettings`."""

    @property
    def header_bytes(self) -> int: ...  # noqa: D102
    @property
    def connections(self) -> int: ...  # noqa: D102
    @property
    def requests(self) -> int: ...  # noqa: D102
    @property
    def waiting_bytes(self) -> int: ...  # noqa: D102
    @property
    def header_seconds(self) -> float: ...  # noqa: D102
    @property
    def idle_seconds(self) -> float: ...  # noqa: D102
    @property
    def body_rate(self) -> int: ...  # noqa: D102


Handler = Callable[[HttpRequest], HttpResponse | Awaitable[HttpResponse]]
# What a refusal looks like is the door's business: its status, and what to say.
Refusal = Callable[[int, str], HttpResponse]


class HttpService:
    """All connections of one door in one worker."""

    def __init__(
        self,
        handle: Handler,
        refuse: Refusal,
        limits: HttpLimits,
        longest_body: int,
        attendance: Attendance,
    ) -> None:
        self.handle, self.refuse, self.limits = handle, refuse, limits
        self.longest_body, self.attendance = longest_body, attendance
        self.connections: set[HttpConnection] = set()
        self.in_flight = 0
        self.waiting_bytes = 0
        self.is_closing = False
        self._private: set[str] = set()
        self._listening: list[socket.socket] = []
        self._accepting: set[asyncio.Task[Any]] = set()
        self._sweeping: asyncio.Task[None] | None = None

    async def open(self, sockets: list[Any], tls: Any = None) -> None:
        """Serve these listening sockets."""
        loop = asyncio.get_running_loop()
        for each in sockets:
            if each.family == socket.AF_UNIX and is_private(each.getsockname()):
                self._private.add(each.getsockname())
            self._listening.append(each)
            loop.add_reader(each, self._is_wanted, each, tls)
        self._sweeping = loop.create_task(self._sweep())

    def _is_wanted(self, listening: socket.socket, tls: Any) -> None:
        """Somebody connects: take that connection, unless another worker has fewer and takes it soon."""
        if not self.attendance.others_have_fewer():
            self._accept(listening, tls)
            return
        loop = asyncio.get_running_loop()
        loop.remove_reader(listening)
        loop.call_later(STEP_BACK_SECONDS, self._look_again, listening, tls)

    def _look_again(self, listening: socket.socket, tls: Any) -> None:
        if not self.is_closing:
            self._accept(listening, tls)
            asyncio.get_running_loop().add_reader(listening, self._is_wanted, listening, tls)

    def _accept(self, listening: socket.socket, tls: Any) -> None:
        """Take one connection, and leave others to others: asyncio's own servers take all that there are."""
        try:
            accepted, _ = listening.accept()
        except OSError:  # another worker was faster, or there are too many open files
            return
        loop = asyncio.get_running_loop()
        begun = loop.connect_accepted_socket(lambda: HttpConnection(self), accepted, ssl=tls)
        task = loop.create_task(begun)
        self._accepting.add(task)
        task.add_done_callback(self._is_accepted)

    def _is_accepted(self, task: asyncio.Task[Any]) -> None:
        self._accepting.discard(task)
        if not task.cancelled():
            task.exception()  # a client that is gone already, or speaks no TLS, is no fault of ours

    def trusts(self, path: object) -> bool:
        """Whether only its owner can open the socket at a path."""
        return path in self._private

    async def close(self) -> None:
        """Accept nothing any more, and finish what was accepted."""
        self.is_closing = True
        for each in self._listening:
            asyncio.get_running_loop().remove_reader(each)
            each.close()
        if self._accepting:  # those that still greet each other for TLS have asked for nothing
            await asyncio.wait(set(self._accepting), timeout=1.0)
        for task in self._accepting:
            task.cancel()
        for connection in list(self.connections):
            if not connection.is_silent:  # somebody who has just come is about to ask
                connection.close_if_idle()
        until = monotonic() + SILENT_SECONDS
        while self.connections:
            await asyncio.sleep(0.01)
            if monotonic() > until:
                for connection in list(self.connections):
                    connection.close_if_idle()
        if self._sweeping is not None:
            self._sweeping.cancel()

    async def _sweep(self) -> None:
        """Look every second for who is too slow."""
        while True:
            await asyncio.sleep(1.0)
            now = monotonic()
            for connection in list(self.connections):
                connection.look_at_the_clock(now)


class HttpConnection(asyncio.Protocol):
    """One connection."""

    def __init__(self, service: HttpService) -> None:
        self._service = service
        self._transport: Any = None
        self._parser: Any = httptools.HttpRequestParser(self)
        self._peer, self._is_local, self._is_secure = "", False, False
        self._target = b""
        self._headers: dict[str, str] = {}
        self._head_bytes = 0
        self._in_head = False
        self._reading: HttpRequest | None = None
        self._waiting: deque[HttpRequest] = deque()
        self._answering: HttpRequest | None = None
        self._task: asyncio.Task[None] | None = None
        self.is_silent = True
        """Whether nothing has come yet."""
        self._closing = False
        self._throws_away = False
        self._is_paused = False
        self._room: asyncio.Future[None] | None = None
        self._since = monotonic()
        self._window, self._window_bytes = self._since, 0
        self._slow_to_read = 0.0

    # What the transport tells

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody is there."""
        self._transport = transport
        peer = transport.get_extra_info("peername")
        self._peer = peer[0] if isinstance(peer, tuple) else ""
        self._is_local = not self._peer and self._service.trusts(transport.get_extra_info("sockname"))
        self._is_secure = transport.get_extra_info("sslcontext") is not None
        self._service.connections.add(self)
        self._service.attendance.count(+1)
        if len(self._service.connections) > self._service.limits.connections:
            self._refuse(503, "There are too many connections. Try again in a moment, or use fewer of them.")

    def connection_lost(self, _: Exception | None) -> None:
        """Nobody is there any more."""
        self._closing = True
        self._service.connections.discard(self)
        self._service.attendance.count(-1)
        gone = ServerUnreachable("The client closed the connection.")
        for request in (self._reading, self._answering, *self._waiting):
            if request is not None:
                self._let_go(request)
                request.body.fail(gone)
        self._waiting.clear()
        if self._room is not None and not self._room.done():
            self._room.set_exception(gone)

    def eof_received(self) -> bool:
        """The client sends nothing more, but may still read the answer."""
        if self._reading is not None and not self._reading.body.is_whole:
            return False
        return self._answering is not None or bool(self._waiting)

    def data_received(self, data: bytes) -> None:
        """Some bytes came."""
        self._window_bytes += len(data)
        self.is_silent = False
        if self._throws_away:
            return
        if not self._in_head and self._reading is None:
            self._since = monotonic()
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._closing = True  # nothing but HTTP/1.1 is spoken here
        except httptools.HttpParserCallbackError as error:
            cause = error.__context__
            self._refuse(*(cause.args if isinstance(cause, _Refused) else (400, "This cannot be followed.")))
        except httptools.HttpParserError:
            self._refuse(400, "This is no HTTP/1.1 that can be followed.")
        if self._in_head:
            self._head_bytes += len(data)
            self._must_fit_head()

    def pause_writing(self) -> None:
        """The client reads slowly."""
        self._room = asyncio.get_running_loop().create_future()
        self._slow_to_read = monotonic()

    def resume_writing(self) -> None:
        """It reads again."""
        self._slow_to_read = 0.0
        if self._room is not None and not self._room.done():
            self._room.set_result(None)
        self._room = None

    # What the parser tells

    def on_message_begin(self) -> None:
        """A request begins."""
        self._target, self._headers = b"", {}
        self._head_bytes, self._in_head = 0, True

    def on_url(self, url: bytes) -> None:
        """A part of the target."""
        self._target += url
        if len(self._target) > self._service.limits.header_bytes:
            raise _Refused(414, "The address has more bytes than the limit.")

    def on_header(self, name: bytes, value: bytes) -> None:
        """A field."""
        key = _USUAL_FIELDS.get(name) or name.decode("latin-1").lower()
        text = value.decode("latin-1")
        if key in self._headers:
            if key in ONCE:
                raise _Refused(400, f"The field {key} is there twice.")
            text = f"{self._headers[key]}, {text}"
        self._headers[key] = text
        self._head_bytes += len(name) + len(value)
        if len(self._headers) > MOST_HEADERS or self._head_bytes > self._service.limits.header_bytes:
            raise _Refused(431, "The header has more bytes or fields than the limit.")

    def on_headers_complete(self) -> None:
        """The header is whole: look at limits before anything is read."""
        self._in_head = False
        body = HttpBody(self._continue, self._resume_reading)
        method = self._parser.get_method().decode("latin-1")
        try:
            request = HttpRequest(method, self._target, self._headers, body)
        except BadRequest as error:
            raise _Refused(400, str(error)) from None
        request.peer, request.is_local, request.is_secure = self._peer, self._is_local, self._is_secure
        request.started = monotonic()
        self._reading = request
        self._window, self._window_bytes = request.started, 0
        if not self._parser.should_keep_alive():
            self._closing = True
        length = request.length
        if length is not None and length > self._service.longest_body:
            raise _Refused(
                413, f"The body has {length:,} bytes; the limit is {self._service.longest_body:,}."
            )
        if length is None or length > SHORT_BODY or "expect" in self._headers:
            self._hand_over(request)

    def on_body(self, data: bytes) -> None:
        """Some bytes of a body."""
        request = self._reading
        if request is None:
            return
        request.body.feed(data)
        if request.content_type != STREAMED:
            request.held += len(data)
            self._service.waiting_bytes += len(data)
            if self._service.waiting_bytes > self._service.limits.waiting_bytes:
                raise _Refused(503, "There are too many large requests at once. Try again in a moment.")
        if request.body.size > self._service.longest_body:
            raise _Refused(413, f"The body has more than {self._service.longest_body:,} bytes, the limit.")
        if request.body.waiting_bytes > READ_AHEAD and request is self._answering:
            self._pause_reading()

    def on_message_complete(self) -> None:
        """The request is whole."""
        request, self._reading = self._reading, None
        self._since = monotonic()
        if request is None:
            return
        request.body.end()
        if request is not self._answering and request not in self._waiting:
            self._hand_over(request)

    # Answering

    def _hand_over(self, request: HttpRequest) -> None:
        if self._answering is not None:
            self._waiting.append(request)
            self._pause_reading()
            return
        self._answering = request
        service = self._service
        if service.in_flight >= service.limits.requests:
            busy = service.refuse(503, "There are too many requests at once. Try again in a moment.")
            busy.headers["retry-after"] = "1"
            self._write(busy)
            return
        service.in_flight += 1
        try:
            answer = service.handle(request)
        except BaseException:
            service.in_flight -= 1
            raise
        if isinstance(answer, HttpResponse) and answer.pieces is None:
            service.in_flight -= 1
            self._write(answer)
        else:
            self._task = asyncio.get_running_loop().create_task(self._answer(answer))

    async def _answer(self, answer: HttpResponse | Awaitable[HttpResponse]) -> None:
        try:
            response = answer if isinstance(answer, HttpResponse) else await answer
            if response.pieces is None:
                self._write(response)
            else:
                await self._stream(response)
        except ServerUnreachable:
            self._abort()
        finally:
            self._service.in_flight -= 1

    def _write(self, response: HttpResponse) -> None:
        """Send a response whole, and go on with the next request."""
        request = self._answering
        if self._transport is None or self._transport.is_closing():
            return
        keeps = self._keeps_alive(request)
        head = response.head(keeps)
        is_head = request is not None and request.method == "HEAD"
        self._transport.write(head if is_head else head + response.body)
        self._is_answered(keeps)

    async def _stream(self, response: HttpResponse) -> None:
        assert response.pieces is not None
        request = self._answering
        assert request is not None
        request.body.ask_for_it()
        self._transport.write(response.head(not self._closing))
        async for piece in response.pieces:
            if piece:
                self._transport.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            while self._room is not None and (
                request.body.is_whole or self._transport.get_write_buffer_size() > ANSWER_AHEAD
            ):
                await asyncio.wait([self._room], timeout=0.1)
                if self._transport.is_closing():
                    raise ServerUnreachable("The client closed the connection.")
        self._transport.write(b"0\r\n\r\n")
        self._is_answered(self._keeps_alive(request))

    def _keeps_alive(self, request: HttpRequest | None) -> bool:
        """Whether the connection can go on: not after half a request, nor when we are to end."""
        if request is None or not request.body.is_whole or self._closing or self._throws_away:
            return False
        return not (self._service.is_closing and not self._waiting)

    def _let_go(self, request: HttpRequest) -> None:
        """The body of a request is not needed any more."""
        self._service.waiting_bytes -= request.held
        request.held = 0

    def _is_answered(self, keeps: bool) -> None:
        if self._answering is not None:
            self._let_go(self._answering)
        self._answering = None
        self._since = monotonic()
        if not keeps:
            self._linger()
        elif self._waiting:
            asyncio.get_running_loop().call_soon(self._next)
        else:
            self._resume_reading()

    def _next(self) -> None:
        if self._waiting and self._answering is None:
            self._hand_over(self._waiting.popleft())

    def _refuse(self, status: int, text: str) -> None:
        """Answer with an error, after what was asked before, and end."""
        if self._throws_away:
            return
        self._throws_away = True
        if self._reading is not None:
            self._let_go(self._reading)
        if self._answering is not None:  # in the middle of another answer: there is no place for this one
            self._answering.body.fail(BadRequest(text))
            self._closing = True
            return
        response = self._service.refuse(status, text)
        if status == 503:
            response.headers["retry-after"] = "1"
        self._transport.write(response.head(False) + response.body)
        self._linger()

    def _linger(self) -> None:
        """Close, but read what the client still sends for a while, or it would never see the answer."""
        self._throws_away = self._closing = True
        self._since = monotonic()
        if self._transport is None or self._transport.is_closing():
            return
        unread = self._reading is not None or self._in_head
        if unread and self._transport.can_write_eof():
            self._transport.write_eof()
            self._resume_reading()
        else:
            self._transport.close()

    def _abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    # Reading

    def _continue(self) -> None:
        """The door waits for a body that the client wants to be asked for."""
        if self._headers.get("expect", "").lower() == "100-continue":
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _pause_reading(self) -> None:
        if not self._is_paused:
            self._is_paused = True
            with suppress(RuntimeError):
                self._transport.pause_reading()

    def _resume_reading(self) -> None:
        if self._is_paused and not self._transport.is_closing():
            self._is_paused = False
            self._window, self._window_bytes = monotonic(), 0
            with suppress(RuntimeError):
                self._transport.resume_reading()

    def _must_fit_head(self) -> None:
        if self._head_bytes > 2 * self._service.limits.header_bytes:
            self._refuse(431, "The header has more bytes than the limit.")

    # Time

    def close_if_idle(self) -> None:
        """Close if nothing was asked that is not answered."""
        idle = self._answering is None and not self._waiting and self._reading is None
        if idle and not self._in_head and self._transport is not None:
            self._transport.close()

    def look_at_the_clock(self, now: float) -> None:
        """End what takes too long: a header, a body that trickles, a client that does not read, idleness."""
        limits = self._service.limits
        if self._throws_away:
            if now - self._since > LINGER_SECONDS and self._answering is None:
                self._abort()
        elif self._slow_to_read and now - self._slow_to_read > limits.idle_seconds:
            self._abort()
        elif self._in_head:
            if now - self._since > limits.header_seconds:
                self._refuse(408, "The header took too long to arrive.")
        elif self._reading is not None:
            self._look_at_the_rate(now)
        elif self._answering is None and now - self._since > limits.idle_seconds:
            self._transport.close()

    def _look_at_the_rate(self, now: float) -> None:
        if self._is_paused:
            self._window, self._window_bytes = now, 0
        elif now - self._window > WINDOW_SECONDS:
            if self._window_bytes < self._service.limits.body_rate * WINDOW_SECONDS:
                self._too_slow()
            self._window, self._window_bytes = now, 0

    def _too_slow(self) -> None:
        text = "The body arrives too slowly."
        if self._answering is not None and self._answering is self._reading:
            self._throws_away = True
            self._answering.body.fail(TooSlow(text))
        else:
            self._refuse(408, text)


def is_private(path: str) -> bool:
    """Whether only its owner can open a socket in the file system."""
    try:
        return not os.stat(path).st_mode & 0o077
    except OSError:
        return False


class _Refused(DecibanError):
    """A limit was met while a request was parsed: a status, and what to say."""
