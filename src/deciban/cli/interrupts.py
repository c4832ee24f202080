"""Ctrl-C that never comes between a change and the word that it is done.

Python raises KeyboardInterrupt anywhere, also after lessons were committed and before anybody was told. While
`Interrupts` is open, Ctrl-C ends the wait for the next lesson at once, and waits for the end of a batch that
is being learned; a second one waits for nothing.

>>> with Interrupts() as interrupts:
...     list(interrupts.between(["first", "second"]))
['first', 'second']
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Iterable, Iterator
    from typing import Any, Self, TypeVar

    Item = TypeVar("Item")
else:
    import _signal as signal  # without the enumerations of the module signal, which take 3 ms to import


class Interrupts:
    """Holds Ctrl-C back while somebody works on what `between` gave."""

    def __init__(self) -> None:
        self._is_welcome = True
        self._is_pending = False

    def __enter__(self) -> Self:
        self._before: Any = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def between(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items; an interrupt is raised while one is waited for, and held back while it is worked on."""
        iterator = iter(items)
        while True:
            self._is_welcome = True
            if self._is_pending:
                raise KeyboardInterrupt
            try:
                item = next(iterator)
            except StopIteration:
                return
            self._is_welcome = False
            yield item

    def _handle(self, *_: object) -> None:
        if self._is_welcome or self._is_pending:
            raise KeyboardInterrupt
        self._is_pending = True
