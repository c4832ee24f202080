"""Lessons that stay in memory until they are arranged: what is told of them is what the file would tell."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deciban.committee.settings import Settings
from deciban.errors import DamagedLedger
from deciban.ledger import Ledger, create_ledger, fresh_lessons, open_ledger
from tests.ledger.lessons import append, lesson


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with create_ledger(str(tmp_path / "mail.db"), Settings(bits=10)) as made:
        yield made


def append_to_arrange(ledger: Ledger, *numbers: int, label: str = "ham") -> None:
    with ledger.writing():
        end = ledger.last_position()
        ledger.append(((lesson(label, number), end + number) for number in numbers), to_arrange=True)


def damage(ledger: Ledger) -> None:
    """Leave nothing of the features in the file: who reads lessons from now on notices it."""
    with ledger.writing():
        ledger._execute("UPDATE lessons SET features = x'0000'")


def test_they_are_not_read_from_the_file_again(ledger: Ledger) -> None:
    append_to_arrange(ledger, 1, 2)
    append_to_arrange(ledger, 3)
    with open_ledger(ledger.path) as other:
        told = list(other.arranged([3, 1, 2]))
    damage(ledger)
    assert list(ledger.arranged([3, 1, 2])) == told
    with pytest.raises(DamagedLedger):  # once: they do not stay in memory any longer
        list(ledger.arranged([3, 1, 2]))


def test_lessons_that_are_not_to_be_arranged_are_read(ledger: Ledger) -> None:
    append(ledger, lesson("ham", 1))
    damage(ledger)
    with pytest.raises(DamagedLedger):
        list(ledger.arranged([1]))


def test_so_many_are_kept_as_there_is_room_for(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    size = max(len(lesson("ham", number).features.encode()) for number in (1, 2, 3, 4))
    monkeypatch.setattr(fresh_lessons, "MOST_BYTES", 2 * size)
    append_to_arrange(ledger, 1, 2, 3)
    append_to_arrange(ledger, 4)
    with open_ledger(ledger.path) as other:
        told = list(other.arranged([1, 2, 4, 3]))
    damage(ledger)
    lessons = ledger.arranged([1, 2, 4, 3])
    assert [next(lessons), next(lessons)] == told[:2]  # the first are kept, whatever came later
    with pytest.raises(DamagedLedger):
        next(lessons)


def test_a_transaction_that_fails_leaves_none(ledger: Ledger) -> None:
    append_to_arrange(ledger, 1)

    def fail() -> None:
        with ledger.writing():
            ledger.append([(lesson("spam", 7), 7)], to_arrange=True)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    append_to_arrange(ledger, 2)
    assert [each.step[:16] for each in ledger.arranged([2, 1])] == [
        lesson("ham", 2).digest,
        lesson("ham", 1).digest,
    ]


def test_once_somebody_else_has_put_lessons_in_another_order_the_file_is_read(ledger: Ledger) -> None:
    append_to_arrange(ledger, 1, 2)
    with open_ledger(ledger.path) as other:
        with other.writing():
            other.arrange([2, 1])
        assert list(ledger.arranged([2, 1])) == list(other.arranged([2, 1]))


KINDS = ["append", "to arrange", "by another", "swap", "swap by another", "remove"]


@given(st.lists(st.sampled_from(KINDS), min_size=3))
@settings(deadline=None)
def test_whatever_others_did_meanwhile_the_file_is_right(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    path = str(tmp_path_factory.mktemp("ledger") / "mail.db")
    with create_ledger(path, Settings(bits=10)) as ours, open_ledger(path) as others:
        for number, step in enumerate(steps):
            who = others if "another" in step else ours
            order = [position for position, _ in who.digests()]
            with who.writing():
                if step == "remove" and order:
                    who.remove([next(who.digests())[1]])
                elif "swap" in step and order:
                    who.arrange(order[::-1])
                else:
                    made = lesson("ham" if number % 3 else "spam", number)
                    who.append([(made, number + 1)], to_arrange=step == "to arrange")
        order = [position for position, _ in ours.digests()][::-1]
        assert list(ours.arranged(order)) == list(others.arranged(order))
