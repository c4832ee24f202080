"""Reading and extracting hold Python's lock for foreign charsets only, so other threads go on meanwhile."""

import sys
from collections.abc import Callable, Iterator
from threading import Lock, Thread

import pytest

from deciban.text import read
from deciban.text.views import extract

HEAD = b"Subject: offer\nContent-Type: text/html; charset=iso-8859-1\n\n"
MAIL = HEAD + b"<p>caf\xe9 <b>now</b> 5 $\n" * 20000
# A call of these takes milliseconds; a thread that may run is scheduled during some call of so many.
MOST_CALLS = 2000


@pytest.fixture(autouse=True)
def nobody_is_interrupted() -> Iterator[None]:
    """A thread that holds Python's lock keeps it until it gives it up of its own accord."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e5)
    yield
    sys.setswitchinterval(before)


def another_thread_gets_on(call: Callable[[], object], most: int = MOST_CALLS) -> bool:
    """Whether a thread that waits for Python's lock gets it within so many calls."""
    gate = Lock()
    gate.acquire()
    got_on: list[bool] = []

    def wait_then_get_on() -> None:
        with gate:
            got_on.append(True)

    waiting = Thread(target=wait_then_get_on)
    waiting.start()
    gate.release()
    for _ in range(most):
        call()
        if got_on:
            break
    result = bool(got_on)
    waiting.join()
    return result


def test_another_thread_gets_on_while_a_mail_is_read() -> None:
    assert another_thread_gets_on(lambda: read(MAIL))


def test_another_thread_gets_on_while_features_are_extracted() -> None:
    message = read(MAIL)
    assert another_thread_gets_on(lambda: extract(message))


def test_nobody_gets_on_while_python_computes() -> None:
    assert not another_thread_gets_on(lambda: sum(range(100000)), most=20)
