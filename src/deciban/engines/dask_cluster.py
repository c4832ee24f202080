"""A Dask cluster, which may be many machines.

    Dask("tcp://10.0.0.1:8786")          the address of its scheduler
    Dask(client)                         a `distributed.Client` that is connected already, perhaps by TLS

Partitions are handed to the scheduler as tasks; one whose worker dies is done again by another, by Dask
itself. Tasks travel as pickles: whoever can reach the scheduler can run anything on its workers, so keep it
in a network that you trust, or use TLS. Workers need the same version of deciban, and see the same files.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial

from deciban.engines.engine import in_order
from deciban.errors import ClusterUnreachable, MissingExtra, WorkerDied

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeVar

    from deciban.engines.engine import Engine

    Item = TypeVar("Item")
    Result = TypeVar("Result")

CONNECT_SECONDS = 10


class Dask:
    """The workers of a Dask cluster, by a client or by the address of the scheduler."""

    def __init__(self, cluster: Any) -> None:
        self.cluster = cluster

    def __repr__(self) -> str:
        return f"Dask({self.cluster!r})"

    @contextmanager
    def running(self) -> Iterator[Engine]:
        """Connect, unless a client was given; what was not finished is cancelled at the end."""
        if not isinstance(self.cluster, str):
            yield _Cluster(self.cluster)
            return
        with self._connect() as client:
            yield _Cluster(client)

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Connect for this one call."""
        with self.running() as engine:
            yield from engine.map(function, items)

    def _connect(self) -> Any:
        try:
            from distributed import Client
        except ModuleNotFoundError:
            raise MissingExtra(
                "A Dask cluster needs distributed. Run: pip install 'deciban[cluster]'"
            ) from None
        try:
            return Client(self.cluster, timeout=CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise ClusterUnreachable(
                f"No Dask scheduler answers at {self.cluster!r} ({type(error).__name__}). "
                "Check the address, such as tcp://10.0.0.1:8786, and that the scheduler runs."
            ) from None


class _Cluster:
    """A cluster that is connected."""

    def __init__(self, client: Any) -> None:
        self._client = client

    @contextmanager
    def running(self) -> Iterator[Engine]:
        yield self

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        # The same item twice is two tasks (pure=False): a folder may have changed meanwhile.
        submit = partial(self._client.submit, function, pure=False)
        threads = sum(self._client.nthreads().values())
        tickets: set[Any] = set()

        def submitted(item: Item) -> Any:
            ticket = submit(item)
            tickets.add(ticket)
            return ticket

        def collected(ticket: Any) -> Any:
            result = _result(ticket)
            tickets.discard(ticket)
            return result

        try:
            yield from in_order(submitted, collected, items, 2 * max(threads, 1))
        finally:
            if tickets:
                self._client.cancel(list(tickets))


def _result(future: Any) -> Any:
    from distributed import CancelledError, KilledWorker

    try:
        return future.result()
    except KilledWorker as killed:
        raise WorkerDied(
            f"{killed.allowed_failures + 1} workers of the cluster died over one task: each was killed or "
            "ran out of memory."
        ) from None
    except CancelledError:
        raise WorkerDied("The cluster's scheduler went away, and its running tasks are lost.") from None
