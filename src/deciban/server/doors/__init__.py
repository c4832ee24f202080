"""The doors of the server.

Each is a class in a module of its own, and the table below names it. It is made with what `Reception` can do
and with its section of the configuration; limits and the log are in ``reception.configuration`` and
``reception.log``. ``open`` begins to serve sockets, and returns at once. A door that is to close stops
accepting, finishes what it has accepted, and returns then.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import socket

    from deciban.server.reception import Reception


class Door(Protocol):
    """A way into the server."""

    async def open(self, sockets: list[socket.socket]) -> None:
        """Serve at these sockets from now on."""

    async def close(self) -> None:
        """Accept nothing any more, and finish what was accepted."""


# The section of the configuration, and the class of the door in the module NAME_door.
DOORS = {"http": "HttpDoor", "milter": "MilterDoor", "spamd": "SpamdDoor", "rspamd": "RspamdDoor"}


async def open_door(name: str, sockets: list[socket.socket], reception: Reception, settings: Any) -> Door:
    """Open the door of a name."""
    module = import_module(f"deciban.server.doors.{name}_door")
    door: Door = getattr(module, DOORS[name])(reception, settings)
    await door.open(sockets)
    return door
