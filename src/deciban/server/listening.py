"""Sockets to listen at: addresses in words, and sockets that systemd hands over.

>>> ListeningPlace.of("[::1]:8420"), ListeningPlace.of("unix:/run/deciban/http.sock").path
(ListeningPlace(host='::1', port=8420, path=''), '/run/deciban/http.sock')
>>> ListeningPlace.of("localhost")
Traceback (most recent call last):
deciban.errors.BadSetting: An address to listen at is host:port or unix:/path, got 'localhost' instead.

A socket in the file system can be opened by its owner only (0600) unless a door for mail servers is told
otherwise (`socket_mode`). So whoever comes through that of HTTP has all
rights. Sockets stay open while the server reloads or is upgraded: the next supervisor finds them in its
environment.
"""

from __future__ import annotations

import os
import socket
import stat
from contextlib import suppress

from deciban.errors import BadSetting, CannotWrite
from deciban.value import Value

UNIX = "unix:"
BACKLOG = 1024
OWNER_ONLY = 0o600
# systemd hands sockets over from this descriptor on.
FIRST_HANDED = 3
LOOPBACK = ("127.", "::1", "localhost")


class ListeningPlace(Value):
    """Where to listen."""

    host: str
    port: int
    path: str = ""

    @classmethod
    def of(cls, text: str) -> ListeningPlace:
        """The place that a setting means."""
        if text.startswith(UNIX) and text != UNIX:
            return cls("", 0, text.removeprefix(UNIX))
        host, colon, port = text.rpartition(":")
        if not (colon and host and port.isascii() and port.isdecimal() and int(port) < 65536):
            raise BadSetting(f"An address to listen at is host:port or unix:/path, got {text!r} instead.")
        return cls(host.strip("[]"), int(port))

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return bool(self.path) or self.host.startswith(LOOPBACK)

    def open(self, mode: int = OWNER_ONLY, group: str = "") -> list[socket.socket]:
        """Listen there; a name may have several addresses, a socket in the file system a mode and a group."""
        try:
            return [_open_unix(self.path, mode, group)] if self.path else _open_internet(self.host, self.port)
        except OSError as error:
            where = self.path or f"{self.host}:{self.port}"
            raise CannotWrite(f"Nobody can listen at {where}: {error.strerror or error}.") from None


def address_of(listening: socket.socket) -> str:
    """The address of a socket, as one may write it into a setting."""
    if listening.family == socket.AF_UNIX:
        return f"{UNIX}{listening.getsockname()}"
    host, port = listening.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def handed_over(environment: dict[str, str]) -> list[socket.socket]:
    """The sockets that systemd opened for us (sd_listen_fds(3))."""
    if environment.pop("LISTEN_PID", "") != str(os.getpid()):
        return []
    count = int(environment.pop("LISTEN_FDS", "0"))
    environment.pop("LISTEN_FDNAMES", None)
    return [socket.socket(fileno=number) for number in range(FIRST_HANDED, FIRST_HANDED + count)]


def _open_unix(path: str, mode: int, group: str) -> socket.socket:
    """A socket in the file system; one that nobody listens at any more is replaced."""
    with suppress(FileNotFoundError):
        if not stat.S_ISSOCK(os.stat(path).st_mode):
            raise FileExistsError(17, "another file is there")
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(path)
            except ConnectionRefusedError:
                os.unlink(path)
            else:
                raise FileExistsError(98, "another server listens there")
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listening.bind(path)
    finally:
        os.umask(before)
    if group:
        os.chown(path, -1, _group_of(group))
    if mode != OWNER_ONLY:
        os.chmod(path, mode)
    listening.listen(BACKLOG)
    return listening


def _group_of(name: str) -> int:
    import grp

    try:
        return grp.getgrnam(name).gr_gid
    except KeyError:
        raise BadSetting(f"There is no group {name!r} on this machine: see socket_group.") from None


def _open_internet(host: str, port: int) -> list[socket.socket]:
    found = []
    for family, kind, protocol, _, address in socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    ):
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
        found.append(listening)
        if port == 0:  # the first address chose the port
            break
    return found
