"""What is left of folded lessons: exams with checks, and a state with a digest."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.committee.settings import Settings
from deciban.errors import DamagedLedger
from deciban.ledger import create_ledger
from deciban.ledger.records import ExamRow, Folded
from deciban.ledger.sqlite_ledger import SqliteLedger
from tests.ledger.lessons import append, lesson

EXAMS = {1: ExamRow(None, None, None), 2: ExamRow("ham", -1.5, 2.0), 3: ExamRow("spam", 1.0, 1.0)}


@pytest.fixture
def folded(tmp_path: Path) -> Iterator[SqliteLedger]:
    with create_ledger(str(tmp_path / "ledger"), Settings(bits=10)) as made:
        assert isinstance(made, SqliteLedger)
        append(made, *(lesson(("spam", "ham")[number % 2], number) for number in range(5)))
        with made.writing():
            made.fold({1, 2, 3}, b"packed state", 2, EXAMS)
        yield made


def change(ledger: SqliteLedger, sql: str) -> None:
    connection = sqlite3.connect(ledger.path)
    connection.execute(sql)
    connection.commit()
    connection.close()


def test_digest_label_and_exam_are_left_in_their_order(folded: SqliteLedger) -> None:
    left = list(folded.folded_exams())
    assert [exam.row for exam in left] == list(EXAMS.values())
    assert [exam.label for exam in left] == ["spam", "ham", "spam"]
    assert left == list(reversed(list(folded.folded_exams(newest_first=True))))
    assert folded.folded() == Folded(3, 3)
    assert folded.foundation() == b"packed state"
    assert folded.labels() == {"spam": 3, "ham": 2}
    assert [placed.position for placed in folded.replay()] == [4, 5]
    assert folded.names() >= {"word:0", "word:2"}


@pytest.mark.parametrize(
    "field",
    [
        *("digest = x'00'", "digest = 3", "digest = 'x'"),
        *("label = 2", "taught = 9", "best = 2", "truth = 3", "spam = 'x'", "share = .5"),
    ],
)
def test_a_folded_lesson_that_was_changed_is_noticed(folded: SqliteLedger, field: str) -> None:
    change(folded, f"UPDATE folded SET {field} WHERE number = 3")
    with pytest.raises(DamagedLedger, match="folded lesson"):
        list(folded.folded_exams())
    assert "folded lessons" in {finding.part for finding in folded.findings() if not finding.is_right}


@pytest.mark.parametrize("value", ["x'00'", "7", "'packed state'", "zeroblob(12)"])
def test_a_state_that_was_changed_is_noticed(folded: SqliteLedger, value: str) -> None:
    change(folded, f"UPDATE foundation SET value = {value} WHERE what = 'state'")
    with pytest.raises(DamagedLedger, match="state of its folded lessons"):
        folded.foundation()
    assert "folded lessons" in {finding.part for finding in folded.findings() if not finding.is_right}


def test_a_state_that_is_gone_is_noticed(folded: SqliteLedger) -> None:
    change(folded, "DELETE FROM foundation")
    with pytest.raises(DamagedLedger, match="state of its folded lessons"):
        folded.foundation()


def test_the_state_is_part_of_what_a_replay_begins_with(folded: SqliteLedger) -> None:
    base = folded.address().base
    with folded.writing():
        folded.fold({4}, b"another state", 2, {4: EXAMS[1]})
    assert folded.address().base != base
