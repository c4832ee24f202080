"""Mail is kept only for those who ask, for as long as they ask, and goes with its lesson."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.errors import BadSetting
from deciban.filter import Filter, Settings
from deciban.filter.kept_mail import SECONDS_A_DAY
from deciban.filter.preferences import ALWAYS
from deciban.sources import RawMessage
from deciban.text import read
from tests.filter.mails import forget, mail, teach

# What zlib cannot pack is found in the files as it is.
NOISE = os.urandom(300).hex().encode()
SECRET = RawMessage("secret", b"Subject: hello\n\n" + NOISE)


@pytest.fixture
def filter_(tmp_path: Path) -> Iterator[Filter]:
    with Filter.open(str(tmp_path / "mail"), Settings(bits=10)) as opened:
        yield opened


def digest(message: RawMessage) -> bytes:
    return read(message.data).digest


def test_no_mail_is_kept_unless_somebody_asks(filter_: Filter) -> None:
    teach(filter_, "ham", [SECRET])
    assert filter_.kept_mail(digest(SECRET)) is None
    assert filter_.kept_mails().count == 0


def test_mail_that_was_asked_for_comes_back_byte_for_byte(filter_: Filter) -> None:
    filter_.prefer(keep_mail=30)
    teach(filter_, "ham", [SECRET, mail("ham", 1)])
    assert filter_.kept_mail(digest(SECRET)) == SECRET.data
    assert filter_.kept_mails().count == 2


@pytest.mark.parametrize("how", ["forget", "stop keeping", "fold"])
def test_mail_goes_with_its_lesson_or_when_nothing_is_kept(filter_: Filter, how: str) -> None:
    filter_.prefer(keep_mail=ALWAYS)
    teach(filter_, "ham", [SECRET])
    (packed,) = filter_.ledger._execute("SELECT mail FROM mails")[0]
    if how == "forget":
        forget(filter_, SECRET.data)
    elif how == "fold":
        filter_.compact(4e9)
    else:
        filter_.prefer(keep_mail=0)
    assert filter_.kept_mail(digest(SECRET)) is None
    folder = os.path.dirname(filter_.ledger.path)
    for name in os.listdir(folder):
        assert packed[20:120] not in Path(folder, name).read_bytes()


def test_relearned_mail_stays(filter_: Filter) -> None:
    filter_.prefer(keep_mail=ALWAYS)
    teach(filter_, "ham", [SECRET])
    teach(filter_, "spam", [SECRET])
    assert filter_.kept_mail(digest(SECRET)) == SECRET.data


def test_mail_whose_days_are_over_goes_with_the_next_lesson(filter_: Filter) -> None:
    filter_.prefer(keep_mail=7)
    teach(filter_, "ham", [SECRET])
    with filter_.ledger.writing():
        filter_.ledger._execute("UPDATE mails SET kept = kept - ?", 8 * SECONDS_A_DAY)
    teach(filter_, "ham", [mail("ham", 1)])
    assert filter_.kept_mail(digest(SECRET)) is None
    assert filter_.kept_mails().count == 1


def test_days_must_be_days(filter_: Filter) -> None:
    for days in (-1, 1.5, ALWAYS + 1, True):
        with pytest.raises(BadSetting, match="days"):
            filter_.prefer(keep_mail=days)


@pytest.mark.parametrize("digest", ["1000000000000", "'x'"])
def test_kept_mail_whose_digest_became_something_else_is_told_as_damage(filter_: Filter, digest: str) -> None:
    filter_.prefer(keep_mail=7)
    teach(filter_, "spam", [mail("spam", 1)])
    filter_.ledger._execute(f"UPDATE mails SET digest = {digest}")
    wrong = [finding for finding in filter_.ledger.findings() if not finding.is_right]
    assert [finding.part for finding in wrong] == ["kept mail"]
