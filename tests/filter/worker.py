"""A process that works on a filter and tells what it does: run by the tests of durability and concurrency.

python worker.py LEDGER history SEED OPERATIONS FEWEST MOST
                                                   a random history, told before and after each operation,
                                                   each of which is about so many mails
python worker.py LEDGER bulk SEED                  learn 60 mails of a label a call, told batch by batch
python worker.py LEDGER learn LABEL FIRST COUNT    learn so many mails, one by one
python worker.py LEDGER forget LABEL FIRST COUNT   forget them, each as soon as it is there
python worker.py LEDGER fill KILOBYTES             learn until files may not grow by more than that
python worker.py LEDGER look COUNT                 as somebody who may only read: are so many lessons there?
python worker.py LEDGER watch COUNT                until so many lessons are there: is what we see whole?
python worker.py LEDGER book SEED LEAST SECONDS    teach, relearn and forget own mail, at least so often and
                                                   for so long; tell how often, and what must be left
python worker.py LEDGER prefer NAME FIRST COUNT    change one preference so often, to one more each time
python worker.py LEDGER watch-until FILE           until that file is there: is what we see whole, and the
                                                   verdict that of a replay? Tell how often we looked
"""

import json
import mmap  # noqa: F401 (who may only read may not be able to load this later, nor the next two)
import os
import random
import resource
import signal
import sqlite3  # noqa: F401
import sys
import zlib  # noqa: F401
from collections import Counter
from time import monotonic

from deciban.errors import DecibanError
from deciban.filter import Filter, learned, replaying
from deciban.filter.mail import lessons_from, question_of
from deciban.filter.snapshot import Snapshot
from deciban.ledger import Ledger
from deciban.ledger.trail import belongs
from tests.filter.mails import classify, forget, mail, teach

LABELS = ("spam", "ham", "work")


def operations(seed: int, count: int, fewest: int, most: int) -> list[dict[str, object]]:
    """The random history of a seed: its operations as records, each of so many messages."""
    rng = random.Random(seed)
    made: list[dict[str, object]] = []
    for _ in range(count):
        numbers = [rng.randrange(200) for _ in range(rng.randint(fewest, most))]
        what = rng.choices(("learn", "relearn", "forget"), (10, 1, 2))[0]
        made.append({"what": what, "label": rng.choice(LABELS), "numbers": numbers})
    return made


def work(filter_: Filter, operation: dict) -> None:
    label, numbers = operation["label"], operation["numbers"]
    if operation["what"] == "learn":
        teach(filter_, label, [mail(label, number) for number in numbers])
    elif operation["what"] == "relearn":
        teach(filter_, label, [mail("spam", number) for number in numbers])
    else:
        forget(filter_, mail(label, numbers[0]).data)


def tell(record: object) -> None:
    print(json.dumps(record), flush=True)


def live(path: str, seed: int, count: int, fewest: int, most: int) -> None:
    with Filter.open(path) as filter_:
        filter_.checkpoints.nearest = 8
        for operation in operations(seed, count, fewest, most):
            tell({"begin": operation})
            work(filter_, operation)
            tell({"done": operation})


def learn_in_bulk(path: str, seed: int) -> None:
    """Tells after each batch of 16 how many of the mails from a number on are durable."""
    learned.BATCH_LESSONS = 16
    replaying.MANY = replaying.SLICE = 16  # a second thread fetches lessons for the mixing
    rng = random.Random(seed)
    with Filter.open(path) as filter_:
        filter_.checkpoints.nearest = 8
        while True:
            label, first = rng.choice(LABELS), rng.randrange(10**6)
            tell([label, first, 0])
            mails = [mail(label, number) for number in range(first, first + 60)]
            filter_.learn(
                lessons_from(mails, label, filter_.preferences),
                lambda done, _, label=label, first=first: tell([label, first, done.learned + done.known]),
            )
            if rng.random() < 0.5:  # else the folder waits for the next one
                rng.choice((filter_.settle, filter_.leave))()


def told(ledger: Ledger, state: Snapshot) -> dict[str, int]:
    """What a state has learned, compared with the ledger, if that has not gone on to another history."""
    learned = state.look().lessons
    with ledger.reading():
        if belongs(ledger, state.address):
            listed = Counter(lesson.label for lesson in ledger.replay(until=state.address.position))
            assert learned == dict(listed), (learned, listed)
            assert state.exam_count == sum(listed.values())
    return learned


def watch(path: str, count: int) -> None:
    """A state must be made of the lessons up to its position, and of no others."""
    seen = 0
    with Filter.open(path) as filter_:
        while seen < count:
            # A label that was forgotten may come back later, so only the greatest number counts.
            seen = max(seen, look_closely(filter_))


def watch_until(path: str, end: str) -> None:
    """The same until a file is there; and what is said must be what a replay of those lessons says."""
    looks = 0
    with Filter.open(path) as filter_:
        while not os.path.exists(end):
            look_closely(filter_)
            filter_._ask(lambda state: compare_with_replay(filter_, state))
            looks += 1
    tell(looks)


def compare_with_replay(filter_: Filter, state: Snapshot) -> None:
    """Compare what a state says with what a replay of its lessons says, bit for bit.

    Unless the ledger has more labels by now, so that a replay has more room for them.
    """
    question = question_of(mail("spam", 1).data, filter_.preferences)
    said, capacity = state.look().totals_of(question.features), state.look().capacity
    with filter_.ledger.reading():
        if belongs(filter_.ledger, state.address):
            until = set(range(1, state.address.position + 1))
            replayed = filter_._own.replaying.in_memory(only=until)
            if replayed.look().capacity == capacity:
                assert replayed.look().totals_of(question.features) == said
            replayed.close()


def look_closely(filter_: Filter) -> int:
    """Ask once, and compare what the state has learned with the ledger; how many lessons that are."""
    learned = filter_._ask(lambda state: told(filter_.ledger, state))
    verdict = classify(filter_, mail("spam", 1).data)
    assert abs(sum(verdict.probabilities.values()) - bool(verdict.probabilities)) < 1e-9
    return sum(learned.values())


def keep_book(path: str, seed: int, least: int, seconds: float) -> None:
    """Teach, relearn and forget mail that nobody else touches; tell the label that each must have."""
    rng = random.Random(seed)
    book: dict[int, str] = {}
    done, end = 0, monotonic() + seconds
    with Filter.open(path) as filter_:
        while done < least or monotonic() < end:
            done += 1
            number = 1000 * (seed + 1) + rng.randrange(30)
            message = mail("spam", number)
            if rng.random() < 0.25:
                assert forget(filter_, message.data) == (number in book)
                book.pop(number, None)
            else:
                book[number] = rng.choice(LABELS)
                teach(filter_, book[number], [message])
    tell([done, book])


def fill(path: str, kilobytes: int) -> None:
    """Learn one by one, and forget now and then, until the disk is full."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    most = os.path.getsize(path) + kilobytes * 1024
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    with Filter.open(path) as filter_:
        filter_.checkpoints.nearest = 8
        for number in range(1000, 5000):
            teach(filter_, "spam", [mail("spam", number)])
            print(number - 999, flush=True)


def look(path: str, count: int) -> None:
    os.setgid(65534)
    os.setuid(65534)
    with Filter.open(path, read_only=True) as filter_:
        assert sum(filter_.labels().values()) == count
        classify(filter_, mail("spam", 1).data)


def main(path: str, what: str, *arguments: str) -> None:
    if what == "history":
        live(path, *map(int, arguments))
    elif what == "bulk":
        learn_in_bulk(path, int(arguments[0]))
    elif what in ("fill", "look"):
        try:
            (fill if what == "fill" else look)(path, int(arguments[0]))
        except DecibanError as error:
            sys.exit(print(type(error).__name__, error, file=sys.stderr) or 3)
    elif what == "prefer":
        with Filter.open(path) as filter_:
            for number in range(int(arguments[2])):
                filter_.prefer(**{arguments[0]: int(arguments[1]) + number})
    elif what == "watch":
        watch(path, int(arguments[0]))
    elif what == "watch-until":
        watch_until(path, arguments[0])
    elif what == "book":
        keep_book(path, int(arguments[0]), int(arguments[1]), float(arguments[2]))
    else:
        label, first, count = arguments[0], int(arguments[1]), int(arguments[2])
        with Filter.open(path) as filter_:
            for number in range(first, first + count):
                if what == "learn":
                    teach(filter_, label, [mail(label, number)])
                else:
                    while not forget(filter_, mail(label, number).data):
                        pass


if __name__ == "__main__":
    main(*sys.argv[1:])
