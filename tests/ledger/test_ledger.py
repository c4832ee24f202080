"""What the contract of a ledger promises, over every implementation of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.committee.settings import Settings
from deciban.errors import CannotWrite, DamagedLedger
from deciban.ledger import Ledger, Selection, create_ledger, open_ledger
from deciban.ledger.cursor import START, Cursor
from deciban.ledger.records import NO_EXAM
from tests.ledger.lessons import append, lesson


@pytest.fixture(params=[create_ledger], ids=["sqlite"])
def ledger(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Ledger]:
    with request.param(str(tmp_path / "ledger"), Settings(bits=10)) as ledger:
        yield ledger


def test_lessons_come_back_as_they_were_written_in_their_order(ledger: Ledger) -> None:
    written = [lesson("spam", 1), lesson("ham", 1), lesson("spam", 2)]
    append(ledger, *written)
    found = list(ledger.select(Selection()))
    assert [each.replaced(taught=0) for each in found] == written
    assert [each.taught for each in found] == [1, 2, 3]
    assert [(each.label, each.features) for each in ledger.replay()] == [
        (each.label, each.features) for each in written
    ]


def test_a_transaction_that_fails_leaves_nothing(ledger: Ledger) -> None:
    append(ledger, lesson("ham", 1))
    before = ledger.address()

    def fail() -> None:
        with ledger.writing():
            ledger.append([(lesson("spam", 1), 5)])
            ledger.set_fact("preferences", "something")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert ledger.labels() == {"ham": 1}
    assert ledger.fact("preferences") is None
    assert ledger.address() == before


def test_facts_and_address_are_those_of_now_whoever_wrote_them(ledger: Ledger) -> None:
    with open_ledger(ledger.path) as other:
        for writer, reader in ((ledger, other), (other, ledger), (ledger, ledger)):
            before = reader.address(), reader.fact("preferences")
            with writer.writing():
                writer.set_fact("preferences", f"{before[1]} and more")
                writer.append([(lesson("ham", before[0].position + 1), before[0].position + 1)])
                assert writer.fact("preferences") == f"{before[1]} and more"
            assert reader.fact("preferences") == f"{before[1]} and more"
            assert reader.address().position == before[0].position + 1
            assert reader.address() == writer.address()
        with ledger.writing():
            ledger.sweep_later()
        assert not other.is_swept()
        assert ledger.sweep()
        assert ledger.is_swept()
        assert other.is_swept()


def test_the_address_changes_with_what_a_replay_gives_and_with_nothing_else(ledger: Ledger) -> None:
    append(ledger, lesson("ham", 1))
    addresses = [ledger.address()]
    append(ledger, lesson("ham", 2))
    addresses.append(ledger.address())
    with ledger.writing():
        ledger.remove([lesson("ham", 2).digest])
    addresses.append(ledger.address())
    assert addresses[0] != addresses[1]
    assert addresses[2] == addresses[0]  # the same lessons, the same state
    with ledger.writing():
        ledger.set_fact("preferences", "{}")
    assert ledger.address() == addresses[-1]


def test_removing_a_lesson_removes_all_that_belongs_to_it(ledger: Ledger) -> None:
    append(ledger, lesson("ham", 1), lesson("spam", 1), lesson("ham", 2))
    gone = lesson("spam", 1).digest
    with ledger.writing():
        ledger.keep_mail(gone, 100, b"packed")
        assert ledger.remove([gone, b"never taught"]) == 1
    assert ledger.labels() == {"ham": 2}
    assert ledger.kept_mail(gone) is None
    assert ledger.names() == {"word:ham", "word:1", "word:2"}
    assert not ledger.has(gone)


def test_what_a_reader_sees_does_not_change_under_it(ledger: Ledger) -> None:
    append(ledger, lesson("ham", 1))
    with open_ledger(ledger.path, read_only=True) as reader:
        with reader.reading():
            assert reader.labels() == {"ham": 1}
            append(ledger, lesson("spam", 1), first=2)
            assert reader.labels() == {"ham": 1}
        assert reader.labels() == {"ham": 1, "spam": 1}
        with pytest.raises(CannotWrite), reader.writing():
            pass


def test_a_trail_tells_histories_apart_and_is_the_same_for_the_same_lessons(ledger: Ledger) -> None:
    append(ledger, lesson("ham", 1), lesson("spam", 1), lesson("ham", 2))
    trails = [ledger.trail_at(position) for position in range(4)]
    assert len(set(trails)) == 4
    assert ledger.address().trail == trails[3]
    assert [placed.trail for placed in ledger.replay(1)] == trails[2:]
    with ledger.writing():
        ledger.remove([lesson("spam", 1).digest])
    assert [ledger.trail_at(position) for position in range(4)][:2] == trails[:2]
    assert ledger.trail_at(2) is None
    assert ledger.trail_at(3) not in trails
    append(ledger, lesson("spam", 1), first=2)
    assert ledger.address().trail not in trails


def test_a_replay_misses_no_lesson(ledger: Ledger) -> None:
    append(ledger, *(lesson("ham", number) for number in range(5)))
    for gone in (3, 5):
        ledger._execute("SAVEPOINT whole")
        ledger._execute("DELETE FROM trail WHERE position = ?", gone)
        with pytest.raises(DamagedLedger, match="copy"):
            list(ledger.replay())
        ledger._execute("ROLLBACK TO whole")
        ledger._execute("RELEASE whole")
    assert len(list(ledger.replay())) == 5


@pytest.mark.parametrize("key", ["id", "settings", "base", "end", "features", "preferences"])
def test_a_fact_that_was_changed_by_somebody_else_is_noticed(ledger: Ledger, key: str) -> None:
    append(ledger, lesson("ham", 1))
    with ledger.writing():
        ledger.set_fact("preferences", "cost=2")
        ledger._execute("UPDATE facts SET value = value || 'x' WHERE key = ?", key)
    with pytest.raises(DamagedLedger), open_ledger(ledger.path) as again:
        again.fact(key)


def test_mixed_lessons_keep_the_order_within_a_label(ledger: Ledger) -> None:
    append(ledger, *(lesson("ham", n) for n in range(2)), *(lesson("spam", n) for n in range(4)))
    assert ledger.last_run() == (4, 4)
    with ledger.writing():
        ledger.arrange(ledger.wanted_order(longest_run=3))
        assert ledger.wanted_order(longest_run=3) is None
    order = [each.label for each in ledger.select(Selection())]
    assert order == ["spam", "ham", "spam", "spam", "ham", "spam"]
    assert [each.subject for each in ledger.select(Selection(label="spam"))] == [
        f"number {n}" for n in range(4)
    ]


def test_arranged_lessons_are_told_as_they_will_be_placed(ledger: Ledger) -> None:
    append(ledger, *(lesson("ham", n) for n in range(3)), *(lesson("spam", n) for n in range(3)))
    order = [6, 1, 5, 3, 2, 4]
    told = list(ledger.arranged(order))
    with ledger.writing():
        ledger.arrange(order)
    assert list(ledger.replay()) == told
    assert ledger.last_position() == 6


def test_lessons_that_came_after_they_were_told_follow_those_that_are_arranged(ledger: Ledger) -> None:
    append(ledger, *(lesson("ham", n) for n in range(3)))
    told = list(ledger.arranged([3, 1, 2]))
    append(ledger, lesson("spam", 1), lesson("spam", 2))
    with ledger.writing():
        ledger.arrange([3, 1, 2])
    assert list(ledger.replay())[:3] == told
    subjects = [each.subject for each in ledger.select(Selection())]
    assert subjects == ["number 2", "number 0", "number 1", "number 1", "number 2"]


def test_lessons_are_arranged_as_they_are_then_whatever_was_told_before(ledger: Ledger) -> None:
    append(ledger, *(lesson("ham", n) for n in range(4)))
    list(ledger.arranged([4, 3, 2, 1]))
    with open_ledger(ledger.path) as other, other.writing():
        other.arrange([2, 1, 4, 3])
    with ledger.writing():
        ledger.arrange([4, 3, 2, 1])
    subjects = [each.subject for each in ledger.select(Selection())]
    assert subjects == ["number 2", "number 3", "number 0", "number 1"]
    assert len(list(ledger.replay())) == 4  # along a trail that is right


def test_folded_lessons_are_known_but_no_lessons_any_more(ledger: Ledger) -> None:
    append(ledger, lesson("ham", 1), lesson("spam", 1), lesson("ham", 2))
    with ledger.writing():
        old = ledger.positions_before(3e-6)
        ledger.fold(old, b"packed state", 4, dict.fromkeys(old, NO_EXAM))
    assert ledger.foundation() == b"packed state"
    assert (ledger.folded().lessons, ledger.folded().until) == (2, 2)
    assert ledger.labels() == {"ham": 2, "spam": 1}
    assert [each.subject for each in ledger.select(Selection())] == ["number 2"]
    assert ledger.labels_of([lesson("spam", 1).digest]) == {lesson("spam", 1).digest: "spam"}
    assert ledger.folded_labels_of([lesson("ham", 2).digest]) == {}
    assert ledger.names() == {"word:ham", "word:spam", "word:1", "word:2"}


def test_kept_mail_is_counted_and_erased_by_its_age(ledger: Ledger) -> None:
    append(ledger, lesson("ham", 1), lesson("ham", 2))
    with ledger.writing():
        ledger.keep_mail(lesson("ham", 1).digest, 100, b"old")
        ledger.keep_mail(lesson("ham", 2).digest, 200, b"newer")
    assert (ledger.kept_mails().count, ledger.kept_mails().size) == (2, 8)
    with ledger.writing():
        assert ledger.erase_mails(before=200) == 1
    assert ledger.kept_mail(lesson("ham", 1).digest) is None
    assert ledger.kept_mail(lesson("ham", 2).digest) == b"newer"


def test_settings_are_those_of_the_last_address(ledger: Ledger) -> None:
    with open_ledger(ledger.path) as other:
        with other.writing():
            other.set_settings(Settings(bits=12))
        assert ledger.settings.bits == 10
        ledger.address()
        assert ledger.settings.bits == 12


def test_what_was_committed_is_there_for_others_and_after_reopening(ledger: Ledger) -> None:
    append(ledger, lesson("spam", 1))
    address = ledger.address()
    with open_ledger(ledger.path, read_only=True) as other:
        assert (other.labels(), other.address()) == ({"spam": 1}, address)
    ledger.close()
    with open_ledger(ledger.path) as again:
        assert (again.labels(), again.address(), again.last_position()) == ({"spam": 1}, address, 1)


@pytest.mark.parametrize(
    ("meant", "found"),
    [
        ({"label": "spam"}, [1, 3]),
        ({"label": "SPAM"}, [1, 3]),
        ({"sender": "Ham@Example.org"}, [2, 4]),
        ({"source": "spam.mbox"}, [1, 3]),
        ({"source": "spam.mbox@3"}, [3]),
        ({"source": "spam.mb"}, []),
        ({"digest": lesson("ham", 4).digest}, [4]),
        ({"since": 3e-6}, [3, 4]),
        ({"until": 3e-6, "label": "ham"}, [2]),
    ],
)
def test_a_selection_finds_and_counts_what_is_meant(
    ledger: Ledger, meant: dict[str, object], found: list[int]
) -> None:
    append(ledger, lesson("spam", 1), lesson("ham", 2), lesson("spam", 3), lesson("ham", 4))
    selection = Selection(**meant)  # type: ignore[arg-type]
    assert [each.subject for each in ledger.select(selection)] == [f"number {number}" for number in found]
    assert ledger.count_of(selection) == len(found)


def test_after_sweeping_no_byte_of_a_removed_lesson_is_left(ledger: Ledger) -> None:
    append(ledger, lesson("work", 0), lesson("secret", 7))
    with ledger.writing():
        ledger.remove([lesson("secret", 7).digest])
    ledger.sweep()
    kept = b"".join(path.read_bytes() for path in Path(ledger.path).parent.iterdir())
    assert b"word:work" in kept
    assert b"secret" not in kept


def test_a_sweep_stays_due_while_somebody_reads(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    append(ledger, lesson("work", 0), lesson("secret", 7))
    with open_ledger(ledger.path) as reader, reader.reading():
        assert reader.count_of(Selection()) == 2
        with ledger.writing():
            ledger.remove([lesson("secret", 7).digest])
            ledger.sweep_later()
        assert not ledger.sweep(waiting=False)
        # It does not wait for readers for as long as a writer waits for another.
        monkeypatch.setattr("deciban.ledger.sqlite_connection.SWEEP_MILLISECONDS", 1)
        assert not ledger.sweep()
        assert not ledger.is_swept()
    with open_ledger(ledger.path) as other:
        assert other.sweep(waiting=False)
    assert ledger.is_swept()
    kept = b"".join(path.read_bytes() for path in Path(ledger.path).parent.iterdir())
    assert b"secret" not in kept


def test_one_label_alone_is_no_run(ledger: Ledger) -> None:
    assert ledger.last_run() == (0, 0)
    append(ledger, *(lesson("ham", number) for number in range(5)))
    assert (ledger.last_run(), ledger.has_two_labels()) == ((0, 0), False)


def test_labels_are_one_in_any_spelling_and_shown_in_the_first(ledger: Ledger) -> None:
    append(ledger, lesson("Work", 1), lesson("work", 2))
    assert (ledger.labels(), ledger.spelling("WORK")) == ({"Work": 2}, "Work")
    assert not ledger.has_split_labels()


def test_lessons_are_listed_from_new_to_old_page_by_page_whatever_changes_meanwhile(ledger: Ledger) -> None:
    written = [lesson(("spam", "ham")[number % 2], number) for number in range(1, 8)]
    # Three of them have the time of another: merged ledgers may have such.
    with ledger.writing():
        ledger.append([(each, 10 + number // 2) for number, each in enumerate(written)])
    everything = ledger.newest(Selection(), START, 100)
    assert [each.taught for each in everything] == sorted((each.taught for each in everything), reverse=True)
    assert {each.digest for each in everything} == {each.digest for each in written}
    listed, behind = [], START
    while page := ledger.newest(Selection(), behind, 2):
        listed += page
        behind = Cursor(page[-1].taught, page[-1].digest)
        if len(listed) == 2:
            with ledger.writing():
                ledger.append([(lesson("ham", 100), 100)])  # in front of what is listed
    assert listed == everything
    spam = ledger.newest(Selection(label="spam"), Cursor(12), 10)
    assert [each.label for each in spam] == ["spam"] * len(spam)
    assert spam
    assert all(each.taught < 12 for each in spam)
