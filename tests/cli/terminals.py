"""Runs the command on a terminal, as a person does."""

import os
import pty
import subprocess
import sys
import termios
from dataclasses import dataclass


@dataclass(frozen=True)
class Seen:
    """What a person saw, and how the command ended."""

    text: str
    code: int


def on_terminal(
    *arguments: str, typed: bytes = b"", columns: int = 80, stdout: int | None = None, **environment: str
) -> Seen:
    """Run deciban with a terminal as standard input, output (unless one is given) and error."""
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (24, columns))
    process = subprocess.Popen(
        [sys.executable, "-m", "deciban", *arguments],
        stdin=slave,
        stdout=slave if stdout is None else stdout,
        stderr=slave,
        env={name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
        | {"TERM": "xterm"}
        | environment,
    )
    os.close(slave)
    if typed:
        os.write(master, typed)
    seen = b""
    while True:
        try:
            chunk = os.read(master, 65536)
        except OSError:  # Linux: the other side is closed
            chunk = b""
        if not chunk:
            break
        seen += chunk
    os.close(master)
    return Seen(seen.decode().replace("\r\n", "\n"), process.wait())
