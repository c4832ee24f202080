"""Limits and refusals, before any work is done: sizes, slowness, numbers, hosts, keys."""

import gzip
import http.client
import json
import os
import shutil
import socket
import ssl
import stat
import subprocess
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.client import Client
from deciban.errors import ServerUnreachable
from deciban.server.http.http_connection import is_private
from tests.effort import effort
from tests.server.running_server import RunningServer, mail_of, teach

TIGHT = """
[server]
workers = 1
[http]
listen = ["127.0.0.1:0", "unix:{folder}/http.sock"]
hosts = ["mail.example.org"]
origins = ["https://pages.example.org"]
[limits]
body_bytes = 10_000
stream_bytes = 200_000
header_bytes = 4_000
connections = 20
requests = 8
header_seconds = 1.0
idle_seconds = 2.0
body_rate = 100
key_rate = 40.0
"""


@pytest.fixture(scope="module")
def tight(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("tight")
    with RunningServer(folder, TIGHT.format(folder=folder), spaces=("mail", "other")) as started:
        yield started


def dialogue(server: RunningServer, *parts: bytes, seconds: float = 30) -> bytes:
    """All that the server says to some bytes, until it closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=seconds) as connection:
        try:
            for part in parts:
                connection.sendall(part)
        except OSError:
            pass
        heard = b""
        try:
            while data := connection.recv(65536):
                heard += data
        except ConnectionResetError:
            pass
        return heard


def head(
    server: RunningServer, *fields: str, path: str = "/v1/spaces/mail/classify", key: bool = True
) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: message/rfc822", *fields]
    if key:
        lines.append(f"Authorization: Bearer {server.add_key('classify')}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def test_a_body_beyond_the_limit_is_refused_before_it_is_read(tight: RunningServer) -> None:
    fresh = tight.add_key("classify")
    answer = tight.post("classify", b"x" * 30_000, key=fresh)
    assert (answer.status, answer.json()["code"]) == (413, "too-much")
    said = dialogue(tight, head(tight, "Content-Length: 99999999999"))
    assert said.startswith(b"HTTP/1.1 413 ")


def test_an_endless_body_is_cut_off(tight: RunningServer) -> None:
    piece = b"1000\r\n" + b"x" * 4096 + b"\r\n"
    said = dialogue(tight, head(tight, "Transfer-Encoding: chunked"), *[piece] * 200)
    assert b" 413 " in said.partition(b"\r\n")[0]


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress], ids=["gzip", "deflate"])
def test_a_compression_bomb_is_cut_off_and_a_packed_mail_is_read(tight: RunningServer, pack: object) -> None:
    kind = {"Content-Encoding": "gzip" if pack is gzip.compress else "deflate"}
    fresh = tight.add_key("classify")
    bomb = tight.post("classify", pack(b"\0" * 50_000_000), headers=kind, key=fresh)  # type: ignore[operator]
    assert bomb.status == 413
    packed = pack(mail_of("spam", 1))  # type: ignore[operator]
    assert tight.post("classify", packed, headers=kind, key=fresh).status == 200
    assert tight.post("classify", packed[:-5], headers=kind, key=fresh).status == 400
    assert tight.post("classify", packed, headers={"Content-Encoding": "br"}, key=fresh).status == 415


def test_a_header_beyond_the_limit_is_refused(tight: RunningServer) -> None:
    assert dialogue(tight, head(tight, f"X-Long: {'x' * 20_000}")).startswith(b"HTTP/1.1 431 ")
    assert dialogue(tight, head(tight, *[f"X-{n}: 1" for n in range(200)])).startswith(b"HTTP/1.1 431 ")
    assert dialogue(tight, b"GET /" + b"x" * 20_000).startswith(b"HTTP/1.1 4")


def test_a_header_that_trickles_is_ended(tight: RunningServer) -> None:
    assert dialogue(tight, b"GET / HTTP/1.1\r\nHost: local").startswith(b"HTTP/1.1 408 ")


def test_who_says_nothing_is_not_waited_for(tight: RunningServer) -> None:
    assert dialogue(tight) == b""


@pytest.mark.skipif(not effort(0, 1), reason="takes 12 seconds: a body may trickle for ten (make long)")
def test_a_body_that_trickles_is_ended(tight: RunningServer) -> None:
    said = dialogue(tight, head(tight, "Content-Length: 5000"), b"x")
    assert said.startswith(b"HTTP/1.1 408 ")


def test_connections_beyond_the_limit_are_told_so(tight: RunningServer) -> None:
    held = [socket.create_connection(("127.0.0.1", tight.port), timeout=30) for _ in range(40)]
    try:
        refused = 0
        for connection in held:
            connection.settimeout(10)
            said = connection.recv(65536)
            refused += said.startswith(b"HTTP/1.1 503 ")
        assert refused >= 20
    finally:
        for connection in held:
            connection.close()


def test_requests_in_flight_beyond_the_limit_are_told_to_come_again(tight: RunningServer) -> None:
    held = []
    wanted = head(tight, "Transfer-Encoding: chunked")
    for _ in range(8):
        connection = socket.create_connection(("127.0.0.1", tight.port), timeout=30)
        connection.sendall(wanted)
        held.append(connection)
    try:
        deadline = time.monotonic() + 30
        while True:
            answer = tight.request("GET", "/healthz", key=None)
            if answer.status == 503 or time.monotonic() > deadline:
                break
        assert (answer.status, answer.headers["retry-after"]) == (503, "1")
    finally:
        for connection in held:
            connection.close()


def test_a_key_that_is_used_too_often_is_told_to_wait(tight: RunningServer) -> None:
    fresh = tight.add_key("read")
    answers = [tight.get("labels", key=fresh) for _ in range(200)]
    refused = [answer for answer in answers if answer.status == 429]
    assert refused
    assert refused[0].headers["retry-after"] == "1"
    assert tight.get("labels", key=tight.add_key("read")).status == 200


# Who may ask


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("127.0.0.1:8420", 200),
        ("[::1]:8420", 200),
        ("MAIL.example.org", 200),
        ("evil.example", 421),
        ("localhost.evil.example", 421),
        ("", 421),
    ],
)
def test_a_foreign_host_is_refused(tight: RunningServer, host: str, status: int) -> None:
    assert tight.request("GET", "/healthz", key=None, headers={"Host": host}).status == status


def test_a_request_without_a_host_or_with_two_is_refused(tight: RunningServer) -> None:
    assert dialogue(tight, b"GET /healthz HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    twice = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"
    assert dialogue(tight, twice).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    ("origin", "status"),
    [("https://pages.example.org", 200), ("https://evil.example", 421), ("null", 421)],
)
def test_a_foreign_page_is_refused(tight: RunningServer, origin: str, status: int) -> None:
    assert tight.request("GET", "/healthz", key=None, headers={"Origin": origin}).status == status


def test_nothing_is_learned_or_read_without_a_key_even_on_loopback(tight: RunningServer) -> None:
    for answer in (
        tight.post("learn?label=spam", mail_of("spam", 1), key=None),
        tight.post("classify", mail_of("spam", 1), key=None),
        tight.get("lessons", key=None),
        tight.request("GET", "/v1/spaces", key=None),
        tight.get("labels", key="deciban_0000000000000000_" + "0" * 64),
        tight.get("labels", key=None, headers={"Authorization": "Basic YTpi"}),
    ):
        assert (answer.status, answer.json()["code"]) == (401, "unknown-key")
        assert answer.headers["www-authenticate"].startswith("Bearer")


def test_the_key_of_one_space_opens_no_other_and_does_not_tell_whether_it_is_there(
    tight: RunningServer,
) -> None:
    key = tight.add_key("classify", "learn", "forget", "read", space="mail")
    assert tight.get("labels", key=key).status == 200
    there, not_there = (tight.get("labels", space=name, key=key) for name in ("other", "nobody"))
    assert there.status == not_there.status == 403
    assert {**there.json(), "request_id": ""} == {**not_there.json(), "request_id": ""}
    assert tight.get("labels", space="mail/../other", key=key).status == 403
    assert tight.request("GET", "/v1/spaces/mail/../other/labels", key=key).status == 404


def test_an_expired_key_opens_nothing(tight: RunningServer) -> None:
    answer = tight.get("labels", key=tight.add_key("read", expires=1))
    assert (answer.status, answer.json()["code"]) == (401, "unknown-key")
    assert "expired" in answer.json()["detail"]


def test_a_socket_that_only_its_owner_can_open_needs_no_key(tight: RunningServer) -> None:
    path = next(address.removeprefix("unix:") for address in tight.addresses if address.startswith("unix:"))
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(30)
        connection.connect(path)
        connection.sendall(b"GET /v1/spaces/mail/labels HTTP/1.1\r\nConnection: close\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 OK")


def test_a_socket_that_others_can_open_needs_a_key(tmp_path: Path) -> None:
    path = str(tmp_path / "open.sock")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    os.chmod(path, 0o666)
    assert not is_private(path)
    os.chmod(path, 0o600)
    assert is_private(path)
    listening.close()


def test_bodies_beyond_what_a_worker_may_hold_are_told_to_come_again(tmp_path: Path) -> None:
    limits = "[server]\nworkers = 1\n[limits]\nwaiting_bytes = 50_000\n"
    with RunningServer(tmp_path, limits) as server:
        first = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        first.sendall(head(server, "Content-Length: 40000") + b"x" * 39_000)
        while True:  # until the worker has them
            answer = server.post("classify", b"y" * 30_000)
            if answer.status == 503:
                break
        assert answer.headers["retry-after"] == "1"
        first.close()
        while server.post("classify", b"y" * 30_000).status != 200:
            pass


def test_tls_by_files_and_the_client_checks_the_certificate(tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
         "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out",
         certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    files = f'certificate = "{certificate}"\nprivate_key = "{key}"\n'
    with RunningServer(tmp_path, f'[http]\nlisten = ["127.0.0.1:0"]\n{files}') as server:
        trusting = ssl.create_default_context(cafile=certificate)
        connection = http.client.HTTPSConnection("localhost", server.port, context=trusting, timeout=30)
        connection.request("GET", "/v1/spaces/mail/labels", headers={"Authorization": f"Bearer {server.key}"})
        assert connection.getresponse().status == 200
        connection.close()
        stranger = Client(f"https://localhost:{server.port}", server.key)
        with stranger, pytest.raises(ServerUnreachable, match="certificate"):
            stranger.labels()


# What else is thrown at a server


def test_a_label_never_becomes_a_header(tight: RunningServer) -> None:
    label = "spam%0d%0aX-Injected:%20yes"
    answer = tight.post(f"learn?label={label}", mail_of("spam", 3), key=tight.add_key("learn", "classify"))
    assert "x-injected" not in answer.headers
    assert answer.status in (200, 400)


@pytest.mark.parametrize(
    "garbage",
    [
        b"\0" * 100,
        b"\x16\x03\x01\x02\x00\x01\x00\x01",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"GET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
    ids=["zeros", "tls", "version", "smuggling", "negative", "two lengths", "space", "http2"],
)
def test_what_is_no_http_is_refused_and_the_server_goes_on(tight: RunningServer, garbage: bytes) -> None:
    assert dialogue(tight, garbage).startswith(b"HTTP/1.1 400 ")
    assert tight.request("GET", "/healthz", key=None).status == 200


def test_pipelined_requests_are_answered_in_their_order(tight: RunningServer) -> None:
    one = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: %d\r\n\r\n"
    last = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: 9\r\nConnection: close\r\n\r\n"
    said = dialogue(tight, b"".join(one % number for number in range(9)) + last)
    ids = [line.partition(b": ")[2] for line in said.split(b"\r\n") if line.startswith(b"x-request-id")]
    assert ids == [b"%d" % number for number in range(10)]


def test_a_client_that_waits_to_be_asked_for_its_body_is_asked(tight: RunningServer) -> None:
    mail = mail_of("spam", 1)
    with socket.create_connection(("127.0.0.1", tight.port), timeout=30) as connection:
        connection.sendall(head(tight, f"Content-Length: {len(mail)}", "Expect: 100-continue"))
        assert connection.recv(1000).startswith(b"HTTP/1.1 100 ")
        connection.sendall(mail)
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")


def test_a_client_that_waits_to_be_asked_for_many_messages_is_asked_before_it_is_answered(
    tight: RunningServer,
) -> None:
    line = b'{"text": "Free money"}\n'
    lines = [
        "POST /v1/spaces/mail/classify HTTP/1.1", "Host: localhost", "Content-Type: application/x-ndjson",
        f"Content-Length: {len(line)}", "Expect: 100-continue", "Connection: close",
        f"Authorization: Bearer {tight.add_key('classify')}", "", "",
    ]  # fmt: skip
    with socket.create_connection(("127.0.0.1", tight.port), timeout=30) as connection:
        connection.sendall("\r\n".join(lines).encode())
        heard = connection.recv(25)
        connection.sendall(line)
        while data := connection.recv(65536):
            heard += data
    interim, _, final = heard.partition(b"\r\n\r\n")
    assert interim == b"HTTP/1.1 100 Continue"
    assert final.startswith(b"HTTP/1.1 200 ")
    assert b"HTTP/1.1 100" not in final


def test_the_log_has_no_subjects_addresses_or_names(tmp_path: Path) -> None:
    configuration = '[http]\nlisten = ["127.0.0.1:0"]\n[log]\nform = "json"\nrequests = "all"\n'
    with RunningServer(tmp_path, configuration, spaces=("secret@example.org",)) as server:
        teach(server, 3, space="secret@example.org")
        server.post("classify", mail_of("spam", 1), space="secret@example.org")
        server.post("classify", b"{", space="secret@example.org", kind="application/json")
        server.get("labels", space="hidden@example.org")
    lines = [json.loads(line) for line in server.log_lines if line]
    assert {"classify", "learn"} <= {line["event"] for line in lines}
    text = "".join(server.log_lines)
    assert not [word for word in ("secret", "hidden", "example", "Free money", "deciban_") if word in text]


def test_others_are_answered_while_a_long_stream_is_classified(tight: RunningServer) -> None:
    key = tight.add_key("classify")
    lines = b"".join(json.dumps({"text": f"Free money {n}"}).encode() + b"\n" for n in range(2_000))
    connection = http.client.HTTPConnection("127.0.0.1", tight.port, timeout=60)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/x-ndjson"}
    answered: list[int] = []

    def send() -> None:
        connection.request("POST", "/v1/spaces/mail/classify", lines, headers)
        answered.append(connection.getresponse().read().count(b"\n"))

    sending = threading.Thread(target=send)
    sending.start()
    assert tight.request("GET", "/healthz", key=None).status == 200
    sending.join(60)
    connection.close()
    assert answered == [2_000]
