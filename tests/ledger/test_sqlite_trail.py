"""The trail in a SQLite file: no lesson that is missing, moved or exchanged passes a replay."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.committee.settings import Settings
from deciban.errors import DamagedLedger
from deciban.ledger import create_ledger, open_ledger
from deciban.ledger.sqlite_ledger import SqliteLedger
from deciban.ledger.trail import START, follow, keyed
from tests.ledger.lessons import append, lesson

WRONG = {
    "a lesson that is missing": "DELETE FROM lessons WHERE number = 4",
    "a place that is missing": "DELETE FROM trail WHERE position = 4",
    "both": "DELETE FROM lessons WHERE number = 4; DELETE FROM trail WHERE lesson = 4",
    "the last lesson": "DELETE FROM lessons WHERE number = 8",
    "the last place": "DELETE FROM trail WHERE position = 8",
    "two that changed places": """UPDATE trail SET lesson = 99 WHERE position = 3;
        UPDATE trail SET lesson = 3 WHERE position = 5; UPDATE trail SET lesson = 5 WHERE position = 3""",
    "a lesson twice": "UPDATE trail SET lesson = 99 WHERE position = 3",
    "another label": "UPDATE lessons SET label = 3 - label WHERE number = 4",
    "a trail of another ledger": "UPDATE trail SET trail = zeroblob(16) WHERE position = 2",
    "a trail of another type": "UPDATE trail SET trail = 7 WHERE position = 2",
    "a label that is missing": "DELETE FROM labels WHERE number = 1",
    "labels exchanged": """UPDATE labels SET name = 'x' WHERE number = 1;
        UPDATE labels SET name = 'spam' WHERE number = 2; UPDATE labels SET name = 'ham' WHERE number = 1""",
}


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    with create_ledger(str(tmp_path / "ledger"), Settings(bits=10)) as made:
        assert isinstance(made, SqliteLedger)
        append(made, *(lesson(("spam", "ham")[number % 2], number) for number in range(8)))
        yield made


@pytest.mark.parametrize("what", WRONG)
def test_a_replay_notices(ledger: SqliteLedger, what: str) -> None:
    connection = sqlite3.connect(ledger.path)
    connection.executescript(WRONG[what])
    connection.close()
    with pytest.raises(DamagedLedger, match="not as it was written"):
        list(ledger.replay())
    assert not all(finding.is_right for finding in ledger.findings())


def test_each_trail_is_made_of_the_one_before_and_the_lesson(ledger: SqliteLedger) -> None:
    trail = START
    for placed in ledger.replay():
        trail = follow(keyed(ledger.address().ledger), trail, placed.step)
        assert placed.trail == trail == ledger.trail_at(placed.position)
    assert trail == ledger.address().trail
    assert ledger.trail_at(0) == START
    assert ledger.trail_at(99) is None


def test_a_removal_leaves_the_trail_before_it_and_lays_it_anew_behind(ledger: SqliteLedger) -> None:
    before = [ledger.trail_at(position) for position in range(9)]
    with ledger.writing():
        ledger.remove([lesson("spam", 4).digest])
    after = [ledger.trail_at(position) for position in range(9)]
    assert after[:5] == before[:5]
    assert after[5] is None
    assert not {*after[6:]} & {*before[6:]}
    assert [placed.position for placed in ledger.replay()] == [1, 2, 3, 4, 6, 7, 8]


def test_a_replay_from_a_position_that_is_not_there_is_refused(ledger: SqliteLedger) -> None:
    with pytest.raises(DamagedLedger):
        list(ledger.replay(after=99))


def test_an_open_ledger_that_becomes_another_lays_the_trail_of_that(
    ledger: SqliteLedger, tmp_path: Path
) -> None:
    other = str(tmp_path / "other")
    with create_ledger(other, Settings(bits=11)) as another:
        append(another, lesson("work", 1), lesson("ham", 1))
        address = another.address()
    with open_ledger(ledger.path) as beside:
        assert beside.labels() == {"spam": 4, "ham": 4}
        ledger.become(other)
        assert beside.address() == address
        assert beside.settings.bits == 11
        append(beside, lesson("spam", 77), first=50)
        assert [placed.label for placed in beside.replay()] == ["work", "ham", "spam"]
    assert [placed.label for placed in ledger.replay()] == ["work", "ham", "spam"]
