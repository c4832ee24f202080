"""The clients for Python against a real server: what they ask, what they raise, what they send again."""

import asyncio
import socket
import threading

import pytest

from deciban.client import AsyncClient, Client
from deciban.client.server_connection import ServerConnection
from deciban.errors import NoSuchEntry, NoSuchSpace, NotAllowed, ServerUnreachable, TooMuch, UnknownKey
from tests.server.running_server import RunningServer, mail_of


def url_of(server: RunningServer) -> str:
    return f"http://127.0.0.1:{server.port}"


def test_a_client_teaches_asks_corrects_and_forgets(server: RunningServer) -> None:
    with Client(url_of(server), server.key, "other") as client:
        assert client.learn(mail_of("spam", 1), "spam", by="ann")["learned"] == 1
        many = client.learn_many((label, mail_of(label, n)) for n in range(5) for label in ("spam", "ham"))
        assert (many["learned"], many["known"]) == (9, 1)
        answer = client.classify(mail_of("spam", 77), at_least=many["position"])
        assert (answer["label"], answer["position"]) == ("spam", many["position"])
        assert client.correct(answer["entry"], "spam")["label"] == "spam"
        client.undo(answer["entry"])
        verdicts = list(client.classify_many(mail_of("ham", n) for n in range(1_200)))
        assert len(verdicts) == 1_200
        assert {verdict["label"] for verdict in verdicts} == {"ham"}
        assert client.why(mail_of("spam", 78))["evidence"]
        assert len(list(client.lessons(limit=3))) == sum(client.labels().values()) == 10
        assert next(client.journal())["done"] == "told"
        assert client.status()["lessons"] == client.labels()
        assert len(client.forget(mail_of("spam", 1))["forgotten"]) == 1
        assert len(client.forget(label="ham")["forgotten"]) == 5


def test_problems_are_the_errors_that_they_are_there(server: RunningServer) -> None:
    with Client(url_of(server), server.key, "nobody") as client, pytest.raises(NoSuchSpace):
        client.labels()
    with Client(url_of(server), "deciban_00_00") as client, pytest.raises(UnknownKey):
        client.labels()
    with Client(url_of(server), server.add_key("classify")) as client:
        with pytest.raises(NotAllowed):
            client.learn(b"Subject: x", "spam")
        with pytest.raises(TooMuch):
            client.classify(b"x" * 60_000_000)
        assert client.classify(b"Subject: still there")["digest"]
    with Client(url_of(server), server.key) as client, pytest.raises(NoSuchEntry):
        client.correct("00" * 16, "ham")


def test_nobody_there_and_somebody_else_there_are_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ServerUnreachable, match="No server answers"):
            Client(url).labels()
        taken.listen()

        def answer_nonsense() -> None:
            connection, _ = taken.accept()
            connection.recv(1000)
            connection.sendall(b"220 mail.example.org ESMTP\r\n\r\n")
            connection.close()

        threading.Thread(target=answer_nonsense, daemon=True).start()
        with pytest.raises(ServerUnreachable, match="no deciban server"):
            Client(url).labels()


def test_a_connection_that_was_closed_meanwhile_is_opened_again(server: RunningServer) -> None:
    connection = ServerConnection(url_of(server))
    assert connection.request("GET", "/healthz")[0] == 200
    connection._socket.shutdown(socket.SHUT_RDWR)
    assert connection.request("GET", "/healthz")[0] == 200
    connection.close()


def test_many_ask_at_once_from_an_event_loop(server: RunningServer) -> None:
    async def ask() -> list[dict[str, object]]:
        async with AsyncClient(url_of(server), server.key, connections=4) as client:
            await client.learn(mail_of("spam", 501), "spam")
            await client.forget(mail_of("spam", 501))
            return await asyncio.gather(*(client.classify(mail_of("spam", n)) for n in range(40)))

    assert {answer["label"] for answer in asyncio.run(ask())} == {"spam"}
