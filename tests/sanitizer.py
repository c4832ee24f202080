"""Runs Python on the build with AddressSanitizer, or skips where there can be none."""

import subprocess

import pytest

from fuzz.instrumented import CannotInstrument, run


def instrumented(*arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        return run(list(arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except CannotInstrument as reason:
        pytest.skip(f"needs an instrumented build: {reason}")


def pass_under_the_sanitizer(*files: str) -> None:
    """Assert that the tests in these files pass."""
    done = instrumented("-m", "pytest", "-q", "-p", "no:cacheprovider", *files)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
