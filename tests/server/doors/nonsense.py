"""Dialogues that are nearly right, spoken with a real door: it answers or hangs up, and goes on."""

import random
import socket
from collections.abc import Callable, Sequence

from tests.mutations import mutated
from tests.server.running_server import RunningServer

ANSWER_SECONDS = 60


def speak_nonsense(
    server: RunningServer, connect: Callable[[], socket.socket], seeds: Sequence[bytes], count: int
) -> None:
    """Speak many mutated dialogues; each connection ends, and the log tells of no fault of ours."""
    rng = random.Random(22)
    for _ in range(count):
        with connect() as client:
            client.settimeout(ANSWER_SECONDS)
            try:
                client.sendall(mutated(rng, rng.choice(seeds)))
                client.shutdown(socket.SHUT_WR)
                while client.recv(65536):
                    pass
            except (BrokenPipeError, ConnectionResetError):
                pass  # hung up before all was said
    assert not [line for line in server.log_lines if "fault" in line or "died" in line]
