"""The canonical form: classify, tag, deliver, fetch, learn is one message with one digest."""

from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.text import read
from tests.text.mails import Mail, any_bytes, delivered, mails


@given(mails(), st.booleans(), st.booleans(), st.booleans())
def test_a_delivered_mail_is_the_same_mail(made: Mail, tagged: bool, crlf: bool, mbox: bool) -> None:
    sent = read(made.raw)
    fetched = read(delivered(made.raw, tagged, crlf, mbox))
    assert fetched.canonical == sent.canonical
    assert fetched.digest == sent.digest
    assert fetched.headers == sent.headers
    assert fetched.parts == sent.parts
    assert fetched.links == sent.links
    assert fetched.facts == sent.facts


@given(any_bytes, st.booleans(), st.booleans())
def test_a_broken_mail_is_the_same_after_delivery_too(raw: bytes, crlf: bool, mbox: bool) -> None:
    raw = b"Subject: x\n" + raw
    if not raw.startswith((b"Subject: x\r", b"Subject: x\n\r")):
        assert read(delivered(raw, False, crlf, mbox)).digest == read(raw).digest


@pytest.mark.parametrize(
    ("raw", "canonical"),
    [
        (
            b"From me Mon\r\nX-Spam: no\r\nSubject: hi\r\n\r\n>From here\r\n\r\n",
            b"Subject: hi\n\nFrom here\n",
        ),
        (b"Subject: a\rTo: b\r\rbody", b"Subject: a\nTo: b\n\nbody\n"),
        (b"Subject: a\r\r\n\r\r\nbody\r\r\n", b"Subject: a\n\nbody\n"),
        (b"Subject: a\n\n>>>From x\n> From y\nFrom z\n", b"Subject: a\n\nFrom x\n> From y\nFrom z\n"),
        (b"X-Spam-Report: a\n b\n\tc\nSubject: a\n\n", b"Subject: a\n"),
        (b"Subject: a\nStatus: RO\nLines: 7\nContent-Length: 12\nX-Keywords:\n\nb", b"Subject: a\n\nb\n"),
        (b"Received: from a by b with ESMTP\nReceived: by c with LMTP id 7\nSubject: a\n", None),
        (b"Subject: a\n\nX-Spam: in the body stays\n", b"Subject: a\n\nX-Spam: in the body stays\n"),
        (b">From a\nFrom b\nSubject: a\n\nc", b"Subject: a\n\nc\n"),
        (b"From here to eternity\nis a long way", b"From here to eternity\nis a long way\n"),
        (b"\xef\xbb\xbfSubject: a\n\n\n\n", b"Subject: a\n"),
    ],
)
def test_what_delivery_adds_is_taken_away(raw: bytes, canonical: bytes | None) -> None:
    assert read(raw).canonical == (canonical or b"Received: from a by b with ESMTP\nSubject: a\n")


def test_the_digest_is_the_same_for_ever() -> None:
    assert read(b"Subject: hello\n\nworld\n").digest.hex() == "34f471b7eb9d5274418dbc479e1adff8"


def test_different_mails_have_different_digests() -> None:
    assert read(b"Subject: a\n\nb\n").digest != read(b"Subject: a\n\nc\n").digest


@pytest.mark.parametrize("size", [0, 1, 2047, 2048, 4095, 1 << 15, (1 << 15) + 1, 100_000])
def test_the_digest_is_blake2b_of_the_canonical_form_however_long_it_is(size: int) -> None:
    message = read(b"x" * size)
    assert message.digest == blake2b(message.canonical, digest_size=16).digest()
