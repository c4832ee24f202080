"""A verb on a disk of its own that is nearly full, or cannot be written: run by test_small_disk.py.

    unshare --mount python -m tests.filter.small_disk PREPARED VERB ROOM …

PREPARED is the folder of a filter, which is copied to a tmpfs that only this process sees. Then the verb is
run with so many KB of room there, or, for `read-only`, where nothing can be written. For each it prints a
line of JSON: how the verb ended, what it said, what the filter holds afterwards, and which files were left
over. The first two lines are what it holds before, and how the verb ends where there is plenty of room.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from deciban.cli import main as deciban
from tests.filter.test_failing_calls import command, contents, database, left_over

MEGABYTES = 64


def on_disk(folder: Path, prepared: Path, verb: str, room: str) -> dict[str, object]:
    """Run a verb on a fresh disk; how that went."""
    disk = folder / "disk"
    _mount("-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", disk)
    try:
        place = disk / "filter"
        shutil.copytree(prepared, place)
        ballast = disk / "ballast"
        if room == "read-only":
            _mount("-o", "remount,ro", disk)
        elif room:
            with ballast.open("wb") as file:
                free = os.statvfs(disk)
                os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_frsize - int(room) * 1024)
        code, output, error = _run(folder, place, prepared.with_name("messages"), verb)
        if room == "read-only":
            _mount("-o", "remount,rw", disk)
        ballast.unlink(missing_ok=True)
        ended = {"code": code, "output": output, "error": error, "left": left_over(place)}
        return {**ended, "now": _held(place, verb)}
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)  # a shared filter may still be mapped


def _mount(*arguments: str | Path) -> None:
    subprocess.run(["mount", *arguments], check=True)


def _held(place: Path, verb: str) -> str:
    """What a filter holds, so that it can be compared."""
    return repr(contents(database(place, verb)))


def _run(folder: Path, place: Path, messages: Path, verb: str) -> tuple[int, str, str]:
    """Run a verb in a child of this process; its exit code, its output and what it complained of."""
    words = command(place, str(messages), verb)
    said = [folder / "output", folder / "error"]
    child = os.fork()
    if not child:
        code = 99
        try:
            os.dup2(os.open(messages / "more" / "1.eml", os.O_RDONLY), 0)
            for number, path in enumerate(said, 1):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
            code = deciban(words)
            sys.stdout.flush()
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    output, error = (path.read_text() for path in said)
    return code, output, error


def main(prepared: str, verb: str, *rooms: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "disk").mkdir()
        shutil.copytree(prepared, folder / "before")
        print(json.dumps(_held(folder / "before", verb)), flush=True)
        for room in ("", *rooms):
            print(json.dumps(on_disk(folder, Path(prepared), verb, room)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
