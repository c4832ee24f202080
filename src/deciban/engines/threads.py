"""Threads of this process: for work that holds no lock of Python's, such as reading mail.

Who asks for a result helps: while it is not there, this thread works on what is waiting too. So for two cores
one more thread is started, and only when there is work for it. Nothing travels, as it does between processes.

>>> with Threads(2).running() as engine:
...     list(engine.map(abs, [-3, 4, -5]))
[3, 4, 5]

Ctrl-C is for this thread alone; the others end with the work that they have in hand.
"""

from __future__ import annotations

import os
from _queue import Empty, SimpleQueue
from _thread import allocate_lock
from collections import deque
from contextlib import contextmanager
from time import monotonic

from deciban.errors import BadSetting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from threading import Thread
    from typing import Any, TypeVar

    from deciban.engines.engine import Engine

    Item = TypeVar("Item")
    Result = TypeVar("Result")

# Items that are handed out ahead for each thread: enough to be busy while this one does something else.
AHEAD = 3
# If items come more slowly than this, in seconds, none waits for the next.
SLOW = 0.1


class Threads:
    """So many threads, this one counted; as many as there are cores, unless told."""

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise BadSetting(f"Threads needs at least 1 worker, got {workers} instead.")
        self.workers = workers or len(os.sched_getaffinity(0))

    def __repr__(self) -> str:
        return f"Threads({self.workers})"

    @contextmanager
    def running(self) -> Iterator[Engine]:
        """Threads that are started when they are needed; at the end of the block they are gone."""
        team = _Team(self.workers)
        try:
            yield team
        finally:
            team.stop()

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Start threads for this one call."""
        with self.running() as engine:
            yield from engine.map(function, items)


class _Team:
    """One thread that asks, and its helpers."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._helpers: list[Thread] = []
        self._waiting: SimpleQueue[_Task | None] = SimpleQueue()
        self._is_over = False

    @contextmanager
    def running(self) -> Iterator[Engine]:
        yield self

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """The results in the order of the items."""
        tasks: deque[_Task] = deque()
        asked = monotonic()
        for item in items:
            is_slow = monotonic() - asked > SLOW
            if tasks and not self._helpers:
                self._start_helpers()
            tasks.append(_Task(function, item))
            self._waiting.put(tasks[-1])
            while tasks and (is_slow or tasks[0].is_done or len(tasks) > AHEAD * self._workers):
                yield self._result(tasks.popleft())
            asked = monotonic()
        while tasks:
            yield self._result(tasks.popleft())

    def _start_helpers(self) -> None:
        from threading import Thread

        self._helpers = [Thread(target=self._help, daemon=True) for _ in range(self._workers - 1)]
        for helper in self._helpers:
            helper.start()

    def _help(self) -> None:
        while (task := self._waiting.get()) is not None:
            if not self._is_over:
                task.do()

    def _result(self, task: _Task) -> Any:
        """The result of a task; until it is there, this thread does what is waiting."""
        while not task.is_done:
            try:
                other = self._waiting.get_nowait()
            except Empty:  # a helper has it in hand
                break
            if other is not None:
                other.do()
        return task.result()

    def stop(self) -> None:
        """Wait until the helpers are gone; they begin nothing more."""
        self._is_over = True
        for _ in self._helpers:
            self._waiting.put(None)
        for helper in self._helpers:
            helper.join()


class _Task:
    """A function to be applied to one item by one thread."""

    def __init__(self, function: Callable[[Any], Any], item: object) -> None:
        self._function = function
        self._item = item
        self._result: object = None
        self._error: Exception | None = None
        self._lock = allocate_lock()
        self._lock.acquire()
        self.is_done = False

    def do(self) -> None:
        """Apply it; an error is kept for who asks for the result."""
        try:
            self._result = self._function(self._item)
        except Exception as error:
            self._error = error
        self.is_done = True
        self._lock.release()

    def result(self) -> object:
        """Wait for the result."""
        self._lock.acquire()
        if self._error is not None:
            raise self._error
        return self._result
