"""Lessons read by many hands: workers make them from mail, and they come out in the order of the mail.

Reading a mail and extracting its features takes most of the time of learning it, and depends on nothing but
the mail. The exam, the ledger and the snapshot stay with this process: what is learned is, bit for bit, what
it would have learned alone.
"""

from __future__ import annotations

from itertools import chain
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeVar

    from deciban.engines.engine import Engine
    from deciban.sources import RawMessage

    Result = TypeVar("Result")

# Sent to a worker together: a mail takes some .2 ms, and sending something costs .2 ms however small it is.
MESSAGES = 64
BYTES = 1 << 20
# Messages that come more slowly than this together, in seconds, are sent one by one.
PATIENCE = 0.1


def read_by(
    engine: Engine, make: Callable[[list[RawMessage]], list[Result]], messages: Iterable[RawMessage]
) -> Iterator[Result]:
    """What ``make`` makes of messages, one result for each, in order; workers are given them in bundles."""
    return chain.from_iterable(engine.map(make, _bundles(messages)))


def _bundles(messages: Iterable[RawMessage]) -> Iterator[list[RawMessage]]:
    bundle: list[RawMessage] = []
    size = 0
    begun = monotonic()
    for message in messages:
        bundle.append(message)
        size += len(message.data)
        if len(bundle) == MESSAGES or size >= BYTES or monotonic() - begun > PATIENCE:
            yield bundle
            bundle, size, begun = [], 0, monotonic()
    if bundle:
        yield bundle
