"""Threads of our own instead of those of BLAS.

A search multiplies a block, reads it, and multiplies the next. BLAS would share each small product among its
threads, and they spin while the block is read: on two cores a search of 64 columns took three times the CPU
time, and was not faster. So BLAS gets one thread for as long as a search runs, and batches of queries are
shared among as many threads as BLAS had.

>>> with blas_threads().taken() as threads:
...     threads >= 1
True
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController


class BlasThreads:
    """How many threads the BLAS libraries of this process have, and who has taken them away."""

    def __init__(self) -> None:
        self._libraries = ThreadpoolController().select(user_api="blas").lib_controllers
        self._lock = Lock()
        self._takers = 0
        self._had: list[int] = []

    @contextmanager
    def taken(self) -> Iterator[int]:
        """Give BLAS one thread meanwhile; how many threads it had, which are now ours to use.

        Searches may overlap in several threads: the first takes, the last gives back.
        """
        with self._lock:
            if not self._takers:
                self._had = [library.num_threads for library in self._libraries]
                self._set([1] * len(self._had))
            self._takers += 1
            threads = max(self._had, default=1)
        try:
            yield threads
        finally:
            with self._lock:
                self._takers -= 1
                if not self._takers:
                    self._set(self._had)

    def _set(self, counts: list[int]) -> None:
        for library, count in zip(self._libraries, counts, strict=True):
            library.set_num_threads(count)


@cache
def blas_threads() -> BlasThreads:
    """Those of this process: finding the libraries takes 70 ms, so it is done once."""
    return BlasThreads()
