"""What is looked at before a key: whether a request is meant for this server, and how often a key is used.

A page in a browser can be made to ask any server that the browser can reach, also one on loopback (DNS
rebinding: the page's own name points here). Such a request names a foreign host, or comes from a foreign
origin; both are refused, whatever else it holds.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from deciban.errors import BadRequest, Misdirected, TooOften
from deciban.server.listening import ListeningPlace

if TYPE_CHECKING:
    from deciban.server.http.http_message import HttpRequest
    from deciban.server.server_configuration import HttpSettings

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
MOST_BUCKETS, MOST_REMEMBERED = 10_000, 1_000


class Gate:
    """Refuses who is not meant.

    >>> host_of("Mail.Example.org:8420"), host_of("[::1]:8420"), host_of("::1")
    ('mail.example.org', '::1', '::1')
    """

    def __init__(self, settings: HttpSettings, rate: float) -> None:
        places = [ListeningPlace.of(text) for text in settings.listen]
        self._hosts = {*LOOPBACK_NAMES, *map(host_of, settings.hosts)}
        self._hosts |= {place.host for place in places if place.host not in ("", "0.0.0.0", "::")}
        self._meant: set[str] = set()  # Host fields that named us, as they are written
        self._origins = {origin.rstrip("/").lower() for origin in settings.origins}
        # Whoever names proxies wants all others to come through them, but for this machine itself.
        self._proxies = {*settings.proxies, "127.0.0.1", "::1"} if settings.proxies else set()
        self._rate = rate
        self.has_rate = rate > 0
        """Whether anybody may be too often here."""
        self._buckets: dict[str, tuple[float, float]] = {}

    def must_be_meant(self, request: HttpRequest) -> None:
        """Refuse a foreign host and a foreign origin; a socket in the file system has neither."""
        if request.is_local:
            return
        host = request.headers.get("host")
        if host is None:
            raise BadRequest("The field Host is missing.")
        if host not in self._meant:
            self._must_name_us(host)
        if self._proxies and not request.is_secure and request.peer not in self._proxies:
            raise Misdirected(
                "Without TLS only the proxies of this server may ask it. Use its https address."
            )
        origin = request.headers.get("origin")
        if origin is not None and not self._is_known(origin.lower(), host.lower()):
            raise Misdirected("This page may not ask this server. Its administrator can set http.origins.")

    def _must_name_us(self, host: str) -> None:
        if host_of(host) not in self._hosts:
            raise Misdirected(
                "This server is not known under this name. Its administrator can set http.hosts."
            )
        if len(self._meant) >= MOST_REMEMBERED:
            self._meant.clear()
        self._meant.add(host)

    def _is_known(self, origin: str, host: str) -> bool:
        return origin in self._origins or origin in (f"http://{host}", f"https://{host}")

    def must_not_be_too_often(self, key: str) -> None:
        """Refuse a key that is used too often: a bucket that fills at the rate, for two seconds."""
        now = monotonic()
        left, since = self._buckets.get(key, (2 * self._rate, now))
        left = min(left + (now - since) * self._rate, 2 * self._rate)
        if left < 1:
            raise TooOften(f"A key may be used {self._rate:g} times per second. Wait a second.")
        if len(self._buckets) >= MOST_BUCKETS:
            self._buckets.clear()
        self._buckets[key] = left - 1, now


def host_of(text: str) -> str:
    """The name in a Host field, without its port."""
    text = text.strip().lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text if text.count(":") > 1 else text.partition(":")[0]
