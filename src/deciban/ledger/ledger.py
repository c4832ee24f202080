"""The contract of a ledger: what it keeps, what it promises, and who may call what and when.

A ledger is the durable, ordered list of lessons. It is the only truth of a filter; the state is made from it
by replay, and everything else may be lost:

    state == replay(settings, foundation, lessons), bit for bit

**What it keeps.** Lessons, each under the digest of its message, at most one for each digest. The order in
which they are replayed, as positions 1, 2, 3 … with gaps where lessons were removed, and at every position
the trail (trail.py): a digest of all lessons up to there, in their order. Facts: values that hold for the
whole ledger (facts.py). What is left of folded lessons: digest, label, exam, and together one state, the
foundation. Mail, only for those who ask for it. States are kept beside it, by whoever makes them.

**What it promises.**

- What was committed is durable: it survives a crash and a power cut. A transaction happens whole or not at
  all.
- No damaged lesson is believed: each has a check of all its fields, and reading a wrong one raises
  DamagedLedger. A replay follows the trail, so that no lesson is missed either.
- `address` changes with every commit that changes what a replay gives. A state belongs to the ledger if and
  only if id and base are the same, and the ledger has the state's trail at the state's position; then the
  lessons behind that position are what it lacks.
- Removing a lesson removes all that belongs to it: kept mail, and the name of a label that no other lesson
  has. Once `sweep` says so, no byte of it is left in the ledger's own files; while somebody reads, it cannot,
  and a sweep that was asked for by `sweep_later` stays due.
- It speaks of lessons, digests and positions. How it stores them is its own affair: no SQL outside.

**Who may call what and when.** Every method that changes something is called within `writing`, which takes
the write lock; several processes may hold the ledger open, one writes at a time, the others wait for some
time and then get LedgerBusy. Appending needs no more. Whoever changes the order or the number of lessons that
are there, or the base, holds the filter's build lock as well (locks.py), so that a replay, which reads page
by page, goes along one trail. Readers are never kept out: `reading` gives one view of the ledger, whatever
others write meanwhile. A ledger that was opened read-only refuses to write with CannotWrite. One ledger
object is for one thread at a time.

SqliteLedger is the first implementation; `open_ledger` opens whatever is at a path.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager
    from typing import Any, Protocol, Self

    from deciban.committee.settings import Settings
    from deciban.ledger._placed import Placed
    from deciban.ledger.cursor import Cursor
    from deciban.ledger.lesson import Lesson, Selection
    from deciban.ledger.records import Address, ExamRow, Finding, Folded, FoldedExam, KeptMails
else:
    Protocol = object  # an implementation that lacks something is found by mypy; importing typing takes 5 ms


class Ledger(Protocol):
    """An open ledger."""

    path: str
    read_only: bool

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""

    @property
    def settings(self) -> Settings:
        """What lessons are replayed with, as of the last `address`."""

    # Transactions

    def writing(self) -> AbstractContextManager[None]:
        """One transaction: all of it happens, durably, or nothing."""

    def commit(self) -> None:
        """Make what was written durable; within `writing`, which does it at its end unless it is done."""

    def reading(self) -> AbstractContextManager[None]:
        """One view of the ledger, whatever others write meanwhile."""

    def sweep_later(self) -> None:
        """Make a sweep due, together with what is being removed."""

    def is_swept(self) -> bool:
        """Whether no sweep is due."""

    def sweep(self, waiting: bool = True) -> bool:
        """Leave no trace of what was removed; False if others read all the time, or the disk is full.

        With ``waiting`` it waits for them as long as for the write lock, otherwise not at all.
        """

    def remove_copies(self) -> None:
        """Remove copies of the ledger that were kept when it was taken over, restored or repaired."""

    def remove_left_overs(self) -> None:
        """Remove files that processes left which died while they made, copied or restored the ledger.

        Under the build lock, which everybody has who copies something into its place.
        """

    def back_up(self, path: str, replacing: bool = False) -> None:
        """Copy the ledger as it is now to a new file, while others use it: the file appears whole or not.

        One that is there is an error, unless ``replacing``.
        """

    def become(self, path: str) -> None:
        """Take over all that another ledger's file holds, at once, while others use this one.

        Under the build lock.
        """

    def findings(self) -> Iterator[Finding]:
        """What a check of everything finds, part by part; it changes nothing."""

    def shrink(self) -> None:
        """Give back the room of what was removed, if nobody is using the ledger."""

    # What holds for all of it

    def address(self) -> Address:
        """The address of the state of all lessons."""

    def trail_at(self, position: int) -> bytes | None:
        """The trail at a position, 0 too; None if no lesson is there."""

    def fact(self, key: str, otherwise: object = None) -> Any:
        """What holds for the whole ledger under this key (see facts.py)."""

    def set_fact(self, key: str, value: object) -> None:
        """Change what holds for the whole ledger, nothing for None."""

    def set_settings(self, settings: Settings) -> None:
        """Replay with other settings from now on."""

    # Lessons

    def append(self, lessons: Iterable[tuple[Lesson, int]], to_arrange: bool = False) -> list[Placed]:
        """Write lessons at the end, each with when it was taught; where they are now.

        ``to_arrange`` says that `arranged` will soon ask for them, so that they may be kept in memory.
        """

    def remove(self, digests: Iterable[bytes]) -> int:
        """Erase lessons with all that belongs to them; how many there were."""

    def select(self, selection: Selection) -> Iterator[Lesson]:
        """The lessons that are meant, in their order; all of them for an empty selection."""

    def newest(self, selection: Selection, behind: Cursor, most: int) -> list[Lesson]:
        """The lessons that are meant and were taught last, the newest first: at most so many behind one."""

    def replay(self, after: int = 0, until: int | None = None) -> Iterator[Placed]:
        """Every lesson behind a position, in order; the trail is followed, so that none is missed."""

    def foreign_lessons(self) -> Iterator[Lesson]:
        """All lessons of a ledger that may be somebody else's, in their order: nothing of it is trusted."""

    def arranged(self, order: list[int]) -> Iterator[Placed]:
        """The lessons at these positions, each in the place that it has once `arrange` put them so."""

    def position_of(self, digest: bytes) -> int | None:
        """Where the lesson of a message is; None if there is none."""

    def digests(self) -> Iterator[tuple[int, bytes]]:
        """The position and digest of every lesson, in their order."""

    def has(self, digest: bytes) -> bool:
        """Whether there is a lesson of a message that can be forgotten."""

    def count_of(self, selection: Selection) -> int:
        """How many lessons are meant."""

    def labels_of(self, digests: list[bytes]) -> dict[bytes, str]:
        """The labels that messages were taught as, of those that were; folded ones too."""

    def labels(self) -> dict[str, int]:
        """How many lessons of each label there are, folded ones too, in the order of their first lessons."""

    def label_names(self) -> tuple[str, ...]:
        """The labels of all lessons, folded ones too, without counting them."""

    def spelling(self, label: str) -> str | None:
        """How a label is spelled that was taught in any spelling; None if it never was."""

    def has_split_labels(self, spelled_before: Iterable[str] = ()) -> bool:
        """Whether some label is not in the one spelling that is shown."""

    def unite_labels(self, spelled_before: Iterable[str] = ()) -> None:
        """Give each label one spelling: that of ``spelled_before``, or else its first."""

    def first_taught(self) -> dict[str, int]:
        """When the first lesson of each label was taught, folded ones too, in microseconds since 1970."""

    def has_two_labels(self) -> bool:
        """Whether lessons of more than one label were taught, folded ones too."""

    def is_mixing_due(self) -> bool:
        """Whether lessons were left to be mixed, and there is something to mix them with.

        A folder that was taught first waits for that, however often somebody asks before the second label.
        """

    def names(self) -> set[str]:
        """The names that lessons kept, folded ones too."""

    def last_position(self) -> int:
        """The position of the last lesson; 0 if there is none."""

    def last_taught(self) -> int:
        """When the last lesson was taught, in microseconds; 0 if there is none."""

    # Their order

    def last_run(self) -> tuple[int, int]:
        """How many lessons of one label are at the end, one after the other, and how many it has in all.

        Nothing of both if there is no other label.
        """

    def wanted_order(self, longest_run: int) -> list[int] | None:
        """The positions of all lessons in the order in which they should be; None if they are in it.

        That is the order of (time taught, digest), or, if it puts a run of one label too long, mixed: each
        label keeps its order and is spread evenly over the whole. Of 2 lessons of ham and 4 of spam comes
        spam, ham, spam, spam, ham, spam.
        """

    def arrange(self, order: list[int]) -> None:
        """Put the lessons at these positions in this order, and those behind them after it."""

    # Folded lessons

    def positions_before(self, before: float) -> set[int]:
        """Where the lessons taught before a time are, in seconds since 1970."""

    def fold(
        self, positions: set[int], foundation: bytes, capacity: int, exams: Mapping[int, ExamRow]
    ) -> None:
        """Put a packed state, with room for so many labels, in place of the lessons that it was made of."""

    def folded_exams(self, newest_first: bool = False) -> Iterator[FoldedExam]:
        """What is left of folded lessons, in the order in which they were learned, or the other way round."""

    def foundation(self) -> bytes | None:
        """The packed state of the folded lessons."""

    def folded(self) -> Folded:
        """How many lessons were folded, and up to when."""

    def folded_labels_of(self, digests: list[bytes]) -> dict[bytes, str]:
        """The labels of lessons that were folded, of those that were."""

    # Kept mail

    def keep_mail(self, digest: bytes, moment: int, packed: bytes) -> None:
        """Keep the packed mail of a lesson, and since when, in seconds since 1970."""

    def kept_mail(self, digest: bytes) -> bytes | None:
        """The packed mail of a lesson, if it was kept."""

    def kept_mails(self) -> KeptMails:
        """How many mails are kept, and the bytes that they take."""

    def erase_mails(self, before: int) -> int:
        """Erase the mail kept since before a moment; how many there were."""
