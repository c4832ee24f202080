"""Mail becomes lessons and questions, by the same features."""

import pytest

from deciban.errors import BadLabel
from deciban.filter.mail import lessons_from, question_of, questions_of, whereabouts_in
from deciban.filter.preferences import Preferences
from deciban.sources import RawMessage
from deciban.text import read
from tests.filter.mails import mail

KNOWN = Preferences(contacts=["spam1@example.org"], allowed=["@example.org"])


def test_a_question_has_the_features_of_the_lesson() -> None:
    for preferences in (Preferences(), KNOWN):
        (lesson,) = lessons_from([mail("spam", 1)], "spam", preferences)
        question = question_of(mail("spam", 1).data, preferences)
        assert question.features == lesson.features
        assert question == question_of(read(mail("spam", 1).data), preferences)


def test_several_questions_are_those_of_each_message() -> None:
    data = [mail(label, number).data for label in ("spam", "ham") for number in range(4)]
    for preferences in (Preferences(), KNOWN):
        assert questions_of([read(each) for each in data], preferences) == [
            question_of(each, preferences) for each in data
        ]
        assert questions_of([], preferences) == []


def test_that_the_sender_is_a_contact_is_a_feature() -> None:
    plain = question_of(mail("spam", 1).data, Preferences())
    known = question_of(mail("spam", 1).data, KNOWN)
    assert len(known.features.words) == len(plain.features.words) + 1
    names = whereabouts_in(read(mail("spam", 1).data), KNOWN).names["words"]
    assert "fact:sender-in-contacts" in names.values()


def test_mail_goes_along_only_if_it_is_to_be_kept() -> None:
    (lesson,) = lessons_from([mail("ham", 1)], "ham", Preferences())
    assert lesson.mail is None
    (lesson,) = lessons_from([mail("ham", 1)], "ham", Preferences(keep_mail=3))
    assert lesson.mail == mail("ham", 1).data


def test_a_label_that_is_none_is_refused_before_anything_is_read() -> None:
    def never():
        raise AssertionError("was read")
        yield

    with pytest.raises(BadLabel):
        lessons_from(never(), "", Preferences())


def test_long_headers_are_cut_and_odd_ones_are_text() -> None:
    raw = RawMessage("caf\udce9.eml", b"From: a@b.example\nSubject: " + b"x\xff" * 500 + b"\n\nhi")
    (lesson,) = lessons_from([raw], "ham", Preferences())
    assert len(lesson.subject) <= 120
    lesson.subject.encode()
    lesson.source.encode()
