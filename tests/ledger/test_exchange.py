"""Export, import and merge: an open format, all or nothing, and the order of merging does not matter."""

import io
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.errors import DamagedLedger, NewerFormat
from deciban.filter import Filter, Settings
from deciban.filter.mail import lessons_from
from deciban.ledger import Selection
from deciban.sources import RawMessage
from tests.filter.mails import mail, teach

SMALL = Settings(bits=10, salt=99)


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Filter, Filter]]:
    """Two filters that were taught in turns, one message in both and one under two labels."""
    with Filter.open(str(tmp_path / "a"), SMALL) as first, Filter.open(str(tmp_path / "b"), SMALL) as second:
        for number in range(10):
            teach(first, "spam", [mail("spam", number)])
            teach(second, "ham", [mail("ham", number)])
        teach(first, "ham", [mail("news", 1)])
        teach(second, "ham", [mail("news", 1)])
        teach(first, "spam", [mail("news", 2)])
        teach(second, "ham", [mail("news", 2)])
        yield first, second


def exported(filter_: Filter) -> str:
    stream = io.StringIO()
    filter_.export(stream)
    return stream.getvalue()


def everything(filter_: Filter) -> list[tuple[bytes, str, int]]:
    return [(lesson.digest, lesson.label, lesson.taught) for lesson in filter_.lessons()]


def test_an_imported_export_is_the_same_filter(pair: tuple[Filter, Filter], tmp_path: Path) -> None:
    first, _ = pair
    with Filter.open(str(tmp_path / "copy"), SMALL) as copy:
        assert copy.import_(io.StringIO(exported(first))) == 12
        assert exported(copy) == exported(first)
        assert copy.state() == first.state()
        assert list(copy.exams()) == list(first.exams())
        assert copy.import_(io.StringIO(exported(first))) == 0


def test_merging_either_way_gives_the_same_filter(pair: tuple[Filter, Filter], tmp_path: Path) -> None:
    first, second = pair
    with Filter.open(str(tmp_path / "c"), SMALL) as third, Filter.open(str(tmp_path / "d"), SMALL) as fourth:
        third.merge(first.ledger.path)
        assert third.merge(second.ledger.path) == 12
        fourth.merge(second.ledger.path)
        fourth.merge(first.ledger.path)
        assert everything(third) == everything(fourth)
        assert third.state() == fourth.state()
        assert third.labels() == fourth.labels() == {"spam": 10, "ham": 12}
        assert third.is_replay()


def test_a_merged_ledger_is_in_the_order_of_teaching(pair: tuple[Filter, Filter]) -> None:
    first, second = pair
    first.merge(second.ledger.path)
    lessons = everything(first)
    assert lessons == sorted(lessons, key=lambda lesson: (lesson[2], lesson[0]))
    assert [label for _, label, _ in lessons[:4]] == ["spam", "ham", "spam", "ham"]
    assert first.is_replay()
    teach(first, "spam", [mail("spam", 99)])
    assert first.is_replay()
    assert everything(first)[-1][1] == "spam"


def test_of_a_message_taught_twice_the_last_lesson_counts(pair: tuple[Filter, Filter]) -> None:
    first, second = pair
    second.merge(first.ledger.path)
    (lesson,) = second.lessons(Selection(source="news.mbox@2"))
    assert lesson.label == "ham"
    first.merge(second.ledger.path)
    (lesson,) = first.lessons(Selection(source="news.mbox@2"))
    assert lesson.label == "ham"


def test_merging_with_itself_changes_nothing(pair: tuple[Filter, Filter]) -> None:
    first, _ = pair
    before = first.ledger.address(), first.state()
    assert first.merge(first.ledger.path) == 0
    assert (first.ledger.address(), first.state()) == before


@pytest.mark.parametrize(
    "damage",
    [
        {"code": "AAAA"},
        {"code": "no base64!"},
        {"label": ""},
        {"label": 7},
        {"digest": "xyz"},
        {"taught": "today"},
        {"taught": -1},
        {"taught": 2**63 - 1},
        {"taught": 2**70},
        {"digest": ""},
        {"digest": "00" * 100_000},
        {"subject": None},
        {"origin": "outer space"},
        {"origin": None},
        {"origin": ["sent"]},
        {"share": 0},
        {"share": -0.1},
        {"share": 1.5},
        {"share": 1e-300},
        {"share": "0.1"},
        {"share": float("nan")},
    ],
)
def test_an_export_with_a_damaged_line_is_refused_whole(
    pair: tuple[Filter, Filter], damage: dict[str, object]
) -> None:
    first, second = pair
    lines = exported(first).splitlines()
    lines[5] = json.dumps({**json.loads(lines[5]), **damage})
    before = second.state()
    with pytest.raises(DamagedLedger, match="Line 6"):
        second.import_(lines)
    assert second.state() == before
    assert second.is_replay()


def test_something_else_is_no_export(pair: tuple[Filter, Filter]) -> None:
    for text in ("", "{}", "[]", '{"deciban": 1, "format": 1, "features": 1}', "[" * 100_000):
        with pytest.raises(DamagedLedger, match="not an export"):
            pair[0].import_(io.StringIO(text))
    with pytest.raises(NewerFormat, match="Upgrade"):
        pair[0].import_(['{"deciban": "lessons", "format": 99, "features": 1}'])


def test_names_that_are_no_text_survive(tmp_path: Path) -> None:
    with Filter.open(str(tmp_path / "a"), SMALL) as first, Filter.open(str(tmp_path / "b"), SMALL) as second:
        teach(first, "spam", [RawMessage(os.fsdecode(b"caf\xe9.eml"), b"Subject: \x00\n\nhi")])
        second.import_(io.StringIO(exported(first)))
        assert everything(second) == everything(first)
        assert second.forget(Selection(source=os.fsdecode(b"caf\xe9.eml"))) == 1


def test_export_import_and_merge_keep_where_mail_came_from(tmp_path: Path) -> None:
    with Filter.open(str(tmp_path / "a"), SMALL) as first, Filter.open(str(tmp_path / "b"), SMALL) as second:
        sent, drawn = (
            next(lessons_from([mail("ham", number)], "ham", first.preferences, origin=origin))
            for number, origin in enumerate(("sent", "sample"))
        )
        first.learn([sent, drawn.replaced(share=0.125)])
        second.import_(io.StringIO(exported(first)))
        assert [(each.origin, each.share) for each in second.lessons()] == [("sent", 1.0), ("sample", 0.125)]
        with Filter.open(str(tmp_path / "c"), SMALL) as third:
            third.merge(first.ledger.path)
            assert exported(third) == exported(first)


def test_an_export_of_a_version_without_origins_is_mail_that_came_in(pair: tuple[Filter, Filter]) -> None:
    first, second = pair
    head, *lines = exported(first).splitlines()
    old = [
        {name: value for name, value in json.loads(line).items() if name not in ("origin", "share")}
        for line in lines
    ]
    second.import_([head, *map(json.dumps, old)])
    assert {(lesson.origin, lesson.share) for lesson in second.lessons()} == {("incoming", 1.0)}
