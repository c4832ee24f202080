import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.sources._separator import LONGEST, find_from, is_separator, without_separator
from tests.sanitizer import pass_under_the_sanitizer

# A separator is a line with these words, and some before and behind them.
DATE = re.compile(
    rb"(?<=[ \t\r\v\f])(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\s+(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
    rb"\s+[0-9]{1,2}\s+(?!::)(?=[:0-9]*[0-9])[0-9]*:[0-9]*:?[0-9]*(\s+\S+){0,3}?\s+[0-9]{4}(?=\s|$)"
)
WORDS = (
    "From",
    "joe",
    "Thu",
    "Aug",
    "22",
    "122",
    "12:36:23",
    "12:36",
    "::",
    ":1:",
    "2002",
    "+0000",
    "MET",
    "\n",
)


@pytest.mark.parametrize(
    "line",
    [
        b"From joe@example.org Thu Aug 22 12:36:23 2002",
        b"From joe@example.org  Thu Aug  2 12:36:23 2002",
        b"From joe@example.org Thu Aug 22 12:36 2002",
        b"From MAILER-DAEMON Sun Nov 15 09:05:00 2026\r",
        b"From - Thu Aug 22 12:36:23 2002",
        b"From 1594859898984@xxx Thu Jul 16 00:38:18 +0000 2020",
        b"From joe Thu Aug 22 12:36:23 MET DST 2002",
        b"From joe Thu Aug 22 12:36:23 2002 +0200",
        b"From joe Thu Aug 22 12:36:23 2002 remote from uucp.example",
        b'From "joe the great"@example.org Thu Aug 22 12:36:23 2002',
        b"From user at example.org Thu Aug 22 12:36:23 2002",
    ],
)
def test_what_mail_programs_write_between_messages_is_a_separator(line):
    assert is_separator(line)


@pytest.mark.parametrize(
    "line",
    [
        b"From: joe@example.org",
        b"From now on we write Thu Aug 22",
        b"From Thu Aug 22 to Fri Aug 23 we are closed",
        b"From joe@example.org",
        b"From joe Thu Aug 22 12:36:23",
        b"From joe Thu Aug 222 12:36:23 2002",
        b"From joe Thu Aug 22 :: 2002",
        b"from joe Thu Aug 22 12:36:23 2002",
        b"From " + b"x" * 1000 + b" Thu Aug 22 12:36:23 2002",
        b"From ",
        b"",
    ],
)
def test_prose_and_headers_are_no_separators(line):
    assert not is_separator(line)


@given(
    st.lists(st.sampled_from(WORDS), max_size=14), st.text(" \t\r", min_size=1, max_size=2), st.integers(0, 3)
)
def test_a_separator_is_what_a_regular_expression_finds(words, between, start):
    buffer = b"x" * start + b"From " + between.join(words).encode()
    line = buffer[start:].partition(b"\n")[0]
    assert is_separator(buffer, start) == bool(DATE.search(line, 5 - 1))


@given(st.binary(max_size=40), st.integers(-3, 50))
def test_any_bytes_and_any_place_are_safe_to_ask_about(buffer, start):
    assert is_separator(buffer, start) in (True, False)


@pytest.mark.parametrize("length", [LONGEST, LONGEST + 1])
@pytest.mark.parametrize("end", [b"", b"\n", b"\nmore\n"])
def test_a_line_that_is_too_long_is_no_separator(length, end):
    line = b"From joe Thu Aug 22 12:36:23 2002".ljust(length)
    assert is_separator(line + end) == (length == LONGEST)


@given(st.text("ab\r\n", max_size=12).map(str.encode), st.integers(0, 12), st.integers(0, 12))
def test_a_message_is_without_its_separator_and_the_empty_line_behind_it(buffer, start, stop):
    if not start <= stop <= len(buffer):
        with pytest.raises(ValueError, match="no part of"):
            without_separator(buffer, start, stop)
        return
    _, line_end, message = buffer[start:stop].partition(b"\n")
    empty = re.search(rb"\n(\r?\n)$", line_end + message)
    assert without_separator(buffer, start, stop) == (message[: -len(empty[1])] if empty else message)


@given(st.text("From >\n", max_size=60).map(str.encode), st.integers(0, 70))
def test_from_is_found_where_bytes_find_finds_it(buffer, start):
    assert find_from(buffer, start) == buffer.find(b"From ", start)


@given(st.binary(max_size=200), st.binary(max_size=200), st.integers(0, 300))
def test_from_is_found_among_any_bytes(before, behind, start):
    buffer = before + b"From " + behind
    assert find_from(buffer, start) == buffer.find(b"From ", start)


def test_the_search_passes_under_the_sanitizer():
    pass_under_the_sanitizer("tests/sources/test_separator.py", "-k", "not under_the_sanitizer")
