"""Partitions that misbehave, as data and machines do; workers find them by name."""

import os
import signal
from pathlib import Path

import numpy as np


class Deadly:
    """Kills the worker that reads it: always, or only the first one, which leaves a mark."""

    name = "the deadly one"

    def __init__(self, mark: Path | None = None) -> None:
        self.mark = mark

    def rows(self):
        if self.mark is None or not self.mark.exists():
            if self.mark is not None:
                self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return np.array([[1.5, 2.0], [0.1, 7.25]]), np.array(["a", "b"])


class Endless:
    """Tells its process id and never comes to an end."""

    name = "the endless one"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def rows(self):
        (self.folder / str(os.getpid())).touch()
        while True:
            signal.pause()
