"""What a space costs: making it, opening, asking, teaching and closing it, and an entry of the journal.

python -m benchmarks spaces [SPACES]

A site's filter is taught 1,000 mails of SpamAssassin and published. Spaces rest on it, each with 20 lessons
of its own. The first use makes the files of a space. *Open* is the first question after opening the folder,
when all files are in memory; *ask* is one more question. Entries of the journal are written 500 at a time.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from benchmarks.corpora import labelled_mail
from benchmarks.measure import Table, show
from deciban.evaluate import shuffled
from deciban.filter import Filter
from deciban.filter.mail import lesson_of, lessons_from, question_of
from deciban.filter.preferences import Preferences
from deciban.journal import JournalEntry
from deciban.journal.sqlite_journal import SqliteJournal
from deciban.sources import RawMessage
from deciban.spaces import Spaces

SPACES = 40
TAUGHT = 1_000
OWN = 20
ENTRIES = 500

Mail = tuple[str, bytes]


def publish(folder: str, mails: list[Mail]) -> str:
    """A site's filter, for all spaces to rest on."""
    path = os.path.join(folder, "site.state")
    with Filter.open(os.path.join(folder, "site.db")) as site:
        for label in ("ham", "spam"):
            raw = [RawMessage("", data) for kind, data in mails if kind == label]
            site.learn(lessons_from(raw, label, site.preferences))
        site.publish(path)
    return path


def milliseconds(work: Callable[[], object]) -> float:
    """How long something takes."""
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def median(works: Iterable[Callable[[], object]]) -> float:
    """The median of what several pieces of work take, in milliseconds."""
    return statistics.median(map(milliseconds, works))


def ask(spaces: Spaces, name: str, data: bytes) -> None:
    """One question, as a door asks it."""
    with spaces.using(name) as space:
        space.mail_filter.classify(question_of(data, space.mail_filter.preferences))


def teach(spaces: Spaces, name: str, label: str, data: bytes) -> None:
    """One lesson."""
    with spaces.using(name) as space:
        space.learn(lessons_from([RawMessage("", data)], label, space.mail_filter.preferences))


def figures(folder: str, count: int, mails: list[Mail]) -> list[tuple[str, float]]:
    """What each step takes, in milliseconds."""
    place, site = os.path.join(folder, "spaces"), publish(folder, mails[:TAUGHT])
    names = [f"user{number}@example.org" for number in range(count)]
    new = [data for _, data in mails[-count:]]

    def asking(spaces: Spaces) -> Iterable[Callable[[], object]]:
        return (partial(ask, spaces, name, data) for name, data in zip(names, new, strict=True))

    with Spaces(place, create=True, most_open=count) as spaces:
        rows = [("add to the registry", median(partial(spaces.add, [name], site) for name in names))]
        rows.append(("first use: make its files, and ask", median(asking(spaces))))
        own = [(name, *mail) for name in names for mail in mails[TAUGHT : TAUGHT + OWN]]
        rows.append(("learn one mail", median(partial(teach, spaces, *each) for each in own)))
    for _ in range(2):  # the second time all files are in memory
        spaces = Spaces(place, most_open=count)
        opened, warm = median(asking(spaces)), median(asking(spaces))
        closed = milliseconds(spaces.close) / count
    rows += [("open, and ask", opened), ("ask", warm), ("close", closed)]
    entries = [
        JournalEntry.of(lesson_of("ham", "", Preferences(), RawMessage("", data)), None, "", "")
        for _, data in mails[:ENTRIES]
    ]
    with SqliteJournal(os.path.join(folder, "journal.db"), create=True) as journal:
        rows.append(("write an entry of the journal", milliseconds(lambda: journal.write(entries)) / ENTRIES))
    with Spaces(place) as spaces:
        rows.append(("delete", median(partial(spaces.delete, name) for name in names)))
    return rows


def main(arguments: Sequence[str] = ()) -> list[Table]:
    count = int(arguments[0]) if arguments else SPACES
    messages = shuffled(labelled_mail("spamassassin"), 1)[: TAUGHT + OWN + count]
    mails = [(message.label, message.read()) for message in messages]
    with tempfile.TemporaryDirectory() as folder:
        rows = figures(folder, count, mails)
        return [Table(f"a space, median over {count}", ("", "ms"), rows)]


if __name__ == "__main__":
    show(main(sys.argv[1:]))
