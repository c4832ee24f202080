from pathlib import Path

import pytest

from deciban.sources import open_source

MAIL = b"Subject: hi\n\nhello\n"


@pytest.fixture
def maildir(tmp_path: Path) -> Path:
    for part in ("cur", "new", "tmp"):
        (tmp_path / part).mkdir()
    return tmp_path


def ids(maildir: Path) -> list[str]:
    return [message.id.removeprefix(f"{maildir}/") for message in open_source(str(maildir))]


def test_new_and_read_messages_come_in_the_order_of_delivery(maildir):
    (maildir / "cur" / "1002.M1.host:2,S").write_bytes(MAIL)
    (maildir / "new" / "999.M1.host").write_bytes(MAIL)
    (maildir / "new" / "1001.M10.host").write_bytes(MAIL)
    (maildir / "new" / "1001.M9.host").write_bytes(MAIL)
    assert ids(maildir) == ["999.M1.host", "1001.M9.host", "1001.M10.host", "1002.M1.host"]


def test_what_is_being_delivered_is_not_read(maildir):
    (maildir / "tmp" / "1.host").write_bytes(MAIL)
    assert ids(maildir) == []


def test_a_message_keeps_its_id_when_it_is_read_and_flagged(maildir):
    (maildir / "new" / "1.host").write_bytes(MAIL)
    before = list(open_source(str(maildir)))
    (maildir / "new" / "1.host").rename(maildir / "cur" / "1.host:2,FRS")
    assert list(open_source(str(maildir))) == before
    assert list(open_source(before[0].id)) == before


def test_a_message_that_is_renamed_while_the_folder_is_read_is_found(maildir):
    (maildir / "new" / "1.host").write_bytes(MAIL)
    (maildir / "new" / "2.host").write_bytes(MAIL)
    source = open_source(str(maildir))
    messages = iter(source)
    next(messages)
    (maildir / "new" / "2.host").rename(maildir / "cur" / "2.host:2,S")
    assert [message.data for message in messages] == [MAIL]
    assert source.skipped == []


def test_a_message_that_is_deleted_while_the_folder_is_read_is_reported(maildir):
    (maildir / "new" / "1.host").write_bytes(MAIL)
    (maildir / "new" / "2.host").write_bytes(MAIL)
    source = open_source(str(maildir))
    messages = iter(source)
    next(messages)
    (maildir / "new" / "2.host").unlink()
    assert list(messages) == []
    assert [record.reason for record in source.skipped] == ["no such file or directory"]


def test_folders_inside_are_read_only_when_named(maildir):
    for part in ("cur", "new"):
        (maildir / ".Junk" / part).mkdir(parents=True)
    (maildir / ".Junk" / "cur" / "1.host:2,").write_bytes(MAIL)
    assert ids(maildir) == []
    assert ids(maildir / ".Junk") == ["1.host"]


def test_a_message_with_an_envelope_line_is_not_split_like_an_mbox(maildir):
    mail = b"From joe Thu Aug 22 12:36:23 2002\nSubject: a\n\nb\n\nFrom joe Thu Aug 22 12:36:23 2002\nc\n"
    (maildir / "new" / "1.host").write_bytes(mail)
    assert [message.data for message in open_source(str(maildir))] == [mail]
