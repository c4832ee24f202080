"""What `growth` measures: for each case how data of a size is made, and what is done with it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any

MAILS, ROWS, TEXTS = 250, 20_000, 500


def mails(factor: int) -> list[tuple[str, bytes]]:
    """Made-up mail with labels, all different."""
    from random import Random

    rng = Random(1)
    words = [f"{chr(97 + n % 26)}word{n}" for n in range(4000)]
    made = []
    for number in range(MAILS * factor):
        spam = number % 2
        text = " ".join(rng.choices(words[:3000] if spam else words[1000:], k=150))
        subject = " ".join(rng.choices(words, k=5))
        data = f"From: a{number % 97}@example.org\nSubject: {subject}\nMessage-ID: <{number}@x>\n\n{text}\n"
        made.append(("spam" if spam else "ham", data.encode()))
    return made


def read_all(made: list[tuple[str, bytes]]) -> None:
    from deciban.text import read
    from deciban.text.views import extract

    for _, data in made:
        extract(read(data))


def learn_all(made: list[tuple[str, bytes]], at_once: int | None = None) -> str:
    """Into a ledger, one call a label for so many messages (all, unless told); its path."""
    from deciban.filter import Filter, Settings
    from deciban.filter.mail import lessons_from
    from deciban.sources import RawMessage

    path = os.path.join(tempfile.mkdtemp(), "mail.deciban")
    step = at_once or len(made)
    with Filter.open(path, Settings(salt=1, bits=18)) as mail:
        for start in range(0, len(made), step):
            for label in ("spam", "ham"):
                batch = [data for its, data in made[start : start + step] if its == label]
                messages = [RawMessage(f"{label}{start + n}", data) for n, data in enumerate(batch)]
                mail.learn(lessons_from(messages, label, mail.preferences))
    return path


def learn_in_batches(made: list[tuple[str, bytes]]) -> str:
    """50 of one label, 50 of the other: mixed and learned anew while they are a large share of all."""
    return learn_all(made, at_once=100)


def replay(path: str) -> None:
    """Open a ledger whose snapshot and checkpoints were lost: from one of those only the rest is replayed."""
    from deciban.filter import Filter
    from deciban.filter.mail import question_of

    os.unlink(path + ".snapshot")
    with Filter.open(path) as mail:
        for saved in mail.checkpoints.files():
            os.unlink(saved)
        mail.classify(question_of(b"Subject: hello\n\nhello\n", mail.preferences))


def taught(factor: int) -> tuple[str, list[tuple[str, bytes]]]:
    """A filter of 200 lessons, whatever is classified, and the mail."""
    made = mails(factor)
    return learn_all(made[:200]), made


def classify_all(data: tuple[str, list[tuple[str, bytes]]]) -> None:
    from deciban.filter import Filter
    from deciban.filter.mail import question_of

    path, made = data
    with Filter.open(path) as mail:
        for _, message in made:
            mail.classify(question_of(message, mail.preferences))


def rows(factor: int) -> tuple[Any, Any]:
    import numpy as np

    rng = np.random.default_rng(1)
    return rng.poisson(2, (ROWS * factor, 50)).astype(float), rng.integers(0, 5, ROWS * factor)


def fit(data: tuple[Any, Any]) -> None:
    from deciban import Multinomial, NaiveBayes

    NaiveBayes(Multinomial()).fit(*data)


def fit_and_predict_gaussian(data: tuple[Any, Any]) -> None:
    from deciban import Gaussian, NaiveBayes

    NaiveBayes(Gaussian()).fit(*data).predict(data[0])


def texts(factor: int) -> list[str]:
    return [data.decode() for _, data in mails(factor * TEXTS // MAILS)]


def count_words(data: list[str]) -> None:
    from deciban.learners import TextFeatures

    TextFeatures(ngram_range=(1, 2)).transform(data)


CASES: dict[str, tuple[Callable[[int], Any], Callable[[Any], Any]]] = {
    "read mail, both views": (mails, read_all),
    "learn mail, one call a label": (mails, learn_all),
    "learn mail, 50 a call": (mails, learn_in_batches),
    "replay a ledger": (lambda factor: learn_all(mails(factor)), replay),
    "classify mail": (taught, classify_all),
    "fit Multinomial": (rows, fit),
    "fit and predict Gaussian": (rows, fit_and_predict_gaussian),
    "text features, words and pairs": (texts, count_words),
}
