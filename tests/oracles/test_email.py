"""The reader against Python's `email` (compat32): equal on well-formed mail, else different as explained.

A message counts as well-formed if `email` notes no defect in it. Both read the canonical form. The
differences that remain by intent are described in docs/reading.md; here each is either undone before
comparing (charsets are decoded by the superset that mail means, see charsets.py) or counted by name.
"""

import email
from collections import Counter
from email.errors import HeaderParseError
from email.header import Header, decode_header
from email.message import Message as EmailMessage

import pytest
from hypothesis import given

from deciban.text import Message, Part, read
from deciban.text.charsets import codec_named
from tests.text.corpora import messages
from tests.text.mails import Mail, mails


def leaves_of(message: EmailMessage) -> list[EmailMessage]:
    return [part for part in message.walk() if not part.is_multipart()]


def text_of(leaf: EmailMessage) -> str | None:
    """The text by the declared charset; None where it does not fit, or there is none of that name."""
    raw = leaf.get_payload(decode=True)
    assert isinstance(raw, bytes)
    try:
        return raw.decode(
            codec_named((leaf.get_content_charset() or "us-ascii").encode()) or "no such charset"
        )
    except (LookupError, UnicodeError):
        return None


def squeezed(text: str) -> str:
    return "".join(text.split())


def header_of(oracle: EmailMessage, name: str) -> str | None:
    """A field as `email` decodes it; None where it cannot (8-bit bytes, broken words, unknown charsets)."""
    value = oracle.get(name, "")
    if isinstance(value, Header):
        return None
    try:
        return "".join(
            piece
            if isinstance(piece, str)
            else piece.decode(codec_named((charset or "us-ascii").encode()) or "no such charset")
            for piece, charset in decode_header(value)
        )
    except (LookupError, UnicodeError, HeaderParseError):
        return None


def difference_of_headers(message: Message, oracle: EmailMessage, name: str) -> str | None:
    """How a header field differs, if it does; not in white space, which `email` adds around encoded words."""
    expected = header_of(oracle, name)
    if expected is None:
        return "a header that email cannot decode"
    if squeezed(expected) == squeezed(message.header(name)):
        return None
    return "an encoded word over two lines" if "=?" in expected else "another header"


def difference_of_leaves(part: Part, leaf: EmailMessage, facts: dict[str, int]) -> str | None:
    """How a part without parts differs, if it does."""
    raw = leaf.get_payload(decode=True)
    assert isinstance(raw, bytes)
    if (
        part.media_type != leaf.get_content_type().split()[0]
    ):  # "text/plain charset=x", the semicolon forgotten
        return "another type"
    if part.kind != "text":
        if part.size == len(raw):
            return None
        return "a broken transfer encoding" if leaf.defects or "broken_quoted" in facts else "another size"
    expected = text_of(leaf)
    if part.text == expected:
        return None
    if expected is None or "wrong_charset" in facts:
        return "a charset that does not fit"
    return "a broken transfer encoding" if leaf.defects or "broken_quoted" in facts else "another text"


def differences(raw: bytes) -> list[str]:
    """All differences in one message, by name."""
    message = read(raw)
    oracle = email.message_from_bytes(message.canonical)
    if any(part.defects for part in oracle.walk() if part.is_multipart()) or oracle.defects:
        return ["not well-formed"]
    if any(part.get_content_type() == "message/delivery-status" for part in oracle.walk()):
        return ["a delivery status, which email splits into blocks"]
    parts = [part for part in message.parts if part.kind not in ("multipart", "message")]
    leaves = leaves_of(oracle)
    if len(parts) != len(leaves):
        return ["another number of parts"]
    found = [
        difference_of_leaves(part, leaf, message.facts) for part, leaf in zip(parts, leaves, strict=True)
    ]
    found += [difference_of_headers(message, oracle, name) for name in ("subject", "from")]
    return [difference for difference in found if difference]


@given(mails())
def test_made_up_mail_is_read_as_email_reads_it(made: Mail) -> None:
    assert differences(made.raw) == []


EXPLAINED = {
    "not well-formed",
    "a delivery status, which email splits into blocks",
    "a broken transfer encoding",
    "a charset that does not fit",
    "a header that email cannot decode",
    "an encoded word over two lines",
}


@pytest.mark.parametrize(
    ("corpus", "every", "equal"),
    [
        ("spamassassin", 1, 0.95),
        ("ccert_zh", 2, 0.55),
        ("20newsgroups_bydate", 10, 0.99),
        ("ling_spam", 5, 0.99),
    ],
)
def test_real_mail_differs_from_email_only_where_explained(corpus: str, every: int, equal: float) -> None:
    counts: Counter[str] = Counter()
    unexplained: Counter[str] = Counter()
    for name, raw in messages(corpus, every):
        found = differences(raw)
        counts["equal" if not found else "different"] += 1
        unexplained.update(f"{name}: {difference}" for difference in found if difference not in EXPLAINED)
    assert counts["equal"] >= equal * counts.total()
    assert not unexplained
