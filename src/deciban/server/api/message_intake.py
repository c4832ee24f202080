"""Messages in the body of a request: one mail as it is, one as JSON, or many as lines of JSON.

Many are streamed: as the lines come in, answers go out. The event loop reads and answers a few of them at a
time, so that others are answered in between.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from deciban.errors import BadRequest, TooMuch, UnknownContent
from deciban.server.api.operation import JSON, MAIL, NDJSON, ApiCall, decoded
from deciban.server.api.unpacking import unpacked
from deciban.server.http.http_message import lines_of

# JSON has base64 and quotes around a message: so much longer may a line be.
JSON_FACTOR = 2


def is_many(call: ApiCall) -> bool:
    """Whether the body holds many messages."""
    return call.request.content_type == NDJSON


def whole_mail(call: ApiCall) -> bytes | None:
    """The mail, if the body is one and has come whole; otherwise None."""
    request = call.request
    if request.content_type != MAIL or not request.body.is_whole or "content-encoding" in request.headers:
        return None
    return _within(call, request.body.take_now())


async def whole_body(call: ApiCall, most: int) -> bytes:
    """All of a body, unpacked."""
    encoding = call.request.headers.get("content-encoding", "")
    if not encoding:
        return await call.request.body.read(most)
    found = bytearray()
    async for piece in unpacked(call.request.body.pieces(), encoding):
        found += piece
        if len(found) > most:
            raise TooMuch(f"The body has more than {most:,} bytes once it is unpacked, which is the limit.")
    return bytes(found)


async def one_message(call: ApiCall, kind: type[Any]) -> tuple[Any, bytes]:
    """The only message of a body: what was said about it, and its bytes."""
    content = call.request.content_type
    if content == MAIL:
        return kind(), _within(call, await whole_body(call, call.most))
    if content != JSON:
        raise UnknownContent(f"Send a mail as Content-Type: {MAIL}, or {JSON}, or many as {NDJSON}.")
    record = decoded(await whole_body(call, JSON_FACTOR * call.most), kind)
    return record, _within(call, record.data())


async def many_messages(call: ApiCall, kind: type[Any]) -> AsyncIterator[tuple[Any, bytes] | BadRequest]:
    """The messages of a stream, line by line; a line that cannot be followed is an error of its own."""
    pieces = unpacked(call.request.body.pieces(), call.request.headers.get("content-encoding", ""))
    async for line in lines_of(_counted(call, pieces), JSON_FACTOR * call.most):
        if not line.strip():
            continue
        try:
            record = decoded(line, kind)
            yield record, _within(call, record.data())
        except BadRequest as error:
            yield error


async def _counted(call: ApiCall, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    most = call.reception.configuration.limits.stream_bytes
    size = 0
    async for piece in pieces:
        size += len(piece)
        if size > most:
            raise TooMuch(f"The body has more than {most:,} bytes, which is the limit.")
        yield piece


def _within(call: ApiCall, data: bytes) -> bytes:
    if len(data) > call.most:
        raise TooMuch(f"The message has {len(data):,} bytes; the limit is {call.most:,}.")
    return data
