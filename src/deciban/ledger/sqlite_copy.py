"""Copies of a ledger's file: backups, restoring and repairing. What is replaced is kept beside the ledger.

A file appears whole under its name or not at all. A ledger that can be opened is overwritten through SQLite,
in one transaction, so that whoever has it open goes on with what was restored. One that cannot gives way to
another file; whoever has it open cannot write any more, and opens it anew.

    PATH.format-3          as it was before it was taken over (sqlite_takeover.py)
    PATH.before-restore    as it was before `deciban restore`
    PATH.before-repair     as it was before `deciban check --repair`

Each holds all lessons, so forgetting removes them.
"""

from __future__ import annotations

import _sqlite3 as sqlite3  # see sqlite_file.py
import os
from contextlib import contextmanager, suppress
from time import monotonic

from deciban.errors import CannotWrite, DamagedLedger, FilterError, LedgerBusy, WrongUsage
from deciban.ledger.sqlite_file import PATIENCE_SECONDS, make, open_file, told
from deciban.sqlite_store import ERRORS, NEW, complaint_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from deciban.ledger.records import Saved

TAKEN_OVER, RESTORED, REPAIRED = ".format-3", ".before-restore", ".before-repair"
LOG, SHARED_MEMORY = "-wal", "-shm"


def kept_copies(path: str) -> Iterator[str]:
    """The copies that are kept beside a ledger."""
    for mark in (TAKEN_OVER, RESTORED, REPAIRED):
        yield from (
            path + mark + end for end in ("", LOG, SHARED_MEMORY) if os.path.exists(path + mark + end)
        )


def left_overs(path: str) -> list[str]:
    """The files of processes that died before they gave the ledger, or one of its copies, its name."""
    folder, own = os.path.split(path)
    beginnings = tuple(own + mark + NEW for mark in ("", TAKEN_OVER, RESTORED))
    return [os.path.join(folder, name) for name in os.listdir(folder or ".") if name.startswith(beginnings)]


def copy_to(source: sqlite3.Connection, path: str, replacing: bool) -> None:
    """Copy a ledger to a new file; one that is there is an error, unless it may be replaced."""
    if os.path.lexists(path) and not replacing:
        _remove_those_of_the_dead(path)  # of one that died when it was done
        raise CannotWrite(f"{path} is there already. Choose another name, or add --force to replace it.")
    with _beside(path) as new:
        _copy(source, new)
        with _naming(path):
            if replacing:
                _remove_logs(path)
                os.rename(new, path)
            else:
                os.link(new, path)
        _sync_folder(path)


def copy_into(path: str, target: sqlite3.Connection, place: str) -> None:
    """Overwrite an open ledger with the content of a file, in one transaction."""
    deadline = monotonic() + PATIENCE_SECONDS

    def watch(*_: object) -> None:
        if monotonic() > deadline:
            raise LedgerBusy(f"{place} is in use by another process. Try again when that is done.")

    source = open_file(path, read_only=True, at_rest=True)
    try:
        source.backup(target, progress=watch)
    finally:
        source.close()


def restore(path: str, backup: str, replacing: bool) -> tuple[int, str | None]:
    """Put a backup in the place of a ledger; how many lessons it has, and where the old one is kept."""
    from deciban.ledger.sqlite_ledger import SqliteLedger

    there = os.path.lexists(path)
    if there and os.path.exists(backup) and os.path.samefile(backup, path):
        raise WrongUsage(f"{backup} is the ledger itself. Name a backup of it.")
    kept = path + RESTORED
    with _beside(path) as new:
        lessons = _take_up(backup, new)
        _must_be_whole(new, path)
        if not there:
            with _naming(path):
                os.link(new, path)
            return lessons, None
        if os.path.lexists(kept) and not replacing and not os.path.samefile(kept, backup):
            raise CannotWrite(
                f"{kept} is there from an earlier restore. Move it away, or add --force to replace it."
            )
        try:
            with SqliteLedger(path) as ledger:
                ledger.back_up(kept, replacing=True)
                ledger.become(new)
        except (FilterError, *ERRORS) as error:
            if isinstance(error, LedgerBusy | CannotWrite):
                raise
            _swap(new, path, kept)
    return lessons, kept


def _take_up(backup: str, new: str) -> int:
    """Copy a backup, take it over if it is of the format before, and check all of it; its lessons."""
    from deciban.ledger.sqlite_ledger import SqliteLedger

    try:
        source = open_file(backup, read_only=True, at_rest=True)
        try:
            _copy(source, new)
        finally:
            source.close()
        with SqliteLedger(new) as ledger:
            wrong = next((finding for finding in ledger.findings() if not finding.is_right), None)
            lessons = 0 if wrong else sum(ledger.labels().values())
    except ERRORS as error:
        raise DamagedLedger(
            f"{backup} is damaged or no ledger ({complaint_of(error)}). Nothing was restored."
        ) from None
    except DamagedLedger as error:
        raise DamagedLedger(str(error).replace(new, backup)) from None
    if wrong is not None:
        raise DamagedLedger(
            f"{backup} is damaged ({wrong.part}: {wrong.text}). Nothing was restored. Choose another backup, "
            f"or save what is whole: deciban check --repair --db {backup}"
        )
    return lessons


def log_of(path: str) -> bytes:
    """The bytes of a ledger's log; none if it has none."""
    for place in (path, path + REPAIRED):
        if place == path or _is_half_swapped(path, place):
            try:
                with open(place + LOG, "rb") as file:
                    return file.read()
            except FileNotFoundError:
                pass
            except OSError as error:  # lessons may stand in it
                raise DamagedLedger(f"{place + LOG} cannot be read: {error.strerror}.") from None
    return b""


def _is_half_swapped(path: str, kept: str) -> bool:
    """Whether a process died while it put another file in the place of a ledger, and had kept the old one.

    Then both names are of one file, whose log may have its new name already.
    """
    try:
        return os.path.samefile(path, kept)
    except OSError:
        return False


def repair(path: str, log: bytes, names: tuple[str, ...] = ()) -> tuple[Saved, str]:
    """Put a new ledger in the place of a damaged one, with all that is whole in it; where the old one is."""
    from deciban.committee.settings import Settings
    from deciban.ledger.sqlite_ledger import SqliteLedger
    from deciban.ledger.sqlite_salvage import SqliteSalvage

    salvage = SqliteSalvage.of_file(path, log, names)
    new = _new_name(path)
    kept = path + REPAIRED
    try:
        make(new, salvage.settings or Settings(salt=int.from_bytes(os.urandom(8), "little")))
        with SqliteLedger(new) as ledger:
            saved = salvage.write_into(ledger)
        os.chmod(new, os.stat(path).st_mode & 0o777)
        _swap(new, path, kept)
    finally:
        _remove(new)
    return saved, kept


def _swap(new: str, path: str, kept: str) -> None:
    """Put a file in the place of a ledger that cannot be opened, which is kept under another name.

    The log goes first: with a log that is not its own a database would be damaged.
    """
    _must_be_whole(new, path)
    with _naming(path):
        if not _is_half_swapped(path, kept):
            _remove_logs(kept)
            with suppress(FileNotFoundError):
                os.unlink(kept)
            os.link(path, kept)
        with suppress(FileNotFoundError):
            os.rename(path + LOG, kept + LOG)
        with suppress(FileNotFoundError):
            os.unlink(path + SHARED_MEMORY)
        os.rename(new, path)
    _sync_folder(path)


def _must_be_whole(new: str, path: str) -> None:
    """Refuse a file that is to take the place of a ledger while some of it is in its log only.

    SQLite empties the log of a file when it closes it, and is silent if that fails.
    """
    with suppress(FileNotFoundError):
        if os.path.getsize(new + LOG):
            raise CannotWrite(f"{path} is as it was: a new file for it could not be finished. Make room.")


def _copy(source: sqlite3.Connection, new: str) -> None:
    """Copy what a connection sees into an empty file."""
    copy = sqlite3.connect(new, isolation_level=None)
    try:
        source.backup(copy)
        copy.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except ERRORS as error:
        raise told(new, error) from None
    finally:
        copy.close()


def _remove_logs(path: str) -> None:
    """Remove the log of a file that is going to be replaced: it must not be taken for that of the new one."""
    for end in (LOG, SHARED_MEMORY):
        with suppress(FileNotFoundError):
            os.unlink(path + end)


@contextmanager
def _beside(path: str) -> Iterator[str]:
    """An empty file beside a path, for our eyes only, which is gone afterwards unless it was renamed."""
    new = _new_name(path)
    with _naming(path):
        _remove_those_of_the_dead(path)
        os.close(os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    try:
        yield new
    finally:
        _remove(new)


def _remove_those_of_the_dead(path: str) -> None:
    """Remove such files of processes that died; the number of a process stands in their names."""
    folder, own = os.path.split(path)
    for name in _listed(folder):
        process = name.removeprefix(own + NEW).partition("-")[0]
        if name.startswith(own + NEW) and process.isdecimal() and not _is_alive(int(process)):
            with suppress(OSError):
                os.unlink(os.path.join(folder, name))


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder or ".")
    except OSError:  # who may not look may still write
        return []


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # somebody else's
        return True
    return True


def _new_name(path: str) -> str:
    return f"{path}{NEW}{os.getpid()}-{os.urandom(4).hex()}"


def _remove(new: str) -> None:
    for end in ("", LOG, SHARED_MEMORY, TAKEN_OVER):
        with suppress(OSError):
            os.unlink(new + end)


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """What the file system complains about, in words that say what to do."""
    try:
        yield
    except OSError as error:
        raise CannotWrite(
            f"{path} cannot be written: {error.strerror}. Check permissions and room there."
        ) from None


def _sync_folder(path: str) -> None:
    """Force a new name to the disk."""
    with suppress(OSError):
        folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
