"""A process that works in a folder of spaces and keeps a book of it: run by the test of chaos.

python worker.py FOLDER SEED OPERATIONS SPACES SITE

Each line that it prints is an operation, told before it is begun and after it is done: ["begin", what, space,
number, label]. Messages have numbers of their own for each seed, so that what must be in a space is known.
"""

import json
import random
import sys

from deciban.errors import NoSuchEntry
from deciban.filter.mail import lessons_from
from deciban.journal.journal_writer import JournalWriter
from deciban.journal.sqlite_journal import SqliteJournal
from deciban.ledger import Selection
from deciban.spaces import Spaces
from deciban.text import read
from tests.filter.mails import mail

LABELS = ("spam", "ham", "work")
NUMBERS = 10_000


def tell(*record: object) -> None:
    print(json.dumps(record), flush=True)


def work(
    spaces: Spaces, writer: JournalWriter, rng: random.Random, seed: int, shared: int, site: str
) -> None:
    """One operation in one space."""
    number = NUMBERS * seed + rng.randrange(60)
    what = rng.choices(("ask", "learn", "forget", "correct", "move"), (40, 30, 10, 10, 4))[0]
    if what == "move":
        return move(spaces, rng, seed, site)
    name = f"user{rng.randrange(shared)}@example.org"
    label = rng.choice(LABELS)
    tell("begin", what, name, number, label)
    with spaces.using(name.upper() if rng.random() < 0.2 else name) as space:
        desk = space.desk(writer, "chaos")
        raw = mail("spam", number)
        if what == "learn":
            space.learn(lessons_from([raw], label, space.mail_filter.preferences))
        elif what == "forget":
            space.mail_filter.forget(Selection(digest=read(raw.data).digest))
        else:
            asked = desk.ask(raw)
            assert abs(sum(asked.verdict.probabilities.values()) - 1) < 1e-9
            if what == "correct":
                try:
                    desk.correct(asked.id, label)
                except NoSuchEntry:
                    sys.exit("an entry that was just written is not there")
    tell("done", what, name, number, label)
    return None


def move(spaces: Spaces, rng: random.Random, seed: int, site: str) -> None:
    """Make a space of one's own, teach it, rename it and delete it; another process may die at any place."""
    name, new = f"own{seed}-{rng.randrange(10**9)}", f"moved{seed}-{rng.randrange(10**9)}"
    tell("begin", "move", name, 0, "")
    spaces.add([name], shared=site)
    with spaces.using(name) as space:
        space.learn(lessons_from([mail("ham", NUMBERS * seed + 999)], "ham", space.mail_filter.preferences))
    spaces.rename(name, new)
    spaces.delete(new)
    tell("done", "move", name, 0, "")


def main(folder: str, seed: int, operations: int, shared: int, site: str) -> None:
    rng = random.Random(seed)
    with (
        Spaces(folder, most_open=8) as spaces,
        JournalWriter(SqliteJournal(spaces.journal_path, create=True), background=True) as writer,
    ):
        for _ in range(operations):
            work(spaces, writer, rng, seed, shared, site)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5])
