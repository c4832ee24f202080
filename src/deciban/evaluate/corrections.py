"""A user who only corrects mistakes. Only a random sample of rightly judged good mail is taught.

After each message the user does one of three things:

- the verdict is wrong, or *unsure*: the user sorts the message, and the filter is told. Unsure mail is left
  in the inbox for the user to look at, so it is sorted like any mistake;
- it is rightly called spam: nothing. Nobody looks into that folder, and no promise is about it;
- it is rightly called good: nothing, too. But once three days have passed, here 300 messages, silence means
  consent, and one in ten such mails is taught as a *sample*, each of which stands for ten (threshold.py).

>>> from deciban.evaluate.subject import Opinion
>>> messages = [LabelledMessage("ham", name) for name in "abc"] + [LabelledMessage("spam", "d")]
>>> stream = Corrections(messages, share=1.0, after=2)
>>> for step in stream:
...     print(step.message.path, step.asked, step.told, step.origin)
...     stream.hear(Opinion(0.0, rejected=step.message.path == "b"))
a True False incoming
b True False incoming
b False True incoming
c True False incoming
a False True sample
d True False incoming
d False True incoming

What is corrected depends on the bar, so a filter under a promise has a stream of its own (`kept_promise`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from random import Random

from deciban.errors import BadSetting
from deciban.evaluate.deciban_committee import DecibanCommittee
from deciban.evaluate.index import LabelledMessage, StreamStep
from deciban.evaluate.promise import KeptPromise
from deciban.evaluate.subject import Opinion, Subject
from deciban.evaluate.trial import Progress, Trial, Watch, follow
from deciban.filter.threshold import Threshold
from deciban.ledger.lesson import LEAST_SHARE, SAMPLE

# The share hardly matters. On SpamAssassin and Enron a 1% promise caught 94.2% and 84.5% of the spam with one
# in 20, 95.0% and 82.9% with one in 10, 94.1% and 86.3% with one in 2; a filter that is told everything
# catches 95.6% and 86.2%. Without a sample there never were enough good mails, so that nothing was caught
# (`python -m benchmarks corrections`, which has other corpora too).
SHARE = 0.1
AFTER = 300


class Corrections:
    """The steps of a stream, each of which may depend on the opinion of the one before."""

    def __init__(
        self,
        messages: Sequence[LabelledMessage],
        share: float = SHARE,
        after: int = AFTER,
        seed: int = 0,
        before: Sequence[StreamStep] = (),
    ) -> None:
        """A ``share`` of good mail (0: none) is taught ``after`` so many messages; ``before`` comes first."""
        if share and not LEAST_SHARE <= share <= 1:
            raise BadSetting(f"The share of a sample must be 0 or from {LEAST_SHARE} to 1, got {share!r}.")
        self._messages, self._before = messages, before
        self._share, self._after = share, after
        self._dice = Random(seed)
        self._opinion: Opinion | None = None
        self.told = 0

    def hear(self, opinion: Opinion) -> None:
        """What the subject made of the message of the last step."""
        self._opinion = opinion

    def __iter__(self) -> Iterator[StreamStep]:
        for step in self._steps():
            self.told += step.told
            yield step

    def _steps(self) -> Iterator[StreamStep]:
        yield from self._before
        uncontested: deque[tuple[int, LabelledMessage]] = deque()
        for number, message in enumerate(self._messages):
            yield StreamStep(message, told=False)
            if not self._was_right(message):
                yield StreamStep(message, asked=False)
            elif not message.spam:
                uncontested.append((number, message))
            if uncontested and number - uncontested[0][0] >= self._after:
                _, good = uncontested.popleft()
                if self._dice.random() < self._share:
                    yield StreamStep(good, asked=False, origin=SAMPLE, share=self._share)

    def _was_right(self, message: LabelledMessage) -> bool:
        if self._opinion is None:
            raise ValueError("corrections must hear each opinion before the next step")
        opinion, self._opinion = self._opinion, None
        if opinion.label is None:  # a peer that only knows spam
            return opinion.rejected == message.spam
        return opinion.label == message.label


def corrected(
    subject: Subject,
    stream: Corrections,
    progress: Progress | None = None,
    watch: Watch | None = None,
    *,
    salvage: bool = False,
) -> Trial:
    """Classify each message, and learn what the user corrects; see `trial.follow`."""

    def hear(subject: Subject, message: LabelledMessage, data: bytes, opinion: Opinion) -> None:
        if watch:
            watch(subject, message, data, opinion)
        stream.hear(opinion)

    return follow(subject, stream, progress, hear, salvage=salvage)


def kept_promise(rate: float, stream: Corrections, progress: Progress | None = None) -> KeptPromise:
    """What becomes of a promise over a stream in which its own verdicts are corrected."""
    seen = {(spam, rejected): 0 for spam in (False, True) for rejected in (False, True)}

    with DecibanCommittee(threshold=Threshold(promise=rate)) as committee:

        def count(subject: Subject, message: LabelledMessage, data: bytes, opinion: Opinion) -> None:  # noqa: ARG001
            if committee.assurance.bar is not None:
                seen[message.spam, opinion.rejected] += 1

        corrected(committee, stream, progress, count)
    lost, caught = seen[False, True], seen[True, True]
    return KeptPromise(rate, lost, lost + seen[False, False], caught, caught + seen[True, False])
