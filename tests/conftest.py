"""What all tests share: a hypothesis profile without deadlines, because machines are noisy, and Ctrl-C.

The short form tries the same examples each time, so that it fails only for what was changed; the long form
(effort.py) looks for new ones.

A shell lets what it runs in the background ignore Ctrl-C, and so would every process that a test starts and
interrupts: it would wait for ever. A signal that is handled here is not ignored there. `deciban filter`
ignores signals, too; where a test has run it in this process, they are handled as before once it is over.

Filters begin with nothing, because most tests are about what is learned. Tests of the starter say so.
"""

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.effort import LONG, effort

settings.register_profile(
    "deciban",
    deadline=None,
    max_examples=effort(50, 500),
    derandomize=not LONG,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("deciban")
os.environ["DECIBAN_STARTER"] = "no"

ENDING_SIGNALS = signal.SIGALRM, signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGXCPU

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def handlers_of_signals() -> Iterator[None]:
    """Put back what a test has made of the signals that ask for an end."""
    handlers = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)
