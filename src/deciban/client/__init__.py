"""Clients of a deciban server, for Python: `Client`, and `AsyncClient` for asyncio.

    from deciban.client import Client

    with Client("http://127.0.0.1:8420", key="deciban_…", space="mail") as client:
        client.learn(b"Subject: Free money", "spam")
        client.classify(b"Subject: Lunch?")["verdict"]

The server's problems are raised as the errors of `deciban.errors` that they are there; a server that does not
answer is `ServerUnreachable`. Nothing outside of the standard library is needed.
"""

from __future__ import annotations

from deciban.client.client import Client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.client.async_client import AsyncClient

__all__ = ["AsyncClient", "Client"]


def __getattr__(name: str) -> object:
    """`AsyncClient`, which needs asyncio, only for those who want it."""
    if name != "AsyncClient":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from deciban.client.async_client import AsyncClient

    return AsyncClient
