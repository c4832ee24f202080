"""What a replay begins with: nothing, or a state whose lessons are not in the ledger.

    state == replay(foundation, lessons)

Lessons that were folded have become a state that the ledger keeps: its sparse code, packed by zlib. A filter
that rests on a shared one (shared_filter.py) begins with a state in a file of somebody else, which is known
by its digest. There is one foundation at most.

**Folding.** A ledger grows by 5 KB per lesson, forever. `deciban compact --before DATE` replays the lessons
taught before that day and keeps the state after them as the foundation. Each folded lesson leaves some 60
bytes: its digest, its label, when it was taught, and its exam. So the filter still recognises the same
message, and still knows how good it is itself:

    state == replay(replay(nothing, old), rest) == replay(foundation, rest)

The ledger no longer says who sent these messages, what they were about and where they came from, and they
cannot be forgotten any more. A folded message can be taught under another label; its folded lesson stays.
"""

from __future__ import annotations

from deciban.committee._committee import Committee, renumber
from deciban.committee._sparse_code import decode, encode
from deciban.committee.label import shown
from deciban.errors import DamagedLedger
from deciban.ledger.facts import FOUNDATION_CAPACITY
from deciban.ledger.packed import unpacked

# The most that a committee takes (_committee.pyx).
MOST_LABELS = 4096
PAGE = 4096

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from deciban.committee.settings import Settings
    from deciban.ledger.ledger import Ledger


def pack(state: memoryview | bytes) -> bytes:
    """A state, packed as small as is possible in a short time."""
    from zlib import compress

    return compress(encode(state), 1)


def room(ledger: Ledger, labels: Iterable[str] = ()) -> int:
    """How many labels the tables of a ledger need room for, with these beside its own: a power of two."""
    from deciban.filter.shared_filter import pinned

    shared = pinned(ledger)
    known = {*ledger.label_names(), *labels, *(shared.labels if shared else ())}
    return max(capacity_for(len(known)), int(ledger.fact(FOUNDATION_CAPACITY, 2)))


def capacity_for(labels: int) -> int:
    """The labels that tables have room for: a power of two.

    >>> [capacity_for(labels) for labels in (0, 1, 2, 3, 5, 20)]
    [2, 2, 2, 4, 8, 32]
    """
    return 1 << max(labels - 1, 1).bit_length()


def begin(ledger: Ledger, capacity: int, buffer: memoryview | bytearray) -> Committee:
    """The committee before the first lesson of a ledger, in a buffer of zeros."""
    found = _code(ledger)
    settings = ledger.settings
    if found is None:
        return Committee.begin(settings, capacity, buffer)
    code, own_capacity = found
    if own_capacity == capacity:
        committee = _taken_over(settings, code, buffer)
    else:
        narrower = _taken_over(settings, code, bytearray(Committee.size(settings, own_capacity)))
        committee = Committee.begin(settings, capacity, buffer)
        committee.widen(narrower)
    _spell(ledger, committee)
    return committee


def _spell(ledger: Ledger, committee: Committee) -> None:
    """Spell labels as the ledger does: the state may be older than the rules of spelling (label.py)."""
    labels = set(committee.labels)
    for label in committee.labels:
        name = ledger.spelling(label) or shown(label)
        if name not in labels:
            committee.rename(label, name)
            labels.add(name)


def restore(settings: Settings, code: bytes, buffer: memoryview | bytearray) -> Committee:
    """The committee of a sparse code, in a buffer of zeros of its size."""
    decode(code, buffer)
    return Committee(settings, buffer)


def _taken_over(settings: Settings, code: bytes, buffer: memoryview | bytearray) -> Committee:
    """The same for a foundation, whose lessons are gone: it may be that of an older version."""
    decode(code, buffer)
    renumber(buffer)
    return Committee(settings, buffer)


def _code(ledger: Ledger) -> tuple[bytes, int] | None:
    """The sparse code of the foundation and the labels that it has room for; None if there is none."""
    from deciban.filter.shared_filter import pinned, read_shared

    shared = pinned(ledger)
    if shared is not None:
        return read_shared(shared)
    packed = ledger.foundation()
    if packed is None:
        return None
    capacity = int(ledger.fact(FOUNDATION_CAPACITY, 0))
    return unpack(packed, ledger.path, ledger.settings, capacity), capacity


def unpack(packed: bytes, place: str, settings: Settings, capacity: int) -> bytes:
    """The sparse code that `pack` packed, of a state with room for so many labels."""
    # The code of a state is longer than the state by one bit for each unit of 16 bytes.
    size = state_size(settings, capacity)
    code = None if size is None else unpacked(packed, size + size // 64 + PAGE)
    if code is None:
        raise DamagedLedger(f"{place} is damaged: its state cannot be unpacked. Restore a copy of it.")
    return code


def state_size(settings: Settings, capacity: int) -> int | None:
    """The bytes of a state with room for so many labels; None if there cannot be one."""
    if not 2 <= capacity <= MOST_LABELS or capacity & (capacity - 1):
        return None
    return Committee.size(settings, capacity)
