r"""Everything about one person in a filter and its journal: found, and erased.

A lesson or an entry is about an address if the address stands in any text that it keeps, in its kept mail, or
among its features: words such as ``from:ann@example.org`` are kept as hashes, which can be compared.

>>> ann = Correspondent("Ann@example.org")
>>> ann.is_in("Re: mail from ann@EXAMPLE.org."), ann.is_in("joann@example.org, ann@example.org.au")
(True, False)

What cannot be told: folded lessons keep no text and no features of their own, and a shared filter is not
changed. Both are reported.
"""

from __future__ import annotations

import re

from deciban.committee._lesson_code import shorten
from deciban.errors import WrongUsage
from deciban.text import read
from deciban.text._views import sightings
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from deciban.committee._lesson_code import Features
    from deciban.filter import Filter
    from deciban.filter.replaying import Progress
    from deciban.journal.journal_entry import JournalEntry
    from deciban.journal.sqlite_journal import SqliteJournal
    from deciban.ledger import Lesson

# Fields of which a feature is a whole address.
FIELDS = ("From", "To", "Cc", "Bcc", "Sender", "Reply-To", "Return-Path", "Delivered-To", "X-Original-To")
TEXTS = ("source", "sender", "subject", "date", "message_id", "names")


class Found(Value):
    """What one filter and its journal hold about a person."""

    lessons: tuple[bytes, ...] = ()
    """Their digests."""
    entries: tuple[bytes, ...] = ()
    """Their ids."""
    mails: int = 0
    """How many of the lessons have their mail kept beside them."""
    contacts: int = 0
    """In how many lists of the preferences the person is: contacts, allowed senders."""
    folded: int = 0
    """Lessons of which nobody can tell any more whom they are about."""
    rests_on: str = ""
    """The shared filter, in which something may be too."""

    def __bool__(self) -> bool:
        return bool(self.lessons or self.entries or self.contacts)


class Correspondent:
    """Somebody with a mail address."""

    def __init__(self, address: str) -> None:
        self.address = address.strip().lower()
        user, at, domain = self.address.rpartition("@")
        if not (user and at and domain) or not self.address.isprintable() or " " in self.address:
            raise WrongUsage(
                f"a whole mail address is needed, such as ann@example.org, got {address!r} instead"
            )
        self._pattern = re.compile(rf"(?<![\w.+-]){re.escape(self.address)}(?![\w-]|\.\w)", re.IGNORECASE)
        self._features = frozenset(self._made_features())

    def is_in(self, text: str) -> bool:
        """Whether the whole address stands in a text."""
        return self._pattern.search(text) is not None

    def find(self, mail_filter: Filter, journal: SqliteJournal | None, space: str) -> Found:
        """What a filter and its journal hold about this person."""
        lessons, mails = [], 0
        for lesson in mail_filter.lessons():
            mail = mail_filter.kept_mail(lesson.digest)
            if self._is_meant(lesson) or (mail is not None and self._is_in_mail(mail)):
                lessons.append(lesson.digest)
                mails += mail is not None
        entries = (
            [] if journal is None else [each.id for each in journal.entries(space) if self._is_meant(each)]
        )
        preferences, shared = mail_filter.preferences, mail_filter.shared()
        return Found(
            lessons=tuple(lessons),
            entries=tuple(entries),
            mails=mails,
            contacts=(self.address in preferences.contacts) + (self.address in preferences.allowed),
            folded=mail_filter.folded().lessons,
            rests_on="" if shared is None or shared.is_starter else shared.path,
        )

    def erase(
        self,
        found: Found,
        mail_filter: Filter,
        journal: SqliteJournal | None,
        progress: Progress | None = None,
    ) -> None:
        """Erase what was found, as if it had never been there."""
        if found.lessons:
            mail_filter.forget_all(found.lessons, progress)
        if journal is not None and found.entries:
            journal.erase_entries(found.entries)
        if found.contacts:
            preferences = mail_filter.preferences
            mail_filter.prefer(
                contacts=preferences.contacts - {self.address}, allowed=preferences.allowed - {self.address}
            )

    def _is_meant(self, item: Lesson | JournalEntry) -> bool:
        texts = [getattr(item, name) for name in TEXTS]
        return self._has(item.features) or any(map(self.is_in, (*texts, getattr(item, "by", ""))))

    def _has(self, features: Features) -> bool:
        return not self._features.isdisjoint(features.words)

    def _is_in_mail(self, mail: bytes) -> bool:
        message = read(mail)
        return self.is_in(mail.decode("utf-8", "replace")) or self.is_in(message.text)

    def _made_features(self) -> Iterable[int]:
        """The features that a mail has if it names the address in a field: they hold all of it."""
        head = "".join(f"{field}: {self.address}\n" for field in FIELDS)
        message = read(
            f"{head}Subject: {self.address}\n\n{self.address}\n".encode("utf-8", "surrogateescape")
        )
        wanted = self.address.encode("utf-8", "surrogateescape")
        for feature, name, *_ in sightings(message, "words", ()):
            if name.lower().endswith(wanted):
                yield shorten(feature)
