r"""A desk: one filter with its journal. Every door works with one of these.

>>> import os, tempfile
>>> from deciban.filter import Filter
>>> from deciban.journal.journal_writer import JournalWriter
>>> from deciban.journal.sqlite_journal import SqliteJournal
>>> from deciban.sources import RawMessage
>>> folder = tempfile.mkdtemp()
>>> mail_filter = Filter.open(os.path.join(folder, "mail.db"))
>>> writer = JournalWriter(SqliteJournal(os.path.join(folder, "mail.db.journal"), create=True))
>>> desk = Desk(mail_filter, writer, door="example")
>>> for number in range(5):
...     _ = desk.learn([RawMessage("", b"Subject: Free money\n\nNumber %d" % number)], "spam")
...     _ = desk.learn([RawMessage("", b"Subject: Lunch\n\nAt %d?" % number)], "ham")
>>> asked = desk.ask(RawMessage("", b"Subject: Free lunch money"))
>>> asked.verdict.label, desk.correct(asked.id, "ham").learned, mail_filter.labels()
('spam', 1, {'spam': 5, 'ham': 6})
>>> desk.undo(asked.id), mail_filter.labels()
(None, {'spam': 5, 'ham': 5})
>>> writer.close(), mail_filter.close()
(None, None)

**Which entry is a message's?** The one whose id its tag carries, if the Message-ID is the same: digests
change on the way to a mailbox, the id does not. What is taught then is what the filter saw, so that a message
has one lesson, however often it is sorted. Otherwise its digest and its Message-ID tell.

**Corrections as the only feedback.** Most users only sort what the filter got wrong. `draw_sample` then
teaches a random tenth of the good verdicts that nobody contested for three days, each as a sample that stands
for ten, so that a promise rests on all mail and not on mistakes alone (filter/threshold.py).
"""

from __future__ import annotations

from contextlib import suppress
from time import time

from deciban.errors import FilterError, NoSuchEntry
from deciban.filter.mail import Question, lesson_of, lessons_of
from deciban.filter.tagging import identity_in
from deciban.journal.journal_entry import LEARNED, TOLD, JournalEntry, Outcome
from deciban.ledger.lesson import INCOMING, SAMPLE, Selection
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from deciban.filter import Filter, Learned, Verdict
    from deciban.filter.filter import Admission
    from deciban.filter.preferences import Preferences
    from deciban.journal.journal_writer import JournalWriter
    from deciban.ledger import Lesson
    from deciban.sources import RawMessage

# evaluate/corrections.py has what other shares and delays would give.
SHARE = 0.1
SILENCE_SECONDS = 3 * 86_400
# Learned in one go: a server does other work in between.
MOST_SAMPLED = 500


class Asked(Value):
    """The answer to a question, and the id of its entry."""

    verdict: Verdict
    id: bytes


class Desk:
    """One filter with its journal, as one door uses it; for one thread."""

    def __init__(
        self,
        mail_filter: Filter,
        writer: JournalWriter,
        space: str = "",
        door: str = "",
        admit: Admission = iter,
        keeps_lessons: bool = True,
    ) -> None:
        """``keeps_lessons``: whether a lesson about a message without an entry gets one."""
        self.mail_filter, self.writer = mail_filter, writer
        self.space, self.door = space, door
        self._admit = admit
        self._keeps_lessons = keeps_lessons
        self._taught: list[tuple[JournalEntry, str, str]] = []

    # Asking

    def ask(self, raw: RawMessage, done: str = TOLD) -> Asked:
        """What the filter makes of a message; its entry is written later."""
        verdict, entry = judged(self.mail_filter, raw, self.door, done, self.space)
        self.writer.put(entry)
        return Asked(verdict, entry.id)

    def note(self, lesson: Lesson, verdict: Verdict | None, done: str) -> bytes:
        """Make an entry about a message that was judged or learned; its id."""
        entry = JournalEntry.of(lesson, verdict, self.door, done, self.space)
        self.writer.put(entry)
        return entry.id

    # Learning

    def learn(
        self, messages: Iterable[RawMessage], label: str, by: str = "", origin: str = INCOMING
    ) -> Learned:
        """Teach messages; those that were judged before are known by their tags, and their entries say so."""
        label = self.mail_filter.spelling(label)  # here, so that a label that cannot be one changes nothing
        return self.learn_each(((label, origin, raw) for raw in messages), by)

    def learn_each(
        self,
        messages: Iterable[tuple[str, str, RawMessage]],
        by: str = "",
        progress: Callable[[Learned], object] | None = None,
    ) -> Learned:
        """Teach messages as they come, each with its label and origin.

        ``progress`` is called after each batch with what is safely stored by then.
        """
        spellings: dict[str, str] = {}
        preferences = self.mail_filter.preferences

        def lessons() -> Iterator[Lesson]:
            for label, origin, raw in messages:
                if label not in spellings:
                    spellings[label] = self.mail_filter.spelling(label)
                (found,) = tagged_lessons_of(spellings[label], by, preferences, [raw], origin)
                yield self.recognised(*found)

        def acknowledge(learned: Learned, _: Lesson) -> None:
            self.mark_taught()
            if progress is not None:
                progress(learned)

        return self._teach(lessons(), acknowledge)

    def recognised(self, lesson: Lesson, identity: bytes) -> Lesson:
        """The lesson, or that of the entry about the same message; `mark_taught` writes its outcome."""
        try:
            entries = self.writer.journal.about(self.space, identity, lesson.digest, lesson.message_id)
        except (FilterError, OSError):  # a journal that cannot be read stands in the way of no lesson
            entries = []
        for entry in entries:
            self._taught.append((entry, lesson.label, self._label_of(entry.digest)))
            if entry.id == identity and entry.message_id == lesson.message_id:
                lesson = entry.lesson(lesson.label, lesson.by, lesson.origin, lesson.share, lesson.mail)
        if not entries and self._keeps_lessons:
            self.note(lesson, None, LEARNED)
        return lesson

    def mark_taught(self) -> None:
        """Write what became of the messages that were taught by now; if that cannot be done yet, it waits."""
        moment = int(time() * 1e6)
        for entry, label, before in self._taught:
            self.writer.put(entry.replaced(outcome=Outcome(label, moment, before)))
        self._taught.clear()
        self._flush()

    def _teach(
        self, lessons: Iterable[Lesson], progress: Callable[[Learned, Lesson], object] | None = None
    ) -> Learned:
        self._flush()
        learned = self.mail_filter.learn(self._admit(lessons), progress)
        if self._taught:
            self.mark_taught()
        self.mail_filter.settle()  # others ask, and should not have to wait for it
        return learned

    def _flush(self) -> None:
        """Write the journal, if that is possible; otherwise it waits."""
        with suppress(FilterError, OSError):
            self.writer.flush()

    def _label_of(self, digest: bytes) -> str:
        """What a message was taught as; empty if it was not."""
        return next((each.label for each in self.mail_filter.lessons(Selection(digest=digest))), "")

    # Corrections

    def entry(self, identity: bytes) -> JournalEntry:
        """The entry of an id; NoSuchEntry if it is not there, or not any more."""
        self._flush()
        found = self.writer.journal.entry(self.space, identity)
        if found is None:
            raise NoSuchEntry(
                f"The journal has no entry {identity.hex()}, or none any more: it keeps them for "
                f"{self.writer.journal.days} days. deciban journal lists them."
            )
        return found

    def correct(self, identity: bytes, label: str, by: str = "") -> Learned:
        """Teach the message of an entry, without the mail."""
        entry = self.entry(identity)
        label = self.mail_filter.spelling(label)
        self._taught.append((entry, label, self._label_of(entry.digest)))
        return self._teach([entry.lesson(label, by)])

    def undo(self, identity: bytes) -> None:
        """Take back what the user made of a message: its lesson is as it was before."""
        entry = self.entry(identity)
        if entry.outcome is None:
            raise NoSuchEntry(f"The message of entry {identity.hex()} was not taught, so nothing is undone.")
        if entry.outcome.before:
            self.mail_filter.learn([entry.lesson(entry.outcome.before)])
            self.mail_filter.settle()
        else:
            self.mail_filter.forget(Selection(digest=entry.digest))
        undone = entry.replaced(outcome=None)
        try:
            self.writer.journal.mark([undone])
        except (FilterError, OSError):  # whoever closes the journal tries again, and tells if it fails
            self.writer.put(undone)

    def forget(self, digests: Iterable[bytes] = (), sender: str | None = None) -> int:
        """Erase the entries about some messages, or all from a sender; how many there were."""
        self.writer.flush()
        found = self.writer.journal.identities(self.space, digests, sender)
        self.writer.journal.erase_entries(found)
        return len(found)

    def draw_sample(self, now: float | None = None) -> int:
        """Teach a random share of the good verdicts that nobody contested for three days; how many."""
        until = int(((time() if now is None else now) - SILENCE_SECONDS) * 1e6)
        entries = self.writer.journal.uncontested(self.space, until)
        drawn: list[Lesson] = []
        for entry in entries:
            if len(drawn) == MOST_SAMPLED:
                break
            until = entry.moment
            label = entry.good_label
            # The id is random: one in ten of all ids is below a tenth of the greatest.
            if label and _is_drawn(entry.id) and not self._label_of(entry.digest):
                drawn.append(entry.lesson(label, origin=SAMPLE, share=SHARE))
        if entries:
            self.mail_filter.learn(self._admit(drawn))
            self.mail_filter.settle()
            self.writer.journal.sampled(self.space, until)
        return len(drawn)


def judged(
    mail_filter: Filter, raw: RawMessage, door: str, done: str = TOLD, space: str = "", at_least: int = 0
) -> tuple[Verdict, JournalEntry]:
    """What the filter makes of a message, and the entry about it, for whoever writes the journal."""
    lesson = lesson_of("", "", mail_filter.preferences, raw)
    verdict = mail_filter.weigh(Question(lesson.features, lesson.sender), at_least)
    return verdict, JournalEntry.of(lesson, verdict, door, done, space)


def tagged_lessons_of(
    label: str, by: str, preferences: Preferences, raws: list[RawMessage], origin: str = INCOMING
) -> list[tuple[Lesson, bytes]]:
    """What is learned from messages, each with the id that its tag carries; empty if none."""
    lessons = lessons_of(label, by, preferences, raws, origin)
    return [(lesson, identity_in(raw.data)) for lesson, raw in zip(lessons, raws, strict=True)]


def _is_drawn(identity: bytes) -> bool:
    return int.from_bytes(identity[:8], "big") < SHARE * 2**64
