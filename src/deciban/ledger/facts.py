"""The keys under which a ledger keeps what holds for all of it, and of which type each value is."""

from __future__ import annotations

ID = "id"
"""16 random bytes: which ledger this is."""
SETTINGS = "settings"
"""The text of the `Settings` that lessons are replayed with."""
BASE = "base"
"""The digest of all that a replay begins with: settings, shared filter, folded lessons (trail.py)."""
END = "end"
"""The last position in 8 bytes, and the trail there: what is missing at the end is missed."""
FEATURES = "features"
"""The format of the features, which are hashes."""
PREFERENCES = "preferences"
"""The text of the user's `Preferences`."""
MIXING_DUE = "mixing-due"
"""That a bulk was written into a new ledger in the order of its folders, and waits to be mixed."""
SWEEP_DUE = "sweep-due"
"""That traces of what was removed may be left in some file: 8 random bytes, new for each removal."""
SHARED = "shared"
"""Which shared filter or starter this one rests on, as `SharedFilter.text` writes it."""
STARTER = "starter:"
"""How that text begins if it is a starter: its version follows."""
FOUNDATION_CAPACITY = "foundation-capacity"
"""How many labels the state of the folded lessons has room for."""
FOUNDATION_DIGEST = "foundation-digest"
"""The digest of the packed state of the folded lessons."""

TYPES: dict[str, type] = {
    ID: bytes,
    SETTINGS: str,
    BASE: bytes,
    END: bytes,
    FEATURES: int,
    PREFERENCES: str,
    MIXING_DUE: int,
    SWEEP_DUE: bytes,
    SHARED: str,
    FOUNDATION_CAPACITY: int,
    FOUNDATION_DIGEST: bytes,
}
"""Of which type the value under each key is; one of another type is damaged."""
