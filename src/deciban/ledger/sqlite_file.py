r"""The file of a ledger: its tables, how it is made and opened, and what its errors mean.

One SQLite file in WAL mode, for its owner only; `application_id` is 'deci', `user_version` the format.

    facts        key, value    what holds for the whole ledger: id, settings, changes, mark, features,
                               preferences …
    labels       number, name
    lessons      number        the fields of `Lesson`, a check of them all, and the features (see
                               _lesson_code.pyx) last, so that a listing need not read them
    exams        position      the order in which lessons are replayed, apart from them, so that another order
                 lesson        moves a few bytes each; and, rewritten by replay, what was made of a lesson
                 best          before it was learned: the label that won,
                 truth, spam   the log-odds (nats) of the true label, and those of `spam`; NULL while fewer
                               than two labels, or not the true one, were known
    folded       number        what is left of lessons that were folded (folding.py): digest, label, exam
    foundation   what, value   the state that replay begins with, if not with nothing (foundation.py)
    checkpoints  position      states that were saved on the way (checkpoints.py)
    mails        digest        the mail itself, only for those who ask for it (kept_mail.py)
"""

from __future__ import annotations

# Not the package sqlite3, which adds only conversions of dates here, and datetime for them: 2 ms to import.
import _sqlite3 as sqlite3
import os

from deciban.committee.label import key_of, shown
from deciban.errors import (
    CannotWrite,
    DamagedLedger,
    FilterError,
    LedgerBusy,
    NewerFormat,
    NoSuchSource,
    OlderFormat,
)  # fmt: skip
from deciban.ledger import facts
from deciban.text._hashing import FORMAT as FEATURE_FORMAT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.committee.settings import Settings

FORMAT = 3
APPLICATION = int.from_bytes(b"deci", "big")
# How long one process waits for another that is writing; a replay of a million lessons takes that long.
PATIENCE_SECONDS = 120.0

SCHEMA = f"""
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {FORMAT};
CREATE TABLE facts (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE labels (number INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
CREATE TABLE lessons (
    number INTEGER PRIMARY KEY,
    digest BLOB UNIQUE NOT NULL,
    label INTEGER NOT NULL REFERENCES labels,
    taught INTEGER NOT NULL,
    by TEXT NOT NULL,
    source TEXT NOT NULL,
    sender TEXT NOT NULL,
    subject TEXT NOT NULL,
    date TEXT NOT NULL,
    message_id TEXT NOT NULL,
    names TEXT NOT NULL,
    checked INTEGER NOT NULL,
    features BLOB NOT NULL
);
CREATE INDEX lessons_of_a_label ON lessons (label);
CREATE TABLE exams (
    position INTEGER PRIMARY KEY,
    lesson INTEGER UNIQUE NOT NULL REFERENCES lessons,
    best INTEGER,
    truth REAL,
    spam REAL
);
CREATE TABLE folded (
    number INTEGER PRIMARY KEY,
    digest BLOB UNIQUE NOT NULL,
    label INTEGER NOT NULL REFERENCES labels,
    taught INTEGER NOT NULL,
    best INTEGER,
    truth REAL,
    spam REAL
);
CREATE TABLE foundation (what TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE checkpoints (
    position INTEGER PRIMARY KEY, name TEXT NOT NULL, capacity INTEGER NOT NULL, checked INTEGER NOT NULL
);
CREATE TABLE mails (digest BLOB PRIMARY KEY, kept INTEGER NOT NULL, mail BLOB NOT NULL);
"""


def make(path: str, settings: Settings) -> None:
    """Make a new ledger, unless there is one by now: it appears whole or not at all."""
    new = f"{path}.new-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        os.close(os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            _begin(new, settings)
            os.link(new, path)
        except FileExistsError:
            pass
        finally:
            os.unlink(new)
    except (OSError, sqlite3.Error) as error:
        raise CannotWrite(f"{path} cannot be made: {error}. Choose another place with --db.") from None


def _begin(path: str, settings: Settings) -> None:
    from deciban.committee._committee import FORMAT as STATE_FORMAT

    connection = sqlite3.connect(path, isolation_level=None)
    try:
        # A lesson of 4.6 KB takes 5.0 KB in pages of 64 KB, but 5.4 KB in pages of 4 KB.
        connection.execute("PRAGMA page_size = 65536")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(SCHEMA)
        begun = {
            facts.ID: os.urandom(16),
            facts.SETTINGS: settings.text(),
            facts.CHANGES: 0,
            facts.FEATURES: FEATURE_FORMAT,
            facts.EXAM_FORMAT: STATE_FORMAT,
        }
        connection.executemany("INSERT INTO facts VALUES (?, ?)", begun.items())
    finally:
        connection.close()


def connect(path: str, read_only: bool) -> sqlite3.Connection:
    """Open the ledger that is there, if it is one that can be read."""
    if not os.path.exists(path):
        raise NoSuchSource(f"There is no ledger {path}. Teach it something first: deciban learn.")
    if os.path.getsize(path) == 0:
        raise DamagedLedger(f"{path} is empty, no ledger. Restore it from a copy, or remove it.")
    place = "file:" + "".join(c if c.isalnum() or c in "/._-" else _percent(c) for c in path)
    mode = "ro" if read_only else "rw"
    if read_only and not os.access(os.path.dirname(path) or ".", os.W_OK):
        # SQLite would make its -shm file beside the ledger, which is not allowed here. Without a -wal
        # file nobody is writing, and whoever begins to writes there, not into what is read.
        mode += "" if os.path.exists(path + "-wal") else "&immutable=1"
    connection = sqlite3.connect(
        f"{place}?mode={mode}",
        uri=True,
        timeout=PATIENCE_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA wal_autocheckpoint = 100")
        connection.create_function("label_key", 1, key_of, deterministic=True)
        connection.create_function("label_shown", 1, shown, deterministic=True)
        _check_format(path, connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_format(path: str, connection: sqlite3.Connection) -> None:
    (page_size,) = connection.execute("PRAGMA page_size").fetchone()
    # SQLite reads what is missing of the last page as zeros, unless the log still has the whole page.
    log = path + "-wal"
    if os.path.getsize(path) % page_size and not (os.path.exists(log) and os.path.getsize(log)):
        raise DamagedLedger(f"{path} is cut short. Restore it from a copy.")
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise DamagedLedger(f"{path} is a database, but no ledger of deciban. Choose another file.")
    (features,) = connection.execute("SELECT value FROM facts WHERE key = 'features'").fetchone()
    if version > FORMAT or features > FEATURE_FORMAT:
        raise NewerFormat(f"{path} was written by a newer version of deciban. Upgrade deciban to use it.")
    if version < FORMAT or features < FEATURE_FORMAT:
        raise OlderFormat(
            f"{path} was written by an early version of deciban, whose lessons cannot be used any more. "
            "Move it away, and teach your mail again."
        )


def _percent(character: str) -> str:
    return "".join(f"%{byte:02x}" for byte in os.fsencode(character))


def told(path: str, error: sqlite3.Error) -> FilterError:
    """What SQLite complains about, in words that say what to do."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LedgerBusy(f"{path} is in use by another process. Try again when that is done.")
    if code == sqlite3.SQLITE_FULL:
        return CannotWrite(f"The disk of {path} is full, so this was not written. Make room and try again.")
    if code == sqlite3.SQLITE_CANTOPEN and os.path.exists(path + "-wal") and not os.access(path, os.W_OK):
        return CannotWrite(
            f"{path} was not closed: only who may write there can bring in its log. "
            f"Have its owner run: deciban status --db {path}"
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR):
        return CannotWrite(
            f"{path} cannot be written ({error}). Check its permissions and those of its folder."
        )
    return DamagedLedger(f"{path} is damaged or no ledger ({error}). Restore it from a copy.")
