"""Taking over a ledger of the format before this one (3): once, by itself, without loss, with a copy kept.

Format 3 had no trail: `exams` held order and exams, `checkpoints` a list of files, and facts and folded
lessons had no checks. The copy is ``PATH.format-3``. It is the ledger as it was, so forgetting removes it.
"""

from __future__ import annotations

import _sqlite3 as sqlite3  # see sqlite_file.py

from deciban.errors import CannotWrite
from deciban.ledger import facts
from deciban.ledger.lesson import INCOMING, check_of
from deciban.ledger.sqlite_copy import TAKEN_OVER, copy_to
from deciban.ledger.sqlite_file import (
    FORMAT,
    INDEX_OF_TIMES,
    TRAIL_TABLE,
    base_of,
    damaged,
    end_of,
    fact_check,
    open_file,
)
from deciban.ledger.trail import START, digest_of, follow, keyed, link

OLD_FACTS = ("changes", "mark", "exam-format", "postponed")
OLD_FIELDS = "digest, labels.name, taught, by, source, sender, subject, date, message_id, names"


def take_over(path: str, connection: sqlite3.Connection) -> None:
    """Make a ledger of this format of one of the format before."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == FORMAT - 1:  # or somebody else was faster
            _keep_copy(path)
            _lay_trail(path, connection)
            _check_folded(connection)
            _check_facts(connection)
            connection.execute("DROP TABLE exams")
            connection.execute("DROP TABLE checkpoints")
            connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _keep_copy(path: str) -> None:
    """Keep a copy of the ledger as it is, which nobody else changes meanwhile."""
    source = open_file(path, read_only=True)  # SQLite copies nothing for the connection that has the lock
    try:
        copy_to(source, path + TAKEN_OVER, replacing=True)
    except CannotWrite as error:
        raise CannotWrite(
            f"{path} has the format of the version before, and no copy could be kept. {error} Make room."
        ) from None
    finally:
        source.close()


def _lay_trail(path: str, connection: sqlite3.Connection) -> None:
    """Put the lessons on a trail, with checks that cover their origin too."""
    connection.execute("ALTER TABLE lessons ADD COLUMN origin TEXT NOT NULL DEFAULT 'incoming'")
    connection.execute("ALTER TABLE lessons ADD COLUMN share REAL NOT NULL DEFAULT 1")
    connection.execute(INDEX_OF_TIMES)
    connection.execute(TRAIL_TABLE)
    ((identity,),) = connection.execute("SELECT value FROM facts WHERE key = 'id'").fetchall()
    ledger, trail, position = keyed(identity), START, 0
    order = connection.execute("SELECT position, lesson FROM exams ORDER BY position").fetchall()
    for position, number in order:
        row = connection.execute(
            f"SELECT features, checked, {OLD_FIELDS} FROM lessons "
            "JOIN labels ON lessons.label = labels.number WHERE lessons.number = ?",
            (number,),
        ).fetchone()
        if row is None or check_of(row[0], *row[2:]) != row[1]:
            raise damaged(path, f"lesson {position} is not as it was written")
        code, _, digest, label, *rest = row
        checked = check_of(code, digest, label, *rest, INCOMING, 1.0)
        trail = follow(ledger, trail, link(digest, label, checked))
        connection.execute("UPDATE lessons SET checked = ? WHERE number = ?", (checked, number))
        connection.execute("INSERT INTO trail VALUES (?, ?, ?)", (position, number, trail))
    connection.execute("INSERT INTO facts VALUES (?, ?)", (facts.END, end_of(position, trail)))


def _check_folded(connection: sqlite3.Connection) -> None:
    """Give what is left of folded lessons their checks."""
    from deciban.ledger.sqlite_labels import folded_check

    connection.execute("ALTER TABLE folded ADD COLUMN origin TEXT NOT NULL DEFAULT 'incoming'")
    connection.execute("ALTER TABLE folded ADD COLUMN share REAL NOT NULL DEFAULT 1")
    connection.execute("ALTER TABLE folded ADD COLUMN checked INTEGER NOT NULL DEFAULT 0")
    rows = connection.execute(
        "SELECT number, digest, label, taught, best, truth, spam, origin, share FROM folded"
    ).fetchall()
    for number, *fields in rows:
        connection.execute("UPDATE folded SET checked = ? WHERE number = ?", (folded_check(*fields), number))


def _check_facts(connection: sqlite3.Connection) -> None:
    """Say what the replay begins with, and give every fact its check."""
    places = ", ".join("?" * len(OLD_FACTS))
    postponed = connection.execute("SELECT 1 FROM facts WHERE key = 'postponed'").fetchone()
    connection.execute(f"DELETE FROM facts WHERE key IN ({places})", OLD_FACTS)
    known = dict(connection.execute("SELECT key, value FROM facts").fetchall())
    packed = connection.execute("SELECT value FROM foundation WHERE what = 'state'").fetchone()
    foundation = b"" if packed is None else digest_of(packed[0])
    if packed is not None:
        known[facts.FOUNDATION_DIGEST] = foundation
    known[facts.BASE] = base_of(known[facts.SETTINGS], known.get(facts.SHARED, ""), foundation)
    if postponed is not None:
        known[facts.MIXING_DUE] = 1
    connection.execute("ALTER TABLE facts ADD COLUMN checked INTEGER NOT NULL DEFAULT 0")
    rows = [(key, value, fact_check(key, value)) for key, value in known.items()]
    connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", rows)
