"""Law: nothing damaged is believed. Any flipped bit or cut is noticed, at use or by a check, or harmless."""

import os
import random
import shutil
import sqlite3
import zlib
from pathlib import Path

import pytest

from deciban.errors import BadSetting, DamagedLedger, DecibanError
from deciban.filter import Filter, checkpoints
from deciban.filter.checking import check
from deciban.filter.safekeeping import repair
from deciban.filter.shared_filter import look_at
from deciban.filter.snapshot import CHECK_BYTES, HEAD
from deciban.ledger import create_ledger
from deciban.ledger.lesson import check_of
from deciban.ledger.sqlite_file import end_of, fact_check
from deciban.ledger.trail import START, follow, keyed, link
from tests.effort import effort
from tests.filter.mails import DENSE, SPARSE, a_starter, classify, mail, teach
from tests.ledger.lessons import append, lesson

LABELS = ("spam", "ham")
FLIPS = effort(25, 400)
ON_ALL_KINDS = pytest.mark.parametrize(
    "whole",
    [(SPARSE, False), (DENSE, False), (SPARSE, True)],
    ids=["sparse", "dense", "on a starter"],
    indirect=True,
)


@pytest.fixture(scope="module")
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, bytes]:
    """A filter with snapshot and checkpoints, and its state."""
    path = str(tmp_path_factory.mktemp("whole") / "mail")
    settings, is_started = getattr(request, "param", (SPARSE, False))
    starter = a_starter(tmp_path_factory.mktemp("starters")) if is_started else None
    with Filter.open(path, settings, starter=starter) as filter_:
        filter_.checkpoints.nearest = 4
        for number in range(30):
            teach(filter_, LABELS[number % 2], [mail(LABELS[number % 2], number)])
        state = filter_.state()
    return path, state


@pytest.fixture
def copy(whole: tuple[str, bytes], tmp_path: Path) -> str:
    shutil.copytree(os.path.dirname(whole[0]), tmp_path / "copy")
    return str(tmp_path / "copy" / "mail")


def flip(path: str, place: int, bit: int = 0) -> None:
    with open(path, "r+b") as file:
        file.seek(place)
        (byte,) = file.read(1)
        file.seek(place)
        file.write(bytes([byte ^ 1 << bit]))


def noticed_or_harmless(path: str, whole: str, state: bytes) -> None:
    """Whoever uses it gets the right state or an error of one line; after a repair it can be taught."""
    try:
        with Filter.open(path, create=False) as filter_:
            is_right = filter_.state() == state
            list(filter_.lessons())
        if not is_right:  # bytes that nobody asked about yet: whoever asks, or checks, notices
            assert [finding.part for finding in check(path) if not finding.is_right] == ["snapshot"]
        with Filter.open(path, create=False) as filter_, Filter.open(whole) as original:
            for label in LABELS:
                data = mail(label, 1).data
                assert classify(filter_, data) == classify(original, data)
    except DecibanError as error:
        told = str(error)
        assert told
        assert "\n" not in told
    repair(path)
    with Filter.open(path, create=False) as filter_:
        assert teach(filter_, "spam", [mail("spam", 7000)]).learned == 1
        assert filter_.is_replay()


def file_of(path: str, kind: str) -> str:
    if kind == "checkpoint":
        folder = Path(path).parent
        return str(min(place for place in folder.iterdir() if ".checkpoint-" in place.name))
    return path + {"ledger": "", "snapshot": ".snapshot"}[kind]


@ON_ALL_KINDS
@pytest.mark.parametrize("kind", ["ledger", "snapshot", "checkpoint"])
def test_a_flipped_bit_anywhere(whole: tuple[str, bytes], copy: str, kind: str) -> None:
    rng = random.Random(kind)
    content = Path(file_of(copy, kind)).read_bytes()
    for _ in range(FLIPS):
        for name in os.listdir(os.path.dirname(copy)):
            os.unlink(os.path.join(os.path.dirname(copy), name))
        shutil.copytree(os.path.dirname(whole[0]), os.path.dirname(copy), dirs_exist_ok=True)
        flip(file_of(copy, kind), rng.randrange(len(content)), rng.randrange(8))
        if kind == "checkpoint" and rng.random() < 0.5:
            os.unlink(copy + ".snapshot")  # then a checkpoint is needed
        noticed_or_harmless(copy, *whole)


@pytest.mark.parametrize("kind", ["ledger", "snapshot", "checkpoint"])
@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.9, 0.9999])
@ON_ALL_KINDS
def test_a_cut_anywhere(whole: tuple[str, bytes], copy: str, kind: str, share: float) -> None:
    path = file_of(copy, kind)
    os.truncate(path, int(os.path.getsize(path) * share))
    noticed_or_harmless(copy, *whole)


def test_every_byte_of_the_head_of_a_snapshot(whole: tuple[str, bytes], copy: str) -> None:
    kept = Path(copy + ".snapshot").read_bytes()
    for place in range(HEAD.size + CHECK_BYTES):
        Path(copy + ".snapshot").write_bytes(kept)
        flip(copy + ".snapshot", place, place % 8)
        assert [finding.part for finding in check(copy) if not finding.is_right] == ["snapshot"]
        with Filter.open(copy, create=False, read_only=True) as filter_:
            assert filter_.state() == whole[1]


def test_every_byte_of_the_head_of_a_checkpoint(whole: tuple[str, bytes], copy: str) -> None:
    """One that is damaged is not looked at, or noticed; the state is made without it."""
    path = Path(file_of(copy, "checkpoint"))
    content = path.read_bytes()
    os.unlink(copy + ".snapshot")  # so that checkpoints are needed
    for place in range(0, checkpoints.HEAD.size, effort(3, 1)):
        path.write_bytes(content)
        flip(str(path), place, place % 8)
        with Filter.open(copy, create=False, read_only=True) as filter_:
            assert filter_.state() == whole[1]


def test_every_byte_of_the_head_of_a_ledger_is_noticed_or_harmless(copy: str) -> None:
    """A file that was damaged in its head opens as what it was, or says so; repairing saves all lessons."""
    content = Path(copy).read_bytes()
    for place in range(0, 100, effort(5, 1)):
        Path(copy).write_bytes(content)
        flip(copy, place, place % 8)
        repair(copy)
        with Filter.open(copy, create=False) as filter_:
            assert sum(filter_.labels().values()) == 30


def test_a_ledger_whose_tables_have_no_text_for_names(copy: str, whole: tuple[str, bytes]) -> None:
    data = Path(copy).read_bytes()
    Path(copy).write_bytes(data.replace(b"CREATE TABLE", b"CREATE \xeeABLE"))
    with pytest.raises(DamagedLedger, match="check --repair"):
        Filter.open(copy, create=False)
    noticed_or_harmless(copy, *whole)


def test_a_published_filter(whole: tuple[str, bytes], tmp_path: Path) -> None:
    site = tmp_path / "site.state"
    with Filter.open(whole[0]) as filter_:
        filter_.publish(str(site))
    own = str(tmp_path / "own")
    with Filter.open(own, SPARSE) as filter_:
        filter_.rest_on(str(site))
    content = site.read_bytes()
    rng = random.Random(5)
    head = content.index(b"\n")
    for place in [*range(0, head + 1, effort(9, 1)), *(rng.randrange(head, len(content)) for _ in range(20))]:
        site.write_bytes(content)
        flip(str(site), place, rng.randrange(8))
        assert "shared filter" in {finding.part for finding in check(own) if not finding.is_right}


def change(path: str, sql: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    connection.execute(sql, values)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("preferences", "no JSON"),
        ("preferences", "[" * 100_000),
        ("preferences", '{"cost": "much"}'),
        ("preferences", '{"cost": 9, "colour": "blue"}'),
        ("preferences", "[]"),
        ("preferences", 7),
        ("shared", "{}"),
        ("shared", '["path"]'),
        ("shared", "[1, 2, 3]"),
        ("settings", "bits=10 colour=3"),
        ("settings", 7),
        ("settings", "bits=-1"),
        ("id", "text"),
        ("id", b""),
        ("end", b"\0"),
        ("base", b"\0" * 16),
        ("features", "one"),
        ("foundation-capacity", 10**9),
        ("foundation-digest", b"\0" * 16),
        ("sweep-due", 7),
        ("mixing-due", "yes"),
    ],
)
def test_facts_that_cannot_be_are_noticed_and_mended(copy: str, key: str, value: object) -> None:
    change(copy, "INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", key, value, fact_check(key, value))
    assert [finding for finding in check(copy) if not finding.is_right]
    mended = repair(copy)
    assert mended.wrong == ()
    with Filter.open(copy, create=False) as filter_:
        assert sum(filter_.labels().values()) == 30
        assert teach(filter_, "spam", [mail("spam", 7000)]).learned == 1
        assert filter_.is_replay()


HOSTILE = {
    "an endless view": """ALTER TABLE lessons RENAME TO hidden; CREATE VIEW lessons AS
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT hidden.* FROM hidden, n""",
    "a view beside": "CREATE VIEW more AS SELECT 1",
    "a trigger": "CREATE TRIGGER more AFTER INSERT ON lessons BEGIN DELETE FROM lessons; END",
    "another table": "CREATE TABLE more (x)",
    "a computed column": "ALTER TABLE mails ADD COLUMN more AS (hex(zeroblob(1000000000)))",
    "an index of an expression": "CREATE INDEX more ON lessons (hex(digest))",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_ledger_is_not_merged(copy: str, tmp_path: Path, what: str) -> None:
    foreign = str(tmp_path / "foreign")
    with create_ledger(foreign, SPARSE) as ledger:
        append(ledger, lesson("ham", 1))
    connection = sqlite3.connect(foreign)
    connection.executescript(HOSTILE[what])
    connection.close()
    with Filter.open(copy) as filter_:
        before = filter_.state()
        with pytest.raises(DamagedLedger, match="no ledger of deciban"):
            filter_.merge(foreign)
        assert filter_.state() == before


@pytest.mark.parametrize(
    "field",
    [
        {"taught": 2**63 - 1}, {"taught": -1}, {"digest": b""}, {"digest": bytes(100_000)}, {"sender": b"x"},
        {"origin": "mars"}, {"share": 0.0}, {"share": 1e-300}, {"label": ""}, {"label": "a\nb"},
    ],
    ids=str,
)  # fmt: skip
def test_lessons_that_cannot_be_are_not_merged(copy: str, tmp_path: Path, field: dict[str, object]) -> None:
    foreign = str(tmp_path / "foreign")
    with create_ledger(foreign, SPARSE) as ledger:
        append(ledger, lesson("ham", 1))
        address = ledger.address()
    forge(foreign, address.ledger, field)
    with Filter.open(copy) as filter_:
        before = filter_.state()
        with pytest.raises((DamagedLedger, BadSetting)):
            filter_.merge(foreign)
        assert filter_.state() == before
        assert teach(filter_, "spam", [mail("spam", 7000)]).learned == 1


def forge(path: str, identity: bytes, field: dict[str, object]) -> None:
    """Change a field of the only lesson of a ledger, with all checks made right again."""
    ((name, value),) = field.items()
    if name == "label":
        change(path, "UPDATE labels SET name = ?", value)
    else:
        change(path, f"UPDATE lessons SET {name} = ?", value)
    connection = sqlite3.connect(path)
    ((code, digest, label, *rest),) = connection.execute(
        """SELECT features, digest, name, taught, by, source, sender, subject, date, message_id, names,
        origin, share FROM lessons JOIN labels ON label = labels.number"""
    )
    checked = check_of(code, digest, label, *rest)
    trail = follow(keyed(identity), START, link(digest, label, checked))
    connection.execute("UPDATE lessons SET checked = ?", [checked])
    connection.execute("UPDATE trail SET trail = ?", [trail])
    end = end_of(1, trail)
    connection.execute(
        "UPDATE facts SET value = ?, checked = ? WHERE key = 'end'", [end, fact_check("end", end)]
    )
    connection.commit()
    connection.close()


def test_bombs_are_never_blown_up(copy: str, tmp_path: Path) -> None:
    bomb = zlib.compress(bytes(1 << 29), 9)
    with Filter.open(copy) as filter_:
        digest = next(filter_.lessons()).digest
        with filter_.ledger.writing():
            filter_.ledger.keep_mail(digest, 1, bomb)
        with pytest.raises(DamagedLedger):
            filter_.kept_mail(digest)
        site = tmp_path / "site.state"
        filter_.publish(str(site))
        content = site.read_bytes()
        site.write_bytes(content[: content.index(b"\n") + 1] + bomb)
        with pytest.raises(DamagedLedger, match="damaged"):
            look_at(str(site))
    assert "kept mail" in {finding.part for finding in check(copy) if not finding.is_right}


def test_a_text_that_is_none_is_told_in_one_line_without_quoting_it(copy: str) -> None:
    content = bytearray(Path(copy).read_bytes())
    with Filter.open(copy) as filter_:
        names = next(filter_.lessons()).names
    assert "\n" in names
    content[content.index(names.encode())] = 0xFF
    Path(copy).write_bytes(content)
    with pytest.raises(DamagedLedger, match="UTF-8") as error, Filter.open(copy, create=False) as filter_:
        list(filter_.lessons())
    assert "\n" not in str(error.value)
    assert names[1:20] not in str(error.value)
