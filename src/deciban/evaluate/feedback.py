"""When a filter is told what a message truly was: at once, late, or not at all (corrections.py: if wrong).

Online filters are mostly measured with *immediate* feedback, which flatters them: nobody sorts each mail the
moment it arrives. The other three are what the spam track of TREC tried besides; each turns a stream of
messages into steps (`index.StreamStep`):

    immediate                        each label is told right after its message was classified
    delayed(messages, by=1000)       … after 1,000 further messages were classified
    first(messages, 10_000)          … for the first 10,000 messages; from then on the filter is on its own
    partial(messages, 0.4, seed=1)   … for the mail of 40% of the recipients; the others never say anything

>>> from deciban.evaluate.index import LabelledMessage
>>> messages = [LabelledMessage("ham", name) for name in "abc"]
>>> [(step.message.path, step.asked, step.told) for step in delayed(messages, by=1)]
[('a', True, False), ('b', True, False), ('a', False, True), ('c', True, False), ('b', False, True)]
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from deciban.errors import BadSetting
from deciban.evaluate.index import LabelledMessage, StreamStep
from deciban.ledger.lesson import SENT
from deciban.text import read
from deciban.text.sender import address_in

RECIPIENT_FIELDS = ("delivered-to", "x-original-to", "to")


def immediate(messages: Sequence[LabelledMessage]) -> list[StreamStep]:
    """Each label is told right after its message was classified."""
    return [StreamStep(message) for message in messages]


def delayed(messages: Sequence[LabelledMessage], by: int) -> list[StreamStep]:
    """Each label is told after ``by`` further messages; those of the last ``by`` messages never are."""
    if by < 0:
        raise BadSetting(f"The delay must be a number of messages, 0 or more, got {by!r} instead.")
    if by == 0:
        return immediate(messages)
    steps = []
    for number, message in enumerate(messages):
        steps.append(StreamStep(message, told=False))
        if number >= by:
            steps.append(StreamStep(messages[number - by], asked=False))
    return steps


def first(messages: Sequence[LabelledMessage], count: int) -> list[StreamStep]:
    """The labels of the first ``count`` messages are told, and no more: TREC 2007 calls this delay."""
    if count < 0:
        raise BadSetting(f"The first messages must be a number, 0 or more, got {count!r} instead.")
    return [StreamStep(message, told=number < count) for number, message in enumerate(messages)]


def partial(messages: Sequence[LabelledMessage], share: float, seed: int = 0) -> list[StreamStep]:
    """About this share of the recipients tell the labels of all their mail, and the others of none.

    The choice is by recipient, as in TREC, because that is how it happens, and because it is harder: what is
    told is not a fair sample of what comes. A message that names no recipient has one of its own.
    """
    if not 0 <= share <= 1:
        raise BadSetting(f"The share of recipients must be from 0 to 1, got {share!r} instead.")
    return [
        StreamStep(message, told=_chance(seed, recipient(message.read())) < share) for message in messages
    ]


def part_sent(
    messages: Sequence[LabelledMessage], share: float, seed: int = 0
) -> tuple[list[StreamStep], list[LabelledMessage]]:
    """Steps that first teach about this share of the good mail as sent by the user; and all other mail."""
    drawn = {
        number
        for number, message in enumerate(messages)
        if not message.spam and _chance(seed, f"sent {number}") < share
    }
    sent = [StreamStep(messages[number], asked=False, origin=SENT) for number in sorted(drawn)]
    return sent, [message for number, message in enumerate(messages) if number not in drawn]


def recipient(data: bytes) -> str:
    r"""The address that a message was delivered to, or what else tells it apart.

    >>> recipient(b"To: Ann <Ann@Example.org>, bob@example.org\n\n")
    'ann@example.org'
    """
    message = read(data)
    for field in RECIPIENT_FIELDS:
        # Of several, the first: the order of a list of recipients does not change from mail to mail.
        address = address_in(message.header(field).split(",")[0]).lower()
        if address:
            return address
    return message.digest.hex()


def _chance(seed: int, text: str) -> float:
    """A number from 0 to below 1 that only the seed and the text decide."""
    digest = hashlib.blake2b(f"{seed}\0{text}".encode("utf-8", "surrogateescape"), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64
