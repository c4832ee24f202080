"""Reading and both views of SpamAssassin mail, from files, against bogofilter training on the same files: CPU time.

    python -m benchmarks.features [ROUNDS]

bogofilter (Debian's package) runs in bulk mode, `-b`, with names of files on its standard input. Each round runs both one
after the other; reported is each one's best round, so that other work on the machine falls out.
"""

import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from deciban.text import read
from deciban.text.views import extract

ARCHIVE = Path(__file__).parents[2] / "shared" / "data" / "spamassassin.tar.gz"


def read_and_extract(paths: list[Path]) -> float:
    began = time.process_time()
    for path in paths:
        with open(path, "rb", buffering=0) as file:
            extract(read(file.read()))
    return time.process_time() - began


def only_read(paths: list[Path]) -> float:
    began = time.process_time()
    for path in paths:
        with open(path, "rb", buffering=0) as file:
            read(file.read())
    return time.process_time() - began


def train_bogofilter(paths: list[Path]) -> float:
    spam = [path for path in paths if path.parent.name.startswith("spam")]
    ham = [path for path in paths if not path.parent.name.startswith("spam")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as home:
        for flag, names in (("-s", spam), ("-n", ham)):
            subprocess.run(
                ["bogofilter", "-d", home, flag, "-b"], input="\n".join(map(str, names)), text=True, check=False
            )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(rounds: int = 5) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(ARCHIVE) as archive:
            archive.extractall(folder, filter="data")
        paths = [path for path in sorted(Path(folder).rglob("*.*")) if path.is_file() and path.suffix not in (".tsv", ".txt")]
        contests = {"reading": only_read, "reading and both views": read_and_extract}
        if shutil.which("bogofilter"):
            contests["bogofilter trains"] = train_bogofilter
        best = dict.fromkeys(contests, float("inf"))
        for _ in range(rounds):
            for name, contest in contests.items():
                best[name] = min(best[name], contest(paths))
    print(f"{len(paths)} messages from files, best of {rounds} rounds")
    for name, seconds in best.items():
        ratio = seconds / best["reading and both views"]
        print(f"{name:24} {1e6 * seconds / len(paths):7.1f} µs a message {ratio:7.2f} × reading and both views")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
