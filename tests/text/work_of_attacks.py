"""Prints the work of each attack at one size and at twice that size, as JSON; on the instrumented build."""

import ctypes
import json

from deciban.text import Limits, read
from tests.text.attacks import ATTACKS

SIZE = 60_000
PLENTY = 1 << 30
OPEN = Limits(
    bytes=PLENTY, headers=PLENTY, header_bytes=PLENTY, parts=PLENTY, text_bytes=PLENTY, links=PLENTY
)


def work(raw: bytes, limits: Limits = OPEN) -> int:
    """How much work reading these bytes is."""
    trace = ctypes.CDLL(None)
    trace.trace_work.restype = ctypes.c_uint64
    trace.trace_begin()
    read(raw, limits)
    return int(trace.trace_work())


if __name__ == "__main__":
    works = {name: (work(attack(SIZE)), work(attack(2 * SIZE))) for name, attack in ATTACKS.items()}
    # Without its limit of depth the reader is not linear: this shows that the count would see it.
    deep, attack = OPEN.replaced(depth=PLENTY), ATTACKS["strangers in the deep"]
    works["without a limit of depth"] = (work(attack(SIZE), deep), work(attack(2 * SIZE), deep))
    print(json.dumps(works))
