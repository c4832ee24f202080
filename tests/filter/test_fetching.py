"""A second thread fetches ahead: all items in their order, not too many, and it is gone in the end."""

from collections.abc import Iterator
from contextlib import closing
from threading import enumerate as living_threads

import pytest

from deciban.errors import DamagedLedger
from deciban.filter.fetching import AHEAD, NAME, fetched_ahead


def fetching() -> int:
    """How many threads fetch now."""
    return sum(thread.name == NAME for thread in living_threads())


def test_items_come_in_their_order_and_none_is_lost() -> None:
    assert [item for slice_ in fetched_ahead(iter(range(1000)), 7) for item in slice_] == list(range(1000))
    assert fetching() == 0


def test_no_more_is_fetched_than_a_few_slices_ahead() -> None:
    fetched = []

    def items() -> Iterator[int]:
        for number in range(1000):
            fetched.append(number)
            yield number

    with closing(fetched_ahead(items(), 10)) as slices:
        for taken, _ in zip(range(1, 6), slices, strict=False):
            assert 10 * taken <= len(fetched) <= 10 * (taken + AHEAD)
    assert len(fetched) <= 10 * (5 + AHEAD)


def test_an_error_comes_behind_what_was_fetched_before_it() -> None:
    def items() -> Iterator[int]:
        yield from range(25)
        raise DamagedLedger("the 26th lesson is damaged")

    slices = fetched_ahead(items(), 10)
    assert [*next(slices), *next(slices)] == list(range(20))
    with pytest.raises(DamagedLedger, match="26th"):
        next(slices)
    assert fetching() == 0


def test_who_leaves_early_leaves_nobody_behind() -> None:
    with closing(fetched_ahead(iter(range(1000)), 10)) as slices:
        next(slices)
        assert fetching() == 1
    assert fetching() == 0
