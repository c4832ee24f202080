"""One operation of the interface: its address, the right it needs, what goes in and what comes out.

The table of them (operations.py) is what requests are routed by and what the OpenAPI document is made of.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import msgspec

from deciban.errors import BadRequest, UnknownContent
from deciban.server.api.api_definitions import NoQuery
from deciban.server.http.http_message import HttpRequest, HttpResponse
from deciban.value import Value

if TYPE_CHECKING:
    from deciban.server.reception import Reception
    from deciban.spaces.key import Key
    from deciban.spaces.sqlite_registry import SpaceRecord

JSON = "application/json"
NDJSON = "application/x-ndjson"
MAIL = "message/rfc822"
encode = msgspec.json.Encoder().encode


class ApiCall:
    """A request that was let in: who asks for what, where."""

    __slots__ = ("door", "key", "most", "query", "reception", "request", "space", "tail")

    def __init__(self, reception: Reception, request: HttpRequest, door: str) -> None:
        self.reception, self.request, self.door = reception, request, door
        self.most = reception.configuration.limits.body_bytes
        self.query: Any = None
        self.key: Key | None = None
        self.space: SpaceRecord = None  # type: ignore[assignment]  # set where the operation has one
        self.tail = ""
        """What the address names beside a space: the id of a key."""

    async def json(self, kind: type[Any]) -> Any:
        """The body, as what the definition says."""
        if self.request.content_type != JSON:
            raise UnknownContent(f"Send this as Content-Type: {JSON}.")
        return decoded(await self.request.body.read(self.most), kind)


Answering = HttpResponse | Awaitable[HttpResponse]


class Operation(Value, kw_only=True):
    """One line of the table."""

    name: str
    """Of the operation, as the table of rights has it (spaces/rights.py); empty if nobody needs a key."""
    method: str
    path: str
    summary: str
    handle: Callable[[ApiCall], Answering]
    query: type[Any] = NoQuery
    body: type[Any] | None = None
    takes: tuple[str, ...] = ()
    """The kinds of content; the first is the usual one."""
    answer: type[Any] | None = None
    gives: str = JSON
    streams: bool = False
    """Whether many at once may be sent and are answered as NDJSON."""
    status: int = 200


def answered(record: Any, status: int = 200) -> HttpResponse:
    """A response in JSON."""
    return HttpResponse(status, encode(record), JSON)


def decoded(data: bytes, kind: type[Any]) -> Any:
    """JSON as what a definition says; BadRequest with the place of the first mistake."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest(f"This JSON cannot be followed: {error}.") from None


def given(record: msgspec.Struct) -> dict[str, Any]:
    """The fields of an input that were given."""
    fields = ((name, getattr(record, name)) for name in record.__struct_fields__)
    return {name: value for name, value in fields if value is not msgspec.UNSET}
