r"""The filter: learn, classify, explain and forget messages, over one ledger and its snapshot.

>>> import os, tempfile
>>> from deciban.sources import RawMessage
>>> path = os.path.join(tempfile.mkdtemp(), "mail.deciban")
>>> with Filter.open(path) as mail:
...     for number in range(5):
...         spam = RawMessage(f"junk@{number}", b"Subject: Free money\n\nNumber %d" % number)
...         ham = RawMessage(f"inbox@{number}", b"Subject: Lunch\n\nAt %d?" % number)
...         _ = mail.learn("spam", [spam]), mail.learn("ham", [ham])
...     mail.classify(b"Subject: Free lunch money").label, mail.labels(), mail.forget(source="junk@0")
('spam', {'spam': 5, 'ham': 5}, 1)

Law: the state is replay(settings, ledger), bit for bit, after any history. So learning appends to the ledger
and teaches the snapshot the same lesson; forgetting and relearning erase lessons and replay the rest.

To change anything, a process takes the snapshot's exclusive lock, then the ledger's write lock; marks the
snapshot dirty; changes both; commits; marks it clean. Whoever dies in between leaves a dirty snapshot and an
uncommitted transaction: the next one replays, and every lesson that was acknowledged is there. A `Filter` is
for one thread; open one for each.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from itertools import repeat
from time import time

from deciban.committee._committee import Committee
from deciban.committee._lesson_code import Features
from deciban.committee.course import features_of
from deciban.committee.label import key_of, label_of, shown, spellings, united
from deciban.committee.settings import Settings
from deciban.committee.verdict import Verdict
from deciban.decibans import SPAM, is_unsure, runner_up
from deciban.errors import DamagedSnapshot, FoldedLesson
from deciban.filter.ledger import NO_EXAM, SHARED, ExamRow, Ledger, Stamp
from deciban.filter.lesson import Lesson, Selection
from deciban.filter.preferences import Preferences
from deciban.filter.snapshot import Snapshot
from deciban.filter.teaching import Learned, examined, in_batches, make_lesson, replay, teach
from deciban.filter.threshold import Assurance, Threshold
from deciban.text import Message, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import IO, Self, TypeVar

    from deciban.filter.checkpoints import Checkpoints
    from deciban.filter.shared_filter import SharedFilter
    from deciban.filter.teaching import Extract
    from deciban.sources import RawMessage

    Answer = TypeVar("Answer")

# So many lessons of one label in a row are mixed with the others. Taught ham and then spam (179 and 126 of
# the sample mailbox), a filter in the order of teaching called all of 45 new good mails spam, 1-ROCA% 20;
# mixed, none of them, 1-ROCA% .18. Taught spam first, it missed all of 49 spams; mixed, 6.
BULK_LESSONS = 20
# Only if they are that share of all lessons of their label, because mixing replays everything: taught 50 a
# call, n lessons of two labels cost at most 16 n replayed ones, instead of n²/100. A shorter run at the end
# is borne: of 500 good mails 1 to 39 were lost after one of an eighth of all lessons (mixed: 1 to 18), after
# a quarter 12 to 61, after .4 117 to 443. Of their label, because one that was taught in a single run is not
# learned well, however short that is beside all others: of 14 folders, taught one by one, 79% of the mail was
# routed rightly where runs of less than an eighth of *all* lessons were borne, and 98% so
# (examples/9_mail_routing.py).
BULK_SHARE = 1 / 8
# The fact that some lessons were written only, and wait for their exams.
POSTPONED = "postponed"


class Filter:
    """An open filter; `Filter.open` makes one."""

    def __init__(self, ledger: Ledger, snapshot: Snapshot) -> None:
        self.ledger = ledger
        self.snapshot = snapshot
        self._distrusts_snapshot = False
        self._preferences = "", Preferences()
        self._assurance: tuple[tuple[Threshold, Stamp], Assurance] | None = None
        self._private: tuple[Stamp, Committee] | None = None

    @classmethod
    def open(
        cls, path: str, settings: Settings | None = None, create: bool = True, read_only: bool = False
    ) -> Filter:
        """The filter whose ledger is at ``path``; ``settings`` are those of a new one."""
        if create and not read_only and not os.path.exists(path):
            settings = settings or Settings(salt=int.from_bytes(os.urandom(8), "little"))
            ledger = Ledger.create(path, settings)
        else:
            ledger = Ledger(path, read_only)
        opened = cls(ledger, Snapshot(path + ".snapshot", ledger.settings, read_only))
        opened._unite_labels()
        return opened

    def _unite_labels(self) -> None:
        """Make one label of those that differ in their spelling only; an early version kept them apart."""
        if not self.ledger.read_only and self.ledger.has_split_labels(self._shared_labels()):
            with self._postponing():
                self.ledger.unite_labels(self._shared_labels())

    def _shared_labels(self) -> tuple[str, ...]:
        """The labels of the shared filter that this one rests on, as they are shown: they came first."""
        if self.ledger.fact(SHARED) is None:
            return ()
        from deciban.filter.shared_filter import pinned

        shared = pinned(self.ledger)
        return tuple(map(shown, shared.labels)) if shared else ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the files."""
        self.snapshot.close()
        self.ledger.close()

    @cached_property
    def checkpoints(self) -> Checkpoints:
        """The states that were saved on the way."""
        from deciban.filter.checkpoints import Checkpoints

        return Checkpoints(self.ledger)

    @property
    def settings(self) -> Settings:
        """The settings that the ledger was made with."""
        return self.ledger.settings

    def learn(
        self,
        label: str,
        messages: Iterable[RawMessage],
        by: str = "",
        progress: Callable[[Learned], object] | None = None,
        extract: Extract = map,
    ) -> Learned:
        """Teach messages as ``label``; those that were taught so already are left alone.

        ``progress`` is called with what is durable by then, whatever happens next. ``extract`` applies what
        makes a lesson to each message, in their order: `deciban.engines.learn` has others do it.
        """
        label = label_of(label)
        total = Learned()
        make = partial(make_lesson, label, by, self.preferences)
        postponing: bool | None = None
        for made in in_batches(extract(make, messages)):
            batch = [lesson for lesson, _ in made]
            mails = {lesson.digest: mail for lesson, mail in made if mail is not None}
            if postponing is None:
                postponing = len(batch) >= BULK_LESSONS and self._is_of_no_use_yet()
            try:
                total += self._learn_batch(label, batch, mails, postponing)
            except DamagedSnapshot:
                # Nothing was committed, and the snapshot was left dirty: this time it is made again first.
                total += self._learn_batch(label, batch, mails, postponing)
            if progress is not None:
                progress(total)
        if postponing:
            if self.ledger.has_two_labels():
                self._examine_postponed()
            return total
        if total.learned + total.relearned >= BULK_LESSONS and self._is_one_sided():
            self._arrange()
        if self.checkpoints.is_due():
            with self._changing():
                self._save_checkpoint(self.ledger.last_position())
        return total

    def _is_one_sided(self) -> bool:
        """Whether the ledger ends with so many lessons of one label that they drown the others."""
        run, own = self.ledger.last_run()
        return run >= max(BULK_LESSONS, BULK_SHARE * own)

    def _arrange(self) -> None:
        """Mix the labels and replay: lessons of one label in a row drown the others."""
        with self._changing():
            if self.ledger.arrange(BULK_LESSONS):
                self.checkpoints.tidy()
                self._replay(checkpoints=1)

    def _is_of_no_use_yet(self) -> bool:
        """Whether every verdict is unsure, because two labels were never taught."""
        return not self.ledger.has_two_labels() and self.ledger.fact(SHARED) is None

    def _examine_postponed(self) -> None:
        """See to it that every lesson was examined and learned, also those of a process that died."""
        if not self.ledger.read_only and self.ledger.fact(POSTPONED) is not None:
            with self._changing():
                pass  # to change anything begins with it

    def _learn_batch(
        self, label: str, batch: list[Lesson], mails: dict[bytes, bytes], postponing: bool
    ) -> Learned:
        with self._postponing() if postponing else self._changing():
            label = self.spelling(label)
            before = self.ledger.labels_of([lesson.digest for lesson in batch])
            first_of_each: dict[bytes, Lesson] = {}
            for lesson in batch:
                spelled = lesson if lesson.label == label else lesson.replaced(label=label)
                first_of_each.setdefault(lesson.digest, spelled)
            lessons = [lesson for digest, lesson in first_of_each.items() if before.get(digest) != label]
            taught_otherwise = [lesson.digest for lesson in lessons if lesson.digest in before]
            if postponing:
                self.ledger.remove(taught_otherwise)
            else:
                self._erase(taught_otherwise)
            folded = self.ledger.folded_labels_of(taught_otherwise)
            self._append([lesson for lesson in lessons if folded.get(lesson.digest) != label], postponing)
            if mails:
                self._keep(mails)
        relearned = len(taught_otherwise)
        beside = sum(other != label for other in folded.values())
        return Learned(len(lessons) - relearned, len(batch) - len(lessons), relearned, beside)

    def _keep(self, mails: dict[bytes, bytes]) -> None:
        """Keep mail beside its lessons, and let go of what was kept for long enough."""
        from deciban.filter.kept_mail import erase_old, keep

        for digest, mail in mails.items():
            if self.ledger.has(digest):
                keep(self.ledger, digest, mail)
        erase_old(self.ledger, self.preferences.keep_mail)

    def _append(self, lessons: list[Lesson], postponing: bool) -> None:
        """Examine, write and learn lessons that the ledger does not have."""
        moment = max(int(time() * 1e6), self.ledger.last_taught() + 1)
        if postponing:
            moments = range(moment, moment + len(lessons))
            self.ledger.append(zip(lessons, moments, repeat(NO_EXAM)))
            return
        learned: list[tuple[Lesson, int, ExamRow]] = []
        for lesson in lessons:
            committee = self.snapshot.committee
            labels = committee.labels
            if lesson.label not in labels and len(labels) == committee.capacity:
                self.ledger.append(learned)  # what comes before must be there to be replayed
                learned.clear()
                committee = self._replay(lesson.label)
                labels = committee.labels
            totals = united(dict(zip(labels, committee.learn(lesson.label, lesson.features), strict=True)))
            learned.append((lesson, moment, examined(lesson.label, totals)))
            moment += 1
        self.ledger.append(learned)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Change ledger and snapshot together: what is done within is committed at its end, or never was."""
        # The snapshot first: its lock wakes who waits at once. SQLite's waiters look again every tenth of a
        # second, and a process that changed something over and over again kept others out for minutes.
        with self.snapshot.exclusive(), self.ledger.writing():
            if self.ledger.fact(POSTPONED) is not None:
                self._learn_postponed()
            else:
                self._make_fit()
            self.snapshot.mark_dirty()
            yield
            self.ledger.commit()
            self.snapshot.mark_clean(self.ledger.stamp())

    @contextmanager
    def _postponing(self) -> Iterator[None]:
        """Change the ledger alone; the snapshot no longer fits, and whoever needs it next makes it again.

        Teaching a new filter one folder after the other would learn all lessons twice, in a row and again
        when they are mixed; the first time for nobody, because until two labels are known all is unsure.
        """
        with self.snapshot.exclusive(), self.ledger.writing():
            self.ledger.set_fact(POSTPONED, 1)
            yield

    def _learn_postponed(self) -> None:
        """Put the lessons in order and replay them."""
        if self._is_one_sided():
            self.ledger.arrange(BULK_LESSONS)
        self.checkpoints.tidy()
        self._replay(checkpoints=1)

    def _make_fit(self) -> None:
        """Replay, if the snapshot is not that of the ledger; under its exclusive lock."""
        stamp = self.ledger.stamp()
        if not self.snapshot.fits(stamp, self.settings):
            self._replay(write_exams=False)
            self.snapshot.mark_clean(stamp)

    def _replay(self, *labels: str, write_exams: bool = True, checkpoints: int | None = None) -> Committee:
        """Make the snapshot again from the last checkpoint, with room for these labels too.

        The last so many ``checkpoints`` are saved on the way, or all that are of use. After a bulk that is
        one: each costs as much as 150 lessons, and whoever forgets one from further back saves the others.
        """
        from deciban.filter.foundation import begin, room

        capacity = room(self.ledger, labels)
        start = self.checkpoints.last(capacity) or (0, partial(begin, self.ledger, capacity))
        committee = self.snapshot.begin(capacity, start[1])
        if write_exams:
            taught = replay(self.ledger, committee, start[0])
            targets = self.checkpoints.targets(start[0])
            self.ledger.set_exams(self._examined(taught, targets[-checkpoints:] if checkpoints else targets))
            self.ledger.set_fact(POSTPONED, None)
        else:
            teach(self.ledger, committee, start[0])
        return committee

    def _examined(
        self, taught: Iterable[tuple[int, str, dict[str, float]]], targets: list[int]
    ) -> Iterator[tuple[int, ExamRow]]:
        """The exams of a replay by position; checkpoints are saved on the way."""
        for position, label, exam in taught:
            yield position, examined(label, exam)
            if targets and position >= targets[0]:
                self._save_checkpoint(position)
                targets = [target for target in targets if target > position]

    def _save_checkpoint(self, position: int) -> None:
        committee = self.snapshot.committee
        with suppress(DamagedSnapshot):  # whoever uses the damaged part finds it; it must not be kept
            committee.check()
            self.checkpoints.save(position, committee.capacity, self.snapshot.buffer())

    def _erase(self, digests: Iterable[bytes]) -> int:
        """Erase lessons with all that was made from them, and replay the rest."""
        count = self.ledger.remove(digests)
        if count:
            self.checkpoints.tidy()
            self._replay()
        return count

    @contextmanager
    def current(self) -> Iterator[Committee]:
        """The committee as of the ledger's last commit, which nobody changes meanwhile."""
        while True:
            with self.snapshot.shared():
                stamp = self.ledger.stamp()
                if not self._distrusts_snapshot and self.snapshot.fits(stamp, self.settings):
                    yield self.snapshot.committee
                    return
            if self.ledger.read_only:
                yield self._replayed_privately()
                return
            if self.ledger.fact(POSTPONED) is not None:
                # At once, within the lock: whoever is teaching would postpone more in between.
                with self._changing():
                    yield self.snapshot.committee
                return
            with self.snapshot.exclusive(), self.ledger.reading():
                if self.ledger.fact(POSTPONED) is None:
                    self._make_fit()

    def ask(self, question: Callable[[Committee], Answer]) -> Answer:
        """The answer of the current committee, which is made again if it turns out to be damaged."""
        try:
            with self.current() as committee:
                return question(committee)
        except DamagedSnapshot:
            self._discard_snapshot()
        with self.current() as committee:
            return question(committee)

    def _discard_snapshot(self) -> None:
        if self.ledger.read_only:
            self._distrusts_snapshot = True
            return
        with self.snapshot.exclusive():
            self.snapshot.discard()

    def _replayed_privately(self) -> Committee:
        """A committee in memory, where the snapshot does not fit and must not be written."""
        with self.ledger.reading():
            stamp = self.ledger.stamp()
            if self._private is None or self._private[0] != stamp:
                self._private = stamp, self._fresh_replay()
        return self._private[1]

    def _fresh_replay(self) -> Committee:
        committee = self._founded()
        teach(self.ledger, committee)
        return committee

    def _founded(self) -> Committee:
        """A committee in memory before its first lesson."""
        from deciban.filter.foundation import begin, room

        capacity = room(self.ledger)
        return begin(self.ledger, capacity, bytearray(Committee.size(self.settings, capacity)))

    def classify(self, message: bytes | Message) -> Verdict:
        """What the filter makes of a message."""
        return self.classify_many([message])[0]

    def classify_many(self, messages: Iterable[bytes | Message]) -> list[Verdict]:
        """What the filter makes of several messages, all of them in one state of it.

        Looking at locks, stamp and preferences takes 50 µs, as much as scoring a message: here once for all.
        """
        preferences = self.preferences
        chosen = [message if isinstance(message, Message) else read(message) for message in messages]
        features = [features_of(message, preferences.facts(message)) for message in chosen]

        totals = self.ask(lambda committee: [totals_of(committee, item) for item in features])
        return self._decided(chosen, totals, preferences)

    def _decided(
        self, messages: list[Message], totals: list[dict[str, float]], preferences: Preferences
    ) -> list[Verdict]:
        """The verdicts of the totals, as the user's preferences and the bar for spam have it."""
        verdicts = [Verdict.of(total) for total in totals]
        if all(verdict.label != SPAM for verdict in verdicts):
            return verdicts
        bar = self.assurance().bar
        for place, verdict in enumerate(verdicts):
            if verdict.label != SPAM or verdict.probability is None:
                continue
            if preferences.allows(messages[place]):
                verdicts[place] = Verdict.of(totals[place], label=runner_up(totals[place], SPAM))
            else:
                verdicts[place] = verdict.replaced(unsure=is_unsure(totals[place], bar))
        return verdicts

    def why(self, message: bytes | Message) -> Verdict:
        """What the filter makes of a message, with the evidence for it against the runner-up."""
        from deciban.committee.evidence import gather_evidence

        message = message if isinstance(message, Message) else read(message)
        preferences = self.preferences
        facts = preferences.facts(message)
        features = features_of(message, facts)

        def explained(committee: Committee) -> Verdict:
            totals = totals_of(committee, features)
            (verdict,) = self._decided([message], [totals], preferences)
            if verdict.probability is None:
                return verdict
            against = runner_up(totals, verdict.label)
            return verdict.replaced(
                evidence=gather_evidence(committee, message, facts, verdict.label, against)
            )

        return self.ask(explained)

    @property
    def preferences(self) -> Preferences:
        """What the user prefers; `prefer` changes it."""
        text = self.ledger.fact("preferences", "")
        if text != self._preferences[0]:
            self._preferences = text, Preferences.from_text(text)
        return self._preferences[1]

    def prefer(self, **changes: object) -> None:
        """Change some of the `Preferences`: cost, promise, contacts, allowed, keep_mail."""
        from deciban.filter.kept_mail import erase_old

        preferences = self.preferences.replaced(**changes)
        with self.ledger.writing():
            self.ledger.set_fact("preferences", preferences.text())
            erased = erase_old(self.ledger, preferences.keep_mail)
        if erased:
            self.ledger.sweep()

    def assurance(self) -> Assurance:
        """The bar that spam must exceed, and on how much evidence."""
        threshold = self.preferences.threshold
        if self._assurance is None or self._assurance[0] != (threshold, self.ledger.stamp()):
            self._examine_postponed()
            key = threshold, self.ledger.stamp()
            self._assurance = key, Assurance.of(threshold, self.ledger.recent_good(threshold.window))
        return self._assurance[1]

    def forget(
        self,
        *,
        message: bytes | None = None,
        digest: bytes | None = None,
        digests: Iterable[bytes] | None = None,
        label: str | None = None,
        sender: str | None = None,
        source: str | None = None,
        since: float | None = None,
        until: float | None = None,
    ) -> int:
        """Erase the lessons for which everything given holds, as if they had never been; their number.

        ``digests`` are those of many messages at once, for one replay.
        """
        digest = read(message).digest if message is not None else digest
        selection = Selection(
            digest=digest, label=label, sender=sender, source=source, since=since, until=until
        )
        listed = None if digests is None else set(digests)
        if listed is None:
            selection.condition()
        if next(self.ledger.select(selection), None) is None:
            self._say_if_folded(digest)
            return 0
        with self._changing():
            chosen = (lesson.digest for lesson in self.ledger.select(selection))
            count = self._erase([key for key in chosen if listed is None or key in listed])
        if count:
            self.ledger.sweep()
        return count

    def _say_if_folded(self, digest: bytes | None) -> None:
        if digest is not None and self.ledger.folded_labels_of([digest]):
            raise FoldedLesson(
                "The lesson of this message was folded by deciban compact, and cannot be forgotten any more."
            )

    def compact(self, before: float) -> int:
        """Fold the lessons taught before a time, in seconds since 1970 (see folding.py); how many there were.

        None of them can be forgotten or relearned any more.
        """
        from deciban.filter.folding import fold, positions_before

        with self._changing():
            old = positions_before(self.ledger, before)
            if old:
                committee = self._founded()
                for position, label, features in self.ledger.replay():
                    if position in old:
                        committee.learn(label, features)
                fold(self.ledger, old, committee)
                self.checkpoints.tidy()
                self._replay()
        if old:
            self.ledger.shrink()
        return len(old)

    def lessons(
        self,
        *,
        digest: bytes | None = None,
        label: str | None = None,
        sender: str | None = None,
        source: str | None = None,
        since: float | None = None,
        until: float | None = None,
    ) -> Iterator[Lesson]:
        """The lessons for which everything given holds, in the order in which they are replayed."""
        return self.ledger.select(
            Selection(digest=digest, label=label, sender=sender, source=source, since=since, until=until)
        )

    def merge(self, path: str) -> int:
        """Take over the lessons of another ledger; how many were new or replaced an older one.

        The union is put in an order that only the lessons decide (`Ledger.arrange`) and replayed: which
        ledger is merged into which does not matter. Of a message that both know, the lesson taught last is
        kept.
        """
        with Ledger(path, read_only=True) as other, other.reading():
            return self._unite(other.select(Selection()))

    def import_(self, stream: Iterable[str]) -> int:
        """Take over the lessons of an export, as `merge` does; either all of them or none."""
        from deciban.filter.exchange import read_lessons

        return self._unite(read_lessons(stream))

    def export(self, stream: IO[str]) -> int:
        """Write all lessons as JSON lines (see exchange.py); how many there are."""
        from deciban.filter.exchange import write_lessons

        with self.ledger.reading():
            return write_lessons(stream, self.lessons())

    def _unite(self, lessons: Iterable[Lesson]) -> int:
        taken = 0
        with self._changing():
            first = self.ledger.first_taught()
            for lesson in lessons:
                first[lesson.label] = min(lesson.taught, first.get(lesson.label, lesson.taught))
                if self.ledger.folded_labels_of([lesson.digest]):
                    continue
                ours = next(self.ledger.select(Selection(digest=lesson.digest)), None)
                if ours is None or _precedence(lesson) > _precedence(ours):
                    self.ledger.remove([lesson.digest])
                    self.ledger.append([(lesson, lesson.taught, NO_EXAM)])
                    taken += 1
            if taken:
                spelled = sorted(first, key=lambda label: (first[label], label))
                self.ledger.unite_labels((*self._shared_labels(), *spelled))
                self.ledger.arrange(BULK_LESSONS)
                self.checkpoints.tidy()
                self._replay()
        if taken:
            self.ledger.sweep()
        return taken

    def publish(self, path: str) -> SharedFilter:
        """Write the state into a file that others can rest on (see shared_filter.py)."""
        from deciban.filter.shared_filter import publish

        return self.ask(lambda committee: publish(path, self.settings, committee))

    def rest_on(self, path: str | None) -> SharedFilter | None:
        """Replay the lessons on top of the shared filter that a file holds now; on nothing for None."""
        from deciban.filter.foundation import CAPACITY as FOUNDATION
        from deciban.filter.shared_filter import look_at

        shared, settings = look_at(path) if path is not None else (None, self.settings)
        with self.snapshot.exclusive(), self.ledger.writing():
            # Not `_changing`: what the filter rested on may be gone, and then there is no state.
            if self.ledger.fact(FOUNDATION) is not None:
                raise FoldedLesson(
                    "A filter with folded lessons cannot rest on another. Make a new one: --db."
                )
            self.ledger.set_fact(SHARED, None if shared is None else shared.text())
            self.ledger.set_settings(settings)
            self.ledger.unite_labels(self._shared_labels())
            self.ledger.execute("DELETE FROM checkpoints")
            self.checkpoints.tidy()
            self.snapshot.settings = self.settings
            self._replay()
            self.ledger.commit()
            self.snapshot.mark_clean(self.ledger.stamp())
        return shared

    def spelling(self, label: str) -> str:
        """How a label is spelled here: as it was taught first, whatever its case and outer space."""
        label = label_of(label)
        before = spellings((*self._shared_labels(), label))[label]
        return self.ledger.spelling(label) or before

    def labels(self) -> dict[str, int]:
        """How many lessons of each label there are, in the order of their first lessons."""
        return self.ledger.labels()

    def exams(self) -> Iterator[tuple[bytes, str, ExamRow]]:
        """What was made of each lesson before it was learned: its digest, true label and exam."""
        self._examine_postponed()
        return self.ledger.exams()

    def state(self) -> bytes:
        """The bytes of everything learned."""
        return self.ask(Committee.state)

    def is_replay(self) -> bool:
        """Whether the law holds: the state is what a replay of the ledger gives, exams included."""
        self._examine_postponed()
        with self.ledger.reading():
            committee = self._founded()
            replayed = [examined(label, exam) for _, label, exam in replay(self.ledger, committee)]
            kept = [exam for _, _, exam in self.ledger.exams()]
            return replayed == kept[len(kept) - len(replayed) :] and self.state() == committee.state()


def totals_of(committee: Committee, features: Features) -> dict[str, float]:
    """The judge's totals by label."""
    return united(dict(zip(committee.labels, committee.score(features), strict=True)))


def _precedence(lesson: Lesson) -> tuple[int, str]:
    """Of two lessons of one message the one taught last counts; the label only so that there is a rule."""
    return lesson.taught, key_of(lesson.label)
