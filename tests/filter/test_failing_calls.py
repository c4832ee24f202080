"""Any system call on the files of a filter may fail, once or from then on: nothing acknowledged is lost.

Every verb is run with a shim (tests/shim) that lets the n-th call fail of those that it really makes. It
then succeeds, or says in one line what is wrong and has done nothing; either way the next command works, no
file is left behind, and the state is that of the ledger. The long form tries every call, the short one a few.
"""

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from deciban.errors import DamagedLedger
from deciban.filter import Filter
from deciban.filter.safekeeping import back_up
from deciban.journal.desk import Desk
from deciban.journal.journal_writer import JournalWriter
from deciban.journal.sqlite_journal import SqliteJournal
from tests.effort import LONG
from tests.filter.mails import SPARSE, mail, teach

ROOT = Path(__file__).parents[2]
SHIM = ROOT / "tests" / "shim" / "failing_calls.c"
# What can fail, how, and whether it stays so, as on a full disk.
ERRORS = {
    "write": (errno.ENOSPC, True),
    "pwrite": (errno.ENOSPC, True),
    "fsync": (errno.EIO, False),
    "fdatasync": (errno.EIO, False),
    "ftruncate": (errno.EIO, False),
    "fallocate": (errno.ENOSPC, True),
    "mmap": (errno.ENOMEM, False),
    "read": (errno.EIO, False),
    "pread": (errno.EIO, False),
    "fcntl": (errno.ENOLCK, False),
    "open": (errno.EACCES, False),
    "unlink": (errno.EACCES, False),
    "link": (errno.EPERM, False),
    "rename": (errno.EIO, False),
    "sendfile": (errno.EIO, False),
}
TRIED = 1
# Each of these once made a repair put a ledger without lessons in the place of the damaged one.
ALL_TRIED = (("repair", "fdatasync"), ("repair", "mmap"))
REFUSED = 3

# Verbs with their arguments; {} is the folder of the filters, @ that of the messages, and % what the file of
# that verb's name holds.
VERBS = {
    "make": "learn spam @/more/0.eml",
    "learn": "learn spam @/more/1.eml @/more/2.eml",  # more than the table has room for
    "append": "learn spam @/short.eml",  # it has room for that
    "relearn": "learn ham @/spam/3.eml",
    "mix": "learn spam @/more",
    "forget": "forget --yes @/spam/3.eml",
    "prefer": "prefer --cost 99",
    "rest on": "prefer --shared {}/shared.state",
    "merge": "merge {}/other",
    "import": "import {}/lessons.jsonl",
    "compact": "compact --yes --before 2100-01-01",
    "classify": "classify @/more/1.eml",
    "filter": "filter",
    "status": "status",
    "publish": "publish {}/published.state",
    "backup": "backup {}/new.db",
    "restore": "restore {}/backup.db",
    "check": "check",
    "repair": "check --repair",
    "export": "export",
    "why": "why @/more/1.eml",
    "lessons": "lessons",
    "show": "show",
    "erase": "erase --yes spam3@example.org",
    "correct": "correct % ham",
    "undo": "undo %",
}
# Their filters, where that is not the one of 60 lessons.
DATABASES = {"make": "new", "repair": "damaged", "correct": "judged", "undo": "judged"}

# Those that leave no trace of a message, change nothing, or give the same when they are run once more.
FORGETTING, FORGOTTEN = ("forget", "erase"), b"<spam-3@example.org>"
READING = ("filter", "status", "check", "export", "why", "lessons", "show")
CHANGING = ("learn", "append", "relearn", "mix", "prefer", "rest on", "merge", "import", "erase")


class Outcome(NamedTuple):
    """How a command ended."""

    code: int
    said: str
    counts: dict[str, int]
    locks: dict[str, int]


class Runner:
    """The process that runs commands with the shim; it imports deciban once for all of them."""

    def __init__(self, shim: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.shim.runner"],
            cwd=ROOT,
            env={**os.environ, "LD_PRELOAD": str(shim), "DECIBAN_TRACEBACK": ""},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self, folder: Path, verb: str, call: str = "open", n: int = 0, is_killed: bool = False
    ) -> Outcome:
        """Run a verb on the filter in a folder; its n-th call fails, or is its last; none for 0."""
        messages = str(folder.with_name("messages"))
        words = command(folder, messages, verb)
        error, lasting = (0, False) if is_killed else ERRORS[call]
        order = {"folder": str(folder), "arguments": words, "call": call, "n": n, "error": error}
        stdin = {"stdin": f"{messages}/more/1.eml"} if verb == "filter" else {}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({**order, **stdin, "lasting": int(lasting)}) + "\n")
        self._process.stdin.flush()
        return Outcome(**json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        """End it."""
        self._process.communicate()


def command(folder: Path, messages: str, verb: str) -> list[str]:
    """A verb and its arguments."""
    line = VERBS[verb].replace("{}", str(folder)).replace("@/", f"{messages}/")
    words = [(folder / verb).read_text() if word == "%" else word for word in line.split()]
    return [*words, "--db", str(database(folder, verb))]


def database(folder: Path, verb: str) -> Path:
    """The filter that a verb is tried on."""
    return folder / DATABASES.get(verb, "mail")


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("gcc is needed to compile the shim")
    shim = tmp_path_factory.mktemp("shim") / "failing_calls.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(shim), str(SHIM), "-ldl"], check=True)
    running = Runner(shim)
    yield running
    running.close()


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A filter of 60 lessons, others, lessons as a file, a shared state, a backup, and mail to teach."""
    folder = tmp_path_factory.mktemp("prepared") / "filter"
    folder.mkdir()
    for name, first in (("spam", 0), ("more", 100)):
        messages = folder.with_name("messages") / name
        messages.mkdir(parents=True)
        for number in range(30):
            (messages / f"{number}.eml").write_bytes(mail("spam", first + number).data)
    (folder.with_name("messages") / "short.eml").write_text("Subject: hello\n")
    for name, first in (("mail", 0), ("other", 20)):
        with Filter.open(str(folder / name), SPARSE) as filter_:
            filter_.checkpoints.nearest = 8
            for label in ("spam", "ham"):
                teach(filter_, label, (mail(label, number) for number in range(first, first + 30)))
            if name == "other":
                filter_.publish(str(folder / "shared.state"))
                with (folder / "lessons.jsonl").open("w", encoding="utf-8") as stream:
                    filter_.export(stream)
    back_up(str(folder / "other"), str(folder / "backup.db"))
    back_up(str(folder / "other"), str(folder / "damaged"))
    damage(folder / "damaged")
    judge(folder)
    return folder


def damage(path: Path) -> None:
    """Flip a bit of one lesson."""
    content = bytearray(path.read_bytes())
    content[content.index(b"uniquespamsubject25")] ^= 1
    path.write_bytes(content)


def judge(folder: Path) -> None:
    """A filter with a journal of two messages, of which one was corrected; their ids for the verbs."""
    path = str(folder / "judged")
    back_up(str(folder / "other"), path)
    with Filter.open(path) as filter_:
        filter_.bring_up()
        writer = JournalWriter(SqliteJournal(f"{path}.journal", create=True))
        desk = Desk(filter_, writer, door="example")
        first, second = (desk.ask(mail("spam", number)).id for number in (200, 201))
        desk.correct(second, "ham")
        writer.close()
    (folder / "correct").write_text(first.hex())
    (folder / "undo").write_text(second.hex())


def contents(path: Path) -> tuple[object, ...]:
    """What a filter was taught and prefers, whose state must be that of its ledger."""
    if not path.exists():
        return ()
    try:
        with Filter.open(str(path), create=False) as filter_:
            assert filter_.is_replay()
            lessons = sorted((lesson.digest, lesson.label) for lesson in filter_.lessons())
            return lessons, filter_.preferences, filter_.folded().lessons, filter_.shared() is not None
    except DamagedLedger:
        return ("damaged",)


def left_over(folder: Path) -> list[str]:
    return [
        name
        for name in os.listdir(folder)
        if ".new-" in name or ".snapshot-" in name or ".part" in name or ".grown" in name
    ]


def chosen(verb: str, counts: dict[str, int]) -> list[tuple[str, int]]:
    """The calls to let fail: every one that is made, or some of each kind."""
    cases = []
    for call, count in counts.items():
        numbers = range(1, count + 1)
        is_all = LONG or (verb, call) in ALL_TRIED
        tried = numbers if is_all else random.Random(count).sample(numbers, min(count, TRIED))
        cases += [(call, n) for n in sorted(tried)]
    return cases


@pytest.mark.parametrize("verb", VERBS)
def test_whatever_call_fails_the_verb_succeeds_or_does_nothing(
    runner: Runner, prepared: Path, tmp_path: Path, verb: str
) -> None:
    shutil.copytree(prepared.with_name("messages"), tmp_path / "messages")

    def fresh() -> Path:
        folder = tmp_path / "filter"
        shutil.rmtree(folder, ignore_errors=True)
        return Path(shutil.copytree(prepared, folder))

    folder = fresh()
    path = database(folder, verb)
    before = contents(path)
    usual = runner.run(folder, verb)
    assert usual.code in (0, 1), usual
    after = contents(path)
    allowed = [before, after]
    if verb == "make":  # the ledger may have been made, and the lesson refused
        Filter.open(str(folder / "empty"), SPARSE).close()
        allowed.append(contents(folder / "empty"))
    wrong = []
    for call, n in chosen(verb, usual.counts):
        outcome = runner.run(fresh(), verb, call, n)
        found = complaints(outcome, folder, verb, call)
        now = contents(path)
        succeeded = outcome.code == usual.code
        if now not in allowed:
            found.append("something between before and after")
        elif verb == "filter" or not succeeded:
            if now == after != before and "and that is kept" not in outcome.said:
                found.append("an error for what was done")
        elif now != after:
            found.append("no error, but it was not done")
        if verb != "filter" and runner.run(folder, verb).code not in (usual.code, 0, REFUSED):
            found.append("cannot be run again")
        found += traces(folder, verb)
        wrong += [f"{call} {n}: {each} ({outcome.code} {outcome.said!r})" for each in found]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in READING])
def test_killed_at_any_call_a_verb_has_done_all_or_nothing(
    runner: Runner, prepared: Path, tmp_path: Path, verb: str
) -> None:
    shutil.copytree(prepared.with_name("messages"), tmp_path / "messages")
    folder = Path(shutil.copytree(prepared, tmp_path / "filter"))
    path = database(folder, verb)
    before = contents(path)
    usual = runner.run(folder, verb)
    assert usual.code in (0, 1), usual
    after = contents(path)
    empty = folder / "empty"
    Filter.open(str(empty), SPARSE).close()
    allowed = [before, after, contents(empty)] if verb == "make" else [before, after]
    wrong = []
    for call, n in chosen(verb, usual.counts):
        shutil.rmtree(folder)
        shutil.copytree(prepared, folder)
        assert runner.run(folder, verb, call, n, is_killed=True).code == -signal.SIGKILL
        if contents(path) not in allowed:
            wrong.append(f"{call} {n}: something between before and after")
        if runner.run(folder, verb).code not in (usual.code, 0, REFUSED):
            wrong.append(f"{call} {n}: cannot be run again")
        wrong += [f"{call} {n}: {each}" for each in traces(folder, verb)]
        if any(".new-" in name for name in left_over(folder)):
            wrong.append(f"{call} {n}: left over: {left_over(folder)}")
        if verb != "make" and verb in CHANGING and contents(path) != after:
            wrong.append(f"{call} {n}: run again it gives something else")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("verb", VERBS)
def test_no_lock_is_upgraded_and_none_on_a_state_is_held_while_the_disk_is_waited_for(
    runner: Runner, prepared: Path, tmp_path: Path, verb: str
) -> None:
    shutil.copytree(prepared.with_name("messages"), tmp_path / "messages")
    folder = Path(shutil.copytree(prepared, tmp_path / "filter"))
    outcome = runner.run(folder, verb)
    assert outcome.locks == {"held": 0, "upgraded": 0}
    assert outcome.counts["fcntl"] > 0


def traces(folder: Path, verb: str) -> list[str]:
    """Files that still know a message that was forgotten, once and again."""
    if verb not in FORGETTING:
        return []
    return [f"a trace in {path.name}" for path in folder.iterdir() if FORGOTTEN in path.read_bytes()]


def complaints(outcome: Outcome, folder: Path, verb: str, call: str) -> list[str]:
    """What is wrong with how a command ended."""
    found = []
    if outcome.code not in (0, 1, 2, REFUSED):
        found.append("unknown exit code")
    if "Traceback" in outcome.said or "unforeseen" in outcome.said:
        found.append("unforeseen")
    if outcome.code == REFUSED and outcome.said.count("\ndeciban: ") > 1:
        found.append("not one line")
    if verb == "filter" and "bodywordspam101" not in outcome.said:
        found.append("the message is lost")
    if call != "unlink" and left_over(folder):
        found.append(f"left over: {left_over(folder)}")
    return found
