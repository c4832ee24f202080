"""The compiled part under AddressSanitizer: its own tests, and a fixed number of fuzzed inputs."""

import subprocess

import pytest

from fuzz.instrumented import CannotInstrument, run


def instrumented(*arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        return run(list(arguments), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except CannotInstrument as reason:
        pytest.skip(f"needs an instrumented build: {reason}")


def test_the_sanitizer_sees_a_write_past_the_end() -> None:
    done = instrumented(
        "-c",
        "import ctypes; c = ctypes.CDLL(None); c.malloc.restype = ctypes.c_void_p\n"
        "ctypes.memset(c.malloc(8), 0, 99)",
    )
    assert done.returncode != 0
    assert "heap-buffer-overflow" in done.stdout


def test_the_tests_of_the_reader_pass_under_the_sanitizer() -> None:
    done = instrumented(
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "tests/text/test_reader.py",
        "tests/text/test_canonical.py",
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_attacks_of_a_megabyte_pass_under_the_sanitizer() -> None:
    done = instrumented(
        "-c",
        "from deciban.text import read\n"
        "from tests.text.attacks import ATTACKS\n"
        "for attack in ATTACKS.values(): read(attack(1_000_000)).parts\n",
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_ten_thousand_fuzzed_inputs_find_nothing() -> None:
    done = instrumented("-m", "fuzz.reader", "10000", "1")
    assert done.returncode == 0, done.stdout[-3000:]
    assert "nothing found" in done.stdout
