from deciban.evaluate import (
    DecibanCommittee,
    Figures,
    LabelledMessage,
    Opinion,
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
    __slots__ = ()

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
    assert trial.opinions[0] == Opinion(0.0, rejected=False, probability=0.5)
