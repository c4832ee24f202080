"""Two ways to try a subject: the online stream, and one half learned to classify the other.

Online is what a user lives through: each message is classified with what was known by then, and then its true
label is learned. The first messages are guesses for every subject, and they count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from deciban.evaluate.index import LabelledMessage
from deciban.evaluate.orders import halves
from deciban.evaluate.subject import Lesson, Opinion, Subject
from deciban.value import Value

# Messages held in memory at once; a peer starts once a batch, so it should not be few.
BATCH = 500

Progress = Callable[[int], object]


class Trial(Value):
    """What a subject said of messages whose labels are known; both in one order."""

    __slots__ = ("messages", "opinions")
    messages: Sequence[LabelledMessage]
    opinions: Sequence[Opinion]

    def __init__(self, messages: Sequence[LabelledMessage], opinions: Sequence[Opinion]) -> None:
        self._set(messages=messages, opinions=opinions)

    @property
    def spam(self) -> list[bool]:
        """What each message truly is."""
        return [message.spam for message in self.messages]

    @property
    def scores(self) -> list[float]:
        """What the subject thinks of each message."""
        return [opinion.score for opinion in self.opinions]

    @property
    def probabilities(self) -> list[float] | None:
        """The same as probabilities, if the subject claims to know them."""
        known = [opinion.probability for opinion in self.opinions if opinion.probability is not None]
        return known if len(known) == len(self.opinions) else None

    def since(self, start: int) -> Trial:
        """The trial without its first messages."""
        return Trial(self.messages[start:], self.opinions[start:])


def online(subject: Subject, messages: Sequence[LabelledMessage], progress: Progress | None = None) -> Trial:
    """Classify each message, then learn it; ``progress`` is called with how many are done."""
    opinions = []
    for number, message in enumerate(messages, 1):
        data = message.read()
        opinions += subject.classify([data])
        subject.learn([Lesson(message.label, data)])
        if progress:
            progress(number)
    return Trial(messages, opinions)


def split_in_half(
    subject: Subject, messages: Sequence[LabelledMessage], seed: int, progress: Progress | None = None
) -> Trial:
    """Learn one half of the messages, then classify the other."""
    learned, asked = halves(messages, seed)
    done = 0
    for batch in _batches(learned):
        subject.learn([Lesson(message.label, message.read()) for message in batch])
        done = _tell(progress, done + len(batch))
    opinions: list[Opinion] = []
    for batch in _batches(asked):
        opinions += subject.classify([message.read() for message in batch])
        done = _tell(progress, done + len(batch))
    return Trial(asked, opinions)


def _batches(messages: Iterable[LabelledMessage]) -> Iterator[list[LabelledMessage]]:
    rest = iter(messages)
    while batch := list(islice(rest, BATCH)):
        yield batch


def _tell(progress: Progress | None, done: int) -> int:
    if progress:
        progress(done)
    return done
