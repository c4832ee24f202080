import pytest

from deciban.sources.separator import is_separator


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
