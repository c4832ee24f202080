"""Lessons extracted by others are, bit for bit, those extracted here."""

import pickle
from functools import partial

import pytest

from deciban.committee._lesson_code import Features
from deciban.engines import read_by
from deciban.filter import Filter, Settings
from deciban.filter.mail import lessons_of
from deciban.filter.preferences import Preferences
from deciban.sample import sample_mails
from deciban.sources import RawMessage
from tests.filter.mails import teach


@pytest.fixture(scope="module")
def mailbox():
    return [RawMessage(f"{one.label}@{n}", one.data) for n, one in enumerate(sample_mails())]


def taught(path, learn, mailbox):
    """What a filter knows after both labels: its state, its lessons without their times, its exams."""
    with Filter.open(str(path), Settings(salt=5)) as mail:
        mail.prefer(contacts=["ann@example.org"])
        for label in ("ham", "spam"):
            learn(mail, label, [raw for raw in mailbox if raw.id.startswith(label)])
        assert mail.is_replay()
        return mail.state(), [lesson.replaced(taught=0) for lesson in mail.lessons()], list(mail.exams())


def test_bulk_learning_gives_the_bits_of_learning_alone(tmp_path, mailbox, engine):
    def by_the_engine(mail, label, messages):
        with engine.running() as running:
            mail.learn(read_by(running, partial(lessons_of, label, "", mail.preferences), messages))

    alone = taught(tmp_path / "alone.db", teach, mailbox)
    many = taught(tmp_path / "many.db", by_the_engine, mailbox)
    assert len(alone[1]) == len(many[1]) > 200
    assert many == alone


def test_lessons_and_what_makes_them_survive_the_journey(tmp_path, mailbox):
    with Filter.open(str(tmp_path / "one.db")) as mail:
        teach(mail, "spam", mailbox[:1])
        lesson = next(mail.lessons())
    assert pickle.loads(pickle.dumps(lesson)) == lesson
    assert isinstance(pickle.loads(pickle.dumps(lesson)).features, Features)
    preferences = Preferences(cost=3.0, contacts=["ann@example.org"])
    assert pickle.loads(pickle.dumps(preferences)) == preferences
