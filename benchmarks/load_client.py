"""Load on a server, by load_client.c: the same client for every protocol.

A client in Python takes about as much of two cores as the faster servers do, and so measures itself.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Self

from deciban.value import Value

if TYPE_CHECKING:
    from benchmarks.serving_peers import ServedFilter

SOURCE = Path(__file__).with_name("load_client.c")
CONNECTIONS = 8


class Load(Value):
    """What a window of load showed."""

    seconds: float
    """How long it took."""
    times: list[float]
    """Of each answer, in milliseconds, in increasing order."""
    wrong: int
    """How many answers were no verdicts."""
    client_seconds: float
    """Processor time of the client."""

    @property
    def rate(self) -> float:
        """Answers per second."""
        return len(self.times) / self.seconds

    def quantile(self, share: float) -> float:
        """The time within which so many are answered, in milliseconds."""
        return self.times[min(int(share * len(self.times)), len(self.times) - 1)]


class LoadClient:
    """The compiled client, for as long as the benchmark runs."""

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory()
        self._program = f"{self._folder.name}/load_client"
        subprocess.run(["cc", "-O2", "-o", self._program, str(SOURCE)], check=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def put(
        self,
        server: ServedFilter,
        questions: Iterable[bytes],
        seconds: float,
        rate: float = 0.0,
        connections: int = CONNECTIONS,
    ) -> Load:
        """Ask for some seconds: as fast as answers come, or at a rate."""
        return self.finished(self.start(server, questions, seconds, rate, connections))

    def start(
        self,
        server: ServedFilter,
        questions: Iterable[bytes],
        seconds: float,
        rate: float = 0.0,
        connections: int = CONNECTIONS,
    ) -> subprocess.Popen[bytes]:
        """The same, while something else is done; `finished` waits for it."""
        words = [server.port, connections, seconds, rate, int(server.keeps_connections)]
        words += [int(server.half_closes), server.beginning, server.part]
        process = subprocess.Popen(
            [self._program, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert process.stdin is not None
        for question in questions:
            process.stdin.write(len(question).to_bytes(8, "little") + question)
        process.stdin.close()
        return process

    @staticmethod
    def finished(process: subprocess.Popen[bytes]) -> Load:
        """What the load showed."""
        assert process.stdout is not None
        head, *lines = process.stdout.read().decode().splitlines()
        if process.wait():
            raise SystemExit("The load client failed.")
        _, wrong, seconds, cpu = head.split()
        return Load(float(seconds), sorted(int(line) / 1000 for line in lines), int(wrong), float(cpu))
