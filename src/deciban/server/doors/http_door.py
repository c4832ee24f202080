"""The door for applications: HTTP with JSON. What it says and takes stands in `deciban.server.api`."""

from __future__ import annotations

import asyncio
import ssl
from typing import TYPE_CHECKING

from deciban.server.api.http_api import HttpApi
from deciban.server.http.http_connection import HttpService
from deciban.server.server_metrics import ServerMetrics

if TYPE_CHECKING:
    import socket

    from deciban.server.reception import Reception
    from deciban.server.server_configuration import HttpSettings

GAUGE_SECONDS = 1.0


def tls_of(settings: HttpSettings) -> ssl.SSLContext | None:
    """What TLS needs, if it is configured."""
    if not settings.certificate:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(settings.certificate, settings.private_key or None)
    return context


class HttpDoor:
    """The open door."""

    def __init__(self, reception: Reception, settings: HttpSettings) -> None:
        self.metrics = ServerMetrics()
        limits = reception.configuration.limits
        api = HttpApi(reception, settings, self.metrics)
        self.service = HttpService(api.handle, api.refuse, limits, limits.stream_bytes, reception.attendance)
        self._reception, self._settings = reception, settings
        self._measuring = asyncio.get_running_loop().create_task(self._measure())

    async def open(self, sockets: list[socket.socket]) -> None:
        """Serve HTTP at these sockets."""
        await self.service.open(sockets, tls_of(self._settings))

    async def close(self) -> None:
        """Accept nothing any more, and finish what was accepted."""
        await self.service.close()
        self._measuring.cancel()
        self.metrics.hand_over()

    async def _measure(self) -> None:
        while True:
            self.metrics.in_flight.set(self.service.in_flight)
            self.metrics.connections.set(len(self.service.connections))
            self.metrics.lost_notes.set(self._reception.link.lost_notes)
            self.metrics.hand_over()
            await asyncio.sleep(GAUGE_SECONDS)
