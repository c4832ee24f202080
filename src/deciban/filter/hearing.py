"""A hearing: questions to the published state one after the other, under one lock.

    hearing = mail_filter.hearing(patience=0.005)
    question = question_of(mail, hearing.preferences)     read while nobody waits for us
    verdict = hearing.judge(question)                     the first question takes the lock
    verdict = hearing.judge(another)                      and others need not look at locks and ledger again
    hearing.close()

Looking at locks, ledger and preferences takes as long as scoring a message. A server often has several
questions at once, so it looks once for all of them. A teacher waits until the hearing is closed, so it must
be short. What is forgotten is in no answer: forgetting waits, too.

>>> import os, tempfile
>>> from deciban.filter import Filter
>>> from deciban.filter.mail import lessons_from, question_of
>>> from deciban.sources import RawMessage
>>> with Filter.open(os.path.join(tempfile.mkdtemp(), "mail.db")) as mail_filter:
...     for label, data in ("spam", b"Subject: Free money"), ("ham", b"Subject: Lunch at one"):
...         _ = mail_filter.learn(lessons_from([RawMessage("", data)], label, mail_filter.preferences))
...     hearing = mail_filter.hearing()
...     hearing.judge(question_of(b"Subject: Lunch", hearing.preferences)).label, hearing.address.position
...     hearing.close()
('ham', 2)
"""

from __future__ import annotations

from deciban.errors import DamagedSnapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from deciban.committee.extraction import Whereabouts
    from deciban.committee.verdict import Verdict
    from deciban.filter.asking import Asking
    from deciban.filter.deciding import Deciding
    from deciban.filter.footing import Learner
    from deciban.filter.mail import Question
    from deciban.filter.preferences import Preferences
    from deciban.filter.state import State
    from deciban.ledger.records import Address


class Hearing:
    """A published state that is asked, by one thread; it answers None if no state may answer now."""

    def __init__(self, asking: Asking, deciding: Deciding, preferences: Preferences, patience: float) -> None:
        self.preferences = preferences
        """With which questions are to be made."""
        self._asking, self._deciding, self._patience = asking, deciding, patience
        self._state: State | None = None
        self._learner: Learner | None = None

    @property
    def address(self) -> Address | None:
        """Of the state that answers; None before the first question."""
        return None if self._state is None else self._state.address

    def knows(self, position: int) -> bool:
        """Whether the state that answers has reached a position."""
        return self._state is not None and self._state.address.position >= position

    def judge(self, question: Question) -> Verdict | None:
        """What the state makes of a message."""
        return self._asked(
            lambda state: self._deciding.decided([question], state, self.preferences, self._learner)[0]
        )

    def weigh(self, question: Question) -> Verdict | None:
        """The same, with the subtotals of the verdict."""
        return self._asked(
            lambda state: self._deciding.weighed(question, state, self.preferences, self._learner)
        )

    def explain(self, question: Question, whereabouts: Whereabouts) -> Verdict | None:
        """The same, with the evidence for it against the runner-up."""
        return self._asked(
            lambda state: self._deciding.explained(question, whereabouts, state, self.preferences)
        )

    def may_go_on(self) -> bool:
        """Whether a hearing that begins now would be the same, and nobody waits for the end of this one.

        Looking takes a fifth of the time of ending it and beginning another.
        """
        if self._state is None:
            return False
        return self._asking.may_go_on() and self._deciding.are_preferred(self.preferences)

    def close(self) -> None:
        """Let others change the state."""
        if self._state is not None:
            self._state = self._learner = None
            self._asking.end()

    def _asked(self, question: Callable[[State], Verdict]) -> Verdict | None:
        if self._state is None:
            self._state = self._asking.begin(self._patience)
            if self._state is None:
                return None
        try:
            if self._learner is None:  # as it is until the hearing is closed
                self._learner = self._state.look()
            verdict = question(self._state)
        except DamagedSnapshot:
            return None
        return verdict if self._asking.is_unchanged(self._state) else None
