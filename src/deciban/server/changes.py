"""What the writer does for each call: every change of a space, of the registry and of the journal.

All of this runs in threads of the writer. Arguments and results are plain values, as they travel in frames.
A space is named by its name and its id: if another space has got the name meanwhile, nothing is done.

Each may be asked for twice, because the writer may die after the work and before the answer. Then the answer
is that of the first time: what is wanted is there already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from io import StringIO
from typing import TYPE_CHECKING, Any

from deciban.errors import BadRequest, DamagedLedger, FoldedLesson, NewerFormat, NoSuchSpace, UnknownKey
from deciban.filter.address_text import address_text
from deciban.filter.lesson_record import lesson_record
from deciban.journal.journal_entry import PackedEntry
from deciban.ledger import Selection
from deciban.sources import RawMessage
from deciban.spaces.key import Key, KeyScope
from deciban.spaces.quota import Quota

if TYPE_CHECKING:
    from deciban.filter import Filter, Learned
    from deciban.journal.journal_writer import JournalWriter
    from deciban.server.learning_stream import LearningStream, Taught
    from deciban.spaces import Spaces
    from deciban.spaces.space import Space

Record = dict[str, Any]


class Changes:
    """Everything that can be changed; several threads use it."""

    def __init__(self, spaces: Spaces, journal: JournalWriter) -> None:
        self._spaces, self._journal = spaces, journal

    def note(self, rows: list[list[Any]], **_: object) -> None:
        """Entries for the journal, as `JournalEntry.row` has them; written half a second later."""
        self._journal.put_all([PackedEntry(row) for row in rows])

    def flush_journal(self) -> Record:
        """Write the entries that wait, for somebody who is about to read them."""
        self._journal.flush()
        return {}

    # One space

    def learn(self, messages: list[Taught], by: str, door: str, **space: str) -> Record:
        """Teach a few messages, each with label, origin and id."""
        with self._using(**space) as opened:
            labels: dict[str, int] = {}
            desk = opened.desk(self._journal, door)
            taught = ((label, origin, RawMessage(name, data)) for label, origin, name, data in messages)
            learned = desk.learn_each(_counted(taught, labels), by)
            return _learned_record(learned, labels, opened.mail_filter)

    def learn_stream(
        self,
        stream: LearningStream,
        progress: Callable[[Learned], object],
        by: str,
        door: str,
        **space: str,
    ) -> Record:
        """Teach messages as they come; for many, no entries of the journal are made."""
        with self._using(**space) as opened:
            labels: dict[str, int] = {}
            desk = opened.desk(self._journal, door, keeps_lessons=False)
            learned = desk.learn_each(_counted(stream, labels), by, progress)
            return _learned_record(learned, labels, opened.mail_filter)

    def correct(self, entry: bytes, label: str, by: str, **space: str) -> Record:
        """Teach the message of an entry."""
        with self._using(**space) as opened:
            desk = opened.desk(self._journal, "correct")
            learned = desk.correct(entry, label, by)
            desk.draw_sample()
            spelled = opened.mail_filter.spelling(label)
            return {
                "entry": entry.hex(),
                "label": spelled,
                "known": bool(learned.known),
                **_place(opened.mail_filter),
            }

    def undo(self, entry: bytes, again: bool = False, **space: str) -> Record:
        """Take back what the user made of a message; ``again``: that may have been done."""
        with self._using(**space) as opened:
            desk = opened.desk(self._journal, "undo")
            if not (again and desk.entry(entry).outcome is None):
                desk.undo(entry)
            return {"entry": entry.hex(), **_place(opened.mail_filter)}

    def forget(self, selections: list[Record], **space: str) -> Record:
        """Erase lessons, and the entries about their messages."""
        with self._using(**space) as opened:
            mail_filter, desk = opened.mail_filter, opened.desk(self._journal, "forget")
            chosen = [Selection(**selection) for selection in selections]
            lessons = [lesson for selection in chosen for lesson in mail_filter.lessons(selection)]
            digests = {lesson.digest for lesson in lessons}
            wanted = [selection.digest for selection in chosen if selection.digest is not None]
            if not lessons and mail_filter.is_folded(wanted):
                raise FoldedLesson("That lesson was folded: it stays learned and cannot be forgotten.")
            mail_filter.forget_all(digests)
            entries = desk.forget(digests | _only_asked(chosen))
            for selection in chosen:
                if selection == Selection(sender=selection.sender):
                    entries += desk.forget(sender=selection.sender)
            return {
                "forgotten": [lesson_record(lesson) for lesson in lessons],
                "entries": entries,
                "swept": mail_filter.is_swept(),
                **_place(mail_filter),
            }

    def prefer(self, changes: Record, **space: str) -> Record:
        """Change preferences."""
        with self._using(**space) as opened:
            opened.mail_filter.prefer(**changes)
            return {}

    def import_(self, text: str, **space: str) -> Record:
        """Take over exported lessons, all or none."""
        from deciban.ledger.exchange import read_lessons

        try:
            for _ in read_lessons(StringIO(text)):
                pass
        except (DamagedLedger, NewerFormat) as error:  # of the sender, not of our own file
            raise BadRequest(str(error)) from None
        with self._using(**space) as opened:
            count = opened.mail_filter.import_(StringIO(text), admit=opened.admit)
            return {"imported": count, **_place(opened.mail_filter)}

    def bring_up(self, **space: str) -> Record:
        """Make the files of a space if it has none, and its state if it is not up to date."""
        with self._using(**space) as opened:
            opened.mail_filter.bring_up()
            return {}

    # The folder

    def add_space(
        self, name: str, identity: str, lessons: int | None, size: int | None, starter: bool
    ) -> Record:
        """Make a space, of this id."""
        known = self._spaces.registry.find_if_any(name)
        if known is None or known.id != identity:
            (known,) = self._spaces.add([name], "", Quota(lessons, size), starter, identity)
        return {"name": known.name}

    def rename_space(self, new: str, **space: str) -> Record:
        """Give a space another name."""
        known = self._spaces.registry.find_if_any(new)
        if known is not None and (known.id, known.name) == (space["identity"], new):
            return {"name": known.name}
        self._record(**space)
        return {"name": self._spaces.rename(space["name"], new).name}

    def set_quota(self, lessons: int | None, size: int | None, **space: str) -> Record:
        """Change how much a space may hold."""
        self._record(**space)
        self._spaces.set_quota(space["name"], Quota(lessons, size))
        return {}

    def delete_space(self, **space: str) -> Record:
        """Remove a space with all that is in it."""
        if not self._spaces.registry.has(space["identity"]):
            self._spaces.tidy()  # whoever removed it may have died before its files were gone
            return {}
        self._record(**space)
        self._journal.flush()
        self._spaces.delete(space["name"])
        return {}

    def add_key(
        self,
        rights: list[str],
        scope: list[str],
        expires: int | None,
        note: str,
        by: str,
        name: str,
        identity: str,
    ) -> Record:
        """Make a key, by another if one is named by its id; its text is in the answer, and nowhere else."""
        maker = self._key(by) if by else None
        self.revoke_key(identity)  # nobody was told the text of one that was made just now
        key, text = self._spaces.keys.add(rights, KeyScope(*scope), expires, note, maker, name, identity)
        return {"id": key.id, "key": text}

    def revoke_key(self, key_id: str) -> Record:
        """Let a key open nothing any more; the worker has looked whether there is one."""
        with suppress(UnknownKey):
            self._spaces.keys.revoke(key_id)
        return {}

    def touch_keys(self, ids: list[str]) -> Record:
        """Remember that keys were used."""
        for identity in ids:
            found = self._spaces.keys.find(identity)
            if found is not None:
                self._spaces.keys.touch(found)
        return {}

    def _key(self, identity: str) -> Key:
        found = self._spaces.keys.find(identity)
        if found is None:
            raise NoSuchSpace("The key that asked for this was revoked meanwhile.")
        return found

    def _record(self, name: str, identity: str) -> None:
        if self._spaces.find(name).id != identity:
            raise NoSuchSpace(f"The space {name!r} was deleted meanwhile.")

    @contextmanager
    def _using(self, name: str, identity: str) -> Iterator[Space]:
        with self._spaces.using(name) as space:
            if space.record.id != identity:
                raise NoSuchSpace(f"The space {name!r} was deleted meanwhile.")
            yield space


CHANGES: dict[str, Callable[..., Record]] = {
    "learn": Changes.learn,
    "correct": Changes.correct,
    "undo": Changes.undo,
    "forget": Changes.forget,
    "prefer": Changes.prefer,
    "import": Changes.import_,
    "bring up": Changes.bring_up,
    "add space": Changes.add_space,
    "rename space": Changes.rename_space,
    "set quota": Changes.set_quota,
    "delete space": Changes.delete_space,
    "add key": Changes.add_key,
    "revoke key": Changes.revoke_key,
    "touch keys": Changes.touch_keys,
    "flush journal": Changes.flush_journal,
}


# After these, workers must not believe what they remember of spaces and keys.
OF_THE_REGISTRY = frozenset(
    {"add space", "rename space", "set quota", "delete space", "add key", "revoke key"}
)

# These need the entries of all questions that were answered before.
OF_THE_JOURNAL = frozenset({"learn", "correct", "undo", "forget", "delete space", "flush journal"})


def _counted(
    messages: Iterable[tuple[str, str, RawMessage]], labels: dict[str, int]
) -> Iterator[tuple[str, str, RawMessage]]:
    for label, origin, raw in messages:
        labels[label] = labels.get(label, 0) + 1
        yield label, origin, raw


def _learned_record(learned: Learned, labels: dict[str, int], mail_filter: Filter) -> Record:
    spelled: dict[str, int] = {}
    for label, count in labels.items():
        label = mail_filter.spelling(label)
        spelled[label] = spelled.get(label, 0) + count
    numbers = {name: getattr(learned, name) for name in learned.field_names}
    return {"labels": spelled, **numbers, **_place(mail_filter)}


def _place(mail_filter: Filter) -> Record:
    """Where the ledger is now: what `at_least` can ask for."""
    address = mail_filter.address()
    return {"position": address.position, "address": address_text(address)}


def _only_asked(chosen: list[Selection]) -> set[bytes]:
    """Digests of messages that may have entries without lessons."""
    return {
        each.digest for each in chosen if each.digest is not None and each == Selection(digest=each.digest)
    }
