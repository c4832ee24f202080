"""Dialogues that are nearly right: what a fuzzer makes of some bytes."""

import random

PIECES = (
    b"",
    b"\0",
    b"\n",
    b"\r\n",
    b"\xff\xff\xff\xff",
    b"\0\0\0\1",
    b":",
    b" ",
    b"999999999999",
    b"%s",
    b"\x80",
)


def mutated(rng: random.Random, data: bytes) -> bytes:
    """The bytes with one to eight places changed, cut, doubled or moved."""
    changed = bytearray(data)
    for _ in range(rng.randrange(1, 9)):
        start = rng.randrange(len(changed) + 1)
        end = min(start + rng.randrange(1, 30), len(changed))
        kind = rng.randrange(6)
        if kind == 0:
            changed[start:end] = b""
        elif kind == 1:
            changed[start:start] = rng.choice(PIECES)
        elif kind == 2:
            changed[start:start] = changed[start:end] * rng.randrange(1, 4)
        elif kind == 3 and start < len(changed):
            changed[start] ^= 1 << rng.randrange(8)
        elif kind == 4:
            changed[start:end] = rng.randbytes(end - start)
        else:
            del changed[start:]
    return bytes(changed)
