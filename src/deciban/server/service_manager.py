"""What systemd is told (sd_notify(3)): that we are ready, go on, or stop. Without it, nothing."""

from __future__ import annotations

import os
import socket
from collections.abc import MutableMapping
from contextlib import suppress
from time import monotonic


class ServiceManager:
    """The socket of the service manager, if there is one.

    >>> manager = ServiceManager({})
    >>> manager.tell("READY=1"), manager.beat()
    (None, None)
    """

    def __init__(self, environment: MutableMapping[str, str]) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        watched = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        self._every = int(environment.get("WATCHDOG_USEC", "0")) / 2e6 if watched else 0.0
        self._next = 0.0

    def tell(self, text: str) -> None:
        """Tell something; that nobody listens is no reason to fail."""
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        if text == "RELOADING=1":
            text += f"\nMONOTONIC_USEC={int(monotonic() * 1e6)}"
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto(text.encode(), address)

    def beat(self) -> None:
        """Tell that we go on, as often as is wanted."""
        if self._every and monotonic() >= self._next:
            self._next = monotonic() + self._every
            self.tell("WATCHDOG=1")
