r"""A connection to a server: HTTP/1.1 as far as a client of ours needs it.

Of the standard library, ``http.client`` would do; but importing it takes 30 ms, four times as long as a whole
question (`deciban filter --server` is started for each mail). This takes one.

>>> ServerPlace.of("https://mail.example.org"), ServerPlace.of("unix:/run/deciban/http.sock").path
(ServerPlace(scheme='https', host='mail.example.org', port=443, path=''), '/run/deciban/http.sock')
>>> ServerPlace.of("localhost")
Traceback (most recent call last):
deciban.errors.BadSetting: A server is http://HOST:PORT, https://HOST or unix:/PATH, got 'localhost' instead.
"""

from __future__ import annotations

import _socket
from contextlib import suppress

from deciban.errors import BadSetting, ServerUnreachable
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

UNIX = "unix:"
PORTS = {"http": 80, "https": 443}
PIECE = 65_536
LONGEST_HEAD = 65_536


class ServerPlace(Value):
    """Where a server is."""

    scheme: str
    host: str
    port: int
    path: str = ""

    @classmethod
    def of(cls, url: str) -> ServerPlace:
        """The place that an address means."""
        if url.startswith(UNIX) and url != UNIX:
            return cls("unix", "localhost", 0, url.removeprefix(UNIX))
        scheme, given, rest = url.partition("://")
        address = rest.rstrip("/")
        host, colon, port = address.rpartition(":")
        if not colon or address.endswith("]"):
            host, port = address, str(PORTS.get(scheme, 0))
        if not (given and scheme in PORTS and host and port.isdecimal() and "/" not in host):
            raise BadSetting(
                f"A server is http://HOST:PORT, https://HOST or unix:/PATH, got {url!r} instead."
            )
        return cls(scheme, host.strip("[]"), int(port))


class ServerConnection:
    """One connection, kept open from request to request; for one thread."""

    def __init__(self, url: str, key: str = "", seconds: float = 60.0) -> None:
        """``seconds``: how long to wait for any one answer."""
        self._url, self._place = url, ServerPlace.of(url)
        self._key, self._seconds = key, seconds
        self._socket: Any = None
        self._rest = b""

    def close(self) -> None:
        """Let go of it."""
        if self._socket is not None:
            with suppress(OSError):
                self._socket.close()
        self._socket, self._rest = None, b""

    def request(
        self, method: str, path: str, body: bytes | Iterable[bytes] = b"", kind: str = ""
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request, and read the whole answer: its status, its fields and its body.

        A body in pieces is sent as they come. A connection that the server closed meanwhile is opened again.
        """
        was_open = self._socket is not None
        try:
            return self._exchanged(method, path, body, kind)
        except (OSError, ServerUnreachable) as error:
            self.close()
            if not was_open or not isinstance(body, bytes):
                raise self._unreachable(error) from None
        try:
            return self._exchanged(method, path, body, kind)
        except OSError as error:
            self.close()
            raise self._unreachable(error) from None

    def _unreachable(self, error: Exception) -> ServerUnreachable:
        if isinstance(error, ServerUnreachable):
            return error
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return ServerUnreachable(f"No server answers at {self._url}: {reason}.")

    def _exchanged(
        self, method: str, path: str, body: bytes | Iterable[bytes], kind: str
    ) -> tuple[int, dict[str, str], bytes]:
        if self._socket is None:
            self._socket = self._connected()
        host = f"[{self._place.host}]" if ":" in self._place.host else self._place.host
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host}"]
        if self._key:
            lines.append(f"Authorization: Bearer {self._key}")
        if kind:
            lines.append(f"Content-Type: {kind}")
        if isinstance(body, bytes):
            lines.append(f"Content-Length: {len(body)}")
        else:
            lines.append("Transfer-Encoding: chunked")
        head = "\r\n".join((*lines, "", "")).encode("latin-1", "replace")
        self._send(head, body)
        return self._answer(method)

    def _send(self, head: bytes, body: bytes | Iterable[bytes]) -> None:
        """Send a request. A server that refuses it may stop reading: then its answer is worth more."""
        try:
            if isinstance(body, bytes):
                self._socket.sendall(head + body)
                return
            self._socket.sendall(head)
            for piece in body:
                if piece:
                    self._socket.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
            self._socket.sendall(b"0\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            return

    def _connected(self) -> Any:
        place = self._place
        if place.scheme == "unix":
            connection = _socket.socket(_socket.AF_UNIX)
            connection.settimeout(self._seconds)
            connection.connect(place.path)
            return connection
        if place.scheme == "https":
            import socket
            import ssl

            plain = socket.create_connection((place.host, place.port), self._seconds)
            return ssl.create_default_context().wrap_socket(plain, server_hostname=place.host)
        return self._connected_plainly()

    def _connected_plainly(self) -> Any:
        failure: OSError = OSError("no address")
        for family, kind, protocol, _, address in _socket.getaddrinfo(
            self._place.host, self._place.port, 0, _socket.SOCK_STREAM
        ):
            connection = _socket.socket(family, kind, protocol)
            try:
                connection.settimeout(self._seconds)
                connection.connect(address)
            except OSError as error:
                connection.close()
                failure = error
                continue
            connection.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_NODELAY, 1)
            return connection
        raise failure

    # Reading

    def _answer(self, method: str) -> tuple[int, dict[str, str], bytes]:
        while True:
            status, fields = self._head()
            if status >= 200:
                break
        body = b"" if method == "HEAD" or status in (204, 304) else self._body(fields)
        if fields.get("connection", "").lower() == "close":
            self.close()
        return status, fields, body

    def _head(self) -> tuple[int, dict[str, str]]:
        while b"\r\n\r\n" not in self._rest:
            if len(self._rest) > LONGEST_HEAD:
                raise ServerUnreachable(f"What answers at {self._url} is no deciban server.")
            self._rest += self._received()
        head, _, self._rest = self._rest.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        version, _, status = first.partition(" ")
        if not version.startswith("HTTP/1.") or not status[:3].isdecimal():
            raise ServerUnreachable(f"What answers at {self._url} is no deciban server.")
        fields = {}
        for line in lines:
            name, _, value = line.partition(":")
            fields[name.strip().lower()] = value.strip()
        return int(status[:3]), fields

    def _body(self, fields: dict[str, str]) -> bytes:
        if "chunked" in fields.get("transfer-encoding", "").lower():
            return b"".join(iter(self._chunk, b""))
        length = fields.get("content-length", "")
        if not length.isdecimal():
            raise ServerUnreachable(f"What answers at {self._url} is no deciban server.")
        return self._taken(int(length))

    def _chunk(self) -> bytes:
        while b"\r\n" not in self._rest:
            self._rest += self._received()
        size, _, self._rest = self._rest.partition(b"\r\n")
        try:
            length = int(size.partition(b";")[0], 16)
        except ValueError:
            raise ServerUnreachable(f"The answer of {self._url} is damaged.") from None
        return self._taken(length + 2)[:-2]

    def _taken(self, count: int) -> bytes:
        parts = [self._rest]
        size = len(self._rest)
        while size < count:
            parts.append(self._received())
            size += len(parts[-1])
        data = b"".join(parts)
        self._rest = data[count:]
        return data[:count]

    def _received(self) -> bytes:
        data: bytes = self._socket.recv(PIECE)
        if not data:
            raise ServerUnreachable(f"The server at {self._url} closed the connection before its answer.")
        return data
