"""Who reads the messages of a verb: this thread, and when there are many of them, all cores.

>>> with Hands(None) as hands:
...     list(hands.apply(lambda numbers: [abs(number) for number in numbers], [-3, 4]))
[3, 4]
"""

from __future__ import annotations

from itertools import chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager
    from typing import Self, TypeVar

    from deciban.engines import Engine

    Item = TypeVar("Item")
    Result = TypeVar("Result")

# Fewer messages are read before an engine is imported and started.
FEW = 100


class Hands:
    """Reads messages here, and by an engine once there were a few."""

    def __init__(self, engine: Callable[[], Engine] | None, few: int = FEW) -> None:
        """``engine`` makes what helps; nobody does without it."""
        self._engine = engine
        self._left = few
        self._start: AbstractContextManager[Engine] | None = None
        self._running: Engine | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._start is not None:
            self._start.__exit__(*error)  # type: ignore[arg-type]

    def apply(self, make: Callable[[list[Item]], list[Result]], messages: Iterable[Item]) -> Iterator[Result]:
        """What ``make`` makes of messages, one result for each, in their order."""
        messages = iter(messages)
        for message in messages:
            if self._engine is not None and self._left <= 0:
                yield from self._read_by(self._engine, make, chain([message], messages))
                return
            self._left -= 1
            yield from make([message])

    def _read_by(
        self,
        engine: Callable[[], Engine],
        make: Callable[[list[Item]], list[Result]],
        messages: Iterable[Item],
    ) -> Iterator[Result]:
        from deciban.engines.lessons import read_by

        if self._running is None:
            start = engine().running()
            self._running = start.__enter__()
            self._start = start
        return read_by(self._running, make, messages)  # type: ignore[arg-type]
