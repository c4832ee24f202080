import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deciban.filter.tag import tagged
from deciban.text import read

TAGS = [("X-Deciban", "spam; 31.6 dB; p=0.9993"), ("X-Spam-Flag", "YES")]
LINES = (b"X-Deciban: spam; 31.6 dB; p=0.9993", b"X-Spam-Flag: YES")


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_tags_stand_first_and_have_the_line_ends_of_the_message(end):
    message = end.join([b"Received: by x", b"Subject: hi", b"", b"hello", b""])
    assert tagged(message, TAGS) == end.join(LINES) + end + message


def test_an_mbox_line_stays_in_front():
    assert tagged(b"From joe Mon Jan  1\nSubject: hi\n\nx", TAGS).startswith(
        b"From joe Mon Jan  1\nX-Deciban: spam;"
    )


@pytest.mark.parametrize(
    "forged",
    [
        b"X-Spam-Flag: NO\n",
        b"x-spam-status: No,\n score=-100\n\ttests=ALL_GOOD\n",
        b"X-DECIBAN: ham; 99 dB; p=1\n",
        b"X-Deciban-Anything: x\nX-Spam: no\n",
    ],
)
def test_tags_from_outside_are_removed_with_their_folded_lines(forged):
    message = b"Received: by x\n" + forged + b"Subject: hi\n\nX-Spam-Flag: NO stays in the body\n"
    clean = message.replace(forged, b"")
    assert tagged(message, TAGS) == tagged(clean, TAGS)
    assert tagged(message, []) == clean


def test_tagging_twice_is_tagging_once():
    message = b"From joe Mon Jan  1\r\nSubject: hi\r\n\r\nhello\r\n"
    assert tagged(tagged(message, [("X-Deciban", "ham")]), TAGS) == tagged(message, TAGS)


def test_what_has_no_header_gets_one():
    assert tagged(b"hello\n", TAGS[:1]) == LINES[0] + b"\n\nhello\n"
    assert tagged(b"", TAGS[:1]) == LINES[0] + b"\n\n"
    assert tagged(b"hello\n", []) == b"hello\n"


line_ends = st.sampled_from([b"\n", b"\r\n", b"\r", b"\r\r\n"])
fields = st.sampled_from(
    [
        b"Subject: hi",
        b"From: joe",
        b"X-Spam-Flag: NO",
        b"X-Deciban: ham",
        b"x-spam-status: No",
        b"Foo: bar",
        b" folded",
        b"\tfolded",
        b"",
        b"no field",
        b"From joe Mon",
        b">From joe Mon",
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbfTo: x",
        b"\xff\x00",
    ]
)
messages = st.lists(st.tuples(fields, line_ends), max_size=8).map(
    lambda lines: b"".join(line + end for line, end in lines)
)


@settings(max_examples=300)
@given(messages | st.binary(max_size=100))
@example(b"Subject: hi\rX-Spam-Flag: NO\n\nhello")
@example(b"\xef\xbb\xbfFrom joe\nSubject: hi\n\n>From here")
def test_tagging_a_mail_does_not_change_its_digest(message):
    original = read(message)
    if original.is_mail:
        assert read(tagged(message, TAGS)).digest == original.digest
        assert read(tagged(message, [])).digest == original.digest


@given(messages, st.binary(max_size=100))
def test_the_body_is_untouched(header, body):
    message = b"Subject: hi\n" + header + b"\n\n" + body
    for changed in (tagged(message, TAGS), tagged(message, [])):
        assert changed.endswith((b"\n\n" + body, b"\r\n" + body))


@given(st.lists(fields.filter(lambda line: b":" in line and b"\xef" not in line)))
def test_no_tag_from_outside_survives(header):
    left = tagged(b"\n".join([*header, b" folded", b"", b"body"]), []).split(b"\n\n")[0]
    assert not any(line.lower().startswith((b"x-spam", b"x-deciban")) for line in left.split(b"\n"))
