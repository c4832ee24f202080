"""A replay teaches every lesson in its order, each after its exam."""

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from deciban.committee.settings import Settings
from deciban.filter.exams import examined
from deciban.filter.fetching import NAME
from deciban.filter.footing import Footings
from deciban.filter.published import Published
from deciban.filter.replaying import Replaying
from deciban.ledger import Ledger, create_ledger
from deciban.ledger.records import NO_EXAM
from tests.ledger.lessons import append, lesson

SMALL = Settings(bits=8, salt=99)
LESSONS = [lesson(label, number) for number in range(4) for label in ("ham", "spam")]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with create_ledger(str(tmp_path / "mail"), SMALL) as made:
        append(made, *LESSONS)
        yield made


@pytest.fixture
def replaying(ledger: Ledger) -> Iterator[Replaying]:
    published = Published(ledger.path)
    yield Replaying(ledger, published, Footings(ledger))
    published.close()


def test_a_replay_in_memory_is_every_lesson_in_its_order(replaying: Replaying) -> None:
    by_hand = replaying.begin()
    for one in LESSONS:
        by_hand.learn(one.label, one.features)
    assert replaying.in_memory().look().state() == by_hand.state()
    backwards = replaying.begin()
    for one in reversed(LESSONS):
        backwards.learn(one.label, one.features)
    assert backwards.state() != by_hand.state()


def test_a_replay_by_two_threads_is_that_of_one(
    replaying: Replaying, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = replaying.in_memory()
    monkeypatch.setattr("deciban.filter.replaying.MANY", 1)
    monkeypatch.setattr("deciban.filter.replaying.SLICE", 3)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    started = []
    start = Thread.start
    monkeypatch.setattr(Thread, "start", lambda thread: (started.append(thread.name), start(thread)))
    replaying.built().discard()
    assert started == []  # nobody waits for it
    beside = replaying.built_in([*range(1, len(LESSONS) + 1)])
    assert started == [NAME]
    assert beside.snapshot.look().state() == alone.look().state()
    assert beside.snapshot.exam_records() == alone.exam_records()
    assert beside.snapshot.address == alone.address
    beside.discard()


def test_exams_are_made_before_their_lessons_are_learned(replaying: Replaying) -> None:
    exams = [exam.row for exam in replaying.in_memory().exams()]
    assert exams[:2] == [NO_EXAM, NO_EXAM]
    committee = replaying.begin()
    for one, exam in zip(LESSONS, exams, strict=True):
        totals = dict(zip(committee.labels, committee.score(one.features), strict=True))
        assert exam == examined(one.label, totals)
        committee.learn(one.label, one.features)


def test_a_label_that_was_never_taught_has_no_exam() -> None:
    assert examined("new", {"ham": 1.0, "spam": 0.0}) == NO_EXAM
    assert examined("ham", {"ham": 1.0}) == NO_EXAM
    assert examined("ham", {"ham": 1.0, "work": 0.0}).spam is None
