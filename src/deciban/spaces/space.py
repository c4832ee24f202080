"""An open space: the filter of one user, mailbox or topic, and how much it may hold."""

from __future__ import annotations

from deciban.journal.desk import Desk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from deciban.filter import Filter, Learned
    from deciban.journal.journal_writer import JournalWriter
    from deciban.ledger import Lesson
    from deciban.spaces.sqlite_registry import SpaceRecord

DATABASE = "filter.db"


class Space:
    """A space while it is in use; `Spaces.using` gives one."""

    def __init__(self, record: SpaceRecord, path: str, mail_filter: Filter) -> None:
        self.record = record
        self.mail_filter = mail_filter
        self.path = path

    def desk(self, writer: JournalWriter, door: str, keeps_lessons: bool = True) -> Desk:
        """The filter with the journal of the folder, for one door; it learns within the quota, too."""
        return Desk(self.mail_filter, writer, self.record.id, door, self.admit, keeps_lessons)

    def learn(
        self, lessons: Iterable[Lesson], progress: Callable[[Learned, Lesson], object] | None = None
    ) -> Learned:
        """Teach lessons, as `Filter.learn` does, within the quota of this space; nothing waits afterwards."""
        learned = self.mail_filter.learn(self.admit(lessons), progress)
        self.mail_filter.settle()
        return learned

    def admit(self, lessons: Iterable[Lesson]) -> Iterable[Lesson]:
        """The lessons, for as long as there is room for them."""
        return self.record.quota.within(self.mail_filter, self.path, lessons)
