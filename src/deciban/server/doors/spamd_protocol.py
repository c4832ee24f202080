r"""The spamd protocol up to version 1.5, without I/O: bytes of a client such as ``spamc`` in, a request out.

A connection carries one request and its answer:

    CHECK SPAMC/1.5                     SPAMD/1.1 0 EX_OK
    User: ann                           Content-length: 0
    Content-length: 38                  Spam: True ; 15.8 / 5.0

    Subject: Free money                 (nothing, or the message, its header, symbols, a report)
    …

>>> protocol = SpamdProtocol()
>>> protocol.receive(b"CHECK SPAMC/1.5\r\nUser: ann\r\nContent-length: 20\r\n\r\nSubject: hi")
>>> protocol.request is None
True
>>> protocol.receive(b"\r\n\r\nhello")
>>> request = protocol.request
>>> request.method, request.user, request.message
('CHECK', 'ann', b'Subject: hi\r\n\r\nhello')
>>> answer(request, "Spam: True ; 15.8 / 5.0")
b'SPAMD/1.1 0 EX_OK\r\nSpam: True ; 15.8 / 5.0\r\n\r\n'

A message without a length ends where the client stops sending (`end`). Whatever cannot be followed is
`BadDialogue`, which has the line to answer in `refusal`; spamc then hands the message on as it came.
"""

from __future__ import annotations

import zlib

from deciban.decibans import SPAM
from deciban.errors import BadDialogue
from deciban.server.doors.points import REQUIRED, points_of
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.filter import Verdict

METHODS = frozenset(
    ("CHECK", "SYMBOLS", "REPORT", "REPORT_IFSPAM", "PROCESS", "HEADERS", "PING", "TELL", "SKIP")
)
WITHOUT_MESSAGE = ("PING", "SKIP")
OK, NO_USER, UNAVAILABLE, TROUBLE, TRY_AGAIN, PROTOCOL, TIMEOUT = 0, 67, 69, 70, 75, 76, 79
MOST_LINE = 8_192
MOST_HEADERS = 100
MOST_BYTES = 16 << 20
"""Of a message. A client that sends more is refused, so it hands the message on as it came."""


class SpamdRequest(Value, kw_only=True):
    """What a client wants."""

    method: str
    version: float = 1.0
    user: str = ""
    """Whom the client says that it asks for; nothing proves it."""
    label: str = ""
    """For TELL: spam or ham; empty if neither."""
    sets: frozenset[str] = frozenset()
    """For TELL: where to learn it, local or remote."""
    removes: frozenset[str] = frozenset()
    """For TELL: where to forget it."""
    message: bytes = b""


class SpamdProtocol:
    """One connection of a client."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.request: SpamdRequest | None = None
        """What the client wants, once all of it has come."""
        self._most_bytes = most_bytes
        self._received = bytearray()
        self._place = 0
        self._started: SpamdRequest | None = None
        self._headers: dict[str, str] = {}
        self._length: int | None = None
        self._in_body = False

    @property
    def is_resting(self) -> bool:
        """Whether nothing has come yet."""
        return not self._received

    def receive(self, data: bytes) -> None:
        """Take bytes from the client; afterwards look at `request`."""
        if self.request is not None:
            return  # nothing is expected behind a request
        self._received += data
        while not self._in_body and self.request is None and (line := self._line()) is not None:
            self._take_line(line)
        if self._in_body and self.request is None:
            self._take_body(is_end=False)

    def end(self) -> None:
        """The client sends nothing more, so that a message without a length is whole."""
        if self.request is not None:
            return
        if self._started is None or not self._in_body:
            raise refused(PROTOCOL, "Bad header line: (closed before headers)")
        self._take_body(is_end=True)

    def _line(self) -> str | None:
        found = self._received.find(b"\n", self._place)
        if found < 0 and len(self._received) - self._place <= MOST_LINE:
            return None
        if found < 0 or found - self._place > MOST_LINE:
            raise refused(PROTOCOL, "Bad header line: (too long)")
        line = bytes(self._received[self._place : found]).rstrip(b"\r")
        self._place = found + 1
        return line.decode("utf-8", "replace")

    def _take_line(self, line: str) -> None:
        if self._started is None:
            self._started = _first_line(line)
            if self._started.method in WITHOUT_MESSAGE and self._started.version < 1.5:
                self.request = self._started  # early clients send nothing behind it
        elif not line:
            self._end_head()
        elif len(self._headers) >= MOST_HEADERS:
            raise refused(PROTOCOL, "Bad header line: (too many headers)")
        else:
            name, colon, value = line.partition(":")
            if not colon:
                raise refused(PROTOCOL, "Bad header line: (header not in 'Name: value' format)")
            self._headers[name.strip().lower()] = value.strip()

    def _end_head(self) -> None:
        assert self._started is not None
        headers = self._headers
        length = headers.get("content-length")
        if length is not None:
            if not (length.isascii() and length.isdigit() and len(length) < 16):
                raise refused(PROTOCOL, "Bad header line: (Content-Length contains non-numeric bytes)")
            self._length = int(length)
            if self._length > self._most_bytes:
                raise refused(UNAVAILABLE, f"Service Unavailable: more than {self._most_bytes} bytes")
        if headers.get("compress", "zlib") != "zlib":
            raise refused(PROTOCOL, "Bad header line: (compression type not supported)")
        label = headers.get("message-class", "").lower()
        if label not in ("", "spam", "ham"):
            raise refused(PROTOCOL, "Bad header line: (Message-class header contains invalid class)")
        user = headers.get("user", "")
        if not user.isprintable():
            raise refused(PROTOCOL, "Bad header line: (User header contains control chars)")
        sets, removes = _places(headers.get("set", "")), _places(headers.get("remove", ""))
        if sets & removes:
            raise refused(PROTOCOL, "Bad header line: Unable to set and remove in the same operation.")
        self._started = self._started.replaced(user=user, label=label, sets=sets, removes=removes)
        self._in_body = True
        if self._started.method in WITHOUT_MESSAGE:
            self.request = self._started

    def _take_body(self, is_end: bool) -> None:
        assert self._started is not None
        size = len(self._received) - self._place
        if self._length is None:
            if size > self._most_bytes:
                raise refused(UNAVAILABLE, f"Service Unavailable: more than {self._most_bytes} bytes")
            if not is_end:
                return
        elif size < self._length:
            if is_end:
                what = f"(Content-Length mismatch: Expected {self._length} bytes, got {size} bytes)"
                raise refused(PROTOCOL, f"Bad header line: {what}")
            return
        end = len(self._received) if self._length is None else self._place + self._length
        message = bytes(self._received[self._place : end])
        if "compress" in self._headers:
            message = _inflated(message, self._most_bytes)
        self.request = self._started.replaced(message=message)


def _first_line(line: str) -> SpamdRequest:
    method, _, protocol = line.partition(" ")
    name, _, version = protocol.strip().partition("/")
    whole, _, part = version.partition(".")
    digits = whole + part
    known = method in METHODS and name == "SPAMC" and digits.isascii() and digits.isdigit()
    if not known or len(digits) > 4:
        raise refused(PROTOCOL, "Bad header line: (not a request of the spamd protocol)")
    return SpamdRequest(method=method, version=float(f"{whole or 0}.{part or 0}"))


def _places(value: str) -> frozenset[str]:
    """The places of a Set or Remove field that are known.

    >>> sorted(_places("local, remote,moon"))
    ['local', 'remote']
    """
    return frozenset(place.strip().lower() for place in value.split(",")) & {"local", "remote"}


def _inflated(data: bytes, most: int) -> bytes:
    """What was compressed by zlib; a small piece that would become a huge one is refused."""
    unpacker = zlib.decompressobj()
    try:
        message = unpacker.decompress(data, most + 1)
    except zlib.error:
        raise refused(PROTOCOL, "Bad header line: (the compressed message cannot be read)") from None
    if len(message) > most:
        raise refused(UNAVAILABLE, f"Service Unavailable: more than {most} bytes")
    if not unpacker.eof:
        raise refused(PROTOCOL, "Bad header line: (the compressed message is not whole)")
    return message


def refused(code: int, text: str) -> BadDialogue:
    """An error that has the answer for the client."""
    error = BadDialogue(text)
    error.refusal = refusal(code, text)
    return error


def refusal(code: int, text: str) -> bytes:
    r"""The answer of a server that cannot do what was asked: an exit code of sysexits.h, and why.

    >>> refusal(UNAVAILABLE, "Service Unavailable: TELL is not allowed")
    b'SPAMD/1.0 69 Service Unavailable: TELL is not allowed\r\n'
    """
    line = " ".join(text.split())
    return f"SPAMD/1.0 {code} {line}\r\n".encode("utf-8", "replace")


def answer(request: SpamdRequest, *fields: str, body: bytes | None = None) -> bytes:
    """A whole answer, in the form that the version of the client can read."""
    version = request.version
    if request.method == "PING":
        return b"SPAMD/1.5 0 PONG\r\n"
    if body is None:
        return _head("SPAMD/1.1 0 EX_OK", *fields)
    if version >= 1.3:
        return _head("SPAMD/1.1 0 EX_OK", f"Content-length: {len(body)}", *fields) + body
    if request.method not in ("PROCESS", "HEADERS"):
        return _head("SPAMD/1.1 0 EX_OK", *fields) + body
    if version >= 1.2:
        return _head("SPAMD/1.1 0 EX_OK", f"Content-length: {len(body)}") + body
    return b"SPAMD/1.0 0 EX_OK\r\n" + body


def _head(*lines: str) -> bytes:
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode("utf-8", "replace")


def verdict_field(request: SpamdRequest, verdict: Verdict, required: float = REQUIRED) -> str:
    """The field that tells the verdict."""
    is_spam = verdict.decision == SPAM
    words = ("No", "Yes") if request.method == "REPORT_IFSPAM" else ("False", "True")
    return f"Spam: {words[is_spam]} ; {points_of(verdict, required):.1f} / {required:.1f}"
