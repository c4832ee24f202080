"""Requests to the interface: who asks, may they, for what; then the operation; then how it went.

Before any work is done, in this order: the names of the host and of the page that asks, the address and the
method, the key, its rate, the size of the body, the parameters. Whatever fails is a problem (problem.py).
"""

from __future__ import annotations

import re
from collections.abc import Awaitable
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote_to_bytes

import msgspec

from deciban.errors import (
    BadRequest,
    DecibanError,
    NoSuchPage,
    NoSuchSpace,
    ServerUnreachable,
    TooMuch,
    UnknownContent,
    UnknownKey,
    WrongMethod,
)
from deciban.server.api.gate import Gate
from deciban.server.api.message_intake import JSON_FACTOR
from deciban.server.api.operation import NDJSON, ApiCall, Operation
from deciban.server.api.operations import ALL_OPERATIONS
from deciban.server.api.pages import PAGES
from deciban.server.http.http_message import HttpRequest, HttpResponse
from deciban.server.http.problem import PROBLEM_JSON, problem, problem_of
from deciban.spaces.rights import OPERATIONS

if TYPE_CHECKING:
    from deciban.server.reception import Reception
    from deciban.server.server_configuration import HttpSettings
    from deciban.server.server_metrics import ServerMetrics

# An operation, the name of the space that it is asked for, and what else the address names.
Route = tuple[Operation, str, str]
_OWN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_encode = msgspec.json.Encoder().encode
BEARER = "bearer "
# So many addresses are remembered, of at most so many bytes each.
MOST_REMEMBERED, LONGEST_REMEMBERED = 4096, 200


class HttpApi:
    """Answers the requests of one worker."""

    def __init__(self, reception: Reception, settings: HttpSettings, metrics: ServerMetrics) -> None:
        self.reception, self.metrics = reception, metrics
        self._settings = settings
        self._random = reception.random_bytes.take
        self._gate = Gate(settings, reception.configuration.limits.key_rate)
        self._log_requests = reception.configuration.log.requests
        # What addresses and parameters were found to mean: programs ask for the same ones again and again.
        self._routed_before: dict[tuple[str, bytes], Route] = {}
        self._parameters: dict[tuple[bytes, type[Any]], Any] = {}
        self._routes: dict[tuple[str, ...], dict[str, Operation]] = {}
        for operation in ALL_OPERATIONS:
            steps = tuple("*" if step.startswith("{") else step for step in operation.path.split("/")[1:])
            self._routes.setdefault(steps, {})[operation.method] = operation

    def handle(self, request: HttpRequest) -> HttpResponse | Awaitable[HttpResponse]:
        """Answer a request, at once if that is possible."""
        given = request.headers.get("x-request-id")
        request.id = given if given and _OWN_ID.fullmatch(given) else self._random(8).hex()
        name = "page"
        try:
            self._gate.must_be_meant(request)
            if request.path in PAGES:
                return self._finished(request, name, PAGES[request.path](self, request))
            operation, space, tail = self._routed(request)
            name = operation.name
            call = self._admitted(request, operation, space)
            call.tail = tail
            answer = operation.handle(call)
        except Exception as error:
            return self._failed(request, name, error)
        if isinstance(answer, HttpResponse):
            return self._finished(request, name, answer)
        return self._awaited(request, name, answer)

    async def _awaited(
        self, request: HttpRequest, name: str, answer: Awaitable[HttpResponse]
    ) -> HttpResponse:
        try:
            return self._finished(request, name, await answer)
        except ServerUnreachable:
            raise
        except Exception as error:
            return self._failed(request, name, error)

    # Letting in

    def _admitted(self, request: HttpRequest, operation: Operation, name: str) -> ApiCall:
        call = ApiCall(self.reception, request, "http")
        self._let_in(call, operation, name)
        length = request.length
        single = request.content_type != NDJSON
        if single and length is not None and length > JSON_FACTOR * call.most:
            raise TooMuch(f"The body has {length:,} bytes; the limit is {call.most:,} for a message.")
        if operation.takes and request.content_type not in operation.takes:
            raise UnknownContent(f"Send this as Content-Type: {' or '.join(operation.takes)}.")
        asked = request.query, operation.query
        call.query = self._parameters.get(asked)
        if call.query is None:
            call.query = _query(*asked)
            _remember(self._parameters, asked, call.query, len(request.query))
        return call

    def _routed(self, request: HttpRequest) -> Route:
        asked = request.method, request.path
        found = self._routed_before.get(asked)
        if found is None:
            found = self._route(request)
            _remember(self._routed_before, asked, found, len(request.path))
        return found

    def _route(self, request: HttpRequest) -> Route:
        try:
            steps = request.path.decode("ascii").split("/")[1:]
        except UnicodeDecodeError:
            raise BadRequest("The address has bytes that must be written as %XX.") from None
        name = ""
        if len(steps) >= 3 and steps[0] == "v1":
            name = _decoded(steps[2])
            steps[2] = "*"
        methods = self._routes.get(tuple(steps))
        if methods is None:
            raise NoSuchPage("There is nothing at this address. / describes the interface.")
        operation = methods.get("GET" if request.method == "HEAD" else request.method)
        if operation is None:
            raise WrongMethod(f"This address takes {', '.join(sorted(methods))}.")
        in_space = operation.path.startswith("/v1/spaces/")
        return operation, name if in_space else "", "" if in_space else name

    def _let_in(self, call: ApiCall, operation: Operation, name: str) -> None:
        """Find the space, if the key opens the operation there; refuse otherwise."""
        keeper = self.reception.doorkeeper
        text = _key_text(call.request)
        if text:
            call.key = keeper.unlock(text)
            if self._gate.has_rate:
                self._gate.must_not_be_too_often(call.key.id)
            record = keeper.admitted(call.key, operation.name, name)
        elif call.request.is_local or OPERATIONS[operation.name] in self._settings.without_key:
            record = keeper.find(name) if name else None
            if name and record is None:
                raise NoSuchSpace("There is no such space.")
        else:
            raise UnknownKey("Send a key: Authorization: Bearer deciban_…; deciban key add makes one.")
        if record is not None:
            call.space = record

    # Answering

    def _finished(self, request: HttpRequest, name: str, response: HttpResponse) -> HttpResponse:
        response.headers["x-request-id"] = request.id
        seconds = monotonic() - request.started
        self.metrics.count(name, response.status, seconds)
        if self._log_requests == "all" or (self._log_requests == "errors" and response.status >= 400):
            self.reception.log.say(
                "http", name, id=request.id, method=request.method, status=response.status,
                ms=round(seconds * 1e3, 2), bytes=request.body.size,
            )  # fmt: skip
        return response

    def _failed(self, request: HttpRequest, name: str, error: Exception) -> HttpResponse:
        record = problem_of(error, request.id)
        if record["status"] >= 500:
            text = str(error) if isinstance(error, DecibanError) else ""
            self.reception.log.fault("http", error, id=request.id, operation=name, text=text)
        return self._finished(request, name, problem_response(record))

    def refuse(self, status: int, text: str) -> HttpResponse:
        """What is answered before a request is one."""
        self.metrics.count("refused", status, 0.0)
        name = {408: "TooSlow", 413: "TooMuch", 414: "TooMuch", 431: "TooMuch", 503: "NotReady"}
        return problem_response(
            problem(status, name.get(status, "BadRequest"), "The request is refused", text)
        )


def problem_response(record: dict[str, Any]) -> HttpResponse:
    """A problem as a response."""
    response = HttpResponse(record["status"], _encode(record), PROBLEM_JSON)
    if record["status"] == 401:
        response.headers["www-authenticate"] = 'Bearer realm="deciban"'
    if record["status"] in (429, 503):
        response.headers["retry-after"] = "1"
    return response


def _remember(memory: dict[Any, Any], asked: object, found: object, size: int) -> None:
    if len(memory) >= MOST_REMEMBERED:
        memory.clear()
    if size <= LONGEST_REMEMBERED:
        memory[asked] = found


def _key_text(request: HttpRequest) -> str:
    given = request.headers.get("authorization", "")
    if not given:
        return ""
    if given[: len(BEARER)].lower() != BEARER:
        raise UnknownKey("A key is sent as Authorization: Bearer deciban_….")
    return given[len(BEARER) :].strip()


def _decoded(step: str) -> str:
    try:
        return unquote_to_bytes(step).decode()
    except UnicodeDecodeError:
        raise BadRequest("A name in the address is no UTF-8.") from None


def _query(text: bytes, kind: type[Any]) -> Any:
    """The parameters, as what the definition says."""
    if not text:
        return kind()
    try:
        pairs = parse_qsl(text.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=50)
    except ValueError:
        raise BadRequest("The parameters in the address cannot be read.") from None
    found = dict(pairs)
    if len(found) < len(pairs):
        raise BadRequest("A parameter in the address is given twice.")
    try:
        return msgspec.convert(found, kind, strict=False)
    except msgspec.ValidationError as error:
        raise BadRequest(f"A parameter in the address cannot be followed: {error}.") from None
