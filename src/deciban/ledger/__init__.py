"""The ledger: the durable, ordered list of lessons, the only truth of a filter. ledger.py is the contract."""

from __future__ import annotations

import os

from deciban.ledger.ledger import Ledger
from deciban.ledger.lesson import Lesson, Selection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.committee.settings import Settings
    from deciban.ledger.records import Saved

__all__ = [
    "Ledger",
    "Lesson",
    "Selection",
    "create_ledger",
    "log_of",
    "open_ledger",
    "passed_over",
    "repair_ledger",
    "restore_ledger",
]


def open_ledger(path: str, read_only: bool = False) -> Ledger:
    """The ledger that is at ``path``."""
    from deciban.ledger.sqlite_ledger import SqliteLedger

    return SqliteLedger(os.path.realpath(path), read_only)


def create_ledger(path: str, settings: Settings, shared: str | None = None) -> Ledger:
    """A new ledger, or the one that is there by now; ``shared`` is the text of what a new one rests on."""
    from deciban.ledger.sqlite_file import make

    make(os.path.realpath(path), settings, shared)
    return open_ledger(path)


def restore_ledger(path: str, backup: str, replacing: bool = False) -> tuple[int, str | None]:
    """Put a backup in the place of the ledger at ``path``; its lessons, and where the old ledger is kept.

    Under the build lock.
    """
    from deciban.ledger.sqlite_copy import restore

    return restore(os.path.realpath(path), backup, replacing)


def log_of(path: str) -> bytes:
    """The bytes of a ledger's log: whoever opens a ledger with a damaged one empties it."""
    from deciban.ledger.sqlite_copy import log_of

    return log_of(os.path.realpath(path))


def passed_over(log: bytes) -> int:
    """How much of a log would be lost if its ledger were opened, in frames: what follows a damaged one."""
    from deciban.ledger.sqlite_log import passed_over

    return passed_over(log)


def repair_ledger(path: str, log: bytes, names: tuple[str, ...] = ()) -> tuple[Saved, str]:
    """Put a new ledger in the place of a damaged one, with all that is whole in it; where the old one is.

    Under the build lock. ``log`` is its log as it was before anybody opened it (`log_of`), ``names`` are
    those that its labels may have, if they cannot be read any more.
    """
    from deciban.ledger.sqlite_copy import repair

    return repair(os.path.realpath(path), log, names)
