"""Threads give results in the order of the items, pass errors on, and are gone at the end."""

import threading
from collections.abc import Iterator
from threading import Barrier, Event

import pytest

from deciban.engines import Threads
from deciban.errors import BadSetting


def test_results_come_in_the_order_of_the_items_whoever_is_faster() -> None:
    last_is_done = Event()

    def slowest_first(number: int) -> int:
        if number == 0 and threading.current_thread() is not threading.main_thread():
            assert last_is_done.wait(60)
        if number == 3:
            last_is_done.set()
        return -number

    assert list(Threads(2).map(slowest_first, range(4))) == [0, -1, -2, -3]


def test_two_threads_work_at_the_same_time() -> None:
    both = Barrier(2, timeout=60)
    assert list(Threads(2).map(lambda _: both.wait() >= 0, range(2))) == [True, True]


def test_one_thread_is_this_one() -> None:
    assert set(Threads(1).map(lambda _: threading.get_ident(), range(9))) == {threading.get_ident()}


def test_an_error_is_raised_in_its_turn() -> None:
    results = Threads(2).map(lambda number: 6 // number, [3, 2, 0, 1])
    assert [next(results), next(results)] == [2, 3]
    with pytest.raises(ZeroDivisionError):
        next(results)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_helpers_are_gone_after_an_error_too(error: type[BaseException]) -> None:
    def items() -> Iterator[int]:
        yield from range(20)
        raise error

    before = threading.active_count()
    with pytest.raises(error):
        list(Threads(3).map(abs, items()))
    assert threading.active_count() == before


def test_an_item_that_comes_late_waits_for_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deciban.engines.threads.SLOW", -1.0)  # whatever comes is late
    given: list[int] = []

    def items() -> Iterator[int]:
        for number in range(3):
            given.append(number)
            yield number

    for result in Threads(2).map(abs, items()):
        assert given[-1] == result


def test_no_threads_at_all_are_refused() -> None:
    with pytest.raises(BadSetting, match="at least 1 worker, got 0"):
        Threads(0)
