"""Ctrl-C comes while the next item is waited for, never while one is worked on; the second one always."""

import os
import signal
from collections.abc import Callable, Iterable, Iterator

import pytest

from deciban.cli.interrupts import Interrupts


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def work_on(items: Iterable[int], work: Callable[[int], object]) -> list[int]:
    """The items that were worked on before an interrupt was raised."""
    done: list[int] = []
    with Interrupts() as interrupts:
        try:
            for item in interrupts.between(items):
                work(item)
                done.append(item)
        except KeyboardInterrupt:
            return done
    raise AssertionError("nobody was interrupted")


def test_an_interrupt_waits_until_the_item_is_done() -> None:
    assert work_on(range(5), lambda item: press() if item == 2 else None) == [0, 1, 2]


def test_waiting_for_an_item_is_interrupted_at_once() -> None:
    def slow() -> Iterator[int]:
        yield 1
        press()
        yield 2

    assert work_on(slow(), lambda _: None) == [1]


def test_the_second_interrupt_waits_for_nothing() -> None:
    assert work_on([1, 2], lambda _: (press(), press())) == []


def test_what_comes_after_the_last_item_can_be_interrupted() -> None:
    with Interrupts() as interrupts:
        assert list(interrupts.between([1])) == [1]
        with pytest.raises(KeyboardInterrupt):
            press()


def test_ctrl_c_is_what_it_was_afterwards() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Interrupts():
        assert signal.getsignal(signal.SIGINT) != before
    assert signal.getsignal(signal.SIGINT) == before
