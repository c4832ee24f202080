"""What a replay begins with: nothing, or a state whose lessons are not in the ledger.

    state == replay(foundation, lessons)

Lessons that were folded have become a state that the ledger keeps: its code
(_committee_buffer.pyx), packed by zlib.
A filter that rests on a shared one (shared_filter.py) begins with a state in a file of somebody else, which
is known by its digest; its own states are layers over that file. There is one foundation at most, and its
slots are those of all states on it, whatever labels come.

**Folding.** A ledger grows by 5 KB per lesson, forever. `deciban compact --before DATE` replays the lessons
taught before that day and keeps the state after them as the foundation. Each folded lesson leaves some 60
bytes: its digest, its label, when it was taught, and its exam. So the filter still recognises the same
message, and still knows how good it is itself:

    state == replay(replay(nothing, old), rest) == replay(foundation, rest)

The ledger no longer says who sent these messages, what they were about and where they came from, and they
cannot be forgotten any more. A folded message can be taught under another label; its folded lesson stays.
"""

from __future__ import annotations

from deciban.committee._committee import Committee
from deciban.committee.label import shown
from deciban.committee.shape import LEAST_ROWS, Shape
from deciban.errors import DamagedLedger
from deciban.filter.memory_state import begin_committee, begin_in_memory
from deciban.filter.state import capacity_for
from deciban.ledger.facts import FOUNDATION_CAPACITY
from deciban.ledger.packed import unpacked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.committee.settings import Settings
    from deciban.filter.footing import Footing, Learner
    from deciban.ledger.ledger import Ledger

# The most that a committee takes (_committee_buffer.pyx).
MOST_LABELS = 4096


def begin(ledger: Ledger, footing: Footing, lessons: int = 0, in_bulk: bool = False) -> Learner:
    """The committee before the first lesson of a ledger, in memory, with room for so many lessons, about."""
    capacity = capacity_for(len(label_names(ledger, footing)))
    packed = ledger.foundation()
    if packed is None:
        if footing.foundation is not None:
            capacity = max(capacity, footing.foundation.capacity)
        is_layer = footing.foundation is not None
        shape = Shape.for_rows(capacity, footing.bits(capacity), rows_of(lessons), is_layer)
        committee = begin_in_memory(footing, shape, in_bulk)
    else:
        committee = _unpacked(ledger, footing, packed)
    _spell(ledger, committee)
    return committee


def rows_of(lessons: int) -> int:
    """How many rows so many lessons of mail touch, about: new words become rarer.

    SpamAssassin: 26,449 rows after 20 lessons, 130,217 after 200, 585,954 after 3,000. Room that is made at
    once need not be made by doubling, which costs a fifth of a replay.

    >>> [rows_of(lessons) // 1000 for lessons in (0, 20, 200, 3000)]
    [1, 30, 125, 670]
    """
    return max(int(30_000 * (lessons / 20) ** 0.62), LEAST_ROWS)


def label_names(ledger: Ledger, footing: Footing) -> set[str]:
    """The labels of a ledger and of what it rests on."""
    founded = () if footing.foundation is None else footing.foundation.labels
    return {*ledger.label_names(), *founded}


def has_its_slots(ledger: Ledger, footing: Footing, committee: Learner) -> bool:
    """Whether a state has as many slots as a replay of the ledger would have now.

    That depends on the labels, where there are many, unless there is a foundation: its slots stay.
    """
    if footing.foundation is not None or ledger.fact(FOUNDATION_CAPACITY) is not None:
        return True
    capacity = capacity_for(len(label_names(ledger, footing)))
    return committee.shape.bits == footing.settings.table_bits(capacity)


def pack(code: bytes) -> bytes:
    """The code of a state, packed as small as is possible in a short time."""
    from zlib import compress

    return compress(code, 1)


def _unpacked(ledger: Ledger, footing: Footing, packed: bytes) -> Learner:
    """The committee of the folded lessons, in memory."""
    from deciban.filter.earlier_state import is_earlier, taken_over

    capacity = int(ledger.fact(FOUNDATION_CAPACITY, 0))
    settings, codes = footing.settings, 1
    if footing.is_starter:  # a panel has two codes
        settings, codes = settings.replaced(bits=footing.bits(capacity)), 2
    code = unpack(packed, ledger.path, settings, capacity, codes)
    if not footing.is_starter and is_earlier(code):
        return taken_over(footing.settings, code, capacity)
    return footing.unpacked(code, capacity, begin_committee)


def unpack(packed: bytes, place: str, settings: Settings, capacity: int, codes: int = 1) -> bytes:
    """The code that `pack` packed, of a state with room for so many labels."""
    code = None
    if 2 <= capacity <= MOST_LABELS and capacity % 2 == 0:
        code = unpacked(packed, codes * _most_bytes(settings, capacity))
    if code is None:
        raise DamagedLedger(f"{place} is damaged: its state cannot be unpacked. Restore a copy of it.")
    return code


def _most_bytes(settings: Settings, capacity: int) -> int:
    """The most bytes that the code of a state can have: that of a full table, and five bytes for each key."""
    shape = Shape.dense(capacity, settings.bits)
    return Committee.size(settings, shape) + 5 * shape.rows


def _spell(ledger: Ledger, committee: Learner) -> None:
    """Spell labels as the ledger does: the state may be older than the rules of spelling (label.py)."""
    labels = set(committee.labels)
    for label in committee.labels:
        name = ledger.spelling(label) or shown(label)
        if name not in labels:
            committee.rename(label, name)
            labels.add(name)
