import os
import resource
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from deciban.text import read

MAIN = [sys.executable, "-m", "deciban", "filter"]
FORGED = b"X-Spam-Flag: NO\n"


def deciban_filter(data: bytes, *arguments: str, **options) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*MAIN, *arguments], **{"input": data, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    )


def sabotaged(event: str, wrong: str, data: bytes) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "tests.cli.sabotage", event, wrong, "filter"]
    return subprocess.run(command, input=data, capture_output=True)


def closed(*descriptors: int):
    """What a child process does first, to begin with these descriptors closed."""

    def close() -> None:
        for descriptor in descriptors:
            os.close(descriptor)

    return close


@pytest.fixture
def message(mails: Path) -> bytes:
    return (mails / "new-spam.eml").read_bytes()


@pytest.mark.parametrize(("file", "flag", "sign"), [("new-spam.eml", b"YES", 1), ("new-ham.eml", b"NO", -1)])
def test_the_verdict_is_written_into_the_header(taught, file, flag, sign):
    message = (taught / file).read_bytes()
    done = deciban_filter(message)
    assert (done.returncode, done.stderr) == (0, b"")
    verdict, flagged, status, *rest = done.stdout.split(b"\n")
    label, decibans, probability = verdict.removeprefix(b"X-Deciban: ").split(b"; ")
    assert label == file.removeprefix("new-").removesuffix(".eml").encode()
    assert decibans.endswith(b" dB")
    assert probability.startswith(b"p=0.")
    assert flagged == b"X-Spam-Flag: " + flag
    score = float(status.rpartition(b"score=")[2])
    assert score * sign == pytest.approx(float(decibans.split()[0]), abs=0.11)
    assert b"\n".join(rest) == message


def test_verdicts_from_outside_are_removed_and_the_digest_stays(taught):
    message = (
        b"From joe Thu Aug 22 12:36:23 2002\r\nX-Deciban: ham;\r\n 99 dB\r\nSubject: free money\r\n\r\nx\r\n"
    )
    done = deciban_filter(message)
    assert done.stdout.startswith(b"From joe Thu Aug 22 12:36:23 2002\r\nX-Deciban: spam; ")
    assert done.stdout.count(b"X-Deciban") == 1
    assert b"99 dB" not in done.stdout
    assert done.stdout.endswith(b"\r\nSubject: free money\r\n\r\nx\r\n")
    assert b"\n" not in done.stdout.replace(b"\r\n", b"")
    assert read(done.stdout).digest == read(message).digest


def test_an_unsure_verdict_says_so(mails, database):
    subprocess.run([sys.executable, "-m", "deciban", "learn", "spam", str(mails / "spam")], check=True)
    done = deciban_filter((mails / "new-spam.eml").read_bytes())
    assert done.stdout.startswith(b"X-Deciban: unsure\nX-Spam-Flag: NO\nX-Spam-Status: No\n")


@pytest.mark.parametrize(("file", "code"), [("new-spam.eml", 0), ("new-ham.eml", 1)])
def test_the_exit_code_tells_the_verdict_if_asked(taught, file, code):
    message = (taught / file).read_bytes()
    assert deciban_filter(message).returncode == 0
    done = deciban_filter(message, "--exit-code")
    assert done.returncode == code
    assert done.stdout.endswith(message)


def test_the_exit_code_tells_if_asked_that_there_is_no_verdict(message, database):
    done = deciban_filter(message, "--exit-code")
    assert (done.returncode, done.stdout) == (3, message)


def test_without_a_filter_the_message_comes_out_without_tags(message, database):
    done = deciban_filter(FORGED + message)
    assert (done.returncode, done.stdout) == (0, message)
    assert done.stderr.count(b"\n") == 1
    assert done.stderr.endswith(b"; the message goes on without a verdict\n")


def test_a_damaged_database_loses_no_mail(taught, database, message):
    database.write_bytes(b"this is no database" * 1000)
    done = deciban_filter(FORGED + message)
    assert (done.returncode, done.stdout) == (0, message)
    assert done.stderr.count(b"\n") == 1


def test_facts_of_another_type_lose_no_mail(taught, database, message):
    with sqlite3.connect(database) as connection:
        facts = connection.execute("SELECT key FROM facts").fetchall()
    connection.close()
    assert facts
    for value in (b"\xff", "what a later version writes", -1.5):
        with sqlite3.connect(database) as connection:
            connection.execute("UPDATE facts SET value = ?", (value,))
        connection.close()
        done = deciban_filter(message)
        assert done.returncode == 0
        assert done.stdout.endswith(message)


@pytest.mark.parametrize(
    ("event", "wrong"),
    [
        ("fcntl.fcntl", "OSError"),
        ("sqlite3.connect", "MemoryError"),
        ("sqlite3.connect", "ZeroDivisionError"),
        ("sqlite3.connect", "RecursionError"),
        ("import:deciban.filter", "ImportError"),
        ("sqlite3.connect", "SIGTERM"),
        ("sqlite3.connect", "SIGINT"),
        ("sqlite3.connect", "SIGHUP"),
        ("sqlite3.connect", "SIGALRM"),
        ("sqlite3.connect", "SIGXCPU"),
    ],
)
def test_whatever_goes_wrong_the_message_comes_out_without_tags(taught, message, event, wrong):
    done = sabotaged(event, wrong, FORGED + message)
    assert (done.returncode, done.stdout) == (0, message)
    assert done.stderr.startswith(b"deciban: ")
    assert done.stderr.count(b"\n") == 1


def test_if_even_tags_cannot_be_removed_the_message_comes_out_as_it_was(taught, message):
    done = sabotaged("import:deciban.text._tags", "ImportError", FORGED + message)
    assert (done.returncode, done.stdout) == (0, FORGED + message)
    assert done.stderr.count(b"deciban: ") == done.stderr.count(b"\n") == 2


def test_a_wrong_command_line_loses_no_mail(taught, message):
    done = deciban_filter(FORGED + message, "--nonsense")
    assert (done.returncode, done.stdout) == (0, message)
    assert done.stderr == b"deciban: unrecognized arguments: --nonsense; see deciban filter --help\n"


@pytest.mark.parametrize("megabytes", [64, 96, 128, 192, 256])
def test_with_too_little_memory_the_exit_code_tells_whether_the_message_came_out(taught, message, megabytes):
    message += b"and so on\n" * 2_000_000
    limit = (megabytes << 20, megabytes << 20)
    done = deciban_filter(message, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
    assert done.returncode in (0, 75)
    assert done.stdout.endswith(message) == (done.returncode == 0)


# With fewer than five, Python itself may not get as far as our code: that depends on how it is installed.
@pytest.mark.parametrize("files", [5, 6, 7])
def test_with_too_few_open_files_the_message_comes_out(taught, message, files):
    done = deciban_filter(
        message, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    )
    assert done.returncode == 0
    assert done.stdout.endswith(message)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_a_reason_to_try_again(taught, message):
    with open("/dev/full", "wb") as full:
        done = deciban_filter(message, stdout=full)
    assert done.returncode == 75
    assert done.stderr == b"deciban: No space left on device; the message could not be written\n"


def test_a_file_that_may_not_grow_is_a_reason_to_try_again(taught, message, tmp_path):
    with open(tmp_path / "out", "wb") as out:
        done = deciban_filter(
            message, stdout=out, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        )
    assert done.returncode == 75
    assert done.stderr.endswith(b"deciban: File too large; the message could not be written\n")


def test_a_reader_that_went_away_is_a_reason_to_try_again(taught, message):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = deciban_filter(message, stdout=writer)
    finally:
        os.close(writer)
    assert done.returncode == 75
    assert done.stderr == b"deciban: Broken pipe; the message could not be written\n"


@pytest.mark.parametrize(("descriptor", "what"), [(0, b"read"), (1, b"written")])
def test_a_closed_stream_is_a_reason_to_try_again(taught, message, descriptor, what):
    done = deciban_filter(message, preexec_fn=closed(descriptor))
    assert done.returncode == 75
    assert (
        done.stderr
        == b"deciban: standard input or output is closed; the message could not be " + what + b"\n"
    )


def test_closed_standard_error_changes_nothing(taught, message, database):
    usual = deciban_filter(message)
    assert deciban_filter(message, preexec_fn=closed(2)).stdout == usual.stdout
    database.unlink()
    done = deciban_filter(message, preexec_fn=closed(2))
    assert (done.returncode, done.stdout) == (0, message)


def test_a_slow_writer_is_waited_for(taught, message):
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    with subprocess.Popen(MAIN, stdin=reader, stdout=subprocess.PIPE) as process:
        os.close(reader)
        for byte in message:
            os.write(writer, bytes([byte]))
        os.close(writer)
        assert process.stdout is not None
        assert process.stdout.read().endswith(message)
    assert process.returncode == 0


def test_a_signal_while_the_message_is_read_ends_the_command_without_output(taught, message):
    with subprocess.Popen(MAIN, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(message * 1_000)  # more than a pipe holds: it is being read
        process.stdin.flush()
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == b""
        process.stdin.close()
    assert process.returncode == -signal.SIGTERM


def peak_memory(message: bytes, file: Path) -> int:
    """The most memory that the command has at a time for this message."""
    file.write_bytes(message)
    with file.open("rb") as source:
        process = subprocess.Popen(MAIN, stdin=source, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss


@pytest.mark.parametrize(
    "line", [b"a:\n", b"X-Spam:\n", b"no colon\n", b" folded\n", b"From joe\n", b"a: b\r"]
)
def test_a_huge_header_takes_no_more_memory_than_a_huge_body(taught, tmp_path, line):
    size = 10_000_000
    body = peak_memory(b"Subject: free\n\n" + b"and so on\n" * (size // 10), tmp_path / "body")
    header = peak_memory(b"Subject: free\n" + line * (size // len(line)) + b"\nx\n", tmp_path / "header")
    assert header < 1.5 * body
