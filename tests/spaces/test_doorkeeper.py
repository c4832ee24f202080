import time

import pytest

from deciban.errors import NoSuchSpace, NotAllowed, UnknownKey
from deciban.spaces import Spaces
from deciban.spaces.doorkeeper import MOST_REMEMBERED, TRUST_SECONDS, Doorkeeper
from deciban.spaces.key import KeyScope
from deciban.spaces.rights import OPERATIONS, RIGHTS


class Clock:
    """A clock that the test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def later(self) -> None:
        """Move on by what a doorkeeper trusts its memory for."""
        self.now += TRUST_SECONDS


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def doorkeeper(spaces: Spaces, clock: Clock) -> Doorkeeper:
    spaces.add(["ann@example.org", "bob@example.com"])
    return Doorkeeper(spaces, clock)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_key_without_the_right_is_refused_for_each_operation(
    spaces: Spaces, doorkeeper: Doorkeeper, operation: str
):
    needed = OPERATIONS[operation]
    _, enough = spaces.keys.add([needed], KeyScope())
    _, others = spaces.keys.add([right for right in RIGHTS if right != needed], KeyScope())
    found = doorkeeper.may(enough, operation, "ann@example.org")
    assert found is not None
    assert found.name == "ann@example.org"
    assert doorkeeper.may(enough, operation) is None
    for name in ("ann@example.org", ""):
        with pytest.raises(NotAllowed):
            doorkeeper.may(others, operation, name)


def test_whether_there_is_a_space_is_told_only_to_a_key_that_may_enter_it(
    spaces: Spaces, doorkeeper: Doorkeeper
):
    _, text = spaces.keys.add(["classify"], KeyScope(pattern="*@example.org"))
    refusals = []
    for name in ("bob@example.com", "nobody@example.com"):
        with pytest.raises(NotAllowed) as refusal:
            doorkeeper.may(text, "classify", name)
        refusals.append(str(refusal.value))
    assert len({*refusals}) == 1
    with pytest.raises(NoSuchSpace):
        doorkeeper.may(text, "classify", "nobody@example.org")


@pytest.mark.parametrize("others", [True, False], ids=["by another process", "by this one"])
def test_what_is_revoked_deleted_or_renamed_opens_nothing_a_moment_later(
    spaces: Spaces, doorkeeper: Doorkeeper, clock: Clock, others: bool
):
    key, text = spaces.keys.add(["classify"], KeyScope())
    assert doorkeeper.may(text, "classify", "ann@example.org") is not None
    with Spaces(spaces.folder) as other:
        changing = other if others else spaces
        changing.rename("ann@example.org", "eve@example.org")
        clock.later()
        with pytest.raises(NoSuchSpace):
            doorkeeper.may(text, "classify", "ann@example.org")
        assert doorkeeper.may(text, "classify", "eve@example.org") is not None
        changing.delete("eve@example.org")
        clock.later()
        with pytest.raises(NoSuchSpace):
            doorkeeper.may(text, "classify", "eve@example.org")
        changing.keys.revoke(key.id)
        clock.later()
        with pytest.raises(UnknownKey):
            doorkeeper.may(text, "classify", "bob@example.com")


def test_a_name_that_was_looked_for_is_found_once_it_is_there(
    spaces: Spaces, doorkeeper: Doorkeeper, clock: Clock
):
    assert doorkeeper.find("eve@example.org") is None
    spaces.add(["eve@example.org"])
    clock.later()
    assert doorkeeper.find("Eve@Example.org") is not None


def test_a_wrong_secret_is_refused_also_where_the_key_is_in_memory(spaces: Spaces, doorkeeper: Doorkeeper):
    key, text = spaces.keys.add(["classify"], KeyScope())
    doorkeeper.unlock(text)
    for wrong in ("", "deciban", f"deciban_{key.id}_", text[:-1], text + "0", text.upper(), "é\udce9"):
        with pytest.raises(UnknownKey):
            doorkeeper.unlock(wrong)


def test_a_key_expires_also_in_memory(
    spaces: Spaces, doorkeeper: Doorkeeper, monkeypatch: pytest.MonkeyPatch
):
    _, text = spaces.keys.add(["classify"], KeyScope(), expires=int(time.time()) + 1000)
    doorkeeper.unlock(text)
    moment = time.time() + 2000
    monkeypatch.setattr("deciban.spaces.sqlite_key_ring.time", lambda: moment)
    with pytest.raises(UnknownKey, match="expired"):
        doorkeeper.unlock(text)


def test_keys_that_were_used_are_told_once_for_whoever_writes_it_down(spaces: Spaces, doorkeeper: Doorkeeper):
    key, text = spaces.keys.add(["classify"], KeyScope())
    doorkeeper.unlock(text)
    doorkeeper.unlock(text)
    assert doorkeeper.used() == [key]
    assert doorkeeper.used() == []


@pytest.mark.parametrize("name", ["\udce9@example.org", "a\0b", "x" * 100_000, "\n"])
def test_a_hostile_name_is_no_space(doorkeeper: Doorkeeper, name: str):
    assert doorkeeper.find(name) is None


def test_memory_has_a_limit(doorkeeper: Doorkeeper):
    for number in range(MOST_REMEMBERED + 10):
        doorkeeper._records[str(number)] = None
        if number == MOST_REMEMBERED:
            doorkeeper.find("somebody")
    assert len(doorkeeper._records) < 20
