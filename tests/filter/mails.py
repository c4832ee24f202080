"""Small made-up mails with a label each, told apart by their words; and a filter taught and asked by mail."""

from collections.abc import Callable, Iterable
from pathlib import Path

from deciban.committee._committee import Committee
from deciban.committee.extraction import features_of
from deciban.committee.verdict import Verdict
from deciban.filter import Filter, Learned, Settings
from deciban.filter.mail import lessons_from, question_of, whereabouts_in
from deciban.filter.starter import write
from deciban.ledger import Lesson, Selection
from deciban.sources import RawMessage
from deciban.text import read

# Tables of 2^10 slots are dense after five of these mails; those of 2^20 stay sparse in every test.
SPARSE, DENSE = Settings(bits=20, salt=99), Settings(bits=10, salt=99)
WORDS = {
    "spam": "free money cheap pills winner casino",
    "ham": "lunch meeting tomorrow family garden train",
    "work": "report quarter budget invoice project deadline",
    "news": "weather election football cinema science travel",
    "shop": "order parcel delivery receipt refund basket",
}


STARTED = Settings(bits=9, salt=1234)
"""The settings of `a_starter`: others than those of the filters that rest on it."""


def a_starter(folder: str | Path, count: int = 10) -> str:
    """The file of a starter that has learned so much spam and ham; always the same."""
    committee = Committee.fresh(STARTED)
    for number in range(count):
        for label in ("spam", "ham"):
            committee.learn(label, features_of(read(mail(label, 1000 + number).data)))
    return write(str(folder), 1, STARTED, committee)


def mail(label: str, number: int) -> RawMessage:
    """The n-th mail of a label, always the same."""
    words = WORDS[label].split()
    chosen = " ".join(words[(number * 7 + place) % len(words)] for place in range(4))
    data = (
        f"From: {label}{number}@example.org\nSubject: {chosen} unique{label}subject{number}\n"
        f"Date: Mon, 2 Jan 2006 15:04:{number % 60:02} +0000\nMessage-ID: <{label}-{number}@example.org>\n\n"
        f"{chosen} and also number {number} bodyword{label}{number}\n"
    )
    return RawMessage(f"{label}.mbox@{number}", data.encode())


def teach(
    mail_filter: Filter,
    label: str,
    messages: Iterable[RawMessage],
    by: str = "",
    progress: Callable[[Learned, Lesson], object] | None = None,
) -> Learned:
    """Teach messages as the command line does."""
    learned = mail_filter.learn(lessons_from(messages, label, mail_filter.preferences, by), progress)
    mail_filter.settle()
    return learned


def classify(mail_filter: Filter, data: bytes) -> Verdict:
    """Classify the bytes of a message."""
    return mail_filter.classify(question_of(data, mail_filter.preferences))


def why(mail_filter: Filter, data: bytes) -> Verdict:
    """Explain the bytes of a message."""
    preferences = mail_filter.preferences
    return mail_filter.why(question_of(data, preferences), whereabouts_in(read(data), preferences))


def forget(mail_filter: Filter, message: bytes) -> int:
    """Forget the bytes of a message."""
    return mail_filter.forget(Selection(digest=read(message).digest))
