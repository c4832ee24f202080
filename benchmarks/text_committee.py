"""Can TextClassifier be the filter's committee? Half of a corpus is learned, the other half is scored.

    python -m benchmarks text_committee

Both learn the first half of the messages in one shuffled order: the committee lesson by lesson, as the filter
teaches it, TextClassifier all at once, which is what it is best at. 1-ROCA% is the share of pairs (spam, ham)
in the wrong order. Times are CPU times for one message, reading included; one more lesson is the mean of a
few that are taught afterwards. The state is what has to be kept to classify.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np

from benchmarks.corpora import labelled_mail
from benchmarks.measure import Table, show
from deciban.committee.course import Course
from deciban.committee.extraction import features_of
from deciban.learners import TextClassifier
from deciban.metrics import roc_loss
from deciban.text import read

CORPORA = ("spamassassin", "ling_spam", "sms_spam")
MOST = 6_000  # messages of a corpus
AFTERWARDS = 30  # lessons that are taught one by one
SEED = 1

Mail = tuple[bytes, str]


def halves_of(corpus: str) -> tuple[list[Mail], list[Mail]]:
    """Two halves of a corpus, or of so much of it as is looked at."""
    messages = labelled_mail(corpus)
    Random(SEED).shuffle(messages)
    pairs = [(one.read(), "spam" if one.spam else "ham") for one in messages[:MOST]]
    return pairs[: len(pairs) // 2], pairs[len(pairs) // 2 :]


def seconds_of(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


class ByCommittee:
    """The filter's own."""

    name = "committee"

    def __init__(self) -> None:
        self.course = Course()

    def learn(self, lessons: Sequence[Mail]) -> None:
        """Learn the first half."""
        for data, label in lessons:
            self.course.learn(label, features_of(read(data)))

    learn_more = learn

    def score(self, data: bytes) -> float:
        """How much more like spam than ham."""
        totals = self.course.score(features_of(read(data)))
        return totals["spam"] - totals["ham"]

    def size(self) -> int:
        """Bytes of the state."""
        return len(self.course.committee.state())


class ByTexts:
    """TextClassifier over sender, subject and text."""

    name = "TextClassifier"

    def __init__(self) -> None:
        self.model = TextClassifier()

    def learn(self, lessons: Sequence[Mail]) -> None:
        """Learn the first half."""
        self.model.fit([self.text_of(data) for data, _ in lessons], [label for _, label in lessons])

    def learn_more(self, lessons: Sequence[Mail]) -> None:
        """Learn further lessons, one by one."""
        for data, label in lessons:
            self.model.partial_fit([self.text_of(data)], [label])

    def score(self, data: bytes) -> float:
        """How much more like spam than ham."""
        scores = np.ravel(self.model.decision_function([self.text_of(data)]))
        return float(scores[-1] - scores[0] if len(scores) > 1 else scores[0])

    def size(self) -> int:
        """Bytes of the state."""
        with tempfile.TemporaryDirectory() as folder:
            self.model.save(Path(folder) / "model")
            return (Path(folder) / "model").stat().st_size

    @staticmethod
    def text_of(data: bytes) -> str:
        """What is read of a message."""
        message = read(data)
        return f"{message.header('from')}\n{message.header('subject')}\n{message.text}"


def measured(corpus: str) -> Iterator[tuple[str, float, float, float, float, float]]:
    learn, ask = halves_of(corpus)
    for subject in (ByCommittee(), ByTexts()):
        taught = seconds_of(lambda subject=subject: subject.learn(learn))  # type: ignore[misc]
        start = time.process_time()
        scores = [subject.score(data) for data, _ in ask]
        asked = time.process_time() - start
        loss = roc_loss(scores, [label == "spam" for _, label in ask])
        size = subject.size() / 1e6
        more = seconds_of(lambda subject=subject: subject.learn_more(ask[:AFTERWARDS]))  # type: ignore[misc]
        each = 1e3 * taught / len(learn), 1e3 * more / AFTERWARDS, 1e3 * asked / len(ask)
        yield (f"{corpus}, {subject.name}", loss, *each, size)


def main() -> Iterator[Table]:
    rows = [row for corpus in CORPORA for row in measured(corpus)]
    columns = ("", "1-ROCA%", "learn, ms", "one more lesson, ms", "classify, ms", "state, MB")
    yield Table("TextClassifier as the committee, half learned and half scored", columns, rows)


if __name__ == "__main__":
    show(main())
