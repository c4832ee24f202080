"""The doors of the server.

Each is a module with one function, and the table below names it:

    async def open_door(sockets, reception, settings) -> OpenDoor

It begins to serve the sockets with what `Reception` can do, and returns at once. A door that is to close
stops accepting, finishes what it has accepted, and returns then. ``settings`` is the door's section of the
configuration; limits and the log are in ``reception.configuration`` and ``reception.log``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import socket

    from deciban.server.reception import Reception


class OpenDoor(Protocol):
    """A door that is open."""

    async def close(self) -> None:
        """Accept nothing any more, and finish what was accepted."""


# The section of the configuration, and the module that opens the door.
DOORS = {
    "http": "http_door",
    "milter": "milter_door",
    "spamd": "spamd_door",
    "rspamd": "rspamd_door",
}


async def open_door(name: str, sockets: list[socket.socket], reception: Reception, settings: Any) -> OpenDoor:
    """Open the door of a name."""
    module = import_module(f"deciban.server.doors.{DOORS[name]}")
    opened: OpenDoor = await module.open_door(sockets, reception, settings)
    return opened
