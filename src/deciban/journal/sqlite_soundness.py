"""Is a small SQLite file as it was written, and what of it can be saved? For the journal and the registry.

A file is looked at as SQLite sees it: every page, every index, every row with its check, and whether it could
be written. What can be saved is read from its bytes without SQLite (ledger/sqlite_pages.py), so it does not
matter which other bytes are damaged. A row is saved if its own check is right. Erased rows are not found:
they were overwritten (sqlite_store.py).
"""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress

from deciban.errors import CannotWrite, DecibanError, LedgerBusy, NewerFormat
from deciban.ledger.records import Finding
from deciban.ledger.sqlite_pages import SqlitePages, page_sizes
from deciban.sqlite_store import LOGS, NEW, SqliteStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import Any, Protocol

    from deciban.sqlite_store import StoreKind

    class Checkable(Protocol):
        """What can look at all that it keeps."""

        def check(self) -> str:
            """What is there, in words; an error if something is wrong."""

    class Filling(Protocol):
        """Writes what was saved into a new file."""

        def __call__(self, store: SqliteStore) -> object:
            """Within a transaction."""


# Of registries and early journals, and of today's journals.
PAGE_SIZES = 4096, 16384


def finding(part: str, opened: Callable[[], AbstractContextManager[Checkable]]) -> Finding:
    """What is found about a file, which ``opened`` opens."""
    try:
        with opened() as checkable:
            return Finding(part, True, checkable.check())
    except LedgerBusy:
        raise
    except (DecibanError, OSError) as error:
        return Finding(part, False, str(error))


def rows_in(path: str) -> Iterator[list[Any]]:
    """The values of every row that the bytes of a file hold, right or wrong."""
    with open(path, "rb") as file:
        data = file.read()
    sizes = page_sizes(data, PAGE_SIZES)
    if len(sizes) > 1:  # the head is damaged: with the right size there are the most rows
        sizes.sort(key=lambda size: sum(1 for _ in SqlitePages(data, b"", size).rows()))
    for _, values in SqlitePages(data, b"", sizes[-1]).rows():
        yield values


def rebuild(path: str, kind: StoreKind, fill: Filling, kept: str | None = None) -> None:
    """Put a new file in the place of a damaged one, which stays under the name ``kept``, if one is given.

    Whoever has the old one open finds out at the next question or change (`SqliteStore`).
    """
    _must_not_be_newer(path, kind)
    new = f"{path}{NEW}{os.getpid()}-{os.urandom(4).hex()}"
    try:
        with SqliteStore(new, kind, create=True) as store, store.writing():
            fill(store)
        os.chmod(new, os.stat(path).st_mode & 0o777)
        with _nobody_writing(path, kind):
            if kept is not None:
                with suppress(FileNotFoundError):
                    os.unlink(kept)
                os.link(path, kept)
            for log in LOGS:  # with a log that is not its own the new file would be damaged
                with suppress(FileNotFoundError):
                    os.unlink(path + log)
            os.rename(new, path)
    except OSError as error:
        raise CannotWrite(f"{path} cannot be repaired: {error}. Check permissions and room there.") from None
    finally:
        for part in ("", *LOGS):
            with suppress(OSError):
                os.unlink(new + part)


def _must_not_be_newer(path: str, kind: StoreKind) -> None:
    """Refuse to repair what a newer version wrote: we would throw away what we do not know."""
    try:
        SqliteStore(path, kind).close()
    except NewerFormat:
        raise
    except DecibanError:  # that is why it is repaired
        return


def _nobody_writing(path: str, kind: StoreKind) -> ExitStack:
    """Keep others from writing, if the damaged file can still be opened at all."""
    locked = ExitStack()
    locked.enter_context(suppress(DecibanError))  # some damage lets a change begin, but not end
    with suppress(DecibanError):
        store = locked.enter_context(SqliteStore(path, kind))
        locked.enter_context(store.writing())
    return locked
