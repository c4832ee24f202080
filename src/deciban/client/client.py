"""A client of a deciban server: one method for each operation. Answers are records (docs/json.md)."""

from __future__ import annotations

from deciban import errors
from deciban.client.server_connection import ServerConnection
from deciban.errors import DecibanError, ServerFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, Self

    Record = dict[str, Any]

MAIL, JSON, LINES = "message/rfc822", "application/json", "application/x-ndjson"
SPACE = "mail"
# So many messages go into one request, which is answered before the next is sent.
BATCH_MESSAGES, BATCH_BYTES = 500, 4_000_000


class Client:
    """A connection to one space of a server; for one thread."""

    def __init__(self, server: str, key: str = "", space: str = SPACE, seconds: float = 60.0) -> None:
        """``server``: ``http://HOST:PORT``, ``https://HOST`` or ``unix:/PATH``."""
        self._connection = ServerConnection(server, key, seconds)
        self._space = f"/v1/spaces/{quoted(space)}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    # Asking

    def classify(self, message: bytes, *, at_least: int = 0, journal: bool = True, done: str = "") -> Record:
        """What a message is; ``done`` says what you do with it: told (the default) or tagged."""
        query = query_of(at_least=at_least or None, journal=None if journal else "false", done=done or None)
        return self._record("POST", f"classify{query}", message, MAIL)

    def classify_many(self, messages: Iterable[bytes]) -> Iterator[Record]:
        """What each of many messages is, in their order."""
        for batch in _batches(messages):
            lines = self._lines("POST", "classify", [line_of(message=message) for message in batch])
            for line in lines:
                raise_problem_in(line)
                yield line

    def why(self, message: bytes) -> Record:
        """What a message is, and the evidence for it."""
        return self._record("POST", "why", message, MAIL)

    # Teaching

    def learn(self, message: bytes, label: str, *, by: str = "", origin: str = "") -> Record:
        """Teach a message, durably."""
        query = query_of(label=label, by=by or None, origin=origin or None)
        return self._record("POST", f"learn{query}", message, MAIL)

    def learn_many(self, messages: Iterable[tuple[str, bytes]], *, by: str = "", origin: str = "") -> Record:
        """Teach many messages, each with its label, in one request; they are sent as they come."""
        query = query_of(by=by or None, origin=origin or None)
        lines = (line_of(label=label, message=message) for label, message in messages)
        found = self._lines("POST", f"learn{query}", lines)
        for line in found:
            raise_problem_in(line)
        return {name: value for name, value in found[-1].items() if name != "done"}

    def forget(
        self, message: bytes | None = None, *, digests: Sequence[str] = (), **selection: Any
    ) -> Record:
        """Take back a message, those of some digests, or what is selected: sender, label, by, since …."""
        if message is not None:
            return self._record("POST", "forget", message, MAIL)
        wanted = {"digests": list(digests), **selection} if digests else selection
        return self._record("POST", "forget", encoded(wanted), JSON)

    def correct(self, entry: str, label: str, *, by: str = "") -> Record:
        """Teach the message of an entry of the journal."""
        return self._record("POST", "correct", encoded({"entry": entry, "label": label, "by": by}), JSON)

    def undo(self, entry: str) -> Record:
        """Take back a correction."""
        return self._record("POST", "undo", encoded({"entry": entry}), JSON)

    # Looking

    def labels(self) -> dict[str, int]:
        """How many lessons of each label there are."""
        found: dict[str, int] = self._record("GET", "labels")["labels"]
        return found

    def status(self) -> Record:
        """How good the filter is on its own mail."""
        return self._record("GET", "status")

    def lessons(self, **selection: Any) -> Iterator[Record]:
        """What was taught, the newest first; page by page as you go on."""
        return self._pages("lessons", "lessons", selection)

    def journal(self, **selection: Any) -> Iterator[Record]:
        """What was decided, the newest first; page by page as you go on."""
        return self._pages("journal", "entries", selection)

    def _pages(self, operation: str, name: str, selection: Record) -> Iterator[Record]:
        cursor = None
        while True:
            page = self._record("GET", operation + query_of(cursor=cursor, **selection))
            yield from page[name]
            cursor = page["next"]
            if cursor is None:
                return

    # Requests

    def _record(self, method: str, operation: str, body: bytes = b"", kind: str = "") -> Record:
        record: Record = decoded(self._asked(method, operation, body, kind))
        return record

    def _lines(self, method: str, operation: str, lines: Iterable[bytes]) -> list[Record]:
        body = self._asked(method, operation, lines, LINES)
        return [decoded(line) for line in body.splitlines() if line]

    def _asked(self, method: str, operation: str, body: bytes | Iterable[bytes], kind: str) -> bytes:
        status, fields, data = self._connection.request(method, f"{self._space}/{operation}", body, kind)
        if status >= 400:
            is_problem = fields.get("content-type", "").startswith("application/problem+json")
            raise error_of(decoded(data)) if is_problem else ServerFault(f"The server answered {status}.")
        return data


def error_of(problem: Record) -> DecibanError:
    """The error that a problem is.

    >>> error_of({"code": "no-such-space", "detail": "There is no such space."})
    NoSuchSpace('There is no such space.')
    """
    name = "".join(part.capitalize() for part in str(problem.get("code", "")).split("-"))
    kind = getattr(errors, name, ServerFault)
    known = isinstance(kind, type) and issubclass(kind, DecibanError)
    found: DecibanError = (kind if known else ServerFault)(problem.get("detail", "The server refused this."))
    return found


def raise_problem_in(line: Record) -> None:
    """Raise what went wrong with one of many."""
    if "problem" in line:
        raise error_of(line["problem"])


def line_of(message: bytes, **fields: str) -> bytes:
    """A message as a line of JSON."""
    from binascii import b2a_base64

    return encoded({**fields, "message": b2a_base64(message, newline=False).decode("ascii")}) + b"\n"


def encoded(record: object) -> bytes:
    """A record as JSON."""
    from json import dumps

    return dumps(record, separators=(",", ":")).encode()


def decoded(data: bytes) -> Any:
    """JSON as a record."""
    from json import loads

    try:
        return loads(data)
    except ValueError:
        raise ServerFault("The server's answer is no JSON.") from None


def quoted(text: str) -> str:
    """A text within an address.

    >>> quoted("../é@x")
    '..%2F%C3%A9%40x'
    """
    plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    data = text.encode("utf-8", "surrogateescape")
    return "".join(chr(byte) if chr(byte) in plain else f"%{byte:02X}" for byte in data)


def query_of(**fields: object) -> str:
    """Parameters of an address, without those that are None.

    >>> query_of(label="a b", by=None)
    '?label=a%20b'
    """
    given = "&".join(f"{name}={quoted(str(value))}" for name, value in fields.items() if value is not None)
    return f"?{given}" if given else ""


def _batches(messages: Iterable[bytes]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    size = 0
    for message in messages:
        batch.append(message)
        size += len(message)
        if len(batch) == BATCH_MESSAGES or size > BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
