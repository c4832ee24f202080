"""An engine: something that applies a function to many items and gives the results in their order.

`running` starts whatever does the work, and stops it at the end, however that comes about. What it yields is
an engine again, already running, so that workers can be kept for several calls:

>>> with Serial().running() as engine:
...     list(engine.map(abs, [-3, 4]))
[3, 4]

Law: an engine decides where and when something is computed, never what.
"""

from __future__ import annotations

from collections import deque
from contextlib import AbstractContextManager, contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Protocol, TypeVar

    Item = TypeVar("Item")
    Result = TypeVar("Result")
    Ticket = TypeVar("Ticket")

    class Engine(Protocol):
        """Where a function is applied to items."""

        def running(self) -> AbstractContextManager[Engine]:
            """Workers that are ready, until the end of the block."""

        def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
            """The result for each item, in the order of the items; the function must be picklable."""
else:
    Engine = object


class Serial:
    """No workers at all: everything is done here, one after the other."""

    def __repr__(self) -> str:
        return "Serial()"

    @contextmanager
    def running(self) -> Iterator[Engine]:
        """Nothing to start."""
        yield self

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """What Python's own does."""
        return map(function, items)


def in_order(
    submit: Callable[[Item], Ticket], collect: Callable[[Ticket], Result], items: Iterable[Item], ahead: int
) -> Iterator[Result]:
    """The results in the order of the items, which are handed out at most so many ahead.

    So workers never wait for an item, and neither items nor results pile up in memory.

    >>> list(in_order(lambda item: -item, lambda ticket: ticket * 10, iter([1, 2, 3]), ahead=2))
    [-10, -20, -30]
    """
    waiting: deque[Ticket] = deque()
    for item in items:
        waiting.append(submit(item))
        if len(waiting) > ahead:
            yield collect(waiting.popleft())
    while waiting:
        yield collect(waiting.popleft())
