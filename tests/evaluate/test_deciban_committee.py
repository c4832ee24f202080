from deciban.committee.course import take_course
from deciban.decibans import log_odds
from deciban.evaluate import DecibanCommittee, TaughtMessage, online, read_index
from tests.evaluate.small_mailbox import write_mailbox


def test_opinions_are_the_exams_of_a_course(tmp_path):
    messages = read_index(write_mailbox(tmp_path))
    exams = list(take_course((message.label, message.read()) for message in messages))
    with DecibanCommittee() as subject:
        trial = online(subject, messages)
    assert trial.scores[2:] == [log_odds(exam.totals) for exam in exams[2:]]


def test_every_label_but_spam_is_good_mail():
    with DecibanCommittee() as subject:
        for _ in range(8):
            subject.learn(
                [
                    TaughtMessage("work", b"Subject: agenda\n\nmeeting"),
                    TaughtMessage("home", b"Subject: dinner\n\nmilk"),
                ]
            )
            subject.learn([TaughtMessage("spam", b"Subject: pills\n\ncheap")])
        work, home, spam = subject.classify(
            [b"Subject: agenda\n\nmeeting", b"Subject: dinner\n\nmilk", b"Subject: pills\n\ncheap"]
        )
    assert work.score < 0 < spam.score
    assert home.score < 0
    assert work.probability < 0.5 < spam.probability
