"""The compiled part under AddressSanitizer: its own tests, and a fixed number of fuzzed inputs."""

from tests.effort import effort
from tests.sanitizer import instrumented, pass_under_the_sanitizer


def test_the_sanitizer_sees_a_write_past_the_end() -> None:
    done = instrumented(
        "-c",
        "import ctypes; c = ctypes.CDLL(None); c.malloc.restype = ctypes.c_void_p\n"
        "ctypes.memset(c.malloc(8), 0, 99)",
    )
    assert done.returncode != 0
    assert "heap-buffer-overflow" in done.stderr


def test_the_tests_of_the_reader_pass_under_the_sanitizer() -> None:
    files = ("test_reader.py", "test_canonical.py", "test_tags.py")
    pass_under_the_sanitizer(*(f"tests/text/{file}" for file in files), "-k", "not agent")


def test_attacks_of_a_megabyte_pass_under_the_sanitizer() -> None:
    done = instrumented(
        "-c",
        "from deciban.text import read\n"
        "from tests.text.attacks import ATTACKS\n"
        "for attack in ATTACKS.values(): read(attack(1_000_000)).parts\n",
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_thousands_of_fuzzed_inputs_find_nothing() -> None:
    done = instrumented("-m", "fuzz.reader", str(effort(5_000, 100_000)), "1")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "nothing found" in done.stdout
