import pytest

from deciban.evaluate import (
    DecibanCommittee,
    Figures,
    LabelledMessage,
    Opinion,
    StreamStep,
    cross_validated,
    follow,
    online,
    read_index,
    split_in_half,
)
from deciban.evaluate.trial import BATCH
from tests.evaluate.small_mailbox import write_mailbox


class Diary:
    """A subject that writes down what is asked of it, and calls spam what it learned as spam."""

    name = "diary"

    def __init__(self):
        self.entries = []
        self.spam = set()

    def learn(self, lessons):
        self.entries += [("learn", lesson.data) for lesson in lessons]
        self.spam |= {lesson.data for lesson in lessons if lesson.label == "spam"}

    def classify(self, messages):
        self.entries += [("classify", data) for data in messages]
        return [Opinion(float(data in self.spam), data in self.spam) for data in messages]


class Remembered(LabelledMessage):
    def read(self):
        return self.path


def test_online_classifies_each_message_before_it_learns_it():
    diary = Diary()
    seen = []
    messages = [Remembered("spam", b"a"), Remembered("ham", b"b"), Remembered("spam", b"a")]
    trial = online(diary, messages, seen.append)
    assert diary.entries == [(what, data) for data in (b"a", b"b", b"a") for what in ("classify", "learn")]
    assert trial.scores == [0, 0, 1]
    assert trial.spam == [True, False, True]
    assert trial.probabilities is None
    assert seen == [1, 2, 3]
    assert trial.since(2).scores == [1]


def test_half_is_learned_and_the_other_classified_whatever_the_size_of_a_batch():
    diary = Diary()
    messages = [Remembered("spam", b"%d" % number) for number in range(2 * BATCH + 6)]
    trial = split_in_half(diary, messages, seed=1)
    learned = {data for what, data in diary.entries if what == "learn"}
    assert len(learned) == len(trial.opinions) == BATCH + 3
    assert not learned & {message.path for message in trial.messages}
    assert [what for what, _ in diary.entries] == ["learn"] * len(learned) + ["classify"] * len(learned)


def test_the_committee_learns_a_small_mailbox(tmp_path):
    messages = read_index(write_mailbox(tmp_path))
    with DecibanCommittee() as subject:
        trial = online(subject, messages)
    later = Figures.of(trial.since(30))
    assert (later.roc_loss, later.ham_lost) == (0, 0)
    assert later.spam_missed < 50
    assert all(0 <= p <= 1 for p in trial.probabilities)
    assert trial.opinions[0] == Opinion(0.0, rejected=False, probability=0.5, label="unsure")


def test_what_is_told_late_is_learned_late_and_what_is_never_told_never():
    diary = Diary()
    a, b = Remembered("spam", b"a"), Remembered("ham", b"b")
    steps = [
        StreamStep(a, told=False),
        StreamStep(b, told=False),
        StreamStep(a, asked=False),
        StreamStep(a, told=False),
    ]
    trial = follow(diary, steps)
    assert diary.entries == [("classify", b"a"), ("classify", b"b"), ("learn", b"a"), ("classify", b"a")]
    assert trial.scores == [0, 0, 1]
    assert trial.messages == [a, b, a]


def test_a_watch_sees_each_opinion_before_the_message_is_learned():
    diary = Diary()
    seen = []
    messages = [Remembered("spam", b"a"), Remembered("ham", b"b")]
    follow(
        diary,
        [StreamStep(message) for message in messages],
        watch=lambda subject, _message, data, _opinion: seen.append((data, len(subject.entries))),
    )
    assert seen == [(b"a", 1), (b"b", 3)]


def test_ctrl_c_ends_a_trial_without_losing_it():
    class Interrupted(Diary):
        def classify(self, messages):
            if len(self.entries) >= 4:
                raise KeyboardInterrupt
            return super().classify(messages)

    steps = [StreamStep(Remembered("spam", b"%d" % number)) for number in range(5)]
    assert len(follow(Interrupted(), steps, salvage=True).opinions) == 2
    with pytest.raises(KeyboardInterrupt):
        follow(Interrupted(), steps)


def test_cross_validation_asks_each_message_once_of_one_who_has_not_learned_its_copy():
    diaries = []

    class Fold(Diary):
        def __init__(self):
            super().__init__()
            diaries.append(self)

        def __enter__(self):
            return self

        def __exit__(self, *reason):
            pass

    messages = [Remembered("spam" if n % 3 else "ham", b"%d" % (n // 2)) for n in range(60)]
    done = []
    trial = cross_validated(Fold, messages, 5, seed=1, progress=done.append)
    assert sorted(m.path for m in trial.messages) == sorted(m.path for m in messages)
    assert len(diaries) == 5
    for diary in diaries:
        learned, asked = (
            {data for what, data in diary.entries if what == kind} for kind in ("learn", "classify")
        )
        assert learned
        assert asked
        assert not learned & asked
    assert done[-1] == 5 * 60
