"""Batches are full, come in time, and have no message under two labels."""

from deciban.filter import learned
from deciban.filter.learned import BATCH_LESSONS, Learned, in_batches
from deciban.filter.mail import lessons_from
from deciban.filter.preferences import Preferences
from tests.filter.mails import mail

LIKES = Preferences()


def test_batches_are_full_but_for_the_last() -> None:
    lessons = list(lessons_from((mail("ham", n) for n in range(BATCH_LESSONS + 3)), "ham", LIKES))
    assert [len(batch) for batch in in_batches(lessons)] == [BATCH_LESSONS, 3]
    assert [lesson for batch in in_batches(lessons) for lesson in batch] == lessons


def test_a_slow_source_is_not_waited_for(monkeypatch) -> None:
    monkeypatch.setattr(learned, "BATCH_SECONDS", -1.0)
    lessons = list(lessons_from([mail("ham", 1), mail("ham", 2)], "ham", LIKES))
    assert [len(batch) for batch in in_batches(lessons)] == [1, 1]


def test_a_message_under_another_label_begins_a_batch() -> None:
    one, other = mail("ham", 1), mail("ham", 2)
    lessons = [
        *lessons_from([one, one, other], "ham", LIKES),
        *lessons_from([one], "spam", LIKES),
        *lessons_from([other], "spam", LIKES),
    ]
    assert [[lesson.label for lesson in batch] for batch in in_batches(lessons)] == [
        ["ham", "ham", "ham"],
        ["spam", "spam"],
    ]


def test_what_was_learned_adds_up() -> None:
    total = Learned(1, 2, 3, 1) + Learned(known=4)
    assert (total.learned, total.known, total.relearned, total.beside, total.count) == (1, 6, 3, 1, 10)
