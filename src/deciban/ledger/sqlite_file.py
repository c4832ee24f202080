r"""The file of a ledger: its tables, how it is made and opened, and what its errors mean.

One SQLite file in WAL mode, for its owner only; `application_id` is 'deci', `user_version` the format.

    facts        key, value    what holds for the whole ledger (facts.py), each with a check
    labels       number, name
    lessons      number        the fields of `Lesson`, a check of them all, and the code of the features
    trail        position      the order in which lessons are replayed, apart from them, so that another order
                 lesson        moves a few bytes each; and the trail up to there (trail.py)
    folded       number        what is left of folded lessons (foundation.py): digest, label, time, exam (the
                               label that won, the log-odds of the true label and of `spam`), origin and
                               share, with a check
    foundation   what, value   the state that replay begins with, if not with nothing (foundation.py)
    mails        digest        the mail itself, only for those who ask for it (kept_mail.py)
"""

from __future__ import annotations

# Not the package sqlite3, which adds only conversions of dates here, and datetime for them: 2 ms to import.
import _sqlite3 as sqlite3
import os
from binascii import crc32

from deciban.committee.label import key_of, shown
from deciban.errors import (
    CannotWrite,
    DamagedLedger,
    DiskFull,
    FilterError,
    LedgerBusy,
    NewerFormat,
    NoSuchSource,
    OlderFormat,
)  # fmt: skip
from deciban.ledger import facts
from deciban.ledger.lesson import INCOMING
from deciban.ledger.trail import START, TRAIL_BYTES, digest_of
from deciban.sqlite_store import ERRORS, complaint_of, make_whole, uri_of
from deciban.text._hashing import FORMAT as FEATURE_FORMAT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.committee.settings import Settings

FORMAT = 4
APPLICATION = int.from_bytes(b"deci", "big")
# How long one process waits for another that is writing; a replay of a million lessons takes that long.
PATIENCE_SECONDS = 120.0
WHAT_TO_DO = "Restore a copy: deciban restore FILE; or save what is whole: deciban check --repair."
ID_BYTES = 16
END_BYTES = 8 + TRAIL_BYTES

INDEX_OF_TIMES = "CREATE INDEX lessons_by_time ON lessons (taught);"
TRAIL_TABLE = """CREATE TABLE trail (
    position INTEGER PRIMARY KEY, lesson INTEGER UNIQUE NOT NULL REFERENCES lessons, trail BLOB NOT NULL
);"""
SCHEMA = f"""
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {FORMAT};
CREATE TABLE facts (key TEXT PRIMARY KEY, value NOT NULL, checked INTEGER NOT NULL) WITHOUT ROWID;
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
    origin TEXT NOT NULL DEFAULT '{INCOMING}',
    share REAL NOT NULL DEFAULT 1,
    checked INTEGER NOT NULL,
    features BLOB NOT NULL
);
CREATE INDEX lessons_of_a_label ON lessons (label);
{INDEX_OF_TIMES}
{TRAIL_TABLE}
CREATE TABLE folded (
    number INTEGER PRIMARY KEY,
    digest BLOB UNIQUE NOT NULL,
    label INTEGER NOT NULL REFERENCES labels,
    taught INTEGER NOT NULL,
    best INTEGER,
    truth REAL,
    spam REAL,
    origin TEXT NOT NULL DEFAULT '{INCOMING}',
    share REAL NOT NULL DEFAULT 1,
    checked INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE foundation (what TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE mails (digest BLOB PRIMARY KEY, kept INTEGER NOT NULL, mail BLOB NOT NULL);
"""
# What tables of the format before have beside that (sqlite_takeover.py).
# A log that has grown to this is brought into the file, and cut to it where it grew further.
LOG_BYTES = 1 << 19
OLD_TABLES = "exams checkpoints capacity"
# Pages that SQLite keeps in memory for who only asks. If it may, it takes the room of 20 at once, 87 KB,
# which is much where a thousand filters are open. Who writes lets it keep 4 MB, which hold a batch
# (filter/learned.py); who reads all lessons less, because no page is read twice, and what fits into the cache
# of the processor is read faster: 4.8 µs a lesson instead of 5.1.
FEW_PAGES = 4
READING_KIB = 500
WRITING_KIB = 4000
# Statements that a connection keeps compiled. A question needs three of them; the others of opening a ledger
# are not needed again. With 128, as Python has it, 1,000 filters take 15 MB more, and with 4 8 MB less.
STATEMENTS = 8
# How a few bytes are handed to SQLite where there are many of them. What is no int, float, str or bytearray
# is asked first how it wants to be adapted, which takes 1.5 µs for bytes.
blob = bytearray


def make(path: str, settings: Settings, shared: str | None = None) -> None:
    """Make a new ledger, unless there is one by now: it appears whole or not at all.

    ``shared`` is the text of what it rests on.
    """
    try:
        make_whole(path, lambda new: _begin(new, settings, shared))
    except (OSError, *ERRORS) as error:
        raise CannotWrite(f"{path} cannot be made: {error}. Choose another place with --db.") from None


def _begin(path: str, settings: Settings, shared: str | None) -> None:
    """Fill the file of a new ledger; it is whole, without a log, or this fails."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        # A lesson of 4.6 KB takes 5.4 KB in pages of 4 KB, and 5.0 KB in pages of 64 KB; but then an empty
        # ledger takes 1 MB instead of 60 KB.
        connection.execute("PRAGMA page_size = 4096")
        connection.execute("BEGIN")
        for statement in SCHEMA.split(";")[:-1]:
            connection.execute(statement)
        begun = {
            facts.ID: os.urandom(ID_BYTES),
            facts.SETTINGS: settings.text(),
            facts.BASE: base_of(settings.text(), shared or "", b""),
            facts.END: end_of(0, START),
            facts.FEATURES: FEATURE_FORMAT,
        }
        if shared is not None:
            begun[facts.SHARED] = shared
        rows = [(key, value, fact_check(key, value)) for key, value in begun.items()]
        connection.executemany("INSERT INTO facts VALUES (?, ?, ?)", rows)
        connection.execute("COMMIT")
        # Last: closing brings a log into its file, and does not say so if there is no room for it.
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()


def fact_check(key: str, value: object) -> int:
    """A check of a fact: its key and its value, with its type."""
    return crc32(f"{key}={value!r}".encode("utf-8", "surrogatepass"))


def base_of(settings: str, shared: str, foundation_digest: bytes) -> bytes:
    """The digest of all that a replay begins with."""
    return digest_of(settings.encode("utf-8", "surrogatepass"), shared.encode("utf-8"), foundation_digest)


def end_of(position: int, trail: bytes) -> bytes:
    """The last position and the trail there, as one fact."""
    return position.to_bytes(8, "big") + trail


def damaged(path: str, what: str) -> DamagedLedger:
    """That something of a ledger is not as it was written."""
    return DamagedLedger(f"{path} is damaged: {what}. {WHAT_TO_DO}")


def connect(path: str, read_only: bool) -> sqlite3.Connection:
    """Open the ledger that is there, if it is one that can be read."""
    connection = open_file(path, read_only)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA temp_store = MEMORY")
        (page_size,) = connection.execute("PRAGMA page_size").fetchone()
        connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_BYTES // page_size}")
        connection.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
        connection.create_function("label_key", 1, key_of, deterministic=True)
        connection.create_function("label_shown", 1, shown, deterministic=True)
        _check_format(path, connection, read_only)
        connection.execute(f"PRAGMA cache_size = {FEW_PAGES}")
        connection.execute("PRAGMA shrink_memory")  # to set the size it took room for more
    except BaseException:
        connection.close()
        raise
    return connection


def open_file(path: str, read_only: bool, at_rest: bool = False) -> sqlite3.Connection:
    """Open the file of a ledger, whatever its format; one ``at_rest`` has no writer unless it has a log."""
    if not os.path.exists(path):
        raise NoSuchSource(f"There is no ledger {path}. Teach it something first: deciban learn.")
    if os.path.getsize(path) == 0:
        raise DamagedLedger(
            f"{path} is empty, no ledger. Restore a copy: deciban restore FILE; or remove it."
        )
    mode = "ro" if read_only else "rw"
    if read_only and (at_rest or not os.access(os.path.dirname(path) or ".", os.W_OK)):
        # SQLite would make its -shm file beside the ledger, which may not be allowed and is not wanted beside
        # a backup. Without a -wal file nobody is writing, and whoever begins to writes there, not into what
        # is read.
        mode += "" if os.path.exists(path + "-wal") else "&immutable=1"
    return sqlite3.connect(
        f"{uri_of(path)}?mode={mode}",
        uri=True,
        timeout=PATIENCE_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=STATEMENTS,
    )


def _check_format(path: str, connection: sqlite3.Connection, read_only: bool) -> None:
    (page_size,) = connection.execute("PRAGMA page_size").fetchone()
    # SQLite reads what is missing of the last page as zeros, unless the log still has the whole page.
    log = path + "-wal"
    if os.path.getsize(path) % page_size and not (os.path.exists(log) and os.path.getsize(log)):
        raise DamagedLedger(f"{path} is cut short. {WHAT_TO_DO}")
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise DamagedLedger(f"{path} is a database, but not a ledger of deciban. Choose another file.")
    _check_tables(path, connection)
    (features,) = connection.execute("SELECT value FROM facts WHERE key = 'features'").fetchone() or (0,)
    if not isinstance(features, int):
        raise damaged(path, "it does not say how its features are made")
    if version > FORMAT or features > FEATURE_FORMAT:
        raise NewerFormat(f"{path} was written by a newer version of deciban. Upgrade deciban to use it.")
    if version < FORMAT - 1 or features < FEATURE_FORMAT:
        raise OlderFormat(
            f"{path} was written by an early version of deciban, whose lessons cannot be used any more. "
            "Move it away, and teach your mail again."
        )
    if version == FORMAT - 1:
        if read_only:
            raise OlderFormat(
                f"{path} was written by the version before, and only its owner can bring it up to date. "
                f"Have its owner run: deciban status --db {path}"
            )
        from deciban.ledger.sqlite_takeover import take_over

        take_over(path, connection)


def _check_tables(path: str, connection: sqlite3.Connection) -> None:
    """Refuse tables that we did not make: views, triggers and computed columns would run what they say.

    All that is there must be a table or an index, and made of no other words than our own tables are.
    """
    own = set(_words(SCHEMA + OLD_TABLES))
    for kind, name, text in connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall():
        if kind == "index" and text is None:
            continue  # made by SQLite itself for what is UNIQUE
        if kind not in ("table", "index") or not isinstance(text, str) or not own.issuperset(_words(text)):
            raise DamagedLedger(
                f"{path} is no ledger of deciban: it has a {kind} {name!r}. Choose another file."
            )


def _words(text: str) -> list[str]:
    """The words and signs of a text in SQL."""
    for sign in "(),;":
        text = text.replace(sign, f" {sign} ")
    return text.lower().split()


def digest_text(digest: object) -> str:
    r"""What an error calls a message; damage may have made anything of its digest.

    >>> digest_text(b"\x1f\x0c"), digest_text(17)
    ('1f0c', '17')
    """
    return digest.hex() if isinstance(digest, bytes) else repr(digest)[:32]


def told(path: str, error: Exception) -> FilterError:
    """What SQLite complains about, in words that say what to do."""
    exact = getattr(error, "sqlite_errorcode", 0)
    code = exact & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
        return LedgerBusy(f"{path} is in use by another process. Try again when that is done.")
    if code == sqlite3.SQLITE_FULL or exact == sqlite3.SQLITE_IOERR_SHMSIZE:
        return DiskFull(f"The disk of {path} is full, so this was not written. Make room and try again.")
    if code == sqlite3.SQLITE_CANTOPEN and os.path.exists(path + "-wal") and not os.access(path, os.W_OK):
        return CannotWrite(
            f"{path} was not closed: only who may write there can bring in its log. "
            f"Have its owner run: deciban status --db {path}"
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR):
        return CannotWrite(
            f"{path} cannot be written ({error}). Check its permissions and those of its folder."
        )
    return DamagedLedger(f"{path} is damaged or no ledger ({complaint_of(error)}). {WHAT_TO_DO}")
