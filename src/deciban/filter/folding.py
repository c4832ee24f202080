"""Folding: old lessons become one state, which they share and from which none can be taken back.

A ledger grows by 5 KB a lesson, forever. `deciban compact --before DATE` replays the lessons taught before
that day and keeps the state after them as the foundation (foundation.py); of each lesson only its digest,
its label, when it was taught and its exam are left, some 60 bytes, so that the same message is still known,
and the filter still knows how good it is:

    state == replay(replay(nothing, old), rest) == replay(foundation, rest)

What is gone: who sent them, what they were about, where they came from, and the way back. A folded message
can be taught under another label beside its folded lesson, which stays.
"""

from __future__ import annotations

from deciban.errors import WrongUsage
from deciban.filter.foundation import CAPACITY, STATE, pack
from deciban.filter.ledger import LESSONS_IN_ORDER, SHARED
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.committee._committee import Committee
    from deciban.filter.ledger import Ledger

NAMES = "names"


class Folded(Value):
    """What was folded so far."""

    lessons: int
    until: int
    """When the last of them was taught, in microseconds since 1970."""


def folded(ledger: Ledger) -> Folded:
    """How many lessons of a ledger were folded, and up to when."""
    ((lessons, until),) = ledger.execute("SELECT count(*), coalesce(max(taught), 0) FROM folded")
    return Folded(lessons, until)


def positions_before(ledger: Ledger, before: float) -> set[int]:
    """Where the lessons taught before a time are, in seconds since 1970."""
    if ledger.fact(SHARED) is not None:
        raise WrongUsage(
            "A filter that rests on a shared one cannot be compacted: each new version replays its lessons."
        )
    old = f"SELECT position FROM {LESSONS_IN_ORDER} WHERE taught < ?"
    rows = ledger.execute(old, int(before * 1e6))
    return {position for (position,) in rows}


def fold(ledger: Ledger, positions: set[int], committee: Committee) -> None:
    """Put a state in place of the lessons that it was made of; only while writing."""
    from deciban.filter.names import joined_names

    names = joined_names(ledger, positions)
    ledger.execute("INSERT OR REPLACE INTO foundation VALUES (?, ?)", STATE, pack(committee.state()))
    ledger.execute("INSERT OR REPLACE INTO foundation VALUES (?, ?)", NAMES, names.encode())
    ledger.set_fact(CAPACITY, committee.capacity)
    for position in sorted(positions):
        ledger.execute(
            f"""INSERT OR REPLACE INTO folded SELECT NULL, digest, label, taught, best, truth, spam
            FROM {LESSONS_IN_ORDER} WHERE position = ?""",
            position,
        )
        ((number,),) = ledger.execute("DELETE FROM exams WHERE position = ? RETURNING lesson", position)
        ((digest,),) = ledger.execute("DELETE FROM lessons WHERE number = ? RETURNING digest", number)
        ledger.execute("DELETE FROM mails WHERE digest = ?", digest)
    ledger.execute("DELETE FROM checkpoints")
    ledger.mark_changed()
