"""A filter that can tell spam, and its journal."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.filter import Filter, Settings
from deciban.journal import Desk
from deciban.journal.journal_writer import JournalWriter
from deciban.journal.sqlite_journal import SqliteJournal
from tests.filter.mails import mail, teach


@pytest.fixture
def mail_filter(tmp_path: Path) -> Iterator[Filter]:
    with Filter.open(str(tmp_path / "mail.db"), Settings(bits=12, salt=7)) as opened:
        for number in range(10):
            teach(opened, "spam", [mail("spam", number)])
            teach(opened, "ham", [mail("ham", number)])
        yield opened


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    with SqliteJournal(str(tmp_path / "mail.db.journal"), create=True) as opened:
        yield opened


@pytest.fixture
def desk(mail_filter: Filter, journal: SqliteJournal) -> Desk:
    return Desk(mail_filter, JournalWriter(journal), door="test")
