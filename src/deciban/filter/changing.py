"""Changing a filter: ledger and snapshot together, so that the state stays replay(settings, ledger).

Learning appends to the ledger and teaches the snapshot the same lesson; forgetting and relearning erase
lessons and replay the rest.

To change anything, a process takes the snapshot's exclusive lock, then the ledger's write lock; marks the
snapshot dirty; changes both; commits; marks it clean. Whoever dies in between leaves a dirty snapshot and an
uncommitted transaction: the next one replays, and every lesson that was acknowledged is there.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from itertools import repeat
from time import time

from deciban.committee.label import key_of, label_of, shown, spellings
from deciban.errors import CannotWrite, FoldedLesson, WrongUsage
from deciban.filter.learned import BULK_LESSONS, Learned
from deciban.filter.replaying import learn
from deciban.ledger.facts import FOUNDATION_CAPACITY, POSTPONED, SHARED
from deciban.ledger.lesson import Lesson, Selection
from deciban.ledger.records import NO_EXAM, ExamRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deciban.committee.settings import Settings
    from deciban.filter.replaying import Replaying
    from deciban.filter.shared_filter import SharedFilter
    from deciban.filter.snapshot import Snapshot
    from deciban.ledger.ledger import Ledger

# A run of lessons of one label (see BULK_LESSONS) is mixed with the others only if it is that share of all
# lessons of its label, because mixing replays everything: taught 50 per call, n lessons of two labels cost at
# most 16 n replayed ones, instead of n²/100. A shorter run at the end is borne: of 500 good mails 1 to 39
# were lost after one of an eighth of all lessons (mixed: 1 to 18), after a quarter 12 to 61, after .4 117 to
# 443. Of its label, because one that was taught in a single run is not learned well, however short that is
# beside all others: of 14 folders, taught one by one, 79% of the mail was routed rightly where runs of less
# than an eighth of *all* lessons were borne, and 98% so (examples/9_mail_routing.py).
BULK_SHARE = 1 / 8


class Changing:
    """Everything that changes what a filter has learned."""

    def __init__(self, ledger: Ledger, snapshot: Snapshot, replaying: Replaying) -> None:
        self._ledger = ledger
        self._snapshot = snapshot
        self._replaying = replaying

    @contextmanager
    def both(self) -> Iterator[None]:
        """Change ledger and snapshot together: what is done within is committed at its end, or never was."""
        # The snapshot first: its lock wakes who waits at once. SQLite's waiters look again every tenth of a
        # second, and a process that changed something over and over again kept others out for minutes.
        with self._snapshot.exclusive(), self._ledger.writing():
            if self._ledger.fact(POSTPONED) is not None:
                self._learn_postponed()
            elif self._replaying.has_old_exams():
                self._replaying.again()
            else:
                self._replaying.make_fit()
            self._snapshot.mark_dirty()
            yield
            self._ledger.commit()
            self._snapshot.mark_clean(self._ledger.stamp())
        if not self._ledger.is_swept():
            with suppress(CannotWrite):
                self._ledger.sweep(waiting=False)

    @contextmanager
    def _ledger_alone(self) -> Iterator[None]:
        """Change the ledger alone; the snapshot no longer fits, and whoever needs it next makes it again.

        Teaching a new filter one folder after the other would learn all lessons twice, in a row and again
        when they are mixed; the first time for nobody, because until two labels are known all is unsure.
        """
        with self._snapshot.exclusive(), self._ledger.writing():
            self._ledger.set_fact(POSTPONED, 1)
            yield

    # Labels

    def unite_labels(self) -> None:
        """Make one label of those that differ in their spelling only; an early version kept them apart."""
        if not self._ledger.read_only and self._ledger.has_split_labels(self._shared_labels()):
            with self._ledger_alone():
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

    def learn(self, batch: list[Lesson], keep_mail: int, postponing: bool) -> Learned:
        """Teach one batch; lessons that were taught so already are left alone."""
        with self._ledger_alone() if postponing else self.both():
            before = self._ledger.labels_of([lesson.digest for lesson in batch])
            spelled = {label: self.spelling(label) for label in {lesson.label for lesson in batch}}
            first_of_each: dict[bytes, Lesson] = {}
            for lesson in batch:
                label = spelled[lesson.label]
                first_of_each.setdefault(
                    lesson.digest, lesson if lesson.label == label else lesson.replaced(label=label)
                )
            lessons = [each for digest, each in first_of_each.items() if before.get(digest) != each.label]
            taught_otherwise = [lesson.digest for lesson in lessons if lesson.digest in before]
            if postponing:
                self._ledger.remove(taught_otherwise)
            else:
                self._erase(taught_otherwise)
            folded = self._ledger.folded_labels_of(taught_otherwise)
            self._append([each for each in lessons if folded.get(each.digest) != each.label], postponing)
            self._keep_mail(batch, keep_mail)
        relearned = len(taught_otherwise)
        beside = sum(folded.get(lesson.digest, lesson.label) != lesson.label for lesson in lessons)
        return Learned(len(lessons) - relearned, len(batch) - len(lessons), relearned, beside)

    def is_of_no_use_yet(self) -> bool:
        """Whether every verdict is unsure, because two labels were never taught."""
        return not self._ledger.has_two_labels() and self._ledger.fact(SHARED) is None

    def examine_postponed(self) -> None:
        """See to it that every lesson was examined by us and learned, also those of a process that died."""
        if self._ledger.read_only:
            return
        if self._ledger.fact(POSTPONED) is not None or self._replaying.has_old_exams():
            with self.both():
                pass  # to change anything begins with it

    def mix_long_run(self) -> None:
        """Mix the labels and replay, if the last lessons are of one label: they drown the others."""
        if self._is_one_sided():
            with self.both():
                if self._ledger.arrange(BULK_LESSONS):
                    self._replaying.checkpoints.tidy()
                    self._replaying.again(checkpoints=1)

    def save_due_checkpoint(self) -> None:
        """Save a checkpoint, if the last one is far back."""
        if self._replaying.checkpoints.is_due():
            with self.both():
                self._replaying.save_checkpoint(self._ledger.last_position())

    def _is_one_sided(self) -> bool:
        """Whether the ledger ends with so many lessons of one label that they drown the others."""
        run, own = self._ledger.last_run()
        return run >= max(BULK_LESSONS, BULK_SHARE * own)

    def _learn_postponed(self) -> None:
        """Put the lessons in order and replay them."""
        if self._is_one_sided():
            self._ledger.arrange(BULK_LESSONS)
        self._replaying.checkpoints.tidy()
        self._replaying.again(checkpoints=1)

    def _append(self, lessons: list[Lesson], postponing: bool) -> None:
        """Examine, write and learn lessons that the ledger does not have."""
        moment = max(int(time() * 1e6), self._ledger.last_taught() + 1)
        if postponing:
            moments = range(moment, moment + len(lessons))
            self._ledger.append(zip(lessons, moments, repeat(NO_EXAM)))
            return
        learned: list[tuple[Lesson, int, ExamRow]] = []
        for lesson in lessons:
            committee = self._snapshot.committee
            labels = committee.labels
            if lesson.label not in labels and len(labels) == committee.capacity:
                self._ledger.append(learned)  # what comes before must be there to be replayed
                learned.clear()
                committee = self._replaying.again(lesson.label)
            learned.append((lesson, moment, learn(committee, lesson.label, lesson.features)))
            moment += 1
        self._ledger.append(learned)

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

    def forget(self, selection: Selection) -> int:
        """Erase the lessons that are meant as if they had never been; how many there were."""
        return self.forget_all(lesson.digest for lesson in self._ledger.select(selection))

    def forget_all(self, digests: Iterable[bytes]) -> int:
        """Erase the lessons of these messages; how many there were."""
        with self.both():
            count = self._erase(list(digests))  # looked up under the lock
            if count:
                self._ledger.sweep_later()
        self.sweep()
        return count

    def sweep(self) -> bool:
        """Leave no trace of what was erased, now or before; False if others were reading."""
        return self._ledger.is_swept() or self._ledger.sweep()

    def _erase(self, digests: Iterable[bytes]) -> int:
        """Erase lessons with all that was made from them, and replay the rest."""
        count = self._ledger.remove(digests)
        if count:
            self._replaying.checkpoints.tidy()
            self._replaying.again()
        return count

    # Everything else

    def unite(self, lessons: Iterable[Lesson]) -> int:
        """Take over lessons, in an order that only the lessons decide; how many were new or newer.

        Of a message that was taught twice, the lesson taught last is kept.
        """
        taken = 0
        with self.both():
            first = self._ledger.first_taught()
            for lesson in lessons:
                first[lesson.label] = min(lesson.taught, first.get(lesson.label, lesson.taught))
                if self._ledger.folded_labels_of([lesson.digest]):
                    continue
                ours = next(self._ledger.select(Selection(digest=lesson.digest)), None)
                if ours is None or _precedence(lesson) > _precedence(ours):
                    self._ledger.remove([lesson.digest])
                    self._ledger.append([(lesson, lesson.taught, NO_EXAM)])
                    taken += 1
            if taken:
                spelled = sorted(first, key=lambda label: (first[label], label))
                self._ledger.unite_labels((*self._shared_labels(), *spelled))
                self._ledger.arrange(BULK_LESSONS)
                self._replaying.checkpoints.tidy()
                self._replaying.again()
                self._ledger.sweep_later()
        self.sweep()
        return taken

    def fold(self, before: float) -> int:
        """Fold the lessons taught before a time, in seconds since 1970 (see foundation.py); how many."""
        from deciban.filter.foundation import pack

        if self._ledger.fact(SHARED) is not None:
            raise WrongUsage(
                "A filter that rests on a shared one cannot be compacted: "
                "each new version replays its lessons."
            )
        with self.both():
            old = self._ledger.positions_before(before)
            if old:
                committee = self._replaying.begin()
                for position, label, features in self._ledger.replay():
                    if position in old:
                        committee.learn(label, features)
                self._ledger.fold(old, pack(committee.state()), committee.capacity)
                self._replaying.checkpoints.tidy()
                self._replaying.again()
        if old:
            self._ledger.shrink()
        return len(old)

    def rest_on(self, shared: SharedFilter | None, settings: Settings) -> None:
        """Replay the lessons on top of a shared filter with its settings; on nothing for None."""
        with self._snapshot.exclusive(), self._ledger.writing():
            # Not `both`: what the filter rested on may be gone, and then there is no state.
            if self._ledger.fact(FOUNDATION_CAPACITY) is not None:
                raise FoldedLesson(
                    "A filter with folded lessons cannot rest on another. Make a new one: --db."
                )
            self._ledger.set_fact(SHARED, None if shared is None else shared.text())
            self._ledger.set_settings(settings)
            self._ledger.unite_labels(self._shared_labels())
            self._ledger.drop_checkpoints()
            self._replaying.checkpoints.tidy()
            self._snapshot.settings = self._ledger.settings
            self._replaying.again()
            self._ledger.commit()
            self._snapshot.mark_clean(self._ledger.stamp())


def _precedence(lesson: Lesson) -> tuple[int, str]:
    """Of two lessons of one message the one taught last counts; the label only so that there is a rule."""
    return lesson.taught, key_of(lesson.label)
