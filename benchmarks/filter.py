"""How fast the filter learns, classifies and replays SpamAssassin beside bogofilter; what a lesson takes.

python -m benchmarks filter

Each goal of the filter is one line. *In bulk*, both programs run as an administrator runs them, on folders of
files: `bogofilter -s -B`, `-n -B`, `-v -B` and `deciban learn`, `deciban classify`; CPU time (user and
system) of the whole processes, and wall time, in turns. Of each the least of some rounds is told, and how
they compare; and how they compare in the median of the rounds, each within itself: a machine that is shared
is fast for a second or two at times, which helps the program that takes no longer than that. Wall time says
something on a machine that is otherwise idle, so the load is told with it. Both begin with nothing; what a
starter costs is told beside (its verdicts would prove nothing here: it was made of this mail among other).
The other lines: of this process, without a starter, in which Python looks for garbage as seldom as in that of
`deciban`.
"""

from __future__ import annotations

import gc
import operator
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

from benchmarks.corpora import unpack
from deciban.cli import YOUNG_OBJECTS
from deciban.committee._lesson_code import Features
from deciban.filter import Filter
from deciban.filter.mail import question_of
from deciban.ledger import Selection

ROUNDS = 5
BULK_ROUNDS = 9
REPLAY_ROUNDS = 9
PROCESSES = 100
FOLDERS = {"spam": ("spam", "spam_2"), "ham": ("easy_ham", "easy_ham_2", "hard_ham")}
# What pip installs as `deciban`, whose byte code is compiled; some environments switch that off.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
ON_A_STARTER = "on a starter"
DECIBAN = [sys.executable, "-c", "import sys; from deciban.cli import main; sys.exit(main())"]


class Spent(NamedTuple):
    """What processes took, in seconds."""

    cpu: float
    wall: float

    def __add__(self, other: Spent) -> Spent:  # type: ignore[override]
        return Spent(self.cpu + other.cpu, self.wall + other.wall)


def spent_by(*command: str, stdin: IO[bytes] | None = None, starter: bool = False) -> Spent:
    """What one process took."""
    environment = ENVIRONMENT | {"DECIBAN_STARTER": "yes" if starter else "no"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    done = subprocess.run(
        command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
    )
    # bogofilter and `deciban classify` tell their verdict by the exit code; 3 is a failure of both.
    assert done.returncode < 3, done.stderr
    wall = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall)


def bogofilter_in_bulk(folders: dict[str, list[str]], home: str) -> tuple[Spent, Spent]:
    """What it takes to learn everything, and to classify it."""
    shutil.rmtree(home, ignore_errors=True)
    os.mkdir(home)
    learning = spent_by("bogofilter", "-d", home, "-s", "-B", *folders["spam"])
    learning += spent_by("bogofilter", "-d", home, "-n", "-B", *folders["ham"])
    return learning, spent_by("bogofilter", "-d", home, "-v", "-B", *folders["spam"], *folders["ham"])


def deciban_in_bulk(folders: dict[str, list[str]], home: str, starter: bool = False) -> tuple[Spent, Spent]:
    """The same by deciban; the ledger is left in ``home``."""
    shutil.rmtree(home, ignore_errors=True)
    os.mkdir(home)
    path = os.path.join(home, "mail.deciban")
    learning = spent_by(*DECIBAN, "learn", "--db", path, "spam", *folders["spam"], starter=starter)
    learning += spent_by(*DECIBAN, "learn", "--db", path, "ham", *folders["ham"], starter=starter)
    return learning, spent_by(*DECIBAN, "classify", "--db", path, *folders["spam"], *folders["ham"])


def in_bulk(root: Path, home: str, count: int) -> None:
    folders = {label: [str(root / name) for name in names] for label, names in FOLDERS.items()}
    contenders = {"deciban": deciban_in_bulk, ON_A_STARTER: partial(deciban_in_bulk, starter=True)}
    if shutil.which("bogofilter"):
        contenders["bogofilter"] = bogofilter_in_bulk
    else:
        print("bogofilter is not installed, so it is left out (apt-get install bogofilter)")
    rounds = [
        {name: call(folders, os.path.join(home, name)) for name, call in contenders.items()}
        for _ in range(BULK_ROUNDS)
    ]
    for place, what, clock in ((0, "learn", "cpu"), (1, "classify", "cpu"), (0, "learn", "wall")):
        spent = {name: [getattr(one[name][place], clock) for one in rounds] for name in contenders}
        least = {name: min(seconds) for name, seconds in spent.items()}
        told = ", ".join(
            f"{name} {seconds / count * 1e6:.0f} µs a message" for name, seconds in least.items()
        )
        ratio = ""
        if "bogofilter" in spent:
            by_round = map(operator.truediv, spent["bogofilter"], spent["deciban"])
            ratio = (
                f"; {least['bogofilter'] / least['deciban']:.2f} × as fast, "
                f"in the median of the rounds {statistics.median(by_round):.2f} ×"
            )
        load = f" in wall time, load average {os.getloadavg()[0]:.1f}" if clock == "wall" else ""
        print(f"{what + ' in bulk':18} {told}{ratio}{load}")


def classify_warm(path: str, mails: list[bytes]) -> None:
    times = []
    with Filter.open(path, create=False) as mail:
        for data in mails:
            start = time.process_time()
            mail.classify(question_of(data, mail.preferences))
            times.append(time.process_time() - start)
    print(f"{'classify warm':18} {statistics.median(times) * 1e3:.3f} ms in the median")


def replay(path: str, count: int) -> None:
    """What the first classification after a lost snapshot takes."""
    speeds = []
    for _ in range(ROUNDS):
        os.unlink(path + ".snapshot")
        with Filter.open(path, create=False) as mail:
            for saved in mail.checkpoints.files():
                os.unlink(saved)
            start = time.process_time()
            mail.classify(question_of(b"hello", mail.preferences))
            speeds.append(count / (time.process_time() - start))
    print(f"{'replay':18} {max(speeds):,.0f} lessons a second")


def replay_ratio(path: str) -> None:
    """A replay into a file beside what it cannot do without: decoding lessons and learning them, in turns.

    The least of some rounds, and the median of the rounds, each within itself.
    """
    with Filter.open(path, create=False) as mail:
        replaying = mail._own.replaying
        codes = [(lesson.label, lesson.features.encode()) for lesson in mail.lessons()]

        def decode_and_learn() -> None:
            committee = replaying.begin(in_bulk=True)
            for label, code in codes:
                committee.learn(label, Features.decode(code))
            committee.close()

        tasks = {
            "needed": decode_and_learn,
            "without checkpoints": lambda: replaying.built(checkpoints=0).discard(),
            "with checkpoints": lambda: replaying.built().discard(),
        }
        spent: dict[str, list[float]] = {what: [] for what in tasks}
        for _ in range(REPLAY_ROUNDS):
            for what, task in tasks.items():
                for saved in mail.checkpoints.files():
                    os.unlink(saved)
                start = time.process_time()
                task()
                spent[what].append(time.process_time() - start)
    needed = spent.pop("needed")
    told = "; ".join(
        f"{min(seconds) / min(needed):.2f} × {what}, in the median of the rounds "
        f"{statistics.median(map(operator.truediv, seconds, needed)):.2f} ×"
        for what, seconds in spent.items()
    )
    print(f"{'replay ÷ needed':18} {told} (needed: {min(needed) / len(codes) * 1e6:.0f} µs a lesson)")


def one_process(path: str, files: list[Path]) -> None:
    """`deciban classify < mail`, as a delivery does it, beside starting Python, in turns."""
    mail = sorted(files, key=lambda file: file.stat().st_size)[len(files) // 2]
    commands = ([sys.executable, "-c", "pass"], [*DECIBAN, "classify", "--db", path])
    least = [float("inf"), float("inf")]
    for _ in range(PROCESSES):
        for place, command in enumerate(commands):
            with mail.open("rb") as stdin:
                least[place] = min(least[place], spent_by(*command, stdin=stdin).cpu)
    told = f"{least[1] * 1e3:.1f} ms; {least[1] / least[0]:.2f} × python -c pass"
    print(f"{'classify < mail':18} {told}, a mail of the median size")


def forget_late(path: str) -> None:
    """Forget ten of the last hundred lessons one by one, in turns with and without checkpoints."""
    with Filter.open(path, create=False) as mail:
        _forget_late(mail)


def _forget_late(mail: Filter) -> None:
    seconds: dict[bool, list[float]] = {True: [], False: []}
    digests = [lesson.digest for lesson in mail.lessons()][-100::5]
    for turn, digest in enumerate(digests):
        with_checkpoints = turn % 2 == 0
        if not with_checkpoints:
            for path in mail.checkpoints.files():
                os.unlink(path)
        start = time.process_time()
        mail.forget(Selection(digest=digest))
        seconds[with_checkpoints].append(time.process_time() - start)
    saved = sum(map(os.path.getsize, mail.checkpoints.files())) / 1e6
    for with_checkpoints, times in seconds.items():
        how = f"with checkpoints ({saved:.0f} MB)" if with_checkpoints else "without"
        print(f"{'forget late':18} {statistics.median(times):8.3f} s {how}, one of the last 100")


def main() -> None:
    gc.set_threshold(YOUNG_OBJECTS)
    root = unpack("spamassassin")
    files = [file for names in FOLDERS.values() for name in names for file in sorted((root / name).iterdir())]
    home = tempfile.mkdtemp(prefix="deciban-speed-")
    path = os.path.join(home, "deciban", "mail.deciban")
    try:
        in_bulk(root, home, len(files))
        random.Random(7).shuffle(files)
        classify_warm(path, [file.read_bytes() for file in files[:2000]])
        replay(path, len(files))
        replay_ratio(path)
        forget_late(path)
        one_process(path, files)
        print(f"{'a lesson':18} {os.path.getsize(path) / len(files):,.0f} bytes in the ledger")
        print(f"{'snapshot':18} {os.path.getsize(path + '.snapshot') / 1e6:.1f} MB")
    finally:
        shutil.rmtree(home)
    # Of the largest child so far: learning and classifying 6,000 messages, the mapped snapshot included.
    print(f"{'peak memory':18} {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3:.0f} MB")


if __name__ == "__main__":
    main()
