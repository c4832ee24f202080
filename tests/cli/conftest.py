"""A small mailbox and a filter that was taught it, for the tests of verbs."""

from pathlib import Path

import pytest

from deciban.cli import main

SPAM = ("free money", "cheap pills", "win a prize now", "hot stocks", "casino bonus")
HAM = ("lunch on friday", "minutes of the meeting", "patch for review", "train times", "photos of the garden")


def mail(sender: str, subject: str, body: str) -> bytes:
    return f"From: {sender}\nSubject: {subject}\nMessage-ID: <{body}>\n\n{subject} {body}\n".encode()


@pytest.fixture
def mails(tmp_path: Path) -> Path:
    """The folders spam and ham of 20 messages each, and the files new-spam.eml and new-ham.eml."""
    for label, subjects, sender in (("spam", SPAM, "winner@spam.example"), ("ham", HAM, "ann@example.org")):
        folder = tmp_path / label
        folder.mkdir()
        for number in range(20):
            text = mail(sender, subjects[number % len(subjects)], f"{label} number {number}")
            (folder / f"{number}.eml").write_bytes(text)
        text = mail(sender, subjects[0], f"{label} as never seen")
        (tmp_path / f"new-{label}.eml").write_bytes(text)
    return tmp_path


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the filter of this test is, or will be; chosen by the environment."""
    path = tmp_path / "data" / "filter.db"
    path.parent.mkdir()
    monkeypatch.setenv("DECIBAN_DB", str(path))
    return path


@pytest.fixture
def taught(mails: Path, database: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The mailbox, taught."""
    for label in ("spam", "ham"):
        assert main(["learn", label, str(mails / label)]) == 0
    capsys.readouterr()
    return mails
