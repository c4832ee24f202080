"""Preferences: kept with the ledger, seen by every process, changed without a replay."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from deciban.errors import BadSetting
from deciban.filter import Filter, Settings
from deciban.filter.preferences import Preferences
from deciban.ledger import Selection
from deciban.text import read
from tests.filter.mails import classify, mail, teach, why

SMALL = Settings(bits=10, salt=99)


@pytest.fixture
def taught(tmp_path: Path) -> Iterator[Filter]:
    with Filter.open(str(tmp_path / "mail"), SMALL) as filter_:
        for number in range(30):
            teach(filter_, "spam", [mail("spam", number)])
            teach(filter_, "ham", [mail("ham", number)])
        yield filter_


def test_a_high_cost_makes_spam_unsure_and_good_mail_stays_good(taught: Filter) -> None:
    spam, ham = mail("spam", 50).data, mail("ham", 50).data
    assert not classify(taught, spam).unsure
    taught.prefer(cost=1e9)
    assert (classify(taught, spam).label, classify(taught, spam).unsure) == ("spam", True)
    assert (classify(taught, ham).label, classify(taught, ham).unsure) == ("ham", False)
    assert why(taught, spam).unsure


def test_a_promise_is_unsure_until_there_is_enough_good_mail(taught: Filter) -> None:
    spam = mail("spam", 50).data
    taught.prefer(promise=0.05)
    assert taught.assurance().bar is None
    assert taught.assurance().needed == 40
    assert classify(taught, spam).unsure
    teach(taught, "ham", (mail("ham", number) for number in range(30, 50)))
    assert taught.assurance().bar is not None
    assert not classify(taught, spam).unsure


def test_other_processes_see_what_is_preferred_and_nothing_is_replayed(taught: Filter) -> None:
    with Filter.open(taught.ledger.path) as other:
        assert other.preferences == Preferences()
        address = taught.ledger.address()
        taught.prefer(cost=2.0, contacts=["Ann@example.org"])
        assert other.preferences == Preferences(cost=2.0, contacts={"ann@example.org"})
        assert other.ledger.address() == address


def test_what_another_process_prefers_meanwhile_is_not_lost(
    taught: Filter, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Filter.open(taught.ledger.path) as other:
        begin = taught.ledger.writing

        def after_the_other() -> AbstractContextManager[None]:
            other.prefer(cost=2.0)
            return begin()

        monkeypatch.setattr(taught.ledger, "writing", after_the_other)
        taught.prefer(promise=0.05)
        assert other.preferences == taught.preferences == Preferences(cost=2.0, promise=0.05)


def test_what_cannot_be_meant_is_not_kept(taught: Filter) -> None:
    with pytest.raises(BadSetting):
        taught.prefer(promise=2.0)
    assert taught.preferences.promise is None


def test_a_contact_is_a_feature_of_the_message_and_of_its_lesson(taught: Filter) -> None:
    message = mail("ham", 60)
    taught.prefer(contacts=["ham60@example.org"])
    names = {item.name for item in why(taught, message.data).evidence}
    assert "fact:sender-in-contacts" in names
    teach(taught, "ham", [message])
    (lesson,) = taught.lessons(Selection(digest=read(message.data).digest))
    taught.prefer(contacts=[])
    assert "fact:sender-in-contacts" not in {item.name for item in why(taught, message.data).evidence}
    with Filter.open(taught.ledger.path + "2", SMALL) as plain:
        teach(plain, "ham", [message])
        (without,) = plain.lessons()
    assert len(lesson.features) == len(without.features) + 1
    assert taught.is_replay()


def test_a_sender_on_the_allow_list_is_never_called_spam(taught: Filter) -> None:
    spam = mail("spam", 50).data
    before = classify(taught, spam)
    taught.prefer(allowed=["@example.org"])
    verdict = why(taught, spam)
    assert (verdict.label, verdict.unsure) == ("ham", False)
    # It is decided against the evidence, and says so.
    assert verdict.decibans == -before.decibans
    assert verdict.otherwise == before
    assert sum(item.decibans for item in verdict.evidence) == pytest.approx(verdict.decibans, abs=1e-9)


@pytest.mark.parametrize("cost", [float("inf"), float("nan"), 0, -1, 1e300, 1e-300])
def test_a_cost_that_cannot_be_meant_is_refused(taught: Filter, cost: float) -> None:
    with pytest.raises(BadSetting, match="cost must be a number from"):
        taught.prefer(cost=cost)
    assert taught.preferences.cost == 9


def test_an_infinite_cost_of_an_early_version_is_read_as_the_largest_that_may_be() -> None:
    text = Preferences().text().replace("9.0", "Infinity")
    assert Preferences.from_text(text).cost == 1e9


def test_no_trace_is_left_of_a_contact_that_was_taken_off_the_list(tmp_path):
    from deciban.filter import Filter, Settings

    with Filter.open(str(tmp_path / "mail.db"), Settings(bits=10, salt=1)) as mail_filter:
        mail_filter.prefer(contacts=["remarkable@example.org", "ann@example.org"])
        mail_filter.prefer(contacts=["ann@example.org"])
        assert not [path for path in tmp_path.iterdir() if b"remarkable" in path.read_bytes()]
