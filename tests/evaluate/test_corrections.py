"""A user who only corrects: what is told, what is sampled, and what a promise makes of it."""

from random import Random

import pytest

from deciban.errors import BadSetting
from deciban.evaluate import (
    DecibanCommittee,
    KeptPromise,
    LabelledMessage,
    Opinion,
    TaughtMessage,
    follow,
    read_index,
)
from deciban.evaluate.corrections import Corrections, corrected, kept_promise
from deciban.evaluate.feedback import immediate, part_sent
from deciban.filter import Filter
from deciban.filter.mail import lessons_from
from deciban.filter.preferences import Preferences
from deciban.filter.threshold import Threshold
from deciban.metrics import BROKEN
from deciban.sources import RawMessage
from tests.evaluate.small_mailbox import COMMON_WORDS, HAM_WORDS, SPAM_WORDS, write_mailbox


class Remembered(LabelledMessage):
    def read(self):
        return self.path


class Stubborn:
    """A subject that says the same of every message, and keeps its lessons."""

    name = "stubborn"

    def __init__(self, **opinion):
        self.opinion = Opinion(0.0, **opinion)
        self.lessons = []

    def learn(self, lessons):
        self.lessons += lessons

    def classify(self, messages):
        return [self.opinion for _ in messages]


def stream(labels, **options):
    return Corrections([Remembered(label, b"%d" % place) for place, label in enumerate(labels)], **options)


def taught(subject, labels, **options):
    trial = corrected(subject, stream(labels, **options))
    assert len(trial.opinions) == len(labels)
    return [(lesson.label, lesson.data, lesson.origin) for lesson in subject.lessons]


def test_only_wrong_verdicts_are_told():
    says_ham = Stubborn(rejected=False, label="ham")
    assert taught(says_ham, ["ham", "spam", "ham"], share=0) == [("spam", b"1", "incoming")]
    says_spam = Stubborn(rejected=True, label="spam")
    assert taught(says_spam, ["ham", "spam", "ham"], share=0) == [
        ("ham", b"0", "incoming"),
        ("ham", b"2", "incoming"),
    ]


def test_what_is_unsure_is_sorted_by_the_user():
    unsure = Stubborn(rejected=False, label="unsure")
    assert [data for _, data, _ in taught(unsure, ["ham", "spam", "work"])] == [b"0", b"1", b"2"]


def test_good_mail_under_another_label_of_good_mail_is_a_mistake():
    assert taught(Stubborn(rejected=False, label="work"), ["ham", "work"], share=0) == [
        ("ham", b"0", "incoming")
    ]


def test_a_peer_that_only_knows_spam_is_wrong_about_spam_alone():
    assert [label for label, _, _ in taught(Stubborn(rejected=False), ["ham", "spam", "work"])] == ["spam"]


def test_uncontested_good_mail_is_taught_later_as_a_sample_and_spam_never():
    says_ham = Stubborn(rejected=False, label="ham")
    assert taught(says_ham, ["ham"] * 5, share=1.0, after=3) == [
        ("ham", b"0", "sample"),
        ("ham", b"1", "sample"),
    ]
    assert taught(Stubborn(rejected=True, label="spam"), ["spam"] * 5, share=1.0, after=1) == []


def test_a_sample_is_about_its_share_and_only_the_seed_decides_it():
    def drawn(seed):
        subject = Stubborn(rejected=False, label="ham")
        lessons = taught(subject, ["ham"] * 2000, share=0.1, after=10, seed=seed)
        assert {lesson.share for lesson in subject.lessons} == {0.1}
        return lessons

    assert 150 < len(drawn(1)) < 250
    assert drawn(1) == drawn(1) != drawn(2)


@pytest.mark.parametrize("share", [-0.1, 1e-9, 1.5])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(BadSetting, match="share of a sample"):
        stream([], share=share)


def test_sent_mail_is_good_mail_that_is_taught_first_and_not_asked():
    messages = [Remembered("spam" if number % 4 == 0 else "ham", b"%d" % number) for number in range(400)]
    sent, rest = part_sent(messages, 0.5, seed=1)
    assert {(step.message.label, step.asked, step.origin) for step in sent} == {("ham", False, "sent")}
    assert 100 < len(sent) < 200
    assert len(sent) + len(rest) == 400
    subject = Stubborn(rejected=False, label="ham")
    trial = corrected(subject, Corrections(rest, share=0, before=sent))
    assert len(trial.opinions) == len(rest)
    assert [lesson.origin for lesson in subject.lessons[: len(sent)]] == ["sent"] * len(sent)


def test_the_committee_and_the_filter_read_the_same_bar_from_the_same_lessons(tmp_path):
    preferences = Preferences(promise=0.05)
    origins = [("incoming", 1.0), ("sent", 1.0), ("sample", 0.25), ("imported", 1.0)]
    with (
        Filter.open(str(tmp_path / "filter.db")) as mail_filter,
        DecibanCommittee(mail_filter.settings, preferences.threshold) as committee,
    ):
        mail_filter.prefer(promise=0.05)
        for number, message in enumerate(read_index(write_mailbox(tmp_path, 120))):
            origin, share = origins[number % 4]
            raw = RawMessage(str(number), message.read())
            (lesson,) = lessons_from([raw], message.label, preferences, origin=origin)
            mail_filter.learn([lesson.replaced(share=share)])
            committee.learn([TaughtMessage(message.label, raw.data, origin, share)])
        assert committee.assurance == mail_filter.assurance()
        assert committee.assurance.bar is not None
        assert 0 < committee.assurance.sampled < committee.assurance.good


def test_a_promise_under_corrections_rests_on_its_sample(tmp_path):
    messages = read_index(write_mailbox(tmp_path, 300))
    alone = kept_promise(0.05, Corrections(messages, share=0))
    assert not alone.active
    kept = kept_promise(0.05, Corrections(messages, share=0.2, after=20))
    assert kept.active
    assert kept.standing == "kept"
    assert kept.caught > 0.9 * kept.spam


def test_sent_mail_does_not_make_a_promise_active():
    with DecibanCommittee(threshold=Threshold(promise=0.2)) as committee:
        committee.learn(
            [TaughtMessage("spam", b"Subject: pills\n\n"), TaughtMessage("ham", b"Subject: a\n\n")]
        )
        for number in range(20):
            committee.learn([TaughtMessage("ham", b"Subject: lunch %d\n\n" % number, "sent")])
        assert (committee.assurance.good, committee.assurance.bar) == (0, None)
        for number in range(10):
            committee.learn([TaughtMessage("ham", b"Subject: tea %d\n\n" % number)])
        assert committee.assurance.bar is not None


@pytest.fixture(scope="module")
def vague_mail(tmp_path_factory):
    """A stream in which some mail has the words of both kinds, or of none."""
    folder = tmp_path_factory.mktemp("vague")
    rng = Random(7)
    messages = []
    for number in range(1500):
        spam = rng.random() < 0.4
        telling = rng.choices(SPAM_WORDS if spam else HAM_WORDS, k=rng.choice((1, 2, 3, 4)))
        astray = rng.choices(HAM_WORDS if spam else SPAM_WORDS, k=rng.choice((0, 0, 0, 0, 1)))
        words = telling + astray + rng.choices(COMMON_WORDS, k=8)
        path = folder / str(number)
        path.write_text(f"Subject: {' '.join(words[:2])}\n\n{' '.join(words)}\n")
        messages.append(LabelledMessage("spam" if spam else "ham", path))
    return messages


@pytest.mark.parametrize("sent", [0.0, 0.3], ids=["", "sent mail"])
def test_who_is_told_mistakes_and_a_sample_catches_nine_tenths_under_a_kept_promise(vague_mail, sent):
    first, rest = part_sent(vague_mail, sent, seed=1)
    with DecibanCommittee() as told_all:
        full = KeptPromise.followed(0.01, follow(told_all, [*first, *immediate(rest)]))
    stream = Corrections(rest, after=100, seed=1, before=first)
    kept = kept_promise(0.01, stream)
    assert stream.told - len(first) < len(rest) / 2
    assert kept.standing != BROKEN
    assert 0.3 < full.caught / full.spam < 1
    assert kept.caught / kept.spam >= 0.9 * full.caught / full.spam
