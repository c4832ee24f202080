"""The pipes between the supervisor and one of its processes.

down   held open by the supervisor: when it closes, the supervisor is gone, and the process ends in order
up     one byte per beat from the process: the first says that it is ready, the others that it is not stuck
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress

BEAT_SECONDS = 1.0


class Lifeline:
    """The ends that a process has."""

    def __init__(self, down: int, up: int) -> None:
        self._down, self._up = down, up

    def watch(self, ended: Callable[[], object]) -> None:
        """Say that we are ready, beat from now on, and call ``ended`` once the supervisor is gone."""
        loop = asyncio.get_running_loop()
        os.set_blocking(self._up, False)

        def look() -> None:
            if not os.read(self._down, 1):
                loop.remove_reader(self._down)
                ended()

        def beat() -> None:
            with suppress(OSError):
                os.write(self._up, b".")
            loop.call_later(BEAT_SECONDS, beat)

        loop.add_reader(self._down, look)
        beat()
