"""Folded lessons stay learned and known, and give clear answers to whoever wants them back."""

import io
import os
from collections.abc import Iterator
from pathlib import Path
from zlib import compress

import pytest

from deciban.errors import FoldedLesson, WrongUsage
from deciban.filter import Filter, Learned, Settings
from deciban.ledger import Selection
from deciban.ledger.facts import FOUNDATION_DIGEST
from deciban.ledger.trail import digest_of
from deciban.text import read
from tests.filter.mails import classify, forget, mail, teach
from tests.filter.test_earlier_state import earlier_code

SMALL = Settings(bits=10, salt=99)


@pytest.fixture
def settings() -> Settings:
    return SMALL


@pytest.fixture
def taught(tmp_path: Path, starter: str | None, settings: Settings) -> Iterator[Filter]:
    with Filter.open(str(tmp_path / "mail"), settings, starter=starter) as filter_:
        filter_.checkpoints.nearest = 4
        for number in range(20):
            teach(filter_, "spam", [mail("spam", number)])
            teach(filter_, "ham", [mail("ham", number)])
        yield filter_


def fold_first(filter_: Filter, count: int) -> int:
    """Fold so many of the first lessons."""
    return filter_.compact([lesson.taught for lesson in filter_.lessons()][count] / 1e6)


def test_folding_the_oldest_lessons_changes_no_state_and_no_exam(taught: Filter) -> None:
    before = taught.state(), list(taught.exams()), taught.labels(), taught.assurance()
    names = taught.names()
    assert fold_first(taught, 25) == 25
    assert (taught.state(), list(taught.exams()), taught.labels(), taught.assurance()) == before
    assert taught.names() == names
    assert (taught.folded().lessons, len(list(taught.lessons()))) == (25, 15)
    assert taught.is_replay()


def test_what_comes_after_is_replayed_on_the_folded_state(
    taught: Filter, starter: str | None, tmp_path: Path
) -> None:
    fold_first(taught, 10)
    teach(taught, "spam", [mail("spam", 30)])
    forget(taught, mail("ham", 19).data)
    with Filter.open(str(tmp_path / "other"), SMALL, starter=starter) as other:
        for number in range(20):
            teach(other, "spam", [mail("spam", number)])
            if number != 19:
                teach(other, "ham", [mail("ham", number)])
        teach(other, "spam", [mail("spam", 30)])
        assert other.state() == taught.state()
    os.unlink(taught.ledger.path + ".snapshot")
    assert taught.is_replay()


def test_folding_twice_is_folding_once_up_to_the_later_time(taught: Filter) -> None:
    before = taught.state()
    fold_first(taught, 10)
    fold_first(taught, 12)
    assert taught.folded().lessons == 22
    assert taught.state() == before


def test_everything_can_be_folded(taught: Filter) -> None:
    before = taught.state()
    assert taught.compact(4e9) == 40
    assert taught.compact(4e9) == 0
    assert taught.state() == before
    teach(taught, "spam", [mail("spam", 40)])
    assert taught.is_replay()


def test_a_folded_message_is_still_known(taught: Filter) -> None:
    fold_first(taught, 10)
    state = taught.state()
    assert teach(taught, "spam", [mail("spam", 0)]) == Learned(known=1)
    assert taught.state() == state


def test_a_folded_message_can_be_taught_otherwise_beside_its_lesson(taught: Filter) -> None:
    fold_first(taught, 10)
    state = taught.state()
    assert teach(taught, "ham", [mail("spam", 0)]) == Learned(relearned=1, beside=1)
    assert teach(taught, "ham", [mail("spam", 0)]) == Learned(known=1)
    assert taught.is_replay()
    assert teach(taught, "spam", [mail("spam", 0)]) == Learned(relearned=1)
    assert taught.state() == state


def test_forgetting_a_folded_message_says_why_not(taught: Filter) -> None:
    fold_first(taught, 10)
    with pytest.raises(FoldedLesson, match="cannot be forgotten"):
        forget(taught, mail("spam", 0).data)
    assert taught.forget(Selection(since=0.0)) == 30
    assert sum(taught.labels().values()) == 10
    assert taught.is_replay()


def test_labels_beyond_the_room_of_the_folded_state_widen_it(taught: Filter) -> None:
    fold_first(taught, 20)
    verdict = classify(taught, mail("spam", 50).data)
    before = taught.state()
    for number in range(5):
        teach(taught, "work", [mail("work", number)])
        teach(taught, "news", [mail("news", number)])
    assert taught.is_replay()
    assert classify(taught, mail("news", 50).data).label == "news"
    assert classify(taught, mail("spam", 50).data).label == verdict.label
    taught.forget(Selection(label="work"))
    taught.forget(Selection(label="news"))
    assert taught.state() == before


def test_nothing_of_a_folded_lesson_is_left_but_digest_label_names_and_exam(taught: Filter) -> None:
    (lesson,) = taught.lessons(Selection(digest=read(mail("spam", 0).data).digest))
    fold_first(taught, 10)
    content = Path(taught.ledger.path).read_bytes()
    for trace in (lesson.sender, lesson.message_id, "uniquespamsubject0 ", "spam.mbox@0"):
        assert trace.encode() not in content
    assert lesson.features.encode() not in content
    assert lesson.digest in content


def test_lessons_that_were_folded_are_not_imported_again(taught: Filter) -> None:
    export = io.StringIO()
    taught.export(export)
    fold_first(taught, 10)
    state = taught.state()
    export.seek(0)
    assert taught.import_(export) == 0
    assert taught.state() == state


def test_a_copy_of_the_ledger_with_its_folded_state_is_a_whole_filter(taught: Filter, tmp_path: Path) -> None:
    fold_first(taught, 10)
    taught.ledger.sweep()
    (tmp_path / "copy").write_bytes(Path(taught.ledger.path).read_bytes())
    with Filter.open(str(tmp_path / "copy")) as copy:
        assert copy.state() == taught.state()


def test_a_filter_that_rests_on_a_shared_one_is_not_folded(taught: Filter, tmp_path: Path) -> None:
    taught.publish(str(tmp_path / "site.state"))
    with Filter.open(str(tmp_path / "own")) as own:
        own.rest_on(str(tmp_path / "site.state"))
        teach(own, "spam", [mail("spam", 50)])
        with pytest.raises(WrongUsage, match="shared"):
            own.compact(4e9)
        assert own.is_replay()


@pytest.mark.parametrize("starter", [None])  # there was none then, nor such a setting
@pytest.mark.parametrize("settings", [Settings(bits=10, salt=99, complement=0.0)])
def test_lessons_folded_by_the_version_before_stay_learned(taught: Filter, settings: Settings) -> None:
    fold_first(taught, 25)
    before = taught.state()
    packed = compress(earlier_code(settings, taught._own.replaying.begin(), 3), 1)
    with taught.ledger.writing():
        taught.ledger._execute("UPDATE foundation SET value = ? WHERE what = 'state'", packed)
        taught.ledger.set_fact(FOUNDATION_DIGEST, digest_of(packed))
    os.unlink(taught.ledger.path + ".snapshot")
    assert taught.state() == before
    assert taught.is_replay()
    teach(taught, "ham", [mail("ham", 50)])
    assert taught.is_replay()


def test_the_number_of_a_label_that_is_gone_goes_to_no_other_while_a_folded_exam_names_it(
    taught: Filter,
) -> None:
    teach(taught, "spam", [mail("work", 50)])
    teach(taught, "work", (mail("work", number) for number in range(30)))  # mixed in before it
    fooled = read(mail("work", 50).data).digest

    def best() -> str | None:
        return {digest: row.best for digest, _, row in taught.exams()}[fooled]

    assert best() == "work"
    assert (
        taught.compact(min(lesson.taught for lesson in taught.lessons(Selection(label="work"))) / 1e6) == 41
    )
    assert best() == "work"
    assert taught.forget(Selection(label="work")) == 30
    assert best() is None
    teach(taught, "news", [mail("news", 0)])
    assert best() is None
    assert taught.is_replay()
