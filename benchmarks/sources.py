"""How fast an mbox is split, and how much memory that takes, beside the standard library's `mailbox`.

    python -m benchmarks.sources            # 1 GB through a pipe, 64 MB against mailbox.mbox

Figures are CPU seconds of one process; compare them as ratios within one run.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence

MB = 1_000_000
SEPARATOR = b"From joe@example.org Thu Aug 22 12:36:23 2002\n"


def mail(seed: int) -> bytes:
    """A message of 1 to 20 KB; every fiftieth carries up to 4 MB, every tenth quotes From lines."""
    rng = random.Random(seed)
    words = [rng.randbytes(rng.randrange(1, 6)).hex().encode() for _ in range(200)]
    lines = [b" ".join(rng.choices(words, k=10)) for _ in range(rng.randrange(8, 180))]
    if seed % 10 == 3:
        lines.insert(5, b">From what I hear\n\nFrom now on")
    if seed % 50 == 0:
        lines += [rng.randbytes(36).hex().encode()] * rng.randrange(3_000, 55_000)
    headers = b"".join(b"Received: from host%d.example.org by mx; 22 Aug 2002\n" % hop for hop in range(6))
    return headers + b"Subject: number %d\n\n" % seed + b"\n".join(lines) + b"\n"


def mbox(size: int) -> Iterator[bytes]:
    """About ``size`` bytes of mbox, a message at a time, from 500 different messages."""
    mails = [SEPARATOR + mail(seed) + b"\n" for seed in range(500)]
    written = number = 0
    while written < size:
        yield mails[number % len(mails)]
        written += len(mails[number % len(mails)])
        number += 1


# getrusage would report the peak of the parent, which a child inherits.
CHILD = """
import sys, time
from deciban.sources import open_source

def peak():
    with open("/proc/self/status") as status:
        return next(line.split()[1] for line in status if line.startswith("VmHWM"))

started = time.process_time()
before = peak()
messages = size = 0
for message in open_source(sys.argv[1]):
    messages += 1
    size += len(message.data)
spent = time.process_time() - started
print(messages, size, spent, before, peak())
"""


def through_a_pipe(size: int) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=False
    )
    assert child.stdin is not None
    assert child.stdout is not None
    for chunk in mbox(size):
        child.stdin.write(chunk)
    child.stdin.close()
    messages, total, spent, before, after = child.stdout.read().split()
    child.wait()
    print(f"pipe    {int(messages):>8,} messages  {int(total) / MB:7,.0f} MB  {float(spent):6.2f} s", end="")
    print(f"  {int(total) / MB / float(spent):6,.0f} MB/s", end="")
    print(
        f"  peak memory {int(after) / 1024:.0f} MiB, {(int(after) - int(before)) / 1024:.0f} over the start"
    )


def against_the_standard_library(size: int) -> None:
    import mailbox

    from deciban.sources import open_source

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "box.mbox")
        with open(path, "wb") as file:
            file.writelines(mbox(size))
        started = time.process_time()
        ours = sum(1 for _ in open_source(path))
        ours_spent = time.process_time() - started
        started = time.process_time()
        box = mailbox.mbox(path, create=False)
        theirs = sum(1 for key in box.iterkeys() if box.get_bytes(key))
        theirs_spent = time.process_time() - started
    print(f"file    deciban {ours:,} messages  {size / MB / ours_spent:6,.0f} MB/s", end="")
    print(f"   mailbox.mbox {theirs:,} messages  {size / MB / theirs_spent:6,.0f} MB/s", end="")
    print(f"   {theirs_spent / ours_spent:.1f} times faster")


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--megabytes", type=int, default=1_000, help="size of the mbox sent through the pipe")
    options = parser.parse_args(arguments)
    against_the_standard_library(64 * MB)
    for megabytes in (options.megabytes // 10, options.megabytes):
        through_a_pipe(megabytes * MB)
    spent = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    print(f"(generating took {spent:.0f} s)")


if __name__ == "__main__":
    main(sys.argv[1:])
