"""A course is the plainest replay: lessons in order, each after its exam."""

from deciban.committee._committee import Committee
from deciban.committee._lesson_code import Features
from deciban.committee.course import Course, take_course
from deciban.committee.extraction import features_of
from deciban.committee.settings import Settings
from deciban.text import read
from tests.committee.streams import made_up_lessons

SETTINGS = Settings(bits=10)
MAILS = [("spam", b"Subject: Free money\n\nBuy now"), ("ham", b"Subject: Lunch\n\nAt one?")]


def test_the_first_exams_know_no_labels() -> None:
    first, second, third = list(take_course([*MAILS, MAILS[0]], SETTINGS))
    assert first.totals == {}
    assert set(second.totals) == {"spam"}
    assert third.verdict.label == "spam"
    assert first.verdict.unsure
    assert second.verdict.unsure
    assert not third.verdict.unsure


def test_one_message_is_a_batch_of_one() -> None:
    batch = list(take_course(MAILS * 5, SETTINGS))
    course = Course(SETTINGS)
    assert [course.learn(label, features_of(read(data))) for label, data in MAILS * 5] == batch


def test_making_room_for_labels_is_a_replay() -> None:
    lessons = made_up_lessons(5, 100)
    course = Course(SETTINGS)
    replayed = Committee.fresh(SETTINGS, capacity=8)
    for label, features in lessons:
        course.learn(label, features)
        replayed.learn(label, Features.decode(features.encode()))
    assert course.committee.capacity == 8
    assert course.committee.state() == replayed.state()
