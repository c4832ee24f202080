"""Three ways to try a subject: the online stream, one half learned to classify the other, cross-validation.

Online is what a user lives through: each message is classified with what was known by then, and then its true
label is learned, if and when it is told (feedback.py). The first messages are guesses for every subject, and
they count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from deciban.evaluate.feedback import immediate
from deciban.evaluate.index import LabelledMessage, StreamStep
from deciban.evaluate.orders import content_digest, halves, shuffled
from deciban.evaluate.subject import Opinion, Subject, TaughtMessage
from deciban.folds import deal
from deciban.value import Value

# How many messages are held in memory at once. A peer starts once per batch, so batches should not be small.
BATCH = 500

Progress = Callable[[int], object]
# Sees the subject that has just given an opinion of a message, before it learns anything more.
Watch = Callable[[Subject, LabelledMessage, bytes, Opinion], object]


class Trial(Value):
    """What a subject said of messages whose labels are known; both in one order."""

    messages: Sequence[LabelledMessage]
    opinions: Sequence[Opinion]

    @property
    def labels(self) -> list[str]:
        """What each message truly is."""
        return [message.label for message in self.messages]

    @property
    def spam(self) -> list[bool]:
        """Whether each message truly is spam."""
        return [message.spam for message in self.messages]

    @property
    def has_both_kinds(self) -> bool:
        """Whether there is spam and good mail, without which error rates mean nothing."""
        return 0 < sum(self.spam) < len(self.messages)

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
    return follow(subject, immediate(messages), progress)


def follow(
    subject: Subject,
    steps: Iterable[StreamStep],
    progress: Progress | None = None,
    watch: Watch | None = None,
    *,
    salvage: bool = False,
) -> Trial:
    """Take steps in their order. With ``salvage``, Ctrl-C ends the trial instead of losing it."""
    messages: list[LabelledMessage] = []
    opinions: list[Opinion] = []
    try:
        for step in steps:
            data = step.message.read()
            if step.asked:
                (opinion,) = subject.classify([data])
                if watch:
                    watch(subject, step.message, data, opinion)
                messages.append(step.message)
                opinions.append(opinion)
            if step.told:
                subject.learn([TaughtMessage(step.message.label, data, step.origin, step.share)])
            if progress and step.asked:
                progress(len(opinions))
    except KeyboardInterrupt:
        if not salvage or not opinions:
            raise
        del messages[len(opinions) :]
    return Trial(messages, opinions)


def split_in_half(
    subject: Subject,
    messages: Sequence[LabelledMessage],
    seed: int,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Trial:
    """Learn one half of the messages, then classify the other."""
    learned, asked = halves(messages, seed)
    return Trial(asked, _learn_and_classify(subject, learned, asked, progress, watch, 0))


def cross_validated(
    make: Callable[[], Subject],
    messages: Sequence[LabelledMessage],
    folds: int,
    seed: int = 0,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Trial:
    """Classify each fold by a new subject that has learned the others.

    Folds are stratified, and byte-identical messages are in the same fold. Nothing can be subtracted from a
    committee of online learners; `evaluate.cross_validate` is for models that allow it.
    """
    order = shuffled(messages, seed)
    groups = [content_digest(message) for message in order]
    fold_of = deal([message.label for message in order], folds, groups, seed)
    trials = []
    done = 0
    for fold in range(folds):
        pairs = list(zip(order, fold_of, strict=True))
        learned = [message for message, place in pairs if place != fold]
        asked = [message for message, place in pairs if place == fold]
        with make() as subject:
            opinions = _learn_and_classify(subject, learned, asked, progress, watch, done)
        trials.append(Trial(asked, opinions))
        done += len(order)
    return Trial(
        [message for trial in trials for message in trial.messages],
        [opinion for trial in trials for opinion in trial.opinions],
    )


def _learn_and_classify(
    subject: Subject,
    learned: Sequence[LabelledMessage],
    asked: Sequence[LabelledMessage],
    progress: Progress | None,
    watch: Watch | None,
    done: int,
) -> list[Opinion]:
    for batch in _batches(learned):
        subject.learn([TaughtMessage(message.label, message.read()) for message in batch])
        done = _tell(progress, done + len(batch))
    opinions: list[Opinion] = []
    for batch in _batches(asked):
        contents = [message.read() for message in batch]
        found = subject.classify(contents)
        if watch:
            for message, data, opinion in zip(batch, contents, found, strict=True):
                watch(subject, message, data, opinion)
        opinions += found
        done = _tell(progress, done + len(batch))
    return opinions


def _batches(messages: Iterable[LabelledMessage]) -> Iterator[list[LabelledMessage]]:
    rest = iter(messages)
    while batch := list(islice(rest, BATCH)):
        yield batch


def _tell(progress: Progress | None, done: int) -> int:
    if progress:
        progress(done)
    return done
