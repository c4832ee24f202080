"""Mail servers that `.ci/prepare tests` unpacked from Debian packages, run from there on loopback ports."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

DEBIAN = Path(sys.prefix) / "debian"
WAITING_SECONDS = 60
HELD_PORTS: list[socket.socket] = []


def unpacked(folder: str, *, needs_root: bool = False) -> Path:
    """Where a program was unpacked; skips the test where it was not."""
    if not (DEBIAN / folder).is_dir():
        pytest.skip(f"needs Debian's {folder}: .ci/prepare tests unpacks it")
    if needs_root and os.geteuid() != 0:
        pytest.skip(f"{folder} must be started by root")
    return DEBIAN / folder


def free_port() -> int:
    """A port on loopback that is given to nobody else while the tests run.

    A socket stays bound to it, at which nobody listens. Without it two tests at once were given the same
    port, and one of them sent its mail to the other's server.
    """
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do, which may listen there then
    held.bind(("127.0.0.1", 0))
    HELD_PORTS.append(held)
    return int(held.getsockname()[1])


def wait_until(
    what: Callable[[], object], why: str | Callable[[], str], seconds: float = WAITING_SECONDS
) -> object:
    """What is true in the end; fails if it never is."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = what()
        if found:
            return found
        time.sleep(0.02)  # the pace of looking, not a guess at how long it takes
    pytest.fail(f"never came: {why if isinstance(why, str) else why()}")


def listens(port: int) -> bool:
    """Whether somebody listens at a port on loopback."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder into which every user may look: mail servers give up root. pytest's own are closed to them."""
    folder = Path(tempfile.mkdtemp(prefix="deciban-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running(
    command: list[str], log: Path, environment: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A program while it runs; it and all that it started are ended."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, **(environment or {})},
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
