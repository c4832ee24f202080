"""Checking a filter: its ledger, and all that is kept beside it.

The ledger is the only truth: damage there loses lessons, and `repair` (safekeeping.py) saves the others.
Everything else is made from it: a snapshot or checkpoint that is damaged is made again.
"""

from __future__ import annotations

import os
from contextlib import suppress

from deciban.errors import CannotWrite, DamagedSnapshot, DiskFull, FilterError, LedgerBusy, NoSuchSource
from deciban.filter.opened import Opened
from deciban.filter.preferences import Preferences
from deciban.filter.shared_filter import pinned, verify
from deciban.ledger import log_of, open_ledger, passed_over
from deciban.ledger.facts import PREFERENCES
from deciban.ledger.records import Finding
from deciban.ledger.trail import belongs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deciban.filter.checkpoints import Checkpoint

SNAPSHOT, CHECKPOINTS, SHARED = "snapshot", "checkpoints", "shared filter"
# These are not part of the ledger: they can be made again, or belong to somebody else.
BESIDE = (SNAPSHOT, CHECKPOINTS, SHARED)
ROOM_BYTES = 1 << 16


class _TakenBack(Exception):
    """Raised to undo a transaction on purpose."""


def check(path: str) -> Iterator[Finding]:
    """What is found about each part of the filter at ``path``; nothing of it is changed."""
    # Whoever opens a ledger with a damaged log empties it. We look twice: somebody may be writing it.
    if passed_over(log_of(path)) and (frames := passed_over(log_of(path))):
        yield Finding("log", False, f"it is damaged, and what {frames} pages of it say would be lost")
        return
    try:
        ledger = open_ledger(path, read_only=not os.access(path, os.W_OK))
    except (LedgerBusy, NoSuchSource):
        raise
    except FilterError as error:
        if isinstance(error, CannotWrite) and _has_no_room(path):
            raise  # the fault may be the disk's
        yield Finding("file", False, str(error))
        return
    opened = Opened(ledger)
    try:
        is_whole = True
        if not ledger.read_only:
            try:
                # SQLite can read a file with a wrong number in its head, but not write it. So we write, and
                # undo that.
                with suppress(_TakenBack), ledger.writing():
                    ledger.sweep_later()
                    raise _TakenBack
            except DiskFull:
                pass  # no damage
            except CannotWrite as error:
                is_whole = False
                yield Finding("file", False, str(error))
        for finding in ledger.findings():
            is_whole = is_whole and finding.is_right
            yield finding
        for part, look in PARTS.items():
            if is_whole or part not in BESIDE:
                yield _found(part, look, opened)
    finally:
        opened.close()


def _has_no_room(path: str) -> bool:
    """Whether SQLite could not even make the files that it needs beside a ledger to read it."""
    disk = os.statvfs(os.path.dirname(os.path.realpath(path)))
    return disk.f_bavail * disk.f_frsize < ROOM_BYTES


def _found(part: str, look: Callable[[Opened], str], opened: Opened) -> Finding:
    try:
        return Finding(part, True, look(opened))
    except LedgerBusy:
        raise
    except (FilterError, NoSuchSource) as error:
        return Finding(part, False, str(error))


def _preferences(opened: Opened) -> str:
    text = opened.ledger.fact(PREFERENCES)
    if text is None:
        return "none yet"
    Preferences.from_text(text)
    return "can be read"


def _shared(opened: Opened) -> str:
    shared = pinned(opened.ledger)
    if shared is None:
        return "none"
    verify(shared, opened.ledger.path)
    return f"{shared.path} is the version that was pinned"


def _begin(opened: Opened) -> None:
    """Make what a replay begins with."""
    opened.replaying.begin().check()


def _foundation(opened: Opened) -> str:
    if opened.ledger.foundation() is None:
        return "none"
    _begin(opened)
    return "can be read"


def _snapshot(opened: Opened) -> str:
    """Every block and every exam of the published state, and that it is the replay of its lessons."""
    ledger = opened.ledger
    with opened.published.locks.asking():
        if not os.path.lexists(opened.published.path):
            return "none: it is made when it is needed"
        state = opened.published.look(opened.footings.now())
        if state is None:
            raise DamagedSnapshot("It is damaged, or of another version.")
        if not belongs(ledger, state.address):
            return "of another history: it is made again when it is needed"
        position, exams = state.address.position, list(state.exams())
        committee = state.look()
        committee.check()
        kept = committee.state()
    with ledger.reading():
        if ledger.last_position() != position:
            return "every block is as it was written"
        fresh = opened.replaying.in_memory(from_the_foundation=True)
    try:
        if fresh.look().state() != kept or list(fresh.exams()) != exams:
            raise DamagedSnapshot("It is not what a replay of all lessons gives.")
    finally:
        fresh.close()
    return "every block is as it was written, and what a replay of all lessons gives"


def _checkpoints(opened: Opened) -> str:
    checkpoints = opened.replaying.checkpoints
    paths = list(checkpoints.files())
    used: list[Checkpoint] = checkpoints.listed()
    for checkpoint in used:
        if not checkpoints.is_whole(checkpoint):
            raise DamagedSnapshot(f"{checkpoint.path} is damaged.")
    strays = len(paths) - len(used)
    others = f", {strays} of no use that the next change removes" if strays else ""
    return f"{len(used)}, all as they were written{others}" if paths else "none"


PARTS: dict[str, Callable[[Opened], str]] = {
    "preferences": _preferences,
    "foundation": _foundation,
    SHARED: _shared,
    SNAPSHOT: _snapshot,
    CHECKPOINTS: _checkpoints,
}
