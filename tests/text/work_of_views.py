"""Prints the work of both views of each attack, at one size and at twice that size, as JSON."""

import ctypes
import json

from deciban.text import Limits, read
from deciban.text.views import extract
from tests.text.attacks import ATTACKS, repeated

SIZE = 60_000
PLENTY = 1 << 30
OPEN = Limits(
    bytes=PLENTY,
    headers=PLENTY,
    header_bytes=PLENTY,
    parts=PLENTY,
    text_bytes=PLENTY,
    links=PLENTY,
    features=PLENTY,
)
# What hurts tokenisers: see _tokens.pxd, and the patterns of _words.pyx.
TEXTS = {
    "spelled words": b"v.i.a.g.r.a ",
    "letters alone": b"a ",
    "signs": b"!?$",
    "lookalikes": "аa".encode(),
    "invisible characters": "\u200b".encode(),
    "unspaced characters": "免".encode(),
    "links": b"http://",
    "links without an end": b"www.",
    "addresses": b"a@",
    "money": b"$1,",
    "dots": b".",
}
FIELDS = {
    "a received field of dots": b"Received: ",
    "a sender of dots": b"From: ",
    "a date of colons": b"Date: ",
    "a signature": b"DKIM-Signature: d=",
}


def work(raw: bytes) -> int:
    """How much work the views of these bytes are, without the reading."""
    trace = ctypes.CDLL(None)
    trace.trace_work.restype = ctypes.c_uint64
    message = read(raw, OPEN)
    trace.trace_begin()
    extract(message, (), OPEN)
    return int(trace.trace_work())


if __name__ == "__main__":
    attacks = dict(ATTACKS)
    attacks |= {f"text: {name}": repeated(piece) for name, piece in TEXTS.items()}
    attacks |= {f"text after a word: {name}": repeated(piece, b"x ") for name, piece in TEXTS.items()}
    for before in FIELDS.values():
        attacks |= {f"{before!r} {name}": repeated(piece, before) for name, piece in TEXTS.items()}
    print(
        json.dumps({name: (work(attack(SIZE)), work(attack(2 * SIZE))) for name, attack in attacks.items()})
    )
