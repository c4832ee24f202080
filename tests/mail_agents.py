"""What programs that sort mail read in a header, asked of the programs themselves."""

import email
import email.policy
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

PYTHON_POLICIES = (email.policy.compat32, email.policy.default)


def need(*programs: str) -> None:
    """Skip the test where a program is not installed."""
    for program in programs:
        if not shutil.which(program):
            pytest.skip(f"needs {program}: .ci/prepare tests installs it")


def run_agent(command: list[str], message: bytes, home: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a delivery program on a message, with nothing of the user around it."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    return subprocess.run(command, input=message, capture_output=True, env=environment, cwd=home, timeout=120)


def procmail_matches(message: bytes, home: Path, name: str) -> bool:
    """Whether procmail finds a field of this name in the header."""
    rules = home / "procmailrc"
    rules.write_text(f"DEFAULT=/dev/null\nEXITCODE=0\n:0\n* ^{name}[^:]*:\n{{ EXITCODE=7 }}\n")
    done = run_agent(["procmail", "-m", str(rules)], message, home)
    assert done.returncode in (0, 7), done.stderr
    return done.returncode == 7


def maildrop_matches(message: bytes, home: Path, name: str) -> bool:
    """Whether maildrop finds a field of this name in the header."""
    rules = home / "mailfilter"
    rules.write_text(f"if (/^{name}[^:]*:/)\n{{\n  EXITCODE=7\n  exit\n}}\nEXITCODE=0\nexit\n")
    rules.chmod(0o600)
    done = run_agent(["maildrop", str(rules)], message, home)
    assert done.returncode in (0, 7), done.stderr
    return done.returncode == 7


def formail_finds(message: bytes, home: Path, name: str) -> bool:
    """Whether formail extracts a field whose name begins so."""
    return bool(run_agent(["formail", "-c", "-X", name], message, home).stdout.strip())


def reformail_finds(message: bytes, home: Path, name: str) -> bool:
    """Whether reformail, which comes with maildrop, extracts one of the usual fields."""
    fields = [f"{name}:", f"{name}-Flag:", f"{name}-Status:"]
    return any(run_agent(["reformail", "-x", field], message, home).stdout.strip() for field in fields)


def python_finds(message: bytes, home: Path, name: str) -> bool:
    """Whether Python's email finds a field whose name begins so."""
    return any(
        field.lower().startswith(name.lower())
        for policy in PYTHON_POLICIES
        for field in email.message_from_bytes(message, policy=policy).keys()  # noqa: SIM118
    )


# Each agent with the program that it needs.
AGENTS: dict[str, tuple[str, Callable[[bytes, Path, str], bool]]] = {
    "procmail": ("procmail", procmail_matches),
    "formail": ("formail", formail_finds),
    "maildrop": ("maildrop", maildrop_matches),
    "reformail": ("reformail", reformail_finds),
    "python": ("python3", python_finds),
}
