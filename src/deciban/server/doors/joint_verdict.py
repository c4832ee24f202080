r"""One verdict about a message for several people.

Each is asked about in the space that has their mail, and each space gets an entry of its own in the journal.
The message is called spam only if it is spam in all of these spaces; somebody who has no space counts as one
who does not call it spam. There is one header for all, so it tells the verdict that is least for spam, and no
label but spam and ham, since other labels are names that somebody gave:

>>> from deciban.committee.verdict import Verdict
>>> ann = Verdict("spam", 0.999, 30.0, {"spam": 0.999, "ham": 0.001}, unsure=False)
>>> bob = Verdict("work", 0.8, 6.1, {"spam": 0.1, "work": 0.8, "ham": 0.1}, unsure=False)
>>> both = least([ann, bob])
>>> both.label, round(both.probability, 2), round(both.decibans, 1)
('ham', 0.9, 9.5)
>>> least([ann]) is ann, least([ann, ann]).decision
(True, 'spam')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deciban.committee.verdict import Verdict
from deciban.decibans import SPAM
from deciban.filter.tag import spam_decibans
from deciban.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from deciban.server.reception import Reception
    from deciban.sources import RawMessage
    from deciban.spaces.sqlite_registry import SpaceRecord

GOOD = "ham"
# One question takes some .3 ms; a message for a whole company is not asked about in every space of it.
MOST_SPACES = 100


class JointVerdict(Value):
    """A verdict for everybody whom a message is for."""

    verdict: Verdict
    id: bytes = b""
    """Of the entry in the journal, if there is only one."""

    @property
    def is_spam(self) -> bool:
        """Whether it is spam for everybody."""
        return self.verdict.decision == SPAM

    @property
    def decibans(self) -> float:
        """The evidence for spam."""
        return decibans_for_spam(self.verdict)


class Circle(Value):
    """The spaces of the recipients of a message, each once."""

    spaces: tuple[SpaceRecord, ...] = ()
    is_open: bool = False
    """Whether somebody among them has no space."""

    @classmethod
    async def of(cls, reception: Reception, recipients: Iterable[str]) -> Circle:
        """The spaces of some addresses."""
        found: dict[str, SpaceRecord] = {}
        is_open = False
        for recipient in dict.fromkeys(recipients):
            space = await reception.space_for(recipient)
            if space is None or (space.id not in found and len(found) >= MOST_SPACES):
                is_open = True
            else:
                found[space.id] = space
        return cls(tuple(found.values()), is_open)

    async def ask(
        self, reception: Reception, raw: RawMessage, door: str, done: Callable[[JointVerdict], str]
    ) -> JointVerdict | None:
        """What they make of a message; None if nobody can say.

        ``done``: what will be done with it then, for the journal.
        """
        answers = [await reception.ask(space, raw, door=door, done=None) for space in self.spaces]
        answers = [each for each in answers if each.address is not None]
        if not answers:
            return None
        verdict = least([each.verdict for each in answers])
        if verdict.decision == SPAM and (self.is_open or len(answers) < len(self.spaces)):
            verdict = verdict.replaced(unsure=True)
        found = JointVerdict(verdict, answers[0].id if len(self.spaces) == 1 else b"")
        for each in answers:
            reception.note(each, done(found))
        return found


def least(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict that is least for spam, in terms of spam and ham if there are several."""
    if len(verdicts) == 1:
        return verdicts[0]
    lowest = min(verdicts, key=lambda verdict: (verdict.decision == SPAM, decibans_for_spam(verdict)))
    if SPAM not in lowest.probabilities or lowest.otherwise is not None:
        return Verdict(GOOD, None, 0.0, {}, unsure=lowest.unsure)
    decibans, spam = spam_decibans(lowest), lowest.probabilities[SPAM]
    both = {SPAM: spam, GOOD: 1 - spam}
    if decibans > 0:
        return Verdict(SPAM, spam, decibans, both, lowest.unsure)
    return Verdict(GOOD, 1 - spam, -decibans, both, lowest.unsure)


def decibans_for_spam(verdict: Verdict) -> float:
    """The evidence for spam; 0 if spam was never taught."""
    return spam_decibans(verdict) if SPAM in verdict.probabilities else 0.0
