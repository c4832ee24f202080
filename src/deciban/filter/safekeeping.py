"""Backups of filters, and repairs of damaged ones. They take a path, because a damaged filter may not open.

Only the ledger is backed up; its state is made again from it. Restoring and repairing hold the build lock, so
that nobody replays a history that is being replaced.
"""

from __future__ import annotations

import os
from contextlib import suppress

from deciban.committee._committee_buffer import LABEL_BYTES
from deciban.committee.label import label_of
from deciban.errors import BadLabel, DamagedLedger, FilterError, NoSuchSource
from deciban.filter.checking import BESIDE, check
from deciban.filter.checkpoints import MARK as CHECKPOINT_MARK
from deciban.filter.filter import Filter
from deciban.filter.locks import Locks
from deciban.filter.preferences import Preferences
from deciban.filter.published import MARK as SNAPSHOT_MARK
from deciban.filter.shared_filter import pinned
from deciban.ledger import log_of, open_ledger, repair_ledger, restore_ledger
from deciban.ledger.facts import PREFERENCES, SHARED
from deciban.ledger.records import Finding
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from deciban.ledger import Ledger
    from deciban.ledger.records import Saved

# The part of a filter that a check could not look at.
UNCHECKED = "check"
# So much of a state is looked through for the names of its labels: a few hundred fit.
HEAD_BYTES = 1 << 16


def back_up(path: str, target: str, replacing: bool = False) -> int:
    """Copy the ledger at a path to a new file, whole or not at all; how many lessons that has.

    The ledger is checked first: a damaged backup would only be noticed when it is needed.
    """
    with open_ledger(path, read_only=not os.access(path, os.W_OK)) as ledger:
        wrong = next((finding for finding in ledger.findings() if not finding.is_right), None)
        if wrong is not None:
            raise DamagedLedger(
                f"{path} is damaged ({wrong.part}: {wrong.text}), so it was not backed up. "
                "See what can be saved: deciban check."
            )
        with ledger.reading():
            lessons = sum(ledger.labels().values())  # the view of the ledger begins here
            ledger.back_up(target, replacing)
    return lessons


def restore(path: str, backup: str, replacing: bool = False) -> tuple[int, str | None]:
    """Put a backup in the place of a filter; how many lessons it has, and where the old ledger is kept."""
    if not os.path.isfile(backup):
        raise NoSuchSource(f"There is no backup {backup}. Nothing was restored.")
    if os.path.lexists(path):
        with _building(path):
            lessons, kept = restore_ledger(path, backup, replacing)
    else:
        lessons, kept = restore_ledger(path, backup, replacing)
    _make_current(path)
    return lessons, kept


class Mended(Value):
    """What became of a damaged filter."""

    saved: Saved | None
    """What was saved of the ledger; None if that was whole."""
    kept: str | None
    """Where the damaged ledger is."""
    dropped: tuple[str, ...]
    """Facts about the whole filter that could not be read: they start from scratch."""
    wrong: tuple[Finding, ...]
    """What is still wrong."""


def repair(path: str) -> Mended:
    """Mend what can be mended of a filter; undamaged lessons are never lost by that."""
    saved = kept = None
    with _building(path):
        log = log_of(path)
        wrong = {finding.part for finding in check(path) if not finding.is_right}
        if wrong.difference(BESIDE, (PREFERENCES,)):
            saved, kept = repair_ledger(path, log, _names_beside(os.path.realpath(path)))
        try:
            if wrong:
                _remove_states(os.path.realpath(path))
            dropped = _dropped(path)
            left = tuple(finding for finding in check(path) if not finding.is_right)
        except (FilterError, OSError) as error:
            if saved is None:
                raise
            dropped, left = (), (unchecked(error),)  # the lessons are saved
    if not left:
        _make_current(path)
    return Mended(saved, kept, dropped, left)


def unchecked(error: Exception) -> Finding:
    """What is found about a filter that was mended, and could not be looked at afterwards."""
    return Finding(UNCHECKED, False, f"what was saved could not be looked at: {error}")


def _names_beside(path: str) -> tuple[str, ...]:
    """What may be names of labels in the states beside a ledger; the checks of lessons tell which ones are.

    Names stand near the beginning, filled up with NUL (_committee_buffer.pyx). Nothing else there is looked
    at, so that the states may be damaged, too, or of settings that are lost with the ledger.
    """
    found: dict[str, None] = {}
    for state in _states(path):
        with suppress(OSError), open(state, "rb") as file:
            head = file.read(HEAD_BYTES)
            for start in range(0, len(head), 8):
                name = head[start : start + LABEL_BYTES].rstrip(b"\0")
                with suppress(UnicodeDecodeError, BadLabel):
                    found[label_of(name.decode())] = None
    return tuple(found)


def _dropped(path: str) -> tuple[str, ...]:
    """Drop facts that cannot be read though they are as they were written."""
    dropped = []
    with open_ledger(path) as ledger, ledger.writing():
        for key, read in ((PREFERENCES, _read_preferences), (SHARED, pinned)):
            try:
                read(ledger)
            except DamagedLedger:
                ledger.set_fact(key, None)
                dropped.append(key)
    return tuple(dropped)


def _read_preferences(ledger: Ledger) -> None:
    text = ledger.fact(PREFERENCES)
    if text is not None:
        Preferences.from_text(text)


def _building(path: str) -> AbstractContextManager[None]:
    real = os.path.realpath(path)
    return Locks(real + ".lock", real).building()


def _make_current(path: str) -> None:
    """Bring the state of a filter up to date, so that nobody waits for it; whoever asks does so otherwise."""
    with suppress(FilterError, OSError), Filter.open(path, create=False) as filter_:
        filter_.bring_up()


def _remove_states(path: str) -> None:
    """Remove every state that is kept beside a ledger: they are made again."""
    for state in _states(path):
        os.unlink(state)


def _states(path: str) -> list[str]:
    folder, own = os.path.split(path)
    return [
        os.path.join(folder, name)
        for name in os.listdir(folder or ".")
        if name == own + SNAPSHOT_MARK or name.startswith(own + CHECKPOINT_MARK)
    ]
