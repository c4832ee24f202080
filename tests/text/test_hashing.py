"""The hash pinned by known answers: a change here is a new feature format, and every ledger must know."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.text._harvest import sorted_set
from deciban.text._hashing import FORMAT, feature_hash, gram_hash

MASK = 2**64 - 1


def finished(state: int) -> int:
    """The finaliser of splitmix64, written down a second time."""
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return state ^ (state >> 31)


def fnv(name: bytes) -> int:
    """FNV-1a, written down a second time."""
    state = 0xCBF29CE484222325
    for byte in name:
        state = ((state ^ byte) * 0x100000001B3) & MASK
    return state


def test_the_format_is_version_1() -> None:
    assert FORMAT == 1


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        (b"", 0xF52A15E9A9B5E89B),
        (b"a", 0x02C0BDBF481420F8),
        (b"subject:free", 0x5D11FA8D0D36B859),
        ("免费".encode(), 0x8F56F95ED55F682F),
    ],
)
def test_hashes_have_known_answers(name: bytes, answer: int) -> None:
    assert feature_hash(name) == answer


def test_grams_have_known_answers() -> None:
    assert gram_hash(b"letters:", b"free") == 0x9AAD949B75378F64


def test_fnv_itself_is_the_published_one() -> None:
    assert fnv(b"a") == 0xAF63DC4C8601EC8C
    assert fnv(b"foobar") == 0x85944171F73967E8


@given(st.binary())
def test_the_hash_is_fnv_1a_and_the_finaliser_of_splitmix64(name: bytes) -> None:
    assert feature_hash(name) == finished(fnv(name))


@given(st.binary(min_size=4, max_size=4))
def test_a_gram_is_its_bytes_mixed_into_the_tag(gram: bytes) -> None:
    assert gram_hash(b"letters:", gram) == finished(fnv(b"letters:") ^ int.from_bytes(gram, "big"))


@given(st.lists(st.integers(0, MASK)), st.integers(0, 63))
def test_the_sorted_set_is_sorted_and_a_set_for_crafted_hashes_too(hashes: list[int], shift: int) -> None:
    crafted = [value >> shift for value in hashes] + hashes
    assert sorted_set(crafted) == sorted(set(crafted))


def test_thousands_of_hashes_with_one_beginning_are_sorted() -> None:
    crafted = list(range(20_000, 0, -1))
    assert sorted_set(crafted) == sorted(crafted)
