import gc
import sys
import time
from collections.abc import Callable
from types import FrameType

import pytest

from deciban.errors import NotAllowed, UnknownKey
from deciban.spaces import Spaces
from deciban.spaces.doorkeeper import Doorkeeper
from deciban.spaces.key import Key, KeyScope
from deciban.spaces.rights import RIGHTS

FAR = 4_102_444_800  # in the year 2100


def test_a_key_opens_with_its_text_and_with_no_other(spaces: Spaces):
    key, text = spaces.keys.add(["classify"], KeyScope(pattern="*@example.org"), FAR, "milter")
    assert spaces.keys.unlock(text) == key
    last = "0" if text[-1] != "0" else "1"
    for wrong in (
        "",
        text[:-1],
        text[:-1] + last,
        text + "0",
        text.replace("deciban", "x"),
        "deciban__",
        "é",
        text.upper(),
        "deciban_\udce9_0",
    ):
        with pytest.raises(UnknownKey):
            spaces.keys.unlock(wrong)


def test_a_secret_is_256_random_bits_and_only_its_hash_is_kept(spaces: Spaces):
    texts = [spaces.keys.add(["read"], KeyScope())[1] for _ in range(3)]
    secrets = [text.rpartition("_")[2] for text in texts]
    assert len({*secrets}) == 3
    assert all(len(bytes.fromhex(secret)) == 32 for secret in secrets)
    with open(spaces.registry.store.path, "rb") as file:
        data = file.read()
    for secret in secrets:
        assert secret.encode() not in data
        assert bytes.fromhex(secret) not in data


def test_a_revoked_key_opens_nothing_and_leaves_no_trace(spaces: Spaces):
    key, text = spaces.keys.add(["read"], KeyScope(), note="remarkable note")
    spaces.keys.revoke(key.id)
    with pytest.raises(UnknownKey):
        spaces.keys.unlock(text)
    with pytest.raises(UnknownKey):
        spaces.keys.revoke(key.id)
    with open(spaces.registry.store.path, "rb") as file:
        assert b"remarkable" not in file.read()


def test_an_expired_key_opens_nothing(spaces: Spaces):
    _, text = spaces.keys.add(["read"], KeyScope(), expires=int(time.time()))
    with pytest.raises(UnknownKey, match="expired"):
        spaces.keys.unlock(text)


def test_the_keys_of_a_deleted_space_are_gone_with_it(spaces: Spaces):
    (record,) = spaces.add(["ann"])
    _, text = spaces.keys.add(["read"], KeyScope(space=record.id))
    spaces.delete("ann")
    spaces.add(["ann"])
    with pytest.raises(UnknownKey):
        spaces.keys.unlock(text)


def test_the_last_use_is_kept(spaces: Spaces):
    key, text = spaces.keys.add(["read"], KeyScope())
    assert key.used is None
    spaces.keys.touch(spaces.keys.unlock(text))
    assert abs(spaces.keys.unlock(text).used - time.time()) < 100


MAKER = Key("1", frozenset({"admin", "classify"}), KeyScope(pattern="*@example.org"), 0, FAR)


def test_a_key_makes_keys_with_no_more_than_its_own(spaces: Spaces):
    for scope, name in ((MAKER.scope, ""), (KeyScope(space="id"), "ann@example.org")):
        made, _ = spaces.keys.add(["classify"], scope, FAR, by=MAKER, name=name)
        assert made.rights == {"classify"}


@pytest.mark.parametrize(
    ("rights", "scope", "expires", "name", "maker"),
    [
        (["learn"], MAKER.scope, FAR, "", MAKER),
        (["classify"], KeyScope(), FAR, "", MAKER),
        (["classify"], KeyScope(pattern="*"), FAR, "", MAKER),
        (["classify"], KeyScope(pattern="*@example.org*"), FAR, "", MAKER),
        (["classify"], KeyScope(space="id"), FAR, "ann@example.com", MAKER),
        (["classify"], MAKER.scope, FAR + 1, "", MAKER),
        (["classify"], MAKER.scope, None, "", MAKER),
        (["classify"], MAKER.scope, FAR, "", MAKER.replaced(rights=frozenset({"classify"}))),
        (["classify"], MAKER.scope, FAR, "", MAKER.replaced(scope=KeyScope(space="id"))),
        ([*RIGHTS], KeyScope(space="other"), FAR, "x", MAKER.replaced(scope=KeyScope(space="id"))),
    ],
)  # fmt: skip
def test_a_key_makes_none_with_more(spaces: Spaces, rights, scope, expires, name, maker):
    with pytest.raises(NotAllowed):
        spaces.keys.add(rights, scope, expires, by=maker, name=name)
    assert spaces.keys.all() == []


def steps_of(refused: Callable[[str], object], text: str) -> list[tuple[str, str]]:
    """Every function that is called while a text is refused, in Python and in C, in order."""
    steps = []

    def note(frame: FrameType, event: str, function: object) -> None:
        if event in ("call", "c_call"):
            steps.append((event, getattr(function, "__qualname__", frame.f_code.co_qualname)))

    gc.disable()  # a collection would call whoever wants to hear of it, which is no step of ours
    sys.setprofile(note)
    try:
        refused(text)
    except UnknownKey:
        return steps
    finally:
        sys.setprofile(None)
        gc.enable()
    raise AssertionError(f"{text} was not refused")


@pytest.mark.parametrize("in_memory", [False, True])
def test_a_wrong_secret_takes_the_same_steps_whether_there_is_such_an_id_or_not(
    spaces: Spaces, in_memory: bool
):
    doorkeeper = Doorkeeper(spaces, clock=lambda: 0.0)
    valid, text = spaces.keys.add(["classify"], KeyScope(), FAR)
    expired, _ = spaces.keys.add(["classify"], KeyScope(), expires=int(time.time()))
    doorkeeper.unlock(text)
    unlock = doorkeeper.unlock if in_memory else spaces.keys.unlock
    wrong = "0" * 64
    unknown, known, late = (
        steps_of(unlock, f"deciban_{identity}_{wrong}") for identity in ("0" * 16, valid.id, expired.id)
    )
    assert unknown == known == late
    assert ("c_call", "_compare_digest") in unknown
