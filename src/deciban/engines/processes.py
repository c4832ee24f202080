"""Processes of this machine, one a core.

Python's `ProcessPoolExecutor` does the work; what is added is that nobody is left behind. Each worker holds
one end of a pipe whose other end only this process has. When that end is closed, by this process or by the
system because this process is gone, the worker ends, whatever it was doing. Workers do not see Ctrl-C: this
process does, and closes the pipe.

Workers are started afresh (`spawn`), not forked: a fork would share the ledger's locks and open files. So a
script that uses `Processes` needs the usual ``if __name__ == "__main__":``.
"""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager

from deciban.engines.engine import in_order
from deciban.errors import BadSetting, WorkerDied

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing.connection import Connection
    from typing import TypeVar

    from deciban.engines.engine import Engine

    Item = TypeVar("Item")
    Result = TypeVar("Result")


class Processes:
    """So many processes of this machine; as many as there are cores, unless told."""

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise BadSetting(f"Processes needs at least 1 worker, got {workers} instead.")
        self.workers = workers or len(os.sched_getaffinity(0))

    def __repr__(self) -> str:
        return f"Processes({self.workers})"

    @contextmanager
    def running(self) -> Iterator[Engine]:
        """Start the workers; at the end of the block, or of this process, they are gone."""
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        spawn = get_context("spawn")
        leash, hand = spawn.Pipe(duplex=False)
        pool = ProcessPoolExecutor(self.workers, spawn, initializer=_end_with_the_leash, initargs=(leash,))
        try:
            yield _Pool(pool, self.workers)
        except BaseException:
            hand.close()  # do not wait for what they are doing
            # A worker that ends in the middle of a result leaves the thread that reads it waiting for the
            # rest, for as long as anybody could write it; and we could, with the end that workers inherited.
            pool._result_queue._writer.close()  # type: ignore[attr-defined]
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            hand.close()
            leash.close()

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Start workers for this one call."""
        with self.running() as engine:
            yield from engine.map(function, items)


class _Pool:
    """Workers that run."""

    def __init__(self, pool: ProcessPoolExecutor, workers: int) -> None:
        self._pool = pool
        self._workers = workers

    @contextmanager
    def running(self) -> Iterator[Engine]:
        yield self

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        def submit(item: Item) -> Future[Result]:
            # Workers are started here, and inherit that Ctrl-C is not for them.
            unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
            try:
                return self._pool.submit(function, item)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)

        # One item in the works and one waiting for each worker.
        return in_order(submit, _result, items, 2 * self._workers)


def _result(future: Future[Result]) -> Result:
    from concurrent.futures.process import BrokenProcessPool

    try:
        return future.result()
    except BrokenProcessPool:
        raise WorkerDied(
            "A worker process died: it was killed, ran out of memory, or was started by a script without "
            "`if __name__ == '__main__':`."
        ) from None


def _end_with_the_leash(leash: Connection) -> None:
    """In a worker: end when the other end of the pipe is closed."""
    from threading import Thread

    def follow() -> None:
        leash.poll(None)
        os._exit(1)

    Thread(target=follow, daemon=True).start()
