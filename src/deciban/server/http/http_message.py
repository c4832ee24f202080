r"""Requests and responses as a door sees them.

>>> response = HttpResponse(200, b"{}", "application/json")
>>> response.head(True)
b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n'
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from http import HTTPStatus

from deciban.errors import BadRequest, TooMuch

_STATUS_LINES = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus
}
# Kinds of content that need no second look.
_USUAL_TYPES = frozenset({"", "message/rfc822", "application/json", "application/x-ndjson"})
_NO_HEADERS: Mapping[str, str] = {}


class HttpBody:
    """The body of a request as it comes in; reading it lets more of it come."""

    def __init__(self, begin: Callable[[], object], resume: Callable[[], object]) -> None:
        """``begin`` is called before the first byte is waited for, ``resume`` when there is room again."""
        self._begin: Callable[[], object] | None = begin
        self._resume = resume
        self._parts: list[bytes] = []
        self.size = 0
        self.is_whole = False
        self.waiting_bytes = 0
        self._error: Exception | None = None
        self._news: asyncio.Future[None] | None = None

    # The connection's side

    def feed(self, data: bytes) -> None:
        """Some bytes came."""
        self._parts.append(data)
        self.size += len(data)
        self.waiting_bytes += len(data)
        if self._news is not None:
            self._wake()

    def end(self) -> None:
        """All came."""
        self.is_whole = True
        if self._news is not None:
            self._wake()

    def fail(self, error: Exception) -> None:
        """No more will come."""
        if not self.is_whole:
            self._error = error
            self._wake()

    def _wake(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)

    # The door's side

    def ask_for_it(self) -> None:
        """Have a client go on that waits to be asked for its body; it must hear that before any answer."""
        if self._begin is not None and not self.is_whole:
            self._begin()
        self._begin = None

    def take_now(self) -> bytes:
        """All of it, if it is whole."""
        assert self.is_whole
        return self._take()

    def _take(self) -> bytes:
        data = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        self._parts.clear()
        self.waiting_bytes = 0
        return data

    async def pieces(self) -> AsyncIterator[bytes]:
        """The bytes as they come."""
        while True:
            if self._parts:
                yield self._take()
                self._resume()
            elif self._error is not None:
                raise self._error
            elif self.is_whole:
                return
            else:
                self.ask_for_it()
                self._news = asyncio.get_running_loop().create_future()
                await self._news
                self._news = None

    async def read(self, most: int) -> bytes:
        """All of it; TooMuch if it is more than so many bytes."""
        if self.is_whole:
            return self.take_now()
        found = bytearray()
        async for piece in self.pieces():
            found += piece
            if len(found) > most:
                raise TooMuch(f"The body has more than {most:,} bytes, which is the limit.")
        return bytes(found)


async def lines_of(pieces: AsyncIterator[bytes], most: int) -> AsyncIterator[bytes]:
    """The lines of a streamed body, without their ends; TooMuch for one of more than so many bytes."""
    rest = bytearray()
    async for piece in pieces:
        searched = len(rest)
        rest += piece
        first = 0
        while (end := rest.find(b"\n", max(first, searched))) >= 0:
            if end - first > most:
                raise TooMuch(f"A line has more than {most:,} bytes, which is the limit.")
            yield bytes(rest[first:end])
            first = end + 1
        del rest[:first]
        if len(rest) > most:
            raise TooMuch(f"A line has more than {most:,} bytes, which is the limit.")
    if rest:
        yield bytes(rest)


class HttpRequest:
    """One request."""

    __slots__ = (
        "body",
        "content_type",
        "headers",
        "held",
        "id",
        "is_local",
        "is_secure",
        "length",
        "method",
        "path",
        "peer",
        "query",
        "started",
    )

    def __init__(self, method: str, target: bytes, headers: dict[str, str], body: HttpBody) -> None:
        """BadRequest if the length of the body is no number."""
        self.method = method
        path, _, self.query = target.partition(b"?")
        self.path = path
        self.headers = headers
        kind = headers.get("content-type", "")
        self.content_type = kind if kind in _USUAL_TYPES else kind.partition(";")[0].strip().lower()
        """What the body is said to be, without parameters."""
        self.length = _length_in(headers)
        """The length of the body, if it is told."""
        self.body = body
        self.peer = ""
        self.is_local = False
        """Whether it came through a socket that only its owner can open."""
        self.is_secure = False
        self.id = ""
        self.held = 0
        """Bytes of its body that count towards what a worker may hold."""
        self.started = 0.0


class HttpResponse:
    """One response: with its body, or with pieces of it that are made while they are sent."""

    __slots__ = ("body", "headers", "pieces", "status")

    def __init__(
        self,
        status: int,
        body: bytes = b"",
        content_type: str = "",
        headers: Mapping[str, str] = _NO_HEADERS,
        pieces: AsyncIterator[bytes] | None = None,
    ) -> None:
        self.status, self.body, self.pieces = status, body, pieces
        self.headers: dict[str, str] = {"content-type": content_type} if content_type else {}
        if headers:
            self.headers.update(headers)

    def head(self, keep_alive: bool) -> bytes:
        """Status line and header."""
        lines = ""
        for name, value in self.headers.items():
            lines += f"{name}: {value}\r\n"
        if self.pieces is not None:
            length = "transfer-encoding: chunked\r\n"
        else:
            length = "" if self.status in (204, 304) else f"content-length: {len(self.body)}\r\n"
        end = "\r\n" if keep_alive else "connection: close\r\n\r\n"
        return _STATUS_LINES[self.status] + (lines + length + end).encode("latin-1", "replace")


def _length_in(headers: Mapping[str, str]) -> int | None:
    """The length of a body, if it is told; BadRequest if that is no number."""
    text = headers.get("content-length")
    if text is None:
        return None if "transfer-encoding" in headers else 0
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise BadRequest("Content-Length is no number.")
    return int(text)
