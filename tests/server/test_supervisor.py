"""Processes that die, are told to stop, or are replaced: nothing acknowledged is lost or doubled."""

import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.ledger import Selection
from deciban.spaces import Spaces
from deciban.text import read
from tests.effort import effort
from tests.server.running_server import RunningServer, mail_of, teach

ONE_WORKER = '[server]\nworkers = 1\n[http]\nlisten = ["127.0.0.1:0"]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def lessons_in(server: RunningServer, space: str = "mail") -> list[bytes]:
    with Spaces(str(server.folder)) as spaces, spaces.using(space) as opened:
        return [lesson.digest for lesson in opened.mail_filter.lessons(Selection())]


class Bookkeeper(threading.Thread):
    """A client that teaches one mail after the other, tries again after errors, and keeps books."""

    def __init__(self, server: RunningServer, name: str, count: int) -> None:
        super().__init__(daemon=True)
        self.server, self.label, self.count = server, name, count
        self.acknowledged: list[bytes] = []
        self.progress = threading.Event()
        self.tries = 0

    def run(self) -> None:
        for number in range(self.count):
            mail = mail_of("spam" if number % 2 else "ham", 10_000 * (hash(self.label) % 1000) + number)
            while not self._taught(mail, "spam" if number % 2 else "ham"):
                self.progress.wait(0.02)
            self.acknowledged.append(read(mail).digest)

    def _taught(self, mail: bytes, label: str) -> bool:
        self.tries += 1
        try:
            answer = self.server.post(f"learn?label={label}", mail)
        except (OSError, http.client.HTTPException):
            return False
        return answer.status == 200


def keep_books(server: RunningServer, kill: Iterator[object], clients: int, lessons: int) -> None:
    books = [Bookkeeper(server, f"client {number}", lessons) for number in range(clients)]
    for book in books:
        book.start()
    for _ in kill:
        if not any(book.is_alive() for book in books):
            break
    for book in books:
        book.join(120)
        assert not book.is_alive()
    acknowledged = [digest for book in books for digest in book.acknowledged]
    kept = lessons_in(server)
    assert len(kept) == len(set(kept))
    assert set(acknowledged) <= set(kept)
    assert len(acknowledged) == clients * lessons


def kills_of(server: RunningServer, role: str, count: int) -> Iterator[None]:
    """Kill one process of a role after the other, each after the one before was replaced."""
    for _ in range(count):
        mark = len(server.log_lines)
        pid = random.choice([pid for pid, found in server.children().items() if found == role])
        os.kill(pid, signal.SIGKILL)
        server.wait_for(rf"{role}: died, is replaced pid={pid}", after=mark)
        while sum(found == role for found in server.children().values()) < (1 if role == "writer" else 2):
            server.request("GET", "/healthz", key=None)
        yield None


@pytest.mark.parametrize("role", ["worker", "writer"])
def test_nothing_acknowledged_is_lost_or_doubled_when_a_process_is_killed(folder: Path, role: str) -> None:
    with RunningServer(folder, "[server]\nworkers = 2\n") as server:
        keep_books(server, kills_of(server, role, effort(4, 60)), clients=4, lessons=effort(40, 400))


def test_nothing_acknowledged_is_lost_when_all_is_killed(folder: Path) -> None:
    with RunningServer(folder) as server:
        books = [Bookkeeper(server, f"client {number}", 10_000) for number in range(3)]
        for book in books:
            book.start()
        while min(len(book.acknowledged) for book in books) < effort(5, 100):
            server.request("GET", "/healthz", key=None)
        for pid in (server.process.pid, *server.children()):
            os.kill(pid, signal.SIGKILL)
        server.process.wait(10)
        for book in books:
            book.count = 0
        acknowledged = {digest for book in books for digest in list(book.acknowledged)}
        kept = lessons_in(server)
        assert acknowledged <= set(kept)
        assert len(kept) == len(set(kept))
    with server:
        assert server.post("classify", mail_of("spam", 1)).status == 200
    for book in books:
        book.acknowledged.clear()


def test_a_worker_that_dies_is_replaced_and_the_others_go_on(folder: Path) -> None:
    with RunningServer(folder, "[server]\nworkers = 2\n") as server:
        for _ in kills_of(server, "worker", 2):
            assert server.request("GET", "/readyz", key=None).status == 200


def test_processes_are_named_after_what_they_do(folder: Path) -> None:
    with RunningServer(folder, "[server]\nworkers = 2\n") as server:
        assert sorted(server.children().values()) == ["worker", "worker", "writer"]


def test_what_was_accepted_is_finished_before_the_end(folder: Path) -> None:
    with RunningServer(folder, ONE_WORKER) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        mail = mail_of("spam", 1)
        connection.putrequest("POST", "/v1/spaces/mail/learn?label=spam")
        connection.putheader("Authorization", f"Bearer {server.key}")
        connection.putheader("Content-Type", "message/rfc822")
        connection.putheader("Content-Length", str(len(mail)))
        connection.endheaders(mail[:10])
        server.request("GET", "/healthz", key=None)  # the worker has seen what was sent before
        server.process.send_signal(signal.SIGTERM)
        server.wait_for("server: stopping")
        connection.send(mail[10:])
        response = connection.getresponse()
        assert json.loads(response.read())["learned"] == 1
        assert server.process.wait(30) == 0
    assert lessons_in(server) == [read(mail).digest]


def test_a_reload_refuses_no_connection_and_takes_the_new_configuration(folder: Path) -> None:
    with RunningServer(folder, ONE_WORKER) as server:
        teach(server)
        ended = threading.Event()
        failures: list[object] = []

        def ask() -> None:
            while not ended.is_set():
                answer = server.post("classify", mail_of("spam", 5))
                if answer.status != 200:
                    failures.append(answer)

        asking = threading.Thread(target=ask)
        asking.start()
        before = server.children()
        configuration = server.configuration.read_text()
        server.configuration.write_text(configuration + "[limits]\nbody_bytes = 1000\n")
        mark = len(server.log_lines)
        server.process.send_signal(signal.SIGHUP)
        server.wait_for("server: ready", after=mark)
        ended.set()
        asking.join(30)
        assert failures == []
        server.wait_for_the_end_of(before)  # who was told to end may take one more connection before
        assert server.post("classify", b"x" * 2000).status == 413


def test_a_configuration_that_cannot_be_followed_is_not_taken(folder: Path) -> None:
    with RunningServer(folder, ONE_WORKER) as server:
        server.configuration.write_text("[http]\nlisten = 1\n")
        server.process.send_signal(signal.SIGHUP)
        server.wait_for("not reloaded, since the configuration is wrong")
        assert server.request("GET", "/healthz", key=None).status == 200


def test_a_socket_that_systemd_opened_is_used(tmp_path: Path) -> None:
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    port = listening.getsockname()[1]
    prepared = RunningServer(tmp_path, f'[http]\nlisten = ["127.0.0.1:{port}"]\n')
    notified = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notified.bind(str(tmp_path / "notify"))
    notified.settimeout(60)
    code = (
        "import os, sys\n"
        f"os.dup2({listening.fileno()}, 3)\n"
        "os.set_inheritable(3, True)\n"
        "os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1')\n"
        "os.execv(sys.executable, [sys.executable, '-m', 'deciban', *sys.argv[1:]])"
    )
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            code,
            "serve",
            "--config",
            prepared.configuration,
            "--spaces",
            prepared.folder,
        ],
        pass_fds=[listening.fileno()],
        env={**os.environ, "NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "2000000"},
        stderr=subprocess.DEVNULL,
    )
    try:
        told = {notified.recv(200).decode() for _ in range(2)}
        assert told == {"READY=1", "WATCHDOG=1"}
        prepared.port = port
        assert prepared.request("GET", "/readyz", key=None).status == 200
    finally:
        process.terminate()
        assert process.wait(60) == 0
        listening.close()
        notified.close()
