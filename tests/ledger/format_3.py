"""Ledgers of format 3, which had no trail, no checks of facts and no origins: written by hand, as it was."""

import os
import sqlite3

from deciban.ledger.facts import BASE, END, FOUNDATION_DIGEST, MIXING_DUE
from deciban.ledger.lesson import check_of

SCHEMA = """
PRAGMA application_id = 1684366185;
PRAGMA user_version = 3;
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
FIELDS = "digest, labels.name, taught, by, source, sender, subject, date, message_id, names"


def write_format_3(path: str, ledger_path: str) -> None:
    """Write the content of a ledger of today in the format before."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    old = sqlite3.connect(path, isolation_level=None)
    old.execute("PRAGMA page_size = 65536")
    old.execute("PRAGMA journal_mode = WAL")
    old.executescript(SCHEMA)
    old.execute("ATTACH ? AS today", (ledger_path,))
    facts = dict(old.execute("SELECT key, value FROM today.facts").fetchall())
    postponed = facts.pop(MIXING_DUE, None)
    for key in (BASE, END, FOUNDATION_DIGEST):
        facts.pop(key, None)
    facts |= {"changes": 7, "mark": b"12345678", "exam-format": 2}
    if postponed is not None:
        facts["postponed"] = 1
    old.executemany("INSERT INTO main.facts VALUES (?, ?)", facts.items())
    for table in ("labels", "foundation", "mails"):
        old.execute(f"INSERT INTO main.{table} SELECT * FROM today.{table}")
    old.execute(
        "INSERT INTO main.folded SELECT number, digest, label, taught, best, truth, spam FROM today.folded"
    )
    rows = old.execute(
        f"""SELECT lessons.number, lessons.label, features, {FIELDS} FROM today.lessons AS lessons
        JOIN today.labels AS labels ON lessons.label = labels.number"""
    ).fetchall()
    for number, label, code, digest, name, *rest in rows:
        checked = check_of(code, digest, name, *rest)
        values = number, digest, label, *rest, checked, code
        old.execute(f"INSERT INTO main.lessons VALUES ({', '.join('?' * 13)})", values)
    old.execute("INSERT INTO main.exams SELECT position, lesson, NULL, NULL, NULL FROM today.trail")
    old.execute("INSERT INTO main.checkpoints VALUES (1, 'mail.checkpoint-00000000', 2, 5)")
    old.execute("DETACH today")
    old.close()
