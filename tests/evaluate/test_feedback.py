import pytest

from deciban.errors import BadSetting
from deciban.evaluate import LabelledMessage
from deciban.evaluate.feedback import delayed, first, immediate, partial, recipient


class Remembered(LabelledMessage):
    def read(self):
        return self.path


def messages(count, line=b"Subject: %d\n\n"):
    return [Remembered("ham", line % number) for number in range(count)]


def told(steps):
    return [step.message.path for step in steps if step.told]


def asked(steps):
    return [step.message.path for step in steps if step.asked]


@pytest.mark.parametrize(
    "make",
    [immediate, lambda m: delayed(m, 3), lambda m: first(m, 4), lambda m: partial(m, 0.5, 1)],
    ids=["immediate", "delayed", "first", "partial"],
)
def test_every_message_is_asked_once_in_order_and_told_at_most_once_afterwards(make):
    stream = messages(20)
    steps = make(stream)
    assert asked(steps) == [message.path for message in stream]
    seen = set()
    for step in steps:
        if step.asked:
            seen.add(step.message.path)
        if step.told:
            assert step.message.path in seen
    assert len(told(steps)) == len(set(told(steps)))


def test_a_delay_is_counted_in_messages_and_none_is_immediate():
    stream = messages(5)
    steps = delayed(stream, 2)
    for number, step in enumerate(steps):
        if step.told:
            before = len(asked(steps[: number + 1]))
            assert stream[before - 3] == step.message
    assert told(steps) == [message.path for message in stream[:3]]
    assert delayed(stream, 0) == immediate(stream)


def test_only_the_first_are_told():
    stream = messages(5)
    assert told(first(stream, 2)) == [message.path for message in stream[:2]]


def test_recipients_tell_all_of_their_mail_or_none():
    stream = messages(400, b"To: user%d@example.org\nSubject: x\n\n")
    stream = [
        Remembered("ham", message.path.replace(b": x", b": %d" % n)) for n in range(2) for message in stream
    ]
    said = told(partial(stream, 0.4, seed=1))
    people = {recipient(data) for data in said}
    assert len(said) == 2 * len(people)
    assert 100 < len(people) < 220
    assert told(partial(stream, 0.4, seed=1)) == said != told(partial(stream, 0.4, seed=2))
    assert told(partial(stream, 0.0)) == []
    assert len(told(partial(stream, 1.0))) == len(stream)


@pytest.mark.parametrize(
    "make", [lambda: delayed([], -1), lambda: first([], -1), lambda: partial([], 1.5)], ids="abc"
)
def test_what_cannot_be_meant_is_refused(make):
    with pytest.raises(BadSetting, match="got"):
        make()
