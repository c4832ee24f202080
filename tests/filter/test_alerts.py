from pathlib import Path
from time import time

import pytest

from deciban.filter import Filter, Settings
from deciban.filter.alerts import alerts_of
from deciban.filter.status import status_of
from tests.filter.mails import mail, teach

MONTH = 31 * 86_400


@pytest.fixture
def mail_filter(tmp_path: Path):
    with Filter.open(str(tmp_path / "mail.db"), Settings(bits=12, salt=7)) as opened:
        for number in range(150):
            teach(opened, "spam", [mail("spam", number)])
            teach(opened, "ham", [mail("ham", number)])
        yield opened


def kinds(mail_filter: Filter, now: float | None = None) -> list[str]:
    return [alert.kind for alert in alerts_of(status_of(mail_filter), now or time())]


def test_where_all_is_well_there_is_nothing_to_look_at(mail_filter: Filter):
    assert kinds(mail_filter) == []


def test_lessons_that_stop_are_told(mail_filter: Filter):
    assert kinds(mail_filter, time() + MONTH) == ["silence"]


@pytest.mark.parametrize(
    ("spam", "ham"), [("news", "shop"), ("ham", "spam")], ids=["two new kinds", "the labels are swapped"]
)
def test_mail_that_changes_is_told(mail_filter: Filter, spam: str, ham: str):
    for number in range(150, 180):
        teach(mail_filter, "spam", [mail(spam, number)])
        teach(mail_filter, "ham", [mail(ham, number)])
    assert kinds(mail_filter) == ["changed"]
    status = status_of(mail_filter)
    assert status.changed is not None
    assert status.changed <= 60


def test_a_promise_that_is_broken_is_told(mail_filter: Filter):
    status = status_of(mail_filter)
    broken = status.replaced(
        threshold=status.threshold.replaced(promise=0.01),
        assurance=status.assurance.replaced(bar=1.0),
        good=1_000,
        lost=50,
    )
    assert [alert.kind for alert in alerts_of(broken, time())] == ["promise"]
