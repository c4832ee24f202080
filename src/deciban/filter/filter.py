r"""The filter: learn, classify, explain and forget, over one ledger and its snapshot.

>>> import os, tempfile
>>> from deciban.filter.mail import lessons_from, question_of
>>> from deciban.sources import RawMessage
>>> path = os.path.join(tempfile.mkdtemp(), "mail.deciban")
>>> with Filter.open(path) as mail:
...     likes = mail.preferences
...     for number in range(5):
...         spam = RawMessage(f"junk@{number}", b"Subject: Free money\n\nNumber %d" % number)
...         ham = RawMessage(f"inbox@{number}", b"Subject: Lunch\n\nAt %d?" % number)
...         _ = mail.learn(lessons_from([spam], "spam", likes)), mail.learn(lessons_from([ham], "ham", likes))
...     verdict = mail.classify(question_of(b"Subject: Free lunch money", likes))
...     verdict.label, mail.labels(), mail.forget(Selection(source="junk@0"))
('spam', {'spam': 5, 'ham': 5}, 1)

Law: the state is replay(settings, ledger), bit for bit, after any history. changing.py says how that is kept,
replaying.py how a state is made from lessons, asking.py which state answers, deciding.py what the verdict is
then. Several threads may use one `Filter`: each works with files of its own (opened.py).
"""

from __future__ import annotations

import os
from _thread import get_ident

from deciban.committee.verdict import Verdict
from deciban.decibans import DECIBANS_A_NAT, runner_up
from deciban.errors import CannotWrite, FoldedLesson, LedgerBusy
from deciban.filter.deciding import Deciding
from deciban.filter.hearing import Hearing
from deciban.filter.learned import Learned, in_batches
from deciban.filter.opened import Opened
from deciban.filter.preferences import Preferences
from deciban.filter.threshold import good_mail
from deciban.ledger import create_ledger, open_ledger
from deciban.ledger.cursor import START
from deciban.ledger.facts import PREFERENCES, SHARED, STARTER
from deciban.ledger.lesson import Lesson, Selection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import IO, Self, TypeVar

    from deciban.committee.extraction import Whereabouts
    from deciban.committee.settings import Settings
    from deciban.filter.checkpoints import Checkpoints
    from deciban.filter.footing import Learner
    from deciban.filter.mail import Question
    from deciban.filter.replaying import Progress
    from deciban.filter.shared_filter import SharedFilter
    from deciban.filter.state import State
    from deciban.filter.threshold import Assurance
    from deciban.ledger import Ledger
    from deciban.ledger._placed import Placed
    from deciban.ledger.cursor import Cursor
    from deciban.ledger.records import Address, ExamRow, Folded, KeptMails

    Answer = TypeVar("Answer")
    Admission = Callable[[Iterable[Lesson]], Iterable[Lesson]]


class Filter:
    """An open filter; `Filter.open` makes one."""

    def __init__(self, ledger: Ledger, follows: bool = False) -> None:
        self._opened = {get_ident(): Opened(ledger, follows)}
        self._follows = follows
        self._lets_wait = False
        self._path, self._read_only = ledger.path, ledger.read_only
        self._preferences = "", Preferences()
        self._for_now: dict[str, object] = {}
        self._deciding = Deciding(
            lambda: self.preferences, lambda: self.ledger.folded_exams(newest_first=True)
        )
        self._foundation: tuple[SharedFilter, Learner] | None = None

    @classmethod
    def open(
        cls,
        path: str,
        settings: Settings | None = None,
        create: bool = True,
        read_only: bool = False,
        follows: bool = False,
        starter: str | None = None,
    ) -> Filter:
        """The filter whose ledger is at ``path``; ``settings`` and ``starter`` are those of a new one.

        A starter is a file (starter.py); with None a new filter begins with nothing. One that ``follows``
        only answers, from what another process publishes: it takes no lock that keeps a writer waiting for
        more than a question, and makes no copy of the state where it can do without.
        """
        read_only = read_only or follows
        if create and not read_only and not os.path.exists(path):
            ledger = _created(path, settings or _new_settings(), starter)
        else:
            ledger = open_ledger(path, read_only)
        opened = cls(ledger, follows)
        rests_on_shared = not (ledger.fact(SHARED) or STARTER).startswith(STARTER)
        if not read_only and (rests_on_shared or ledger.has_split_labels()):
            opened._own.changing.unite_labels()
        return opened

    @property
    def _own(self) -> Opened:
        """What this thread has open."""
        thread = get_ident()
        if thread not in self._opened:
            self._opened[thread] = Opened(open_ledger(self._path, self._read_only), self._follows)
        return self._opened[thread]

    @property
    def ledger(self) -> Ledger:
        """The lessons."""
        return self._own.ledger

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:  # what waits to be mixed is learned by whoever comes next
            self._let_go()

    @property
    def checkpoints(self) -> Checkpoints:
        """The states that were saved on the way."""
        return self._own.replaying.checkpoints

    def close(self) -> None:
        """Settle what waits, and let go of the files, those of other threads too."""
        try:
            self.settle()
        finally:
            self._let_go()

    def _let_go(self) -> None:
        while self._opened:
            self._opened.popitem()[1].close()

    # Learning and forgetting

    def learn(
        self,
        lessons: Iterable[Lesson],
        progress: Callable[[Learned, Lesson], object] | None = None,
        replaying: Progress | None = None,
    ) -> Learned:
        """Teach lessons; messages that were taught already, with the same label, are left alone.

        They are safely stored then, and every answer knows them. A whole folder is mixed with the others by a
        replay of all lessons, which waits until somebody asks, or this filter is closed, or for `settle`: so
        ten folders, taught one by one, are replayed once.

        ``progress`` is called after each batch with what is safely stored by then, and with the last lesson
        of it. ``replaying`` is called where lessons have to be learned again: with how many are done, and how
        many there are.
        """
        total = Learned()
        changing = self._own.changing
        keep_mail = self.preferences.keep_mail
        bulk = changing.bulk_lessons()
        is_bulk = False
        postponing: bool | None = None
        taught: dict[str, int] = {}
        with changing.teaching():
            for batch in in_batches(lessons):
                if postponing is None:
                    is_bulk = len(batch) >= bulk
                    postponing = self.ledger.is_mixing_due() or (
                        is_bulk and (changing.is_of_no_use_yet() or changing.is_sure_to_be_mixed(batch))
                    )
                learned, appended = changing.learn(batch, keep_mail, postponing)
                total += learned
                for lesson in batch:
                    taught[lesson.label] = taught.get(lesson.label, 0) + 1
                if progress is not None:
                    progress(total, batch[-1])
                if not postponing:
                    changing.teach(appended)
            if changing.mix_or_leave(taught, is_bulk, total.learned + total.relearned >= bulk, replaying):
                self._lets_wait = True  # for more; whoever asks mixes them, here or in another process
        if not postponing:
            changing.save_due_checkpoint()
        changing.sweep(waiting=False)  # traces that an earlier forgetting could not remove
        return total

    def settle(self, progress: Progress | None = None) -> None:
        """Mix what `learn` has left, now: nobody who asks has to wait for that then."""
        if self._lets_wait:
            self._lets_wait = False  # before it is done: what is interrupted here is not begun again
            self._own.changing.settle(progress)

    def leave(self, progress: Progress | None = None) -> None:
        """The same for a command that others may follow, which teach more folders.

        What nobody has asked for yet is left to whoever asks first (`Changing.may_wait_for_asker`).
        """
        if self._lets_wait and self._own.changing.may_wait_for_asker():
            self._lets_wait = False
        self.settle(progress)

    def forget(self, selection: Selection, progress: Progress | None = None) -> int:
        """Erase the selected lessons, as if they had never been taught; how many there were."""
        selection.must_mean_some()
        if not self.count(selection):
            if selection.digest is not None and self.is_folded([selection.digest]):
                raise FoldedLesson(
                    "The lesson of this message was folded by deciban compact and cannot be forgotten."
                )
            self.sweep()
            return 0
        return self._own.changing.forget(selection, progress)

    def sweep(self) -> bool:
        """Remove every trace of forgotten lessons from all files; False if that was not possible.

        It is not possible while others read all the time, or if the disk is full. Forgetting calls this; if
        it fails there, the next process that changes the filter does it.
        """
        return self._own.changing.sweep()

    def is_swept(self) -> bool:
        """Whether no trace is left of what was forgotten; False if that cannot be told now."""
        try:
            return self.ledger.is_swept()
        except (CannotWrite, LedgerBusy):
            return False

    def forget_all(self, digests: Iterable[bytes], progress: Progress | None = None) -> int:
        """Erase the lessons of these messages with one replay; their number."""
        return self._own.changing.forget_all(digests, progress)

    def compact(self, before: float, progress: Progress | None = None) -> int:
        """Fold the lessons taught before a time, in seconds since 1970; how many there were.

        None of them can be forgotten or relearned any more.
        """
        return self._own.changing.fold(before, progress)

    def merge(self, path: str, progress: Progress | None = None, admit: Admission = iter) -> int:
        """Take over the lessons of another ledger; how many were new or replaced an older one.

        The union is put in an order that only the lessons decide (`Ledger.arrange`) and replayed: which
        ledger is merged into which does not matter. Of a message that both know, the lesson taught last is
        kept. ``admit`` hands the lessons on, or raises an error, after which nothing is taken over.
        """
        with open_ledger(path, read_only=True) as other, other.reading():
            return self._own.changing.unite(admit(other.foreign_lessons()), progress)

    def import_(
        self, stream: Iterable[str], progress: Progress | None = None, admit: Admission = iter
    ) -> int:
        """Take over the lessons of an export, as `merge` does; either all of them or none."""
        from deciban.ledger.exchange import read_lessons

        return self._own.changing.unite(admit(read_lessons(stream)), progress)

    def export(self, stream: IO[str]) -> int:
        """Write all lessons as JSON lines (see exchange.py); how many there are."""
        from deciban.ledger.exchange import write_lessons

        with self.ledger.reading():
            return write_lessons(stream, self.lessons())

    def bring_up(self) -> None:
        """Bring the state up to date now, so that nobody who asks has to wait for it."""
        if not self._read_only:
            self._own.changing.bring_up()

    # Asking

    def classify(self, question: Question, at_least: int = 0) -> Verdict:
        """What the filter makes of a message, in a state that knows ``at_least`` the lesson at a position."""
        return self.classify_many([question], at_least)[0]

    def weigh(self, question: Question, at_least: int = 0) -> Verdict:
        """The same, with the subtotals of the verdict: what is kept in a journal."""
        answer = self._own.asking.ask(lambda state: self._deciding.weighed(question, state), at_least)
        return Verdict.of({}) if answer is None else answer

    def classify_many(
        self, questions: Sequence[Question], at_least: int = 0, in_bulk: bool = False
    ) -> list[Verdict]:
        """What the filter makes of several messages, all of them in one state of it.

        Looking at locks, address and preferences takes 50 µs, as long as scoring a message. Here that is done
        only once for all messages. ``in_bulk``: hundreds more will follow, so it pays to list where things
        are in the state, which takes 16 MB of memory for each of its tables.
        """
        answer = self._own.asking.ask(
            lambda state: self._deciding.decided(questions, state, in_bulk=in_bulk), at_least
        )
        return [Verdict.of({}) for _ in questions] if answer is None else answer

    def tell_of_replays(self, progress: Progress) -> None:
        """Have this thread's questions tell how far a replay is that they wait for."""
        self._own.asking.progress = progress

    def hearing(self, patience: float = 0.0) -> Hearing:
        """Questions to the published state, one after the other, as a server asks them.

        Nothing is written or made, and nobody waits longer than ``patience`` seconds.
        """
        return Hearing(self._own.asking, self._deciding, self.preferences, patience)

    @property
    def held_bytes(self) -> int:
        """How much memory the published state takes, which all threads share."""
        return max((opened.published.held_bytes for opened in list(self._opened.values())), default=0)

    def rest(self) -> None:
        """Take no memory for the published state until somebody asks again: it is found in its file."""
        for opened in list(self._opened.values()):
            opened.published.rest()

    def why(self, question: Question, whereabouts: Whereabouts) -> Verdict:
        """What the filter makes of a message, with the evidence for it against the runner-up."""
        answer = self._own.asking.ask(lambda state: self._deciding.explained(question, whereabouts, state))
        return Verdict.of({}) if answer is None else answer

    def ask(self, question: Callable[[Learner], Answer]) -> Answer:
        """The answer of the current committee."""
        return self._ask(lambda state: question(state.look()))

    def _ask(self, question: Callable[[State], Answer]) -> Answer:
        """The answer of the current state."""
        answer = self._own.asking.ask(lambda state: (question(state),))
        if answer is None:
            raise LedgerBusy(
                f"{self._path} has no state yet: another process is making it. Try again when that is done."
            )
        return answer[0]

    # What the user prefers

    @property
    def preferences(self) -> Preferences:
        """What the user prefers; `prefer` changes it."""
        text = self.ledger.fact(PREFERENCES, "")
        known = self._preferences  # read and written as one: other threads do so, too
        if text != known[0]:
            known = self._preferences = text, _preferences_in(text).replaced(**self._for_now)
        return known[1]

    def prefer_for_now(self, **changes: object) -> None:
        """Change some of the `Preferences` for as long as this filter is open; nothing is written."""
        self._preferences = self._preferences[0], self.preferences.replaced(**changes)
        self._for_now |= changes

    def prefer(self, **changes: object) -> Preferences:
        """Change some of the `Preferences`, such as ``cost=99`` or ``promise=None``."""
        from deciban.filter.kept_mail import erase_old

        with self.ledger.writing():
            # Read again within the transaction: another process may have changed its preferences meanwhile.
            kept = _preferences_in(self.ledger.fact(PREFERENCES, ""))
            preferences = kept.replaced(**changes)
            self.ledger.set_fact(PREFERENCES, preferences.text())
            unlisted = (kept.contacts - preferences.contacts) | (kept.allowed - preferences.allowed)
            if erase_old(self.ledger, preferences.keep_mail) or unlisted:
                self.ledger.sweep_later()
        self.sweep()
        return preferences

    def assurance(self) -> Assurance:
        """The bar that spam must exceed, and on how much evidence."""
        return self._ask(self._deciding.assured)

    def good_mail(self, most: int) -> list[float]:
        """The log-odds of spam of the last good mails that came in, as a promise counts them."""
        return self._ask(lambda state: good_mail(self._deciding.exams_backwards(state), most)[0])

    # Shared filters

    def publish(self, path: str) -> SharedFilter:
        """Write the state into a file that others can rest on (see shared_filter.py)."""
        from deciban.filter.shared_filter import packed, publish

        lessons, data = self.ask(lambda committee: packed(self.settings, committee))
        return publish(path, lessons, data)

    def rest_on(self, path: str | None, progress: Progress | None = None) -> SharedFilter | None:
        """Replay the lessons on top of the shared filter that a file holds now; on nothing for None."""
        from deciban.filter.shared_filter import look_at

        shared, settings = look_at(path) if path is not None else (None, self.settings)
        self._own.changing.rest_on(shared, settings, progress)
        return shared

    def rest_on_starter(self, path: str, progress: Progress | None = None) -> SharedFilter:
        """Replay the lessons beside and on top of a starter."""
        from deciban.filter.starter import keep, starter_in

        starter = starter_in(path)
        keep(path, starter.digest, self._path)
        self._own.changing.rest_on(starter, self.settings, progress)
        return starter

    def shared(self) -> SharedFilter | None:
        """The shared filter that this one rests on."""
        if self.ledger.fact(SHARED) is None:
            return None
        from deciban.filter.shared_filter import pinned

        return pinned(self.ledger)

    def belief(self) -> float | None:
        """On a starter: how far it is believed beside own lessons, from 0 to 1; None without a starter."""
        shared = self.shared()
        if shared is None or not shared.is_starter:
            return None
        return self.ask(lambda panel: panel.belief)  # type: ignore[union-attr]

    def foundation(self) -> Learner | None:
        """The state of the shared filter or starter under this one, before any own lesson; None if none."""
        shared = self.shared()
        if shared is None:
            return None
        known = self._foundation
        if known is None or known[0] != shared:
            # An empty layer says what its foundation says.
            known = self._foundation = shared, self._own.replaying.begin()
        return known[1]

    def shared_evidence(self, question: Question, verdict: Verdict) -> float | None:
        """What the shared filter alone would say for a verdict against the runner-up, in decibans.

        None if this filter rests on no other, or if there was nothing to choose between. A label that the
        shared filter does not know gets no evidence from it.
        """
        foundation = None if verdict.probability is None else self.foundation()
        if foundation is None:
            return None
        totals = foundation.totals_of(question.features)
        against = runner_up(verdict.probabilities, verdict.label)
        if verdict.label not in totals or against not in totals:
            return 0.0
        return DECIBANS_A_NAT * (totals[verdict.label] - totals[against])

    # What there is

    @property
    def settings(self) -> Settings:
        """The settings that the ledger was made with."""
        return self.ledger.settings

    def spelling(self, label: str) -> str:
        """How a label is spelled here: as it was taught first, whatever its case and outer space."""
        return self._own.changing.spelling(label)

    def labels(self) -> dict[str, int]:
        """How many lessons of each label there are, in the order of their first lessons."""
        return self.ledger.labels()

    def known_labels(self) -> tuple[str, ...]:
        """Every label that a verdict can have."""
        from deciban.filter.shared_filter import labels_of

        return labels_of(self.shared(), self.labels())

    def lessons(self, selection: Selection | None = None) -> Iterator[Lesson]:
        """The selected lessons, or all of them, in the order in which they are replayed."""
        return self.ledger.select(selection or Selection())

    def newest_lessons(
        self, most: int, selection: Selection | None = None, behind: Cursor | None = None
    ) -> list[Lesson]:
        """A page of the selected lessons, or of all, those taught last first; ``behind`` the page before."""
        return self.ledger.newest(selection or Selection(), behind or START, most)

    def count(self, selection: Selection) -> int:
        """How many lessons are selected."""
        return self.ledger.count_of(selection)

    def folded(self) -> Folded:
        """The lessons that cannot be taken back any more."""
        return self.ledger.folded()

    def is_folded(self, digests: list[bytes]) -> bool:
        """Whether the lesson of one of these messages was folded."""
        return bool(self.ledger.folded_labels_of(digests))

    def can_forget(self, digest: bytes) -> bool:
        """Whether there is a lesson of a message that can be forgotten."""
        return self.ledger.has(digest)

    def names(self) -> set[str]:
        """The words whose text some lesson kept."""
        with self.ledger.reading():
            return self.ledger.names()

    def kept_mail(self, digest: bytes) -> bytes | None:
        """The mail of a lesson, if it was kept."""
        from deciban.filter.kept_mail import kept_mail

        return kept_mail(self.ledger, digest)

    def kept_mails(self) -> KeptMails:
        """How many mails are kept, and the bytes that they take."""
        return self.ledger.kept_mails()

    def exams(self) -> Iterator[tuple[bytes, str, ExamRow]]:
        """What was made of each lesson before it was learned: its digest, true label and exam."""

        def listed(state: State) -> list[tuple[bytes, str, ExamRow]]:
            digests = dict(self.ledger.digests())
            return [
                (digests[exam.position], exam.label, exam.row)
                for exam in state.exams()
                if exam.position in digests
            ]

        folded = [(exam.digest, exam.label, exam.row) for exam in self.ledger.folded_exams()]
        return iter(folded + self._ask(listed))

    def position(self) -> int:
        """The position of the last lesson, which `classify` can ask for."""
        return self.ledger.last_position()

    def address(self) -> Address:
        """The address of the state that knows every lesson."""
        return self.ledger.address()

    def recent_lessons(self, count: int) -> Iterator[Placed]:
        """The last lessons, in their order: ``count`` of them, or fewer if some were forgotten."""
        with self.ledger.reading():
            yield from self.ledger.replay(max(self.ledger.last_position() - count, 0))

    def last_taught(self) -> int:
        """When the last lesson was taught, in microseconds since 1970; 0 if there is none."""
        return self.ledger.last_taught()

    def state(self) -> bytes:
        """The bytes of everything learned."""
        return self.ask(lambda committee: committee.state())

    def is_replay(self) -> bool:
        """Whether the law holds: the state is what a replay of the ledger gives, exams included."""
        kept = self._ask(lambda state: (state.look().state(), [exam.row for exam in state.exams()]))
        with self.ledger.reading():
            fresh = self._own.replaying.in_memory(from_the_foundation=True)
        try:
            return kept == (fresh.look().state(), [exam.row for exam in fresh.exams()])
        finally:
            fresh.close()


def _preferences_in(text: str) -> Preferences:
    """What a ledger says that its user prefers, which is nothing until `prefer` is called."""
    return Preferences.from_text(text) if text else Preferences()


def _created(path: str, settings: Settings, starter: str | None) -> Ledger:
    """A new ledger, which rests on the starter in a file."""
    if starter is None:
        return create_ledger(path, settings)
    from deciban.filter.starter import keep, starter_in

    shared = starter_in(starter)
    ledger = create_ledger(path, settings, shared.text())
    keep(starter, shared.digest, ledger.path)
    return ledger


def _new_settings() -> Settings:
    from deciban.committee.settings import Settings

    return Settings(salt=int.from_bytes(os.urandom(8), "little"))
