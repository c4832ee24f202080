"""The filter from the outside: learn, relearn, classify, explain, forget, list."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.errors import BadLabel, CannotWrite, LedgerBusy, NoSuchSource, WrongUsage
from deciban.filter import Filter, Learned, Settings
from deciban.filter.learned import BATCH_LESSONS
from deciban.filter.mail import lessons_from
from deciban.filter.replaying import Replaying
from deciban.ledger import Selection
from deciban.sources import RawMessage
from deciban.text import read
from tests.filter.mails import classify, forget, mail, teach, why

SMALL = Settings(bits=10, salt=99)


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "mail.deciban")


@pytest.fixture
def taught(path: str) -> Iterator[Filter]:
    with Filter.open(path, SMALL) as filter_:
        for number in range(10):
            teach(filter_, "spam", [mail("spam", number)])
            teach(filter_, "ham", [mail("ham", number)])
        yield filter_


def test_a_dozen_messages_are_enough_to_be_useful(taught: Filter) -> None:
    assert classify(taught, mail("spam", 50).data).label == "spam"
    assert classify(taught, mail("ham", 50).data).label == "ham"


def test_classifying_bytes_and_a_read_message_is_the_same(taught: Filter) -> None:
    data = mail("spam", 50).data
    assert classify(taught, data) == classify(taught, read(data))


def test_until_two_labels_were_taught_every_verdict_is_unsure(path: str) -> None:
    with Filter.open(path, SMALL) as filter_:
        assert classify(filter_, b"hello").unsure
        teach(filter_, "ham", [mail("ham", 1)])
        assert classify(filter_, mail("ham", 2).data).unsure
        teach(filter_, "spam", [mail("spam", 1)])
        assert not classify(filter_, mail("ham", 2).data).unsure


def test_learning_twice_is_learning_once(taught: Filter) -> None:
    before = taught.state()
    assert teach(taught, "spam", [mail("spam", 1), mail("spam", 2)]) == Learned(known=2)
    assert taught.state() == before


def test_a_message_that_comes_twice_in_a_batch_is_learned_once(path: str) -> None:
    with Filter.open(path, SMALL) as filter_:
        assert teach(filter_, "spam", [mail("spam", 1)] * 3) == Learned(learned=1, known=2)


def test_tagging_and_delivering_a_message_does_not_make_it_another(taught: Filter) -> None:
    original = mail("spam", 1)
    delivered = RawMessage(
        "elsewhere", b"X-Deciban: spam; 31.6 dB\r\n" + original.data.replace(b"\n", b"\r\n")
    )
    assert teach(taught, "spam", [delivered]) == Learned(known=1)


def test_relearning_moves_the_lesson_to_the_end(taught: Filter) -> None:
    wrong = mail("spam", 0)
    assert teach(taught, "ham", [wrong]) == Learned(relearned=1)
    lessons = list(taught.lessons())
    assert len(lessons) == 20
    assert (lessons[-1].digest, lessons[-1].label) == (read(wrong.data).digest, "ham")
    assert taught.is_replay()


def test_forgetting_is_as_if_it_had_never_been_taught(path: str, tmp_path: Path, taught: Filter) -> None:
    assert forget(taught, mail("spam", 3).data) == 1
    with Filter.open(str(tmp_path / "other"), SMALL) as other:
        for number in range(10):
            if number != 3:
                teach(other, "spam", [mail("spam", number)])
            teach(other, "ham", [mail("ham", number)])
        assert other.state() == taught.state()
        assert [exam for _, _, exam in other.exams()] == [exam for _, _, exam in taught.exams()]


@pytest.mark.parametrize(
    ("chosen", "count"),
    [
        ({"digest": read(mail("ham", 4).data).digest}, 1),
        ({"sender": "Spam7@Example.org"}, 1),
        ({"source": "spam.mbox@7"}, 1),
        ({"source": "spam.mbox"}, 10),
        ({"source": "spam"}, 0),
        ({"label": "ham"}, 10),
        ({"label": "ham", "source": "spam.mbox"}, 0),
        ({"since": 0.0}, 20),
        ({"until": 0.0}, 0),
        ({"digest": b"no such digest.."}, 0),
    ],
)
def test_lessons_are_forgotten_by_what_is_known_of_them(
    taught: Filter, chosen: dict[str, object], count: int
) -> None:
    assert len(list(taught.lessons(Selection(**chosen)))) == count  # type: ignore[arg-type]
    assert taught.forget(Selection(**chosen)) == count  # type: ignore[arg-type]
    assert sum(taught.labels().values()) == 20 - count
    assert taught.is_replay()


def test_forgetting_everything_leaves_a_new_filter(path: str, tmp_path: Path, taught: Filter) -> None:
    taught.forget(Selection(since=0.0))
    with Filter.open(str(tmp_path / "other"), SMALL) as other:
        assert other.state() == taught.state()
    assert taught.labels() == {}


def test_forgetting_must_say_what(taught: Filter) -> None:
    with pytest.raises(WrongUsage, match="which lessons"):
        taught.forget(Selection())


def test_a_time_range_divides_the_lessons(taught: Filter) -> None:
    lessons = list(taught.lessons())
    middle = lessons[5].taught / 1e6
    assert len(list(taught.lessons(Selection(until=middle)))) == 5
    assert len(list(taught.lessons(Selection(since=middle)))) == 15
    assert [lesson.taught for lesson in lessons] == sorted({lesson.taught for lesson in lessons})


def test_a_lesson_says_what_it_was(path: str) -> None:
    with Filter.open(path, SMALL) as filter_:
        teach(filter_, "ham", [mail("ham", 1)], by="ann")
        (lesson,) = filter_.lessons()
    assert (lesson.label, lesson.by, lesson.source, lesson.sender) == (
        "ham", "ann", "ham.mbox@1", "ham1@example.org",
    )  # fmt: skip
    assert "uniquehamsubject1" in lesson.subject
    assert (lesson.date, lesson.message_id) == ("Mon, 2 Jan 2006 15:04:01 +0000", "<ham-1@example.org>")


def test_labels_beyond_the_capacity_make_room(taught: Filter) -> None:
    for label in ("work", "news", "shop"):
        for number in range(3):
            teach(taught, label, [mail(label, number)])
        assert taught.is_replay()
    assert list(taught.labels()) == ["spam", "ham", "work", "news", "shop"]
    assert classify(taught, mail("news", 9).data).label == "news"
    taught.forget(Selection(label="news"))
    taught.forget(Selection(label="spam"))
    assert taught.is_replay()
    assert list(taught.labels()) == ["ham", "work", "shop"]


def test_evidence_adds_up_to_the_verdict(taught: Filter) -> None:
    for label in ("spam", "ham"):
        verdict = why(taught, mail(label, 60).data)
        assert sum(item.decibans for item in verdict.evidence) == pytest.approx(verdict.decibans, abs=1e-9)
        assert verdict.replaced(evidence=()) == classify(taught, mail(label, 60).data)


def test_there_is_no_evidence_before_there_is_a_choice(path: str) -> None:
    with Filter.open(path, SMALL) as filter_:
        assert why(filter_, b"hello").evidence == ()


def test_an_exam_is_the_verdict_before_learning(taught: Filter) -> None:
    new = mail("spam", 70)
    verdict = classify(taught, new.data)
    teach(taught, "spam", [new])
    *_, (digest, label, exam) = taught.exams()
    assert (digest, label, exam.best) == (read(new.data).digest, "spam", verdict.label)
    assert exam.truth is not None
    assert exam.truth * 4.342944819 == pytest.approx(verdict.decibans)


def test_every_batch_is_acknowledged_when_it_is_durable(path: str) -> None:
    seen: list[tuple[int, int]] = []
    with Filter.open(path, SMALL) as filter_, Filter.open(path) as other:
        teach(
            filter_,
            "spam",
            (mail("spam", number) for number in range(BATCH_LESSONS + 10)),
            progress=lambda done, _: seen.append((done.learned, sum(other.labels().values()))),
        )
    assert seen == [(BATCH_LESSONS, BATCH_LESSONS), (BATCH_LESSONS + 10, BATCH_LESSONS + 10)]


def test_a_ledger_that_is_busy_once_all_is_stored_is_no_error(
    taught: Filter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy() -> bool:
        raise LedgerBusy("in use by another process")

    def stored(*_: object) -> None:
        monkeypatch.setattr(taught.ledger, "is_mixing_due", busy)

    lessons = lessons_from([mail("spam", 100)], "spam", taught.preferences)
    assert taught.learn(lessons, progress=stored) == Learned(learned=1)
    monkeypatch.undo()
    assert taught.count(Selection()) == 21
    assert taught.is_replay()


def test_what_cannot_be_mixed_now_is_left_to_whoever_asks(
    taught: Filter, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy() -> bool:
        raise LedgerBusy("in use by another process")

    folder = (mail("spam", number) for number in range(100, 130))
    taught.learn(lessons_from(folder, "spam", taught.preferences))
    monkeypatch.setattr(taught.ledger, "is_mixing_due", busy)
    taught.settle()
    monkeypatch.undo()
    assert taught.ledger.is_mixing_due()
    with Filter.open(path) as other:
        classify(other, b"hello")
        assert not other.ledger.is_mixing_due()
        assert other.is_replay()


def test_an_interrupted_source_keeps_what_was_acknowledged(path: str) -> None:
    def interrupted() -> Iterator[RawMessage]:
        for number in range(BATCH_LESSONS + 10):
            yield mail("spam", number)
        raise KeyboardInterrupt

    with Filter.open(path, SMALL) as filter_:
        with pytest.raises(KeyboardInterrupt):
            teach(filter_, "spam", interrupted())
        assert filter_.labels() == {"spam": BATCH_LESSONS}
        assert filter_.is_replay()


def test_one_batch_or_many_give_the_same_state(path: str, tmp_path: Path) -> None:
    mails = [mail("spam", number) for number in range(30)]
    with Filter.open(path, SMALL) as at_once, Filter.open(str(tmp_path / "other"), SMALL) as one_by_one:
        teach(at_once, "spam", mails)
        for message in mails:
            teach(one_by_one, "spam", [message])
        assert at_once.state() == one_by_one.state()


def test_a_bad_label_is_refused_before_anything_is_read(path: str) -> None:
    with Filter.open(path, SMALL) as filter_, pytest.raises(BadLabel):
        teach(filter_, "", iter(lambda: pytest.fail("was read"), None))


def test_the_files_are_for_their_owner_only(path: str, taught: Filter) -> None:
    for name in (path, path + ".snapshot", path + "-wal"):
        assert stat.S_IMODE(os.stat(name).st_mode) == 0o600


def test_a_new_filter_has_a_salt_of_its_own(tmp_path: Path) -> None:
    with Filter.open(str(tmp_path / "a")) as first, Filter.open(str(tmp_path / "b")) as second:
        assert first.settings.salt != second.settings.salt
        assert first.settings.replaced(salt=0) == second.settings.replaced(salt=0) == Settings()


def test_settings_stay_those_of_the_ledger(path: str, taught: Filter) -> None:
    with Filter.open(path, Settings(bits=12)) as again:
        assert again.settings == SMALL


def test_reading_only_changes_no_file(path: str, tmp_path: Path, taught: Filter) -> None:
    verdict = classify(taught, mail("spam", 50).data)
    taught.close()
    os.unlink(path + ".snapshot")
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    with Filter.open(path, read_only=True) as filter_:
        assert classify(filter_, mail("spam", 50).data) == verdict
        with pytest.raises(CannotWrite, match="read only"):
            teach(filter_, "spam", [mail("spam", 50)])
    after = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    assert before.items() <= after.items()


def test_a_ledger_that_is_not_there_is_not_made_to_read(path: str) -> None:
    for options in ({"create": False}, {"read_only": True}):
        with pytest.raises(NoSuchSource, match="no ledger"):
            Filter.open(path, **options)


def test_odd_names_of_files_are_no_trouble(tmp_path: Path) -> None:
    path = str(tmp_path / "a?b=c#d %41 ü.deciban")
    with Filter.open(path, SMALL) as filter_:
        teach(filter_, "spam", [mail("spam", 1)])
    assert os.path.exists(path)
    with Filter.open(path, create=False) as filter_:
        assert filter_.labels() == {"spam": 1}


def test_headers_that_are_no_text_are_kept_somehow(path: str) -> None:
    with Filter.open(path, SMALL) as filter_:
        teach(
            filter_,
            "spam",
            [RawMessage("x\udcff", b"Subject: \xff\xfe =?utf-8?q?=ED=A0=80?=\nFrom: \xff@\xfe\n\nx")],
        )
        assert len(list(filter_.lessons())) == 1


def test_many_messages_are_forgotten_in_one_replay(taught: Filter, monkeypatch: pytest.MonkeyPatch) -> None:
    digests = [read(mail("spam", number).data).digest for number in range(4)]
    built = []
    build = Replaying._build
    monkeypatch.setattr(
        Replaying, "_build", lambda *given, **named: built.append(1) or build(*given, **named)
    )
    assert taught.forget_all([*digests, b"unknown"]) == 4
    assert len(built) == 1
    assert taught.forget_all([]) == 0
    assert taught.is_replay()


def test_a_filter_that_another_process_gave_more_room_is_seen_as_it_is(path: str, taught: Filter) -> None:
    with Filter.open(path) as other:
        classify(other, b"hello")
        teach(taught, "work", [mail("work", 1)])
        assert classify(other, mail("work", 2).data) == classify(taught, mail("work", 2).data)
        assert other.state() == taught.state()
        taught.forget(Selection(label="work"))
        assert other.state() == taught.state()
        assert other.is_replay()


def test_two_who_teach_in_turns_never_give_two_lessons_one_time(taught: Filter) -> None:
    with Filter.open(taught.ledger.path) as other:
        for number in range(100, 110):
            for filter_ in (taught, other):
                before = filter_.ledger.last_taught()
                teach(filter_, "spam", [mail("spam", 2 * number + (filter_ is other))])
                assert filter_.ledger.last_taught() > before
        last = max(lesson.taught for lesson in taught.lessons())
        assert taught.ledger.last_taught() == other.ledger.last_taught() == last
        taught.forget(Selection(since=last / 1e6))
        assert taught.ledger.last_taught() == other.ledger.last_taught() < last
    times = [lesson.taught for lesson in taught.lessons()]
    assert len(times) == len(set(times))
