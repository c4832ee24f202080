"""What is kept from or about one person is found wherever it stands, and erased without a trace."""

from pathlib import Path

import pytest

from deciban.errors import WrongUsage
from deciban.filter import Filter
from deciban.journal import Desk
from deciban.journal.correspondent import Correspondent
from deciban.sources import RawMessage
from tests.filter.mails import mail, teach

ABOUT = {
    "from": b"From: Joe <Joe@Example.org>\nSubject: a\n\nhello",
    "to": b"From: ann@example.net\nTo: x@example.net, joe@example.org\nSubject: b\n\nhello",
    "cc": b"From: ann@example.net\nTo: x@example.net\nCc: joe@example.org\nSubject: c\n\nhello",
    "subject": b"From: ann@example.net\nSubject: write to joe@example.org\n\nhello",
}
OTHERS = {
    "longer": b"From: bigjoe@example.org\nTo: joe@example.org.au\nSubject: e\n\nhello",
    "nobody": b"From: ann@example.net\nSubject: f\n\njoe is not here",
}


@pytest.mark.parametrize("kind", ABOUT)
def test_a_lesson_and_an_entry_about_somebody_are_found(desk: Desk, kind: str):
    raw = RawMessage(kind, ABOUT[kind])
    desk.ask(raw)
    desk.learn([raw], "ham")
    found = Correspondent("joe@example.ORG").find(desk.mail_filter, desk.writer.journal, "")
    assert (len(found.lessons), len(found.entries)) == (1, 1)


@pytest.mark.parametrize("kind", OTHERS)
def test_what_is_about_others_is_not(desk: Desk, kind: str):
    desk.learn([RawMessage(kind, OTHERS[kind])], "ham")
    assert not Correspondent("joe@example.org").find(desk.mail_filter, desk.writer.journal, "")


def test_a_kept_mail_that_names_somebody_is_found(mail_filter: Filter):
    mail_filter.prefer(keep_mail=30)
    body = b"Subject: g\nContent-Transfer-Encoding: quoted-printable\n\nask joe=40example.org"
    teach(mail_filter, "ham", [RawMessage("kept", body)])
    found = Correspondent("joe@example.org").find(mail_filter, None, "")
    assert (len(found.lessons), found.mails) == (1, 1)


def test_after_erasing_the_filter_is_as_if_the_person_had_never_written(desk: Desk, tmp_path: Path):
    mail_filter = desk.mail_filter
    before = mail_filter.state()
    mail_filter.prefer(
        keep_mail=30, contacts=["joe@example.org", "ann@example.net"], allowed=["joe@example.org"]
    )
    mail_filter.prefer(contacts=["joe@example.org", "ann@example.net"])
    for kind, data in ABOUT.items():
        desk.ask(RawMessage(kind, data))
        desk.learn([RawMessage(kind, data)], "ham")
    person = Correspondent("joe@example.org")
    found = person.find(mail_filter, desk.writer.journal, "")
    assert (len(found.lessons), found.mails, found.contacts) == (4, 4, 2)
    person.erase(found, mail_filter, desk.writer.journal)
    assert not person.find(mail_filter, desk.writer.journal, "")
    assert mail_filter.preferences.contacts == {"ann@example.net"}
    assert mail_filter.state() == before
    assert mail_filter.is_swept()
    for path in tmp_path.iterdir():
        assert b"joe@example.org" not in path.read_bytes().lower(), path
    assert desk.ask(mail("spam", 50)).verdict.label == "spam"


@pytest.mark.parametrize("address", ["", "joe", "@example.org", "joe@", "joe smith@example.org", "a\n@b"])
def test_what_is_no_whole_address_is_refused(address: str):
    with pytest.raises(WrongUsage):
        Correspondent(address)
