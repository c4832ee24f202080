"""Programs of different tests at the same time do not get into each other's way."""

import socket

import pytest

from tests.server.doors.private_programs import free_port, listens


def test_a_port_is_given_to_nobody_else_and_a_server_may_listen_there() -> None:
    port = free_port()
    assert not listens(port)
    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(("127.0.0.1", port))
    with socket.create_server(("127.0.0.1", port)):
        assert listens(port)
