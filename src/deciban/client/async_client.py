"""The client for asyncio: the same methods, each awaited; a thread does the waiting.

    async with AsyncClient("http://127.0.0.1:8420", key="deciban_…") as client:
        verdicts = await asyncio.gather(*(client.classify(mail) for mail in mails))

There is one implementation of the protocol, `Client`; up to `connections` of them work side by side.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

from deciban.client.client import SPACE, Client

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Record = dict[str, Any]


class AsyncClient:
    """Connections to one space of a server, for one event loop."""

    def __init__(
        self, server: str, key: str = "", space: str = SPACE, seconds: float = 60.0, connections: int = 8
    ) -> None:
        self._free = [Client(server, key, space, seconds) for _ in range(connections)]
        self._room = asyncio.Semaphore(connections)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the connections."""
        for client in self._free:
            client.close()

    async def _with_one(self, work: Callable[[Client], Any]) -> Any:
        async with self._room:
            client = self._free.pop()
            try:
                return await asyncio.to_thread(work, client)
            finally:
                self._free.append(client)

    async def classify(self, message: bytes, *, at_least: int = 0, journal: bool = True) -> Record:
        """What a message is."""
        found: Record = await self._with_one(
            lambda client: client.classify(message, at_least=at_least, journal=journal)
        )
        return found

    async def classify_many(self, messages: Iterable[bytes]) -> list[Record]:
        """What each of many messages is, in their order."""
        found: list[Record] = await self._with_one(lambda client: list(client.classify_many(messages)))
        return found

    async def why(self, message: bytes) -> Record:
        """What a message is, and the evidence for it."""
        found: Record = await self._with_one(lambda client: client.why(message))
        return found

    async def learn(self, message: bytes, label: str, *, by: str = "", origin: str = "") -> Record:
        """Teach a message, durably."""
        found: Record = await self._with_one(
            lambda client: client.learn(message, label, by=by, origin=origin)
        )
        return found

    async def learn_many(
        self, messages: Iterable[tuple[str, bytes]], *, by: str = "", origin: str = ""
    ) -> Record:
        """Teach many messages, each with its label."""
        found: Record = await self._with_one(lambda client: client.learn_many(messages, by=by, origin=origin))
        return found

    async def forget(
        self, message: bytes | None = None, *, digests: Sequence[str] = (), **selection: Any
    ) -> Record:
        """Take back a message, those of some digests, or what is selected."""
        found: Record = await self._with_one(
            lambda client: client.forget(message, digests=digests, **selection)
        )
        return found

    async def correct(self, entry: str, label: str, *, by: str = "") -> Record:
        """Teach the message of an entry of the journal."""
        found: Record = await self._with_one(lambda client: client.correct(entry, label, by=by))
        return found

    async def undo(self, entry: str) -> Record:
        """Take back a correction."""
        found: Record = await self._with_one(lambda client: client.undo(entry))
        return found

    async def labels(self) -> dict[str, int]:
        """How many lessons of each label there are."""
        found: dict[str, int] = await self._with_one(lambda client: client.labels())
        return found

    async def status(self) -> Record:
        """How good the filter is on its own mail."""
        found: Record = await self._with_one(lambda client: client.status())
        return found
