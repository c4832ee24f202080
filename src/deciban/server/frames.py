r"""Frames between workers and the writer: four bytes of length, then msgpack.

A worker sends calls, ``[number, operation, arguments, again]``; the writer answers each with replies of the
same number, ``[number, kind, value]``: any number of ``progress``, then one ``done`` or ``error``. A call of
number 0 gets no reply. A reply of number 0 is the writer's own: ``changed`` tells every worker that spaces
or keys were changed, and ``gather`` asks it for the notes that it still holds, which it sends with a call
``gathered`` behind them. Both ends are ours and on one machine, behind a socket that only their owner can
open.

>>> frames = FrameReader(Call)
>>> data = framed(Call(1, "labels", {"space": "1f0c"}))
>>> list(frames.feed(data[:3])), list(frames.feed(data[3:]))
([], [Call(number=1, operation='labels', arguments={'space': '1f0c'}, again=False)])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import msgspec

from deciban import errors
from deciban.errors import DecibanError, ServerFault

LENGTH_BYTES = 4
# A message of the largest size that doors may be configured to take, and some room.
LONGEST_FRAME = 1 << 30
PROGRESS, DONE, ERROR = "progress", "done", "error"
CHANGED, GATHER, GATHERED = "changed", "gather", "gathered"


class Call(msgspec.Struct, array_like=True):
    """What a worker wants of the writer."""

    number: int
    operation: str
    arguments: dict[str, Any]
    again: bool = False
    """Whether a writer that died may have done it already."""


class Reply(msgspec.Struct, array_like=True):
    """What the writer answers."""

    number: int
    kind: str
    value: Any


Framed = TypeVar("Framed", Call, Reply)
_encode = msgspec.msgpack.Encoder().encode


def framed(record: Call | Reply) -> bytes:
    """One frame."""
    data = _encode(record)
    return len(data).to_bytes(LENGTH_BYTES, "big") + data


class FrameReader(Generic[Framed]):
    """Finds frames in bytes that come in pieces."""

    def __init__(self, kind: type[Framed]) -> None:
        self._decode: Callable[[memoryview], Framed] = msgspec.msgpack.Decoder(kind).decode
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[Framed]:
        """The records that are whole now."""
        self._rest += data
        place = 0
        while len(self._rest) - place >= LENGTH_BYTES:
            length = int.from_bytes(self._rest[place : place + LENGTH_BYTES], "big")
            if length > LONGEST_FRAME:
                raise ServerFault(f"A frame of {length:,} bytes cannot be meant.")
            end = place + LENGTH_BYTES + length
            if len(self._rest) < end:
                break
            with memoryview(self._rest) as whole, whole[place + LENGTH_BYTES : end] as frame:
                record = self._decode(frame)
            yield record
            place = end
        del self._rest[:place]


def error_value(error: BaseException) -> list[str]:
    """An error for a reply: the name of its class and its message."""
    if isinstance(error, DecibanError):
        return [type(error).__name__, str(error)]
    if isinstance(error, OSError):
        return ["CannotWrite", f"{error.filename}: {error.strerror}" if error.filename else str(error)]
    return ["ServerFault", f"unforeseen {type(error).__name__}: {error}"]


def error_of(value: list[str]) -> DecibanError:
    """The error that a reply tells of."""
    name, message = value
    kind = getattr(errors, name, ServerFault)
    found: DecibanError = kind(message)
    return found
