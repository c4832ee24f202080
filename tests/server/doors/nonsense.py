"""Dialogues that are nearly right: a protocol takes or refuses them, a real door answers or hangs up."""

import random
import socket
from collections.abc import Callable, Sequence

from deciban.errors import BadDialogue
from deciban.server.doors.stream_door import RequestProtocol
from tests.mutations import mutated
from tests.server.running_server import RunningServer

ANSWER_SECONDS = 60


def read_nonsense(
    protocol_of: Callable[[], RequestProtocol[object]], seeds: Sequence[bytes], count: int, refusal: bytes
) -> None:
    """Have many mutated requests read, in pieces; each is taken, or refused with an answer that begins so."""
    rng = random.Random(22)
    for _ in range(count):
        data, step = mutated(rng, rng.choice(seeds)), rng.randrange(1, 100)
        protocol = protocol_of()
        try:
            for start in range(0, len(data), step):
                protocol.receive(data[start : start + step])
            protocol.end()
        except BadDialogue as error:
            assert error.refusal.startswith(refusal)  # noqa: PT017 (each of many may be refused)
        else:
            assert protocol.request is not None


def speak_nonsense(
    server: RunningServer, connect: Callable[[], socket.socket], seeds: Sequence[bytes], count: int
) -> None:
    """Speak many mutated dialogues; each connection ends, and the log tells of no fault of ours."""
    rng, seen = random.Random(22), len(server.log_lines)
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
    wrong = ("fault", "died", "Traceback")
    assert not [line for line in server.log_lines[seen:] if any(word in line for word in wrong)]
