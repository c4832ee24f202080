"""Deciding: from what a state says about a message to a verdict, as the user prefers it.

A state gives each label a total. The label with the highest is the verdict, with three exceptions: it is
*unsure* if it is less likely than the user wants, or if spam does not exceed its bar (threshold.py), and a
sender on the user's list is never called spam. The bar comes from the exams of the same state as the totals.
"""

from __future__ import annotations

from itertools import chain

from deciban.committee.evidence import subtotals_of
from deciban.committee.verdict import Verdict
from deciban.decibans import SPAM, is_doubtful, runner_up
from deciban.filter.threshold import Assurance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from deciban.committee.extraction import Whereabouts
    from deciban.filter.exams import KeptExam
    from deciban.filter.footing import Learner
    from deciban.filter.mail import Question
    from deciban.filter.preferences import Preferences
    from deciban.filter.state import State
    from deciban.ledger.records import Address, FoldedExam

    Totals = dict[str, float]


class Deciding:
    """Makes verdicts; several threads may use it, each with a state that nobody changes meanwhile."""

    def __init__(
        self, preferences: Callable[[], Preferences], folded_exams: Callable[[], Iterator[FoldedExam]]
    ) -> None:
        """``folded_exams``: those that the ledger keeps, the newest first."""
        self._preferences, self._folded_exams = preferences, folded_exams
        self._assurance: tuple[Preferences, Address, Assurance] | None = None

    def decided(
        self,
        questions: Sequence[Question],
        state: State,
        preferences: Preferences | None = None,
        looked: Learner | None = None,
        in_bulk: bool = False,
    ) -> list[Verdict]:
        """The verdict about each message; ``preferences``, if they are at hand.

        ``looked``: the committee of the state, if it was looked at under the same lock. ``in_bulk``: many
        more questions will follow.
        """
        committee = state.look() if looked is None else looked
        if in_bulk:
            committee.list_rows()
        totals = [committee.totals_of(each.features) for each in questions]
        committee.give_back()
        preferences = preferences or self._preferences()
        return [
            self._verdict(question, total, state, preferences)
            for question, total in zip(questions, totals, strict=True)
        ]

    def weighed(
        self,
        question: Question,
        state: State,
        preferences: Preferences | None = None,
        looked: Learner | None = None,
    ) -> Verdict:
        """The verdict about one message, with its subtotals."""
        committee = state.look() if looked is None else looked
        verdict, against = self._contest(question, committee, state, preferences)
        if verdict.probability is None:
            return verdict
        parts = subtotals_of(committee, question.features, verdict.label, against, verdict.decibans)
        committee.give_back()
        return verdict.weighed(parts)

    def explained(
        self,
        question: Question,
        whereabouts: Whereabouts,
        state: State,
        preferences: Preferences | None = None,
    ) -> Verdict:
        """The verdict about one message, with the evidence for it against the runner-up."""
        from deciban.committee.evidence import gather_evidence

        committee = state.look()
        verdict, against = self._contest(question, committee, state, preferences)
        if verdict.probability is None:
            return verdict
        found = gather_evidence(committee, question.features, whereabouts, verdict.label, against)
        committee.give_back()
        return verdict.replaced(evidence=found)

    def are_preferred(self, preferences: Preferences) -> bool:
        """Whether the user still prefers what was preferred before."""
        return self._preferences() is preferences

    def assured(self, state: State) -> Assurance:
        """The bar that spam must exceed, and on how much evidence."""
        return self._assured(state, self._preferences())

    def _assured(self, state: State, preferences: Preferences) -> Assurance:
        known = self._assurance  # read and written as one: other threads do so, too
        if known is None or not (
            (known[0] is preferences or known[0] == preferences)
            and (known[1] is state.address or known[1] == state.address)
        ):
            assurance = Assurance.of_exams(preferences.threshold, self.exams_backwards(state))
            known = self._assurance = preferences, state.address, assurance
        return known[2]

    def exams_backwards(self, state: State) -> Iterator[KeptExam | FoldedExam]:
        """The exams of a state, the newest first, and those of folded lessons behind them."""
        return chain(state.exams_backwards(), self._folded_exams())

    def _contest(
        self, question: Question, committee: Learner, state: State, preferences: Preferences | None
    ) -> tuple[Verdict, str]:
        """The verdict about one message, and the runner-up; empty if there is nothing to choose between."""
        totals = committee.totals_of(question.features)
        verdict = self._verdict(question, totals, state, preferences or self._preferences())
        return verdict, "" if verdict.probability is None else runner_up(totals, verdict.label)

    def _verdict(self, question: Question, totals: Totals, state: State, preferences: Preferences) -> Verdict:
        verdict = Verdict.of(totals)
        if verdict.probability is None:
            return verdict
        is_spam = verdict.label == SPAM
        bar = self._assured(state, preferences).bar if is_spam else None
        if verdict.probability < preferences.sure or is_doubtful(totals, verdict.label, bar):
            verdict = verdict.replaced(unsure=True)
        if is_spam and preferences.allows(question.sender):
            good = Verdict.of(totals, label=runner_up(totals, SPAM))
            return good.replaced(otherwise=verdict)
        return verdict
