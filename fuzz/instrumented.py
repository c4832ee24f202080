"""Builds deciban's compiled part under AddressSanitizer and with tracing, and runs Python on that build.

The build lands in build/instrumented and is kept up to date by file times, so that only the first one takes
long (about half a minute). A lock lets several test processes share it.

    python -m fuzz.instrumented -m pytest tests/text     runs the tests on the instrumented build
"""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOME = ROOT / "build" / "instrumented"
TRACE = HOME / "libtrace.so"


class CannotInstrument(Exception):
    """No instrumented build can be made or run here; the message says why."""


def library(name: str) -> str:
    """Where gcc keeps one of its run-time libraries."""
    if not shutil.which("gcc"):
        raise CannotInstrument("gcc is not installed")
    path = subprocess.run(
        ["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not Path(path).is_absolute():
        raise CannotInstrument(f"gcc has no {name}")
    return str(Path(path).resolve())


def environment() -> dict[str, str]:
    """What a Python process needs around it to run on the instrumented build."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(HOME / "package"), str(ROOT)]),
        "LD_PRELOAD": f"{library('libasan.so')} {TRACE}",
        # Python frees nothing at its end; and a malloc that fails must be Python's MemoryError.
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1",
        # Every object its own allocation, so that an overrun cannot hide inside of Python's arenas.
        "PYTHONMALLOC": "malloc",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def build() -> None:
    """Makes the build, or brings it up to date."""
    sanitizer = library("libasan.so")
    if not Path(sanitizer).exists():
        raise CannotInstrument("gcc's AddressSanitizer is not installed")
    HOME.mkdir(parents=True, exist_ok=True)
    with open(HOME / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.copytree(
            ROOT / "src",
            HOME / "package",
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("*.so", "__pycache__"),
        )
        source = ROOT / "fuzz" / "trace.c"
        if not TRACE.exists() or TRACE.stat().st_mtime < source.stat().st_mtime:
            subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", TRACE, source], check=True)
        command = [sys.executable, "setup.py", "--quiet", "build_ext", "--build-lib", HOME / "package"]
        done = subprocess.run(
            [*command, "--build-temp", HOME / "objects"],
            cwd=ROOT,
            env={**os.environ, "DECIBAN_SANITIZE": "address", "DECIBAN_TRACE": "1"},
            capture_output=True,
            text=True,
        )
    if done.returncode:
        raise CannotInstrument(f"the build failed: {done.stderr.strip().splitlines()[-1]}")


def run(arguments: list[str], **options: object) -> subprocess.CompletedProcess[str]:
    """Runs Python with these arguments on the instrumented build."""
    build()
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment(), text=True, **options)  # type: ignore[call-overload, no-any-return]


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]).returncode)
