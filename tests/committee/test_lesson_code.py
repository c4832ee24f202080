"""Features survive their code, the code is short, and damaged codes are refused without harm."""

import random
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.committee._lesson_code import FEATURE_BITS, Features, shorten
from deciban.errors import DamagedLedger

SHIFT = 64 - FEATURE_BITS
SHORT = st.integers(0, (1 << FEATURE_BITS) - 1)
# Runs of neighbours and far jumps together make the longest unary parts.
SETS = st.lists(SHORT | st.integers(0, 40), max_size=300).map(set)


def features(words: set[int], letters: set[int]) -> Features:
    views = [array("Q", sorted(feature << SHIFT for feature in view)) for view in (words, letters)]
    return Features.of(*views)


@given(SETS, SETS)
def test_features_come_back_from_their_code(words: set[int], letters: set[int]) -> None:
    original = features(words, letters)
    back = Features.decode(original.encode())
    assert back == original
    assert (back.words, back.letters) == (sorted(words), sorted(letters))
    assert len(back) == len(words) + len(letters)


@pytest.mark.parametrize(
    "extreme", [{0}, {(1 << FEATURE_BITS) - 1}, {0, (1 << FEATURE_BITS) - 1}, set(range(1 << 12)), set()]
)
def test_extreme_sets_come_back_too(extreme: set[int]) -> None:
    assert Features.decode(features(extreme, extreme).encode()).words == sorted(extreme)


def test_one_far_feature_among_many_neighbours_comes_back() -> None:
    lonely = set(range(5000)) | {(1 << FEATURE_BITS) - 1}
    assert Features.decode(features(lonely, set()).encode()).words == sorted(lonely)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(code: bytes) -> None:
    try:
        read = Features.decode(code)
    except DamagedLedger:
        return
    assert read.words == sorted(set(read.words))
    assert all(feature < 1 << FEATURE_BITS for feature in read.words + read.letters)


@given(SETS, st.integers(0, 1000))
def test_a_code_that_is_cut_short_or_longer_is_refused(words: set[int], place: int) -> None:
    code = features(words, {1, 2, 3}).encode()
    with pytest.raises(DamagedLedger):
        Features.decode(code[: place % len(code)])
    with pytest.raises(DamagedLedger):
        Features.decode(code + b"\1")


@given(SETS, SETS)
def test_a_code_holds_no_more_than_its_length_allows(words: set[int], letters: set[int]) -> None:
    assert len(words) + len(letters) <= Features.most_in(features(words, letters).encode())


@pytest.mark.parametrize("count", [1, 100, 1700, 1 << 16])
@pytest.mark.parametrize("spread", [1, 7, 1 << 7])
def test_what_a_code_can_hold_is_near_what_it_holds(count: int, spread: int) -> None:
    found = features(set(range(0, count * spread, spread)), set())
    assert count <= Features.most_in(found.encode())
    rng = random.Random(count)
    found = features({rng.getrandbits(FEATURE_BITS) for _ in range(count)}, set())
    assert len(found) <= Features.most_in(found.encode()) <= 2 * len(found) + 10


def test_a_feature_costs_little_more_than_its_entropy() -> None:
    rng = random.Random(7)
    letters = {rng.getrandbits(FEATURE_BITS) for _ in range(1700)}
    # log2(2^FEATURE_BITS / 1700) + 1.44 bits are the entropy of such a set.
    assert len(features(set(), letters).encode()) * 8 / len(letters) < 13.27 + 1.44 + 0.15


def test_hashes_that_share_their_top_bits_are_one_feature() -> None:
    both = Features.of(array("Q", [5 << SHIFT, (5 << SHIFT) + 1]), array("Q", []))
    assert both.words == [5] == [shorten(5 << SHIFT)]


def test_features_must_be_sorted() -> None:
    with pytest.raises(ValueError, match="increasing"):
        Features.of(array("Q", [5 << SHIFT, 4 << SHIFT]), array("Q", []))
