"""Made-up lessons, without mail: a ledger knows no more of them."""

import random
from array import array

from deciban.committee._lesson_code import Features
from deciban.ledger import Ledger, Lesson


def lesson(label: str, number: int, **fields: object) -> Lesson:
    """The n-th made-up lesson of a label, always the same."""
    rng = random.Random(f"{label}{number}")
    views = [array("Q", sorted(rng.getrandbits(64) for _ in range(20))) for _ in "wl"]
    return Lesson(
        digest=f"{label[:8]:8}{number:8}".encode(),
        label=label,
        taught=0,
        by="",
        source=f"{label}.mbox@{number}",
        sender=f"{label}@example.org",
        subject=f"number {number}",
        date="",
        message_id="",
        names=f"word:{label}\nword:{number}",
        features=Features.of(*views),
    ).replaced(**fields)


def append(ledger: Ledger, *lessons: Lesson, first: int = 1) -> None:
    """Write lessons, each taught a microsecond after the one before."""
    with ledger.writing():
        ledger.append((each, first + place) for place, each in enumerate(lessons))
