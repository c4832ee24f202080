"""Lessons that a second thread fetches from the ledger, while this one teaches those that came before.

Teaching runs without Python's lock (`Committee.learn_many`), and takes longer than fetching: so on two cores
a replay takes little longer than teaching alone.

>>> list(fetched_ahead(iter("abcde"), 2))
[['a', 'b'], ['c', 'd'], ['e']]
"""

from __future__ import annotations

from _queue import SimpleQueue
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from typing import TypeVar

    Item = TypeVar("Item")

# So many slices are fetched ahead. The thread then rests until one is taken, and does not ask for Python's
# lock while this one needs it.
AHEAD = 2
NAME = "deciban-fetching"


def fetched_ahead(items: Iterator[Item], size: int) -> Generator[list[Item], None, None]:
    """The items in slices of a size. Nobody else may use what they come from, until the last one is taken."""
    from threading import Thread

    wanted: SimpleQueue[bool] = SimpleQueue()
    fetched: SimpleQueue[list[Item] | BaseException] = SimpleQueue()

    def fetch() -> None:
        try:
            while wanted.get():
                fetched.put(list(islice(items, size)))
        except BaseException as error:
            fetched.put(error)

    for _ in range(AHEAD):
        wanted.put(True)
    thread = Thread(target=fetch, name=NAME, daemon=True)
    thread.start()
    try:
        while slice_ := fetched.get():
            if isinstance(slice_, BaseException):
                raise slice_
            wanted.put(True)
            yield slice_
    finally:
        wanted.put(False)
        thread.join()
