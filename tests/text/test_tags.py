"""Tags from outside are gone for every program that sorts mail, and nothing else is."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deciban.text import read
from deciban.text._tags import with_fields
from tests.mail_agents import AGENTS, need
from tests.text.mails import any_bytes

FIELDS = b"X-Deciban: spam; 31.6 dB\nX-Spam-Flag: YES\n"

# Each is read as a field X-Deciban by at least one of the agents.
FORGERIES = {
    "in order": b"Subject: a\nX-Deciban: ham\n\nbody\n",
    "behind a line without a colon": b"Subject: a\nno colon here\nX-Deciban: ham\n\nbody\n",
    "behind a line of nothing but a NUL": b"Subject: a\n\0\nX-Deciban: ham\n\nbody\n",
    "behind a form feed": b"Subject: a\n\x0c\nX-Deciban: ham\n\nbody\n",
    "behind white space": b"Subject: a\n \nX-Deciban: ham\n\nbody\n",
    "behind an mbox line": b"Subject: a\nFrom joe Mon\nX-Deciban: ham\n\nbody\n",
    "behind a field without a name": b"Subject: a\n: b\nX-Deciban: ham\n\nbody\n",
    "behind a lone CR": b"Subject: a\rX-Deciban: ham\nTo: b\n\nbody\n",
    "behind what is an empty line for some": b"Subject: a\n\r\nX-Deciban: ham\n\nbody\n",
    "behind a CR that is an empty line for some": b"Subject: a\n\rfoo\nX-Deciban: ham\n\nbody\n",
    "in a body of which procmail sees no beginning": b"To: a\nTo: b\r\n\r\nX-Deciban: ham\r\n\r\nbody\r\n",
    "with a space before the colon": b"Subject: a\nX-Deciban : ham\nTo: b\n\nbody\n",
    "with a tab before the colon": b"Subject: a\nX-Deciban\t: ham\nTo: b\n\nbody\n",
    "with a folded colon": b"Subject: a\nX-Deciban\n : ham\nTo: b\n\nbody\n",
    "behind empty lines": b"\n\nX-Deciban: ham\nSubject: a\n\nbody\n",
    "behind an empty line with CR": b"\r\nX-Deciban: ham\nSubject: a\n\nbody\n",
    "behind a folded line at the beginning": b" x\nX-Deciban: ham\nSubject: a\n\nbody\n",
    "with line ends that were converted twice": b"To: a\r\r\nX-Deciban: ham\r\r\n\r\r\nbody\n",
}


def finders(name: str, message: bytes, home: Path) -> list[str]:
    """The agents that find a field whose name begins so."""
    return [agent for agent, (_, finds) in AGENTS.items() if finds(message, home, name)]


@pytest.fixture(scope="module")
def all_agents() -> None:
    need(*(program for program, _ in AGENTS.values()))


@pytest.mark.parametrize("forged", FORGERIES.values(), ids=FORGERIES)
def test_what_some_agent_reads_as_our_field_is_removed(
    forged: bytes, tmp_path: Path, all_agents: None
) -> None:
    assert finders("X-Deciban", forged, tmp_path)
    clean = with_fields(forged, b"")
    assert finders("X-Deciban", clean, tmp_path) == []
    assert clean.endswith((b"body\n", b"body\r\n"))
    tagged = with_fields(forged, b"X-Spam-Flag: YES\n")
    assert finders("X-Deciban", tagged, tmp_path) == []
    assert finders("X-Spam", tagged, tmp_path) == list(AGENTS)


lines = st.sampled_from(
    [
        b"Subject: hi", b"To: joe", b"X-Spam-Flag: NO", b"X-Deciban: ham", b"x-spam-status : No",
        b"X-Deciban", b"X-Spam\t: a", b" folded: x", b"\tX-Deciban: folded", b"", b" ", b"no field", b": x",
        b"From joe Mon", b"From joe@example.org Thu Aug 22 12:36:23 2002", b">From joe Mon", b"\xef\xbb\xbf",
        b"\xff\x00", b"\x0c", b"\xef\xbb\xbfTo: x", b"Status: RO", b"Content-Length: 5",
        b"Received: by a with LMTP; now",
    ]
)  # fmt: skip
line_ends = st.sampled_from([b"\n", b"\n", b"\r\n", b"\r", b"\r\r\n"])
heads = st.lists(st.tuples(lines, line_ends), max_size=8).map(
    lambda pairs: b"".join(line + end for line, end in pairs)
)


@settings(max_examples=40, deadline=None)
@given(heads.filter(lambda head: b"\0" not in head))  # behind a NUL, procmail misses the end of the header
def test_no_agent_finds_a_tag_that_is_left(all_agents: None, head: bytes) -> None:
    # Whatever delivers to these agents writes its own first line with a line feed.
    message = b"Return-Path: <a@example.org>\n" + head + b"\nbody\n"
    with TemporaryDirectory() as home:
        for name in ("X-Deciban", "X-Spam"):
            assert finders(name, with_fields(message, b""), Path(home)) == []
            # The tag is the only one: procmail, which looks at the whole header, finds no other beginning.
            tagged = with_fields(message, b"X-Spam-Flag: YES\n")
            assert finders(name, tagged, Path(home)) == (list(AGENTS) if name == "X-Spam" else [])


@settings(max_examples=500)
@given(heads | any_bytes)
@example(b"Subject: hi\rX-Spam-Flag: NO\n\nhello")
@example(b"Subject: hi\nX-Spam : a\nStatus: RO\n\nhello")
@example(b"From joe\nX-Spam without a colon\nSubject: hi\n\nhello")
@example(b"\xef\xbb\xbfFrom joe\nSubject: hi\n\n>From here")
def test_neither_digest_nor_features_change_with_the_tags_of_a_mail(message: bytes) -> None:
    original = read(message)
    for changed in (read(with_fields(message, FIELDS)), read(with_fields(message, b""))):
        if original.is_mail:
            assert changed.canonical == original.canonical
            assert changed.facts == original.facts


ODD_HEADS = (
    b"X-Spam-Flag: NO\n\nX-Spam-Flag: NO\n",
    b"X-Spam-Flag: NO\n\xef\xbb\xbfTo: x\n",
    b"X-Spam-Flag: NO\r\nSubject: hi\n\r\n",
    b"X-Spam-Flag: NO\r\n",
    b" folded: x\r\n",
    b"From joe Mon Jan  1 00:00:00 2026",
    b"\xef\xbb\xbfX-Deciban: ham\n\nX-Deciban: ham\nTo: x",
    b"\xef\xbb\xbfX-Deciban: ham\r\nSubject: hi",
)


@pytest.mark.parametrize("message", ODD_HEADS)
def test_removing_tags_twice_is_removing_them_once(message: bytes) -> None:
    clean = with_fields(message, b"")
    assert with_fields(clean, b"") == clean
    tagged = with_fields(message, FIELDS)
    assert with_fields(tagged, FIELDS) == tagged


@given(heads | any_bytes)
def test_tagging_again_changes_nothing(message: bytes) -> None:
    once = with_fields(message, FIELDS)
    assert with_fields(once, FIELDS) == once


@given(heads, st.binary(max_size=100), st.sampled_from([b"\n\n", b"\r\n\r\n"]))
def test_not_a_byte_of_the_body_changes(head: bytes, body: bytes, gap: bytes) -> None:
    message = b"Subject: hi" + gap[: len(gap) // 2] + head.replace(b"\r", b"") + gap + body
    for fields in (FIELDS, b""):
        assert with_fields(message, fields).endswith(b"\n" + body)


@pytest.mark.parametrize(
    ("message", "tagged"),
    [
        (b"hello\n", b"X-Spam: a\n\nhello\n"),
        (b"", b"X-Spam: a\n\n"),
        (b"\nhello\n", b"X-Spam: a\n\nhello\n"),
        (b"hello\rworld", b"X-Spam: a\n\nhello\rworld"),
        (b" To: b\nTo: c\n\n", b"X-Spam: a\n\n To: b\nTo: c\n\n"),
        (b"X-Spam: b\n", b"X-Spam: a\n\n"),
        (b"no colon\nTo: b\n\n", b"X-Spam: a\nno colon\nTo: b\n\n"),
        (b"From here on\nis prose\n", b"X-Spam: a\n\nFrom here on\nis prose\n"),
    ],
)
def test_bytes_without_a_head_get_one(message: bytes, tagged: bytes) -> None:
    assert with_fields(message, b"X-Spam: a\n") == tagged


@pytest.mark.parametrize("rest", [b"\nbody\n", b"no colon here\n\nbody\n", b"To: a\n\nbody\n", b""])
def test_the_mbox_line_of_a_delivery_stays_in_front_of_any_message(rest: bytes) -> None:
    envelope = b"From joe@example.org Thu Aug 22 12:36:23 2002\n"
    assert with_fields(envelope + rest, b"X-Spam: a\n").startswith(envelope + b"X-Spam: a\n")
    assert with_fields(envelope + rest, b"X-Spam: a\n").endswith(rest)
