"""In which order messages come, and which of them are learned: seeded, so that every subject meets the same.

>>> shuffled("abcdef", seed=1), shuffled("abcdef", seed=1) == shuffled("abcdef", seed=2)
(['c', 'd', 'f', 'a', 'e', 'b'], False)
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from random import Random
from typing import TypeVar

from deciban.evaluate.index import LabelledMessage

T = TypeVar("T")


def shuffled(items: Sequence[T], seed: int) -> list[T]:
    """The items in an order that the seed decides."""
    order = list(items)
    Random(seed).shuffle(order)
    return order


def content_digest(message: LabelledMessage) -> bytes:
    """What byte-identical messages have in common."""
    return hashlib.blake2b(message.read(), digest_size=16).digest()


def halves(
    messages: Sequence[LabelledMessage], seed: int
) -> tuple[list[LabelledMessage], list[LabelledMessage]]:
    """One half to learn and one to classify, both shuffled; byte-identical messages are in the same half.

    Enron-Spam has 3,222 duplicates among 33,715 messages. In different halves they would be classified from
    memory.
    """
    order = shuffled(messages, seed)
    digests = [content_digest(message) for message in order]
    sizes: dict[bytes, int] = {}
    for digest in digests:
        sizes[digest] = sizes.get(digest, 0) + 1
    learned: set[bytes] = set()
    room = (len(order) + 1) // 2
    for digest, size in sizes.items():  # in the order of first sight, which is shuffled
        if size <= room:
            learned.add(digest)
            room -= size
    pairs = list(zip(digests, order, strict=True))
    return (
        [message for digest, message in pairs if digest in learned],
        [message for digest, message in pairs if digest not in learned],
    )
