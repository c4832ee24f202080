"""The spamd protocol: requests in any pieces, of any version; anything else is refused with a line."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.committee.verdict import Verdict
from deciban.errors import BadDialogue
from deciban.server.doors.spamd_protocol import METHODS, SpamdProtocol, answer, verdict_field
from tests.effort import effort
from tests.server.doors.nonsense import read_nonsense

MESSAGE = b"Subject: hi\r\n\r\nhello\r\n"
SPAM = Verdict("spam", 0.99931, 31.6, {"spam": 0.99931, "ham": 0.00069}, unsure=False)


def request(first=b"CHECK SPAMC/1.5", fields=(), message=MESSAGE, length=None):
    size = len(message) if length is None else length
    head = [first, *fields, b"Content-length: %d" % size] if size >= 0 else [first, *fields]
    return b"\r\n".join([*head, b"", message])


def taken(data, **settings):
    protocol = SpamdProtocol(**settings)
    protocol.receive(data)
    return protocol.request


def fully_taken(data, ends, **settings):
    protocol = SpamdProtocol(**settings)
    protocol.receive(data)
    if ends:
        protocol.end()


def refusal_of(data, ends=False, **settings):
    with pytest.raises(BadDialogue) as caught:
        fully_taken(data, ends, **settings)
    assert caught.value.refusal.endswith(b"\r\n")
    return caught.value.refusal.decode()


@pytest.mark.parametrize("method", sorted(METHODS - {"PING", "SKIP"}))
def test_every_method_is_understood(method):
    found = taken(request(f"{method} SPAMC/1.5".encode()))
    assert (found.method, found.version, found.message) == (method, 1.5, MESSAGE)


def test_a_ping_has_no_message():
    assert taken(b"PING SPAMC/1.2\r\n").method == "PING"
    assert taken(b"PING SPAMC/1.5\r\n") is None
    assert answer(taken(b"PING SPAMC/1.5\r\n\r\n")) == b"SPAMD/1.5 0 PONG\r\n"


def test_a_message_without_a_length_ends_with_the_client():
    protocol = SpamdProtocol()
    protocol.receive(request(length=-1))
    assert protocol.request is None
    protocol.end()
    assert protocol.request.message == MESSAGE


def test_a_compressed_message_is_unpacked():
    packed = zlib.compress(MESSAGE)
    assert taken(request(fields=(b"Compress: zlib",), message=packed)).message == MESSAGE


def test_what_would_unpack_to_too_much_is_refused():
    bomb = zlib.compress(b"x" * 10_000_000)
    shown = refusal_of(request(fields=(b"Compress: zlib",), message=bomb), most_bytes=1_000_000)
    assert shown.startswith("SPAMD/1.0 69 ")


def test_what_tell_wants_is_understood():
    fields = (b"Message-class: spam", b"Set: local,remote", b"User: ann")
    found = taken(request(b"TELL SPAMC/1.5", fields))
    assert (found.label, found.sets, found.removes, found.user) == (
        "spam",
        {"local", "remote"},
        frozenset(),
        "ann",
    )
    assert taken(request(b"TELL SPAMC/1.5", (b"Remove: local",))).removes == {"local"}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", 76),
        (b"CHECK SPAMC/x\r\n\r\n", 76),
        (b"CHECK SPAMC/1.5\r\nno colon\r\n\r\n", 76),
        (b"CHECK SPAMC/1.5\r\nContent-length: -1\r\n\r\n", 76),
        ("CHECK SPAMC/1.5\r\nContent-length: ²\r\n\r\n".encode(), 76),
        (b"CHECK SPAMC/1.5\r\nContent-length: 99999999999\r\n\r\n", 69),
        (b"CHECK SPAMC/1.5\r\nContent-length: 9" + b"9" * 5000 + b"\r\n\r\n", 76),
        (b"CHECK SPAMC/1.5\r\nUser: a\0b\r\n\r\n", 76),
        (b"CHECK SPAMC/1.5\r\nCompress: rot13\r\n\r\n", 76),
        (request(fields=(b"Compress: zlib",)), 76),
        (request(fields=(b"Compress: zlib",), message=zlib.compress(MESSAGE)[:-3]), 76),
        (request(b"TELL SPAMC/1.5", (b"Message-class: eggs",)), 76),
        (request(b"TELL SPAMC/1.5", (b"Set: local", b"Remove: local")), 76),
        (b"CHECK SPAMC/1.5\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(200)), 76),
        (b"C" * 10_000, 76),
        (b"CHECK SPAMC/1.5\r\nX: " + b"y" * 10_000 + b"\r\n", 76),
    ],
)
def test_what_cannot_be_followed_is_refused_with_a_line(data, code):
    assert refusal_of(data).startswith(f"SPAMD/1.0 {code} ")


@pytest.mark.parametrize("data", [b"", b"CHECK SPAMC/1.5\r\nUser: a", request(length=1000)])
def test_a_client_that_ends_too_early_is_refused(data):
    assert refusal_of(data, ends=True).startswith("SPAMD/1.0 76 ")


def test_more_than_the_limit_without_a_length_is_refused():
    assert refusal_of(request(length=-1), most_bytes=10).startswith("SPAMD/1.0 69 ")


def test_the_form_of_an_answer_depends_on_the_version():
    process = taken(request(b"PROCESS SPAMC/1.5"))
    field = verdict_field(process, SPAM)
    assert answer(process, field, body=b"x") == (
        b"SPAMD/1.1 0 EX_OK\r\nContent-length: 1\r\nSpam: True ; 15.8 / 5.0\r\n\r\nx"
    )
    assert answer(process.replaced(version=1.2), field, body=b"x") == (
        b"SPAMD/1.1 0 EX_OK\r\nContent-length: 1\r\n\r\nx"
    )
    assert answer(process.replaced(version=1.0), field, body=b"x") == b"SPAMD/1.0 0 EX_OK\r\nx"
    symbols = process.replaced(method="SYMBOLS", version=1.2)
    assert answer(symbols, field, body=b"x") == b"SPAMD/1.1 0 EX_OK\r\nSpam: True ; 15.8 / 5.0\r\n\r\nx"


def test_a_report_if_spam_says_yes_and_no():
    ask = taken(request(b"REPORT_IFSPAM SPAMC/1.5"))
    assert verdict_field(ask, SPAM) == "Spam: Yes ; 15.8 / 5.0"
    assert verdict_field(ask, SPAM.replaced(unsure=True)) == "Spam: No ; 4.9 / 5.0"


@given(st.lists(st.integers(1, 30)), st.sampled_from([b"CHECK SPAMC/1.5", b"PROCESS SPAMC/1.2"]))
def test_pieces_do_not_matter(sizes, first):
    data = request(first, (b"User: ann",))
    protocol, place = SpamdProtocol(), 0
    for size in [*sizes, len(data)]:
        protocol.receive(data[place : place + size])
        place += size
    assert protocol.request == taken(data)


def test_mutated_requests_are_taken_or_refused():
    seeds = [
        request(fields=(b"User: ann",)),
        request(b"PROCESS SPAMC/1.5", (b"Compress: zlib",), zlib.compress(MESSAGE)),
        request(b"TELL SPAMC/1.5", (b"Message-class: spam", b"Set: local", b"User: bob")),
        b"PING SPAMC/1.5\r\n\r\n",
    ]
    read_nonsense(lambda: SpamdProtocol(most_bytes=100_000), seeds, effort(5_000, 50_000), b"SPAMD/1.0 ")
