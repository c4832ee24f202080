r"""What clients of rspamd speak, without I/O: HTTP with a message as its body, or the older lines of RSPAMC.

    POST /checkv2 HTTP/1.0              HTTP/1.1 200 OK
    Deliver-To: ann@example.org         Content-Type: application/json
    Content-Length: 38
                                        {"action": "add header", "score": 15.8, …}
    Subject: Free money
    …

>>> protocol = RspamdProtocol()
>>> protocol.receive(b"POST /checkv2 HTTP/1.0\r\nRcpt: ann@example.org\r\nRcpt: <bob@example.org>\r\n")
>>> protocol.receive(b"Content-Length: 11\r\n\r\nSubject: hi")
>>> request = protocol.request
>>> request.method, request.path, request.recipients, request.message
('POST', '/checkv2', ['ann@example.org', 'bob@example.org'], b'Subject: hi')

Exim's ``variant=rspamd`` speaks the older form, ``CHECK RSPAMC/1.3``. A connection carries one request.
Whatever cannot be followed is `BadDialogue`, which has the answer in `refusal`.
"""

from __future__ import annotations

import json

from deciban.errors import BadDialogue
from deciban.value import Value

MOST_HEAD = 1 << 16
MOST_HEADERS = 1_000
MOST_BYTES = 16 << 20
METHODS = ("GET", "HEAD", "POST", "PUT", "OPTIONS")
# Commands of the older form, and the paths that mean the same.
LEGACY = {"CHECK": "/checkv2", "SYMBOLS": "/checkv2", "REPORT": "/checkv2", "PING": "/ping"}
REASONS = {
    200: "OK",
    400: "Bad request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not found",
    405: "Method not allowed",
    413: "Too large",
    415: "Unsupported encoding",
    503: "Service unavailable",
}


class RspamdRequest(Value, kw_only=True):
    """What a client wants."""

    method: str
    path: str
    is_legacy: bool = False
    headers: dict[str, tuple[str, ...]]
    """Values by names in small letters; a field may come more than once."""
    message: bytes = b""

    def header(self, name: str) -> str:
        """The value of a field; the last one, if it came more than once."""
        return self.headers.get(name, ("",))[-1]

    @property
    def recipients(self) -> list[str]:
        """The addresses that the message is for, as the client says."""
        found = self.headers.get("deliver-to") or self.headers.get("rcpt") or ()
        return [each.strip().removeprefix("<").removesuffix(">") for each in found if each.strip()]


class RspamdProtocol:
    """One connection of a client."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.request: RspamdRequest | None = None
        """What the client wants, once all of it has come."""
        self._most_bytes = most_bytes
        self._received = bytearray()
        self._started: RspamdRequest | None = None
        self._length = 0

    @property
    def is_resting(self) -> bool:
        """Whether nothing has come yet."""
        return not self._received and self._started is None

    def receive(self, data: bytes) -> None:
        """Take bytes from the client; afterwards look at `request`."""
        if self.request is not None:
            return  # one request on each connection
        self._received += data
        if self._started is None:
            self._take_head()
        if self._started is not None and len(self._received) >= self._length:
            self.request = self._started.replaced(message=bytes(self._received[: self._length]))

    def end(self) -> None:
        """The client sends nothing more."""
        if self.request is None:
            raise refused(400, "The request is not whole.")

    def _take_head(self) -> None:
        lines = bytes(self._received[: MOST_HEAD + 4])
        ends = [place for mark in (b"\r\n\r\n", b"\n\n") if (place := lines.find(mark)) >= 0]
        if not ends:
            if len(self._received) > MOST_HEAD:
                raise refused(400, "The header is too long.")
            return
        end = min(ends)
        body = end + (4 if lines[end : end + 4] == b"\r\n\r\n" else 2)
        first, *rest = lines[:end].decode("utf-8", "replace").split("\n")
        if len(rest) > MOST_HEADERS:
            raise refused(400, "The header has too many lines.")
        started = _first_line(first.strip())
        self._started = started.replaced(headers=_headers(rest))
        self._length = self._length_of(self._started)
        del self._received[:body]

    def _length_of(self, request: RspamdRequest) -> int:
        if "transfer-encoding" in request.headers:
            raise refused(400, "The body must have a Content-Length.")
        encoding = request.header("content-encoding") + request.header("compression")
        if encoding.strip().lower() not in ("", "identity"):
            raise refused(415, "Compressed messages are not read here.")
        length = request.header("content-length") or "0"
        if not (length.isascii() and length.isdigit() and len(length) < 16):
            raise refused(400, "Content-Length must be a whole number.")
        if int(length) > self._most_bytes:
            raise refused(413, f"A message may have {self._most_bytes} bytes.")
        return int(length)


def _first_line(line: str) -> RspamdRequest:
    words = line.split()
    if len(words) == 2 and words[1].startswith("RSPAMC/") and words[0] in LEGACY:
        return RspamdRequest(method=words[0], path=LEGACY[words[0]], is_legacy=True, headers={})
    if len(words) != 3 or not words[2].startswith("HTTP/1.") or words[0] not in METHODS:
        raise refused(400, "This is no request that rspamd understands.")
    path = words[1].partition("?")[0]
    return RspamdRequest(method=words[0], path="/" + path.strip("/"), headers={})


def _headers(lines: list[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            raise refused(400, "A line of the header has no colon.")
        known, value = name.strip().lower(), value.strip()
        if not value.isprintable():
            raise refused(400, "A line of the header has control characters.")
        found[known] = (*found.get(known, ()), value)
    return found


def refused(status: int, text: str) -> BadDialogue:
    """An error that has the answer for the client."""
    error = BadDialogue(text)
    error.refusal = json_answer({"error": text}, status)
    return error


def json_answer(record: object, status: int = 200, reason: str = "") -> bytes:
    r"""A whole answer of HTTP.

    >>> json_answer({"success": True}).splitlines()[0::3]
    [b'HTTP/1.1 200 OK', b'Content-Type: application/json']
    >>> json_answer({"success": True}).partition(b"\r\n\r\n")[2]
    b'{"success":true}'
    """
    body = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")
    return http_answer(body, "application/json", status, reason)


def http_answer(body: bytes, kind: str, status: int = 200, reason: str = "") -> bytes:
    """A whole answer of HTTP with any body."""
    shown = " ".join((reason or REASONS[status]).split()).encode("ascii", "replace").decode()
    head = [
        f"HTTP/1.1 {status} {shown}",
        "Connection: close",
        f"Content-Length: {len(body)}",
        f"Content-Type: {kind}",
        "\r\n",
    ]
    return "\r\n".join(head).encode() + body


def legacy_answer(record: dict[str, object]) -> bytes:
    r"""The same verdict in the older form, which is what Exim reads.

    >>> legacy_answer({"score": 15.8, "required_score": 15.0, "action": "add header", "symbols": {"X": 0}})
    b'RSPAMD/1.3 0 EX_OK\r\nMetric: default; True; 15.80 / 15.00 / 0.0\r\nAction: add header\r\nSymbol: X\r\n'
    """
    symbols = record["symbols"]
    assert isinstance(symbols, dict)
    is_spam = record["action"] in ("add header", "rewrite subject", "reject")
    lines = [
        "RSPAMD/1.3 0 EX_OK",
        f"Metric: default; {is_spam}; {record['score']:.2f} / {record['required_score']:.2f} / 0.0",
        f"Action: {record['action']}",  # Exim looks for it right here
        *(f"Symbol: {name}" for name in symbols),
        *([f"Message-ID: {record['message-id']}"] if "message-id" in record else []),
    ]
    return "".join(f"{line}\r\n" for line in lines).encode("utf-8", "replace")
