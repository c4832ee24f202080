"""A filter that follows another process: it answers from what is published, and changes nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.errors import CannotWrite
from deciban.filter import Filter, Settings, asking
from deciban.filter.mail import lesson_of, question_of
from deciban.filter.memory_state import MemoryState
from tests.filter.mails import classify, forget, mail, teach

PROBE = mail("spam", 50).data


@pytest.fixture
def path(tmp_path: Path) -> str:
    place = str(tmp_path / "mail.db")
    with Filter.open(place, Settings(bits=10, salt=99)) as mail_filter:
        for number in range(10):
            for label in ("spam", "ham"):
                teach(mail_filter, label, [mail(label, number)])
    return place


@pytest.fixture
def follower(path: str) -> Iterator[Filter]:
    with Filter.open(path, follows=True) as opened:
        yield opened


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[MemoryState]:
    """The states that were copied into memory."""
    made: list[MemoryState] = []
    keep = asking.Asking._keep_private

    def kept(self: asking.Asking, state: MemoryState) -> MemoryState:
        made.append(state)
        return keep(self, state)

    monkeypatch.setattr(asking.Asking, "_keep_private", kept)
    return made


def only_write(path: str, number: int) -> int:
    """Append a lesson and die before the state is taught; the position of the lesson."""
    with Filter.open(path) as mail_filter:
        lesson = lesson_of("spam", "", mail_filter.preferences, mail("spam", number))
        with mail_filter.ledger.writing():
            mail_filter.ledger.append([(lesson, mail_filter.last_taught() + 1)])
        return mail_filter.position()


def test_a_follower_answers_as_the_filter_does_and_sees_what_is_taught(path: str, follower: Filter):
    for number in (20, 21):
        with Filter.open(path) as mail_filter:
            teach(mail_filter, "ham", [mail("spam", number)])
            expected = classify(mail_filter, PROBE)
            position = mail_filter.position()
        question = question_of(PROBE, follower.preferences)
        assert follower.classify(question, position) == expected


def test_a_state_that_is_behind_answers_and_is_not_copied(
    path: str, follower: Filter, copies: list[MemoryState]
):
    before = classify(follower, PROBE)
    only_write(path, 20)
    assert classify(follower, PROBE) == before
    assert copies == []


def test_who_asks_for_a_lesson_that_nobody_teaches_gets_an_answer_that_knows_it(
    path: str, follower: Filter, copies: list[MemoryState], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(asking, "QUESTION_SECONDS", 0.0)
    before = classify(follower, PROBE)
    position = only_write(path, 20)
    question = question_of(PROBE, follower.preferences)
    verdict = follower.classify(question, at_least=position)
    assert verdict != before
    assert len(copies) == 1
    with Filter.open(path) as mail_filter:  # it brings the state up to date
        assert classify(mail_filter, PROBE) == verdict


def test_what_was_forgotten_is_in_no_answer(path: str, follower: Filter, copies: list[MemoryState]):
    classify(follower, PROBE)
    with Filter.open(path) as mail_filter:
        assert forget(mail_filter, mail("spam", 3).data) == 1
        expected = classify(mail_filter, PROBE)
    assert classify(follower, PROBE) == expected
    assert copies == []


def test_a_follower_of_a_damaged_state_trusts_the_one_that_takes_its_place(
    path: str, follower: Filter, copies: list[MemoryState]
):
    expected = classify(follower, PROBE)
    snapshot = Path(path + ".snapshot")
    whole = snapshot.read_bytes()
    snapshot.rename(path + ".aside")  # what a follower has mapped stays as it was
    snapshot.write_bytes(whole[:100] + bytes(len(whole) - 100))
    assert classify(follower, PROBE) == expected
    assert len(copies) == 1
    Path(path + ".aside").rename(snapshot)
    assert classify(follower, PROBE) == expected
    assert len(copies) == 1


def test_a_follower_teaches_nothing(follower: Filter):
    before = follower.labels()
    with pytest.raises(CannotWrite):
        teach(follower, "spam", [mail("spam", 60)])
    assert follower.labels() == before
