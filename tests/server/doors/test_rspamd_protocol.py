"""What clients of rspamd speak: requests in any pieces; anything else is refused with an answer of HTTP."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.errors import BadDialogue
from deciban.server.doors.rspamd_protocol import RspamdProtocol, json_answer
from tests.effort import effort
from tests.server.doors.nonsense import read_nonsense

MESSAGE = b"Subject: hi\r\n\r\nhello\r\n"


def request(first=b"POST /checkv2 HTTP/1.0", fields=(), message=MESSAGE, end=b"\r\n"):
    return end.join([first, *fields, b"Content-Length: %d" % len(message), b"", b""]) + message


def taken(data, **settings):
    protocol = RspamdProtocol(**settings)
    protocol.receive(data)
    return protocol.request


def refusal_of(data):
    with pytest.raises(BadDialogue) as caught:
        fully_taken(data)
    return caught.value.refusal


def fully_taken(data):
    protocol = RspamdProtocol(most_bytes=100_000)
    protocol.receive(data)
    protocol.end()


def test_a_request_of_rspamc_is_understood():
    fields = (b"User: ann", b"Ip: 192.0.2.1", b"From: joe@example.com", b"Rcpt: <a@b>", b"rcpt: c@d")
    found = taken(request(fields=fields))
    assert (found.method, found.path, found.message) == ("POST", "/checkv2", MESSAGE)
    assert found.recipients == ["a@b", "c@d"]
    assert (found.header("user"), found.header("ip"), found.header("nothing")) == ("ann", "192.0.2.1", "")


def test_deliver_to_comes_before_recipients():
    assert taken(request(fields=(b"Rcpt: a@b", b"Deliver-To: c@d"))).recipients == ["c@d"]


def test_a_request_of_exim_is_understood():
    found = taken(request(b"CHECK RSPAMC/1.3", (b"From: <joe@example.com>", b"Rcpt: <a@b>")))
    assert (found.is_legacy, found.path, found.recipients) == (True, "/checkv2", ["a@b"])


def test_lines_may_end_without_a_return():
    assert taken(request(end=b"\n")).message == MESSAGE


def test_a_request_without_a_body_needs_no_length():
    assert taken(b"GET /stat?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n").path == "/stat"


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"DELETE / HTTP/1.1\r\n\r\n", 400),
        (b"CHECK SPAMC/1.5\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nA: b\0c\r\n\r\n", 400),
        (b"POST /checkv2 HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST /checkv2 HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n", 413),
        (b"POST /checkv2 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"POST /checkv2 HTTP/1.1\r\nCompression: zstd\r\n\r\n", 415),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 2_000 + b"\r\n", 400),
        (b"GET /" + b"x" * 70_000, 400),
        (request()[:-1], 400),
        (b"", 400),
    ],
)
def test_what_cannot_be_followed_is_refused_with_a_status(data, status):
    answer = refusal_of(data)
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]


def test_a_reason_stays_on_its_line():
    assert json_answer({}, 404, "a\r\nX-Forged: b").startswith(b"HTTP/1.1 404 a X-Forged: b\r\nConnection")


@given(st.lists(st.integers(1, 40)))
def test_pieces_do_not_matter(sizes):
    data = request(fields=(b"Rcpt: a@b",))
    protocol, place = RspamdProtocol(), 0
    for size in [*sizes, len(data)]:
        protocol.receive(data[place : place + size])
        place += size
    assert protocol.request == taken(data)


def test_mutated_requests_are_taken_or_refused():
    seeds = [
        request(fields=(b"Rcpt: a@b", b"Deliver-To: c@d", b"User: ann")),
        request(b"CHECK RSPAMC/1.3", (b"Queue-Id: 1x",)),
        b"GET /stat HTTP/1.0\r\nContent-Length: 0\r\nPassword: x\r\n\r\n",
    ]
    read_nonsense(lambda: RspamdProtocol(most_bytes=100_000), seeds, effort(5_000, 50_000), b"HTTP/1.1 4")
