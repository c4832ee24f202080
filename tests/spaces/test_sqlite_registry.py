import sqlite3

import pytest

from deciban.errors import DamagedStore, NoSuchSpace, SpaceExists
from deciban.spaces import Quota
from deciban.spaces.sqlite_registry import SqliteRegistry


@pytest.fixture
def registry(tmp_path):
    opened = SqliteRegistry(str(tmp_path), create=True)
    yield opened
    opened.close()


def test_of_several_names_all_are_added_or_none(registry):
    registry.add(["ann"])
    for names in (["bob", "ANN"], ["bob", "BOB"]):
        with pytest.raises(SpaceExists):
            registry.add(names)
    assert [record.name for record in registry.all()] == ["ann"]


def test_a_name_can_get_another_spelling_but_not_that_of_another(registry):
    registry.add(["ann", "bob"])
    assert registry.rename("ANN", "Ann").name == "Ann"
    assert registry.find("ann").name == "Ann"
    with pytest.raises(SpaceExists):
        registry.rename("Ann", "BOB")
    assert registry.rename("ann", "cleo").id == registry.find("Cleo").id
    with pytest.raises(NoSuchSpace):
        registry.find("ann")


def test_a_quota_is_kept(registry):
    registry.add(["ann"], quota=Quota(lessons=5))
    assert registry.find("ann").quota == Quota(5, None)
    registry.set_quota("ann", Quota(None, 7))
    assert registry.find("ann").quota == Quota(None, 7)


def test_looking_for_a_space_makes_none(registry):
    assert registry.find_if_any("ann") is None
    assert list(registry.all()) == []


def test_no_byte_is_left_of_the_name_of_a_space_that_was_removed(registry, tmp_path):
    name = "Somebody-Remarkable@example.org"
    registry.add([f"{number}@example.org" for number in range(50)])
    registry.add([name])
    registry.rename(name, "other")
    registry.remove("other")
    data = b"".join(path.read_bytes() for path in tmp_path.iterdir()).lower()
    assert b"remarkable" not in data
    assert b"7@example.org" in data


@pytest.mark.parametrize("column", ["id", "name", "shared", "made", "lessons"])
def test_a_space_that_is_not_as_it_was_written_is_not_believed(registry, tmp_path, column):
    registry.add(["ann"], quota=Quota(lessons=3))
    with sqlite3.connect(tmp_path / "spaces.db") as connection:
        connection.execute(f"UPDATE spaces SET {column} = '7'")
    connection.close()
    with pytest.raises(DamagedStore):
        registry.find("ann")
