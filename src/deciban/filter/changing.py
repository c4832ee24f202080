"""Changing a filter: the ledger first, then the state that is made from it.

    state == replay(settings, foundation, lessons), after any history

**Appending.** Lessons are committed to the ledger; from then on they are learned, whatever happens. Then the
published state is taught them in place, a few at a time, so that nobody who asks waits. A process that dies
in between leaves a state that is behind; the next process teaches it the rest.

**Changing history** (forgetting, relearning, mixing, merging, folding, resting on another filter) takes the
build lock, so that only one change runs at a time. The state of the new history is made beside the published
one, while others ask and append. Then the change takes the ledger's write lock, teaches the new state what
was appended meanwhile, and commits; the new state takes the place of the old one. Until that moment everybody
sees the old history, in ledger and state. Merging, folding and resting on another filter are rare, so they
make the new state within the transaction: whoever wants to write waits meanwhile, whoever asks does not.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from itertools import islice
from time import time

from deciban.committee.label import key_of, label_of, shown, spellings
from deciban.errors import (
    CannotWrite,
    DamagedSnapshot,
    FilterError,
    FoldedLesson,
    LedgerBusy,
    TooManyLabels,
    WrongUsage,
)
from deciban.filter.footing import own_part
from deciban.filter.learned import BULK_LESSONS, YOUNG_BULK_LESSONS, YOUNG_LESSONS, Learned, in_batches
from deciban.filter.made_like import others_may_read
from deciban.filter.turns import Turns
from deciban.ledger.facts import FOUNDATION_CAPACITY, MIXING_DUE, SHARED, STARTER
from deciban.ledger.lesson import Lesson, Selection
from deciban.ledger.trail import belongs
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from deciban.committee.settings import Settings
    from deciban.filter.footing import Footings
    from deciban.filter.published import Beside, Published
    from deciban.filter.replaying import Progress, Replaying
    from deciban.filter.shared_filter import SharedFilter
    from deciban.ledger._placed import Placed
    from deciban.ledger.ledger import Ledger

# A run of lessons of one label (see BULK_LESSONS) is mixed with the others only if it is at least this share
# of all lessons of its label, because mixing replays everything. With this rule, n lessons of two labels,
# taught 50 per call, cost at most 16 n replayed lessons instead of n²/100. A shorter run at the end stays
# unmixed and does little harm: after a run of an eighth of all lessons, 1 to 39 of 500 good mails were lost
# (mixed: 1 to 18); after a quarter, 12 to 61; after .4, 117 to 443. The share is of the lessons of the label,
# not of all lessons, because a label that was taught in a single run is not learned well, even if that run is
# short beside all others: when 14 folders were taught one by one, 98% of the mail was routed rightly with
# this rule, but only 79% where runs of less than an eighth of *all* lessons stayed unmixed
# (examples/9_mail_routing.py).
BULK_SHARE = 1 / 8

# A state of more labels than these is made for whoever asks first (`may_wait_for_asker`).
FEW_LABELS = 2

# How many lessons are read from the ledger at a time to bring a state up to date.
PAGE = 256
# What can go wrong with a state after the change is committed, such as on a full disk. The change stands all
# the same: the next process makes the state.
STATE_FAILURES = (OSError, CannotWrite, LedgerBusy, DamagedSnapshot)


class Changing:
    """Everything that changes what a filter has learned."""

    def __init__(
        self, ledger: Ledger, published: Published, footings: Footings, replaying: Replaying
    ) -> None:
        self._ledger = ledger
        self._published = published
        self._locks = published.locks
        self._footings = footings
        self._replaying = replaying
        self._turns = Turns(published, footings)

    # The published state

    def bring_up_if_free(self, patience: float, progress: Progress | None = None) -> bool:
        """Bring the published state up to date, unless somebody else is doing that; whether we did it.

        ``patience`` says how long we wait for those who are using the published state.
        """
        with self._locks.building_if_free() as free:
            if free:
                self._make_current(progress, patience)
        return free

    def bring_up(self, progress: Progress | None = None) -> None:
        """Bring the published state up to date with the ledger."""
        with self._locks.building():
            self._make_current(progress)

    def _make_current(self, progress: Progress | None = None, patience: float | None = None) -> None:
        """Teach the published state what it lacks, or make another; under the build lock."""
        if not self._mix_what_is_due(progress) and not self._catch_up(patience=patience):
            self._publish(self._replaying.bring_up(self._replaying.built(progress)))

    def _mix_what_is_due(self, progress: Progress | None = None) -> bool:
        """Mix lessons that a process left unmixed when it died; whether there were any."""
        is_due = self._ledger.is_mixing_due() and not self._locks.is_being_taught()
        if is_due:
            self._mix(progress)
        return is_due

    def _publish(self, beside: Beside) -> None:
        self._published.replace_by(beside)
        self._replaying.checkpoints.tidy()
        self._ledger.remove_left_overs()

    def _catch_up(self, appended: Sequence[Placed] = (), patience: float | None = None) -> bool:
        """Teach the published state what it lacks, in place; False if it has to be made again.

        Lessons that were just ``appended`` need not be read.
        """
        while True:
            with self._ledger.reading():
                end = self._ledger.address()
                with self._locks.changing(patience):
                    state = self._published.to_teach(self._footings.now())
                    start = None if state is None else state.address
                if start is None or not belongs(self._ledger, start):
                    return False
                if start.position == end.position:
                    return True
                first = appended[0].position if appended else 0
                if first and first <= start.position + 1 <= appended[-1].position:
                    page = list(appended[start.position + 1 - first :])
                else:
                    page = list(islice(self._ledger.replay(start.position), PAGE))
            try:
                self._turns.teach(start, page, patience)
            except (DamagedSnapshot, TooManyLabels):
                return False

    def save_due_checkpoint(self) -> None:
        """Save a checkpoint, if the last one is far back."""
        with suppress(*STATE_FAILURES):
            self._save_due_checkpoint()

    def _save_due_checkpoint(self) -> None:
        if not self._replaying.checkpoints.is_due():
            return
        with self._locks.building_if_free() as free:
            if not free:
                return
            with self._locks.asking():
                state = self._published.to_teach(self._footings.now())
                if state is not None and belongs(self._ledger, state.address):
                    self._replaying.save_checkpoint(state)
            self._replaying.checkpoints.tidy()

    # Labels

    def unite_labels(self) -> None:
        """Unite labels that differ only in their spelling; an early version kept them apart."""
        if not self._ledger.read_only and self._ledger.has_split_labels(self._shared_labels()):
            with self._locks.building(), self._ledger.writing():
                self._ledger.unite_labels(self._shared_labels())

    def spelling(self, label: str) -> str:
        """How a label is spelled here: as it was taught first, whatever its case and outer space."""
        label = label_of(label)
        before = spellings((*self._shared_labels(), label))[label]
        return self._ledger.spelling(label) or before

    def _shared_labels(self) -> tuple[str, ...]:
        """The labels of the shared filter that this one rests on, as they are shown: they came first."""
        if self._ledger.fact(SHARED) is None:
            return ()
        from deciban.filter.shared_filter import pinned

        shared = pinned(self._ledger)
        return tuple(map(shown, shared.labels)) if shared else ()

    # Learning

    def teaching(self) -> AbstractContextManager[None]:
        """While lessons are being taught, the state may be behind: it will be brought up to date."""
        return self._locks.teaching()

    def learn(self, batch: list[Lesson], keep_mail: int, postponing: bool) -> tuple[Learned, list[Placed]]:
        """Write one batch into the ledger; lessons that it has already, with the same label, are left alone.

        Then the caller teaches the published state what was appended (`teach`). With ``postponing`` it does
        not: the lessons are to be mixed with those that follow.
        """
        with self._ledger.writing():
            new = self._new(batch)
            if not new.taught_otherwise:
                placed = self._append(new.lessons, to_arrange=postponing and self._has_others(batch))
                self._keep_mail(batch, keep_mail)
                if postponing:
                    self._ledger.set_fact(MIXING_DUE, 1)
        if new.taught_otherwise:
            return self._relearn(batch, keep_mail), []
        return new.learned, placed

    def _has_others(self, batch: list[Lesson]) -> bool:
        """Whether lessons of more than one label were taught, this batch included."""
        return len({*self._ledger.label_names(), *(lesson.label for lesson in batch)}) > 1

    def teach(self, appended: list[Placed]) -> None:
        """Teach the published state what was appended; if that fails, whoever asks next does it."""
        with suppress(*STATE_FAILURES):
            if appended and not self._catch_up(appended):
                self.bring_up()

    def _new(self, batch: list[Lesson]) -> _New:
        """Which lessons of a batch are new; to be called only within a transaction."""
        before = self._ledger.labels_of([lesson.digest for lesson in batch])
        spelled = {label: self.spelling(label) for label in {lesson.label for lesson in batch}}
        first_of_each: dict[bytes, Lesson] = {}
        for lesson in batch:
            label = spelled[lesson.label]
            first_of_each.setdefault(
                lesson.digest, lesson if lesson.label == label else lesson.replaced(label=label)
            )
        lessons = [each for digest, each in first_of_each.items() if before.get(digest) != each.label]
        known = [lesson.digest for lesson in lessons if lesson.digest in before]
        folded = self._ledger.folded_labels_of(known)
        beside = sum(folded.get(lesson.digest, lesson.label) != lesson.label for lesson in lessons)
        return _New(
            [each for each in lessons if folded.get(each.digest) != each.label],
            {digest for digest in known if self._ledger.has(digest)},
            Learned(len(lessons) - len(known), len(batch) - len(lessons), len(known), beside),
        )

    def _relearn(self, batch: list[Lesson], keep_mail: int) -> Learned:
        """Write a batch of which some was taught under another label: new lessons replace the old ones."""
        with self._locks.building():
            with self._ledger.reading():
                otherwise = self._new(batch).taught_otherwise
            with self._without(otherwise) as change:
                new = self._new(batch)
                self._ledger.remove(new.taught_otherwise)
                self._append(new.lessons)
                self._keep_mail(batch, keep_mail)
                change.is_made()
        return new.learned

    @contextmanager
    def _without(self, digests: Iterable[bytes], progress: Progress | None = None) -> Iterator[_Change]:
        """A change of history, for which the state without these lessons is made beforehand."""
        positions = {self._ledger.position_of(digest) for digest in digests} - {None}
        beside = self._replaying.built_without(positions, progress) if positions else None  # type: ignore[arg-type]
        with self._change(beside) as change:
            yield change

    @contextmanager
    def _change(self, beside: Beside | None) -> Iterator[_Change]:
        """Change history in one transaction, and publish the new state once that is committed.

        ``beside`` is that state, or a state on the way to it, if it could be made beforehand.
        """
        change = _Change(beside)
        try:
            with self._ledger.writing():
                yield change
                if change.has_happened:
                    change.beside = self._replaying.bring_up(change.beside)
                self._ledger.commit()
        except BaseException:
            change.discard()
            raise
        if change.has_happened and change.beside is not None:
            with suppress(*STATE_FAILURES):
                self._publish(change.beside)
        else:
            change.discard()

    def is_of_no_use_yet(self) -> bool:
        """Whether every verdict is unsure, because fewer than two labels have been taught."""
        return not self._ledger.has_two_labels() and not self._rests_on_shared()

    def _rests_on_shared(self) -> bool:
        """Whether it rests on a filter that somebody published; a starter is another thing."""
        return not (self._ledger.fact(SHARED) or STARTER).startswith(STARTER)

    def bulk_lessons(self) -> int:
        """So many lessons of one label in a row are mixed with the others: few, in a young filter.

        What rests on somebody else's lessons, or on folded ones, is not young.
        """
        is_young = (
            self._ledger.last_position() < YOUNG_LESSONS
            and not self._rests_on_shared()
            and self._ledger.fact(FOUNDATION_CAPACITY) is None
        )
        return YOUNG_BULK_LESSONS if is_young else BULK_LESSONS

    def is_sure_to_be_mixed(self, batch: Sequence[Lesson]) -> bool:
        """Whether a call that begins with this batch will end with a replay of everything in mixed order.

        Then there is no use in teaching the published state before: of ten folders that were taught one by
        one, each was learned in a row first, which is the slowest way, and then again with all others.
        """
        if not self._ledger.has_two_labels():
            return False
        known = self._ledger.labels_of([lesson.digest for lesson in batch])
        counts: dict[str, int] = {}
        for digest, label in {lesson.digest: lesson.label for lesson in batch}.items():
            counts[label] = counts.get(label, 0) + (digest not in known)
        # What the call brings later makes a share larger, never smaller.
        bulk = self.bulk_lessons()
        return any(
            count >= max(bulk, BULK_SHARE * (count + self._ledger.count_of(Selection(label=label))))
            for label, count in counts.items()
        )

    def mix_or_leave(
        self, taught: Mapping[str, int], is_bulk: bool, are_many: bool, progress: Progress | None = None
    ) -> bool:
        """Mix what a call taught, if that is due; whether it is left to whoever asks next.

        ``is_bulk``: its first batch was so large that others may follow; ``are_many``: its lessons may drown
        the others. They are stored by then, so the call has succeeded even if this fails.
        """
        with suppress(*STATE_FAILURES):
            is_due = self._ledger.is_mixing_due()
            if is_due and (is_bulk or self.may_wait_for_asker()):
                return True
            if is_due or are_many:
                self._mix_if_due(taught, progress)
        return False

    def _mix_if_due(self, taught: Mapping[str, int], progress: Progress | None = None) -> None:
        """Mix the labels and replay, if so many lessons of one label came that they drown the others."""
        if not self._ledger.has_two_labels():
            return
        if self._ledger.fact(MIXING_DUE) is None and not self._is_one_sided(taught):
            return
        with self._ledger.writing():  # if we die, the next process does it
            self._ledger.set_fact(MIXING_DUE, 1)
        with self._locks.building():
            self._mix(progress)

    def settle(self, progress: Progress | None = None) -> None:
        """Mix what waits for that, if nobody has done so; if that fails, whoever asks next does it."""
        with suppress(*STATE_FAILURES):
            if self._ledger.is_mixing_due():
                with self.teaching():
                    self._mix_if_due({}, progress)

    def may_wait_for_asker(self) -> bool:
        """Whether what waits to be mixed may wait for whoever asks next, if need be in another process.

        Ten folders that are taught by ten commands would be replayed nine times. So the first state of three
        labels or more is made by whoever asks for it, and until there is one folders wait for each other.
        Then everything is mixed at once again: of all questions in the life of a filter, one waits for a
        replay. Whoever may only read could not mix, and would replay all lessons for each question; if there
        may be such a one, nothing waits.
        """
        with suppress(*STATE_FAILURES):
            if len(self._ledger.label_names()) <= FEW_LABELS or others_may_read(self._ledger.path):
                return False
            with self._locks.asking():
                state = self._published.look(self._footings.now())
                return state is None or len(own_part(state.look()).labels) <= FEW_LABELS
        return False

    def _is_one_sided(self, taught: Mapping[str, int]) -> bool:
        """Whether a call taught too many lessons of one label, or the ledger ends with too many."""
        bulk = self.bulk_lessons()
        run, own = self._ledger.last_run()
        if run >= max(bulk, BULK_SHARE * own):
            return True
        counts = {label: self._ledger.count_of(Selection(label=label)) for label in taught}
        return any(count >= max(bulk, BULK_SHARE * counts[label]) for label, count in taught.items())

    def _mix(self, progress: Progress | None = None) -> None:
        """Put the lessons in a mixed order, which depends on them alone, and replay; under the build lock."""
        order = self._ledger.wanted_order(longest_run=0)
        beside = (
            self._replaying.built(progress, checkpoints=0)
            if order is None
            else self._replaying.built_in(order, progress)
        )
        with self._change(beside) as change:
            if order is not None:
                self._ledger.arrange(order)
            self._ledger.set_fact(MIXING_DUE, None)
            change.is_made()

    def _append(self, lessons: list[Lesson], to_arrange: bool = False) -> list[Placed]:
        """Write lessons that the ledger does not have; some are ``to_arrange`` with the others soon."""
        moment = max(int(time() * 1e6), self._ledger.last_taught() + 1)
        moments = range(moment, moment + len(lessons))
        return self._ledger.append(zip(lessons, moments, strict=True), to_arrange)

    def _keep_mail(self, batch: list[Lesson], days: int) -> None:
        """Keep mail beside its lessons, and let go of what was kept for long enough."""
        mails = {lesson.digest: lesson.mail for lesson in batch if lesson.mail is not None}
        if not mails:
            return
        from deciban.filter.kept_mail import erase_old, keep

        for digest, mail in mails.items():
            if self._ledger.has(digest):
                keep(self._ledger, digest, mail)
        erase_old(self._ledger, days)

    # Forgetting

    def forget(self, selection: Selection, progress: Progress | None = None) -> int:
        """Erase the selected lessons, as if they had never been taught; how many there were."""
        return self.forget_all((lesson.digest for lesson in self._ledger.select(selection)), progress)

    def forget_all(self, digests: Iterable[bytes], progress: Progress | None = None) -> int:
        """Erase the lessons of these messages; how many there were."""
        with self._locks.building():
            self._mix_what_is_due(progress)
            unwanted = list(digests)
            with self._without(unwanted, progress) as change:
                count = self._ledger.remove(unwanted)
                if count:
                    self._ledger.sweep_later()
                    change.is_made()
        self.sweep()
        return count

    def sweep(self, waiting: bool = True) -> bool:
        """Remove every trace of erased lessons from all files; False if that has to be done later.

        It has to be if others are reading, or if something cannot be written. The lessons are erased all the
        same.
        """
        try:
            if self._ledger.is_swept():
                return True
            if waiting:
                with self._locks.building():
                    self._remove_traces()
            else:
                with self._locks.building_if_free() as free:
                    if not free:  # whoever is building may have traces in its files
                        return False
                    self._remove_traces()
            return self._ledger.sweep(waiting)
        except (OSError, FilterError):
            return False

    def _remove_traces(self) -> None:
        """Remove states of a history that no longer exists, such as those that a crash left behind."""
        self._replaying.checkpoints.tidy()
        self._published.remove_left_overs()
        self._ledger.remove_left_overs()
        self._ledger.remove_copies()
        with self._locks.growing():
            self._published.remove_half_grown()
        with self._locks.changing():
            state = self._published.look(self._footings.now())
            if state is None or not belongs(self._ledger, state.address):
                self._published.discard()

    # Everything else

    def unite(self, lessons: Iterable[Lesson], progress: Progress | None = None) -> int:
        """Take over lessons, in an order that only the lessons decide; how many were new or newer.

        If a message was taught twice, the lesson taught last is kept.
        """
        taken = 0
        with self._locks.building(), self._change(None) as change:
            first = self._ledger.first_taught()
            for batch in in_batches(lessons):
                for lesson in batch:
                    first[lesson.label] = min(lesson.taught, first.get(lesson.label, lesson.taught))
                taken += self._take_newer(batch)
            if taken:
                spelled = sorted(first, key=lambda label: (first[label], label))
                self._ledger.unite_labels((*self._shared_labels(), *spelled))
                order = self._ledger.wanted_order(BULK_LESSONS)
                if order is not None:
                    self._ledger.arrange(order)
                self._ledger.sweep_later()
                change.is_made()
                change.beside = self._replaying.built(progress)
        self.sweep()
        return taken

    def _take_newer(self, batch: list[Lesson]) -> int:
        """Write those lessons of a batch that are new, or newer than ours; how many.

        Ours go all at once: each removal lays the trail again behind it.
        """
        folded = self._ledger.folded_labels_of([lesson.digest for lesson in batch])
        newer: dict[bytes, Lesson] = {}
        for lesson in batch:
            ours = newer.get(lesson.digest) or next(
                self._ledger.select(Selection(digest=lesson.digest)), None
            )
            if lesson.digest not in folded and (ours is None or _precedence(lesson) > _precedence(ours)):
                newer[lesson.digest] = lesson
        self._ledger.remove(newer)
        self._ledger.append((lesson, lesson.taught) for lesson in newer.values())
        return len(newer)

    def fold(self, before: float, progress: Progress | None = None) -> int:
        """Fold the lessons taught before a time, in seconds since 1970 (see foundation.py); how many."""
        if self._rests_on_shared():
            raise WrongUsage(
                "A filter that rests on a shared one cannot be compacted: "
                "each new version replays its lessons."
            )
        with self._locks.building():
            self._mix_what_is_due(progress)
            old = self._fold(before, progress)
        if old:
            self._ledger.shrink()
        return old

    def _fold(self, before: float, progress: Progress | None) -> int:
        from deciban.filter.foundation import pack

        with self._change(None) as change:
            old = self._ledger.positions_before(before)
            if old:
                state = self._replaying.in_memory(progress=progress)
                exams = {exam.position: exam.row for exam in state.exams() if exam.position in old}
                state.close()
                state = self._replaying.in_memory(only=old)
                committee = state.look()
                self._ledger.fold(old, pack(committee.code()), committee.capacity, exams)
                state.close()
                change.is_made()
                change.beside = self._replaying.built(progress)
        return len(old)

    def rest_on(
        self, shared: SharedFilter | None, settings: Settings, progress: Progress | None = None
    ) -> None:
        """Replay the lessons on a shared filter with its settings, or on a starter; on nothing for None."""
        from deciban.filter.shared_filter import keep, let_go

        with self._locks.building(), self._change(None) as change:
            if self._ledger.fact(FOUNDATION_CAPACITY) is not None:
                raise FoldedLesson(
                    "A filter with folded lessons cannot rest on another. Make a new one: --db."
                )
            self._ledger.set_fact(SHARED, None if shared is None else shared.text())
            self._ledger.set_settings(settings)
            self._ledger.unite_labels(self._shared_labels())
            if shared is not None:
                keep(shared, self._ledger.path)
            change.is_made()
            change.beside = self._replaying.built(progress)
        let_go(self._ledger.path, shared)


class _New(Value):
    """What there is to be learned of a batch."""

    lessons: list[Lesson]
    taught_otherwise: set[bytes]
    """The digests of those that have another lesson, which can be removed."""
    learned: Learned


class _Change:
    """A change of history that is being made."""

    def __init__(self, beside: Beside | None) -> None:
        self.beside = beside
        self.has_happened = False

    def is_made(self) -> None:
        """Say that something was changed: the state for it is to be published."""
        self.has_happened = True

    def discard(self) -> None:
        """Remove a state that nobody needs."""
        if self.beside is not None:
            self.beside.discard()
            self.beside = None


def _precedence(lesson: Lesson) -> tuple[int, str]:
    """Of two lessons of one message the later one counts; with equal times the label decides."""
    return lesson.taught, key_of(lesson.label)
