"""Law: nothing damaged is believed, of the registry. Any flipped bit or cut is noticed or harmless."""

import os
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from deciban.errors import DecibanError, NewerFormat
from deciban.spaces import Quota, Spaces
from deciban.spaces.key import KeyScope
from deciban.spaces.sqlite_registry import FILE
from deciban.spaces.sqlite_registry_repair import check_registry, repair_registry
from tests.effort import effort
from tests.filter.mails import mail, teach

FLIPS = effort(80, 2_000)
USED = ("ann@example.org", "bob@example.org")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with spaces, two of them used, and keys; one space was deleted."""
    folder = tmp_path_factory.mktemp("whole") / "spaces"
    with Spaces(str(folder), create=True) as spaces:
        spaces.add(
            [*USED, *(f"user{number}@example.org" for number in range(60))], quota=Quota(1000, 1 << 30)
        )
        for name in USED:
            with spaces.using(name) as space:
                teach(space.mail_filter, "spam", [mail("spam", 1)])
        for number in range(20):
            spaces.keys.add(["classify"], KeyScope(pattern=f"*@{number}.example"), note=f"note {number}")
        spaces.delete("user7@example.org")
        spaces.registry.remove("user8@example.org")  # whoever did this died
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    shutil.copytree(whole, tmp_path / "spaces")
    return tmp_path / "spaces"


def content(folder: Path) -> tuple[object, ...]:
    """All that somebody can ask a registry for, but for when keys were last used."""
    with Spaces(str(folder)) as spaces:
        records = list(spaces.all())
        found = [spaces.registry.find_if_any(f"user{number}@example.org") for number in range(60)]
        keys = [(key, spaces.keys.find(key.id)) for key in spaces.keys.all()]
        return records, found, keys, spaces.registry.gone()


def noticed_or_harmless(folder: Path, original: tuple[object, ...]) -> None:
    told = ""
    try:
        is_right = content(folder) == original
    except DecibanError as error:
        told, is_right = str(error), False
    found = check_registry(str(folder))
    assert is_right or not found.is_right
    assert "\n" not in told + found.text
    if "newer version" in found.text:  # a flipped bit in the number of the version: nobody can tell
        with pytest.raises(NewerFormat):
            repair_registry(str(folder))
        return
    repair_registry(str(folder))
    assert check_registry(str(folder)).is_right
    records = {record.id: record for record in original[0]}  # type: ignore[attr-defined]
    with Spaces(str(folder)) as spaces:
        for record in spaces.all():
            assert records[record.id] == record or record.name == f"recovered {record.id}"
        used = [record for record in spaces.all() if spaces.size_of(record)]
        assert len(used) == len(USED)  # no lesson is lost with a name
        for record in used:
            with spaces.using(record.name) as space:
                assert space.mail_filter.labels() == {"spam": 1}
        spaces.add(["new@example.org"])


@pytest.mark.parametrize("part", range(4))
def test_a_flipped_bit_anywhere_in_a_registry(whole: Path, folder: Path, part: int):
    data = (whole / FILE).read_bytes()
    original = content(whole)
    rng = random.Random(part)
    for _ in range(FLIPS // 4):
        flipped = bytearray(data)
        flipped[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        (folder / FILE).write_bytes(flipped)
        noticed_or_harmless(folder, original)


def test_every_byte_of_the_head_of_a_registry(whole: Path, folder: Path):
    data = (whole / FILE).read_bytes()
    original = content(whole)
    for place in range(0, 100, effort(3, 1)):
        (folder / FILE).write_bytes(data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :])
        noticed_or_harmless(folder, original)


@pytest.mark.parametrize("name", ["", ".", "..", "../elsewhere"])
def test_what_is_no_space_is_not_removed_as_a_deleted_one(folder: Path, name: str):
    (folder.parent / "elsewhere").mkdir(exist_ok=True)
    with closing(sqlite3.connect(folder / FILE)) as connection, connection:
        connection.execute("INSERT INTO gone VALUES (?)", (name,))
    with Spaces(str(folder)) as spaces:
        spaces.tidy()
        assert [record.name for record in spaces.all() if record.name in USED] == sorted(USED)
    assert (folder.parent / "elsewhere").exists()
    repair_registry(str(folder))
    with closing(sqlite3.connect(folder / FILE)) as connection:
        assert (name,) not in connection.execute("SELECT id FROM gone").fetchall()


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.9, 0.9999])
def test_a_cut_anywhere_in_a_registry(whole: Path, folder: Path, share: float):
    os.truncate(folder / FILE, int(os.path.getsize(folder / FILE) * share))
    noticed_or_harmless(folder, content(whole))


def test_a_space_whose_name_is_lost_comes_back_with_its_lessons_and_can_be_renamed(folder: Path):
    data = bytearray((folder / FILE).read_bytes())
    places = [place for place in range(len(data)) if data.startswith(b"ann@example.org", place)]
    for place in places:
        data[place] ^= 1
    (folder / FILE).write_bytes(data)
    damaged = (folder / FILE).read_bytes()
    saved = repair_registry(str(folder))
    (name,) = saved.recovered
    assert name.startswith("recovered ")
    assert Path(saved.kept).read_bytes() == damaged
    with Spaces(str(folder)) as spaces:
        spaces.rename(name, "ann@example.org")
        with spaces.using("ann@example.org") as space:
            assert space.mail_filter.labels() == {"spam": 1}
        spaces.delete("bob@example.org")
    assert not os.path.exists(saved.kept)  # it had the name of the deleted space, too


def test_whoever_has_a_registry_open_goes_on_with_the_repaired_one(folder: Path):
    with Spaces(str(folder)) as spaces:
        spaces.find("ann@example.org")
        repair_registry(str(folder))
        spaces.add(["new@example.org"])
        with Spaces(str(folder)) as other:
            assert other.find("new@example.org") == spaces.find("new@example.org")
