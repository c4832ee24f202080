import subprocess
import sys

import pytest

from deciban.text import read


def deciban_filter(data: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "deciban", "filter"], input=data, capture_output=True)


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


def test_without_a_filter_the_message_comes_out_untagged_and_the_exit_code_tells(mails, database):
    message = b"X-Spam-Flag: NO\n" + (mails / "new-spam.eml").read_bytes()
    done = deciban_filter(message)
    assert done.returncode == 3
    assert done.stdout == (mails / "new-spam.eml").read_bytes()
    assert done.stderr.count(b"\n") == 1


def test_a_damaged_database_loses_no_mail(taught, database):
    database.write_bytes(b"this is no database" * 1000)
    message = (taught / "new-spam.eml").read_bytes()
    done = deciban_filter(message)
    assert (done.returncode, done.stdout) == (3, message)
    assert done.stderr.count(b"\n") == 1


def test_an_unsure_verdict_says_so(mails, database):
    subprocess.run([sys.executable, "-m", "deciban", "learn", "spam", str(mails / "spam")], check=True)
    done = deciban_filter((mails / "new-spam.eml").read_bytes())
    assert done.stdout.startswith(b"X-Deciban: unsure\nX-Spam-Flag: NO\nX-Spam-Status: No\n")
