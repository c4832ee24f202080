"""Verbs with --server: the same output as with a filter on this machine, and `filter` fails open."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.conftest import server as server
from tests.server.running_server import RunningServer, mail_of


def run(server: RunningServer, *arguments: object, data: bytes = b"", here: bool = False, **options: object):
    where = (
        ["--spaces", str(server.folder), "--space", "mail"]
        if here
        else ["--server", f"http://127.0.0.1:{server.port}"]
    )
    return subprocess.run(
        [sys.executable, "-m", "deciban", *map(str, arguments), *where],
        input=data,
        capture_output=True,
        check=False,
        timeout=60,
        env={**os.environ, "DECIBAN_KEY": server.key, **options},  # type: ignore[dict-item]
    )


@pytest.mark.parametrize("verb", [["classify"], ["why"], ["why", "--text"], ["filter", "--exit-code"]])
@pytest.mark.parametrize("label", ["spam", "ham"])
def test_what_is_said_is_what_a_filter_here_says(server: RunningServer, verb: list[str], label: str) -> None:
    there, here = (run(server, *verb, data=mail_of(label, 61), here=where) for where in (False, True))
    assert there.stderr == b""
    assert there.returncode == here.returncode
    without_id = [line for line in there.stdout.splitlines() if not line.startswith(b"X-Deciban-Id")]
    assert without_id == here.stdout.splitlines()


def test_a_mailbox_is_classified_as_a_table_and_as_json(server: RunningServer, tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"{number:02}.eml").write_bytes(mail_of("spam" if number % 2 else "ham", number))
    there, here = (run(server, "classify", tmp_path, here=where) for where in (False, True))
    assert (there.stdout, there.stderr) == (here.stdout, here.stderr)
    lines = [json.loads(line) for line in run(server, "classify", "--json", tmp_path).stdout.splitlines()]
    assert len(lines) == 40
    assert all(line["entry"] and line["id"].endswith(".eml") for line in lines)


def test_a_message_is_taught_corrected_and_forgotten(server: RunningServer, tmp_path: Path) -> None:
    path = tmp_path / "mail.eml"
    path.write_bytes(mail_of("spam", 3000))
    assert run(server, "learn", "spam", path).stdout == b"learned 1 message as spam\n"
    again = json.loads(run(server, "learn", "--json", "spam", path).stdout)
    assert (again["known"], again["labels"]) == (1, {"spam": 1})
    done = run(server, "forget", "--yes", path)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, b"forgotten: 1, as if never taught")
    entry = server.post("classify", mail_of("ham", 3001)).json()["entry"]
    assert run(server, "correct", entry, "ham").stdout == b"learned as ham\n"
    server.post("undo", {"entry": entry})


def test_filter_hands_the_mail_on_whatever_the_server_does(server: RunningServer) -> None:
    mail = mail_of("spam", 9)
    for options in ({"DECIBAN_KEY": "wrong"}, {"DECIBAN_KEY": ""}):
        done = run(server, "filter", data=mail, **options)
        assert (done.returncode, done.stdout) == (0, mail)
        assert done.stderr.count(b"\n") == 1
    nobody = [sys.executable, "-m", "deciban", "filter", "--server", "http://127.0.0.1:1"]
    done = subprocess.run(nobody, input=mail, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, mail)
    assert b"goes on without a verdict" in done.stderr


def test_a_tagged_mail_carries_the_entry_that_the_journal_has(server: RunningServer) -> None:
    tagged = run(server, "filter", data=mail_of("spam", 10)).stdout
    (identity,) = [
        line.partition(b": ")[2].decode() for line in tagged.splitlines() if line.startswith(b"X-Deciban-Id")
    ]
    entry = server.get("journal?limit=1").json()["entries"][0]
    assert (entry["entry"], entry["done"], entry["door"]) == (identity, "tagged", "http")


def test_what_only_a_filter_here_can_do_is_refused(server: RunningServer) -> None:
    for flags in (["--db", "x.db"], ["--cost", "9"]):
        done = run(server, "classify", *flags, data=b"Subject: x")
        assert done.returncode == 3
        assert b"not for --server" in done.stderr


def test_asking_a_server_imports_little() -> None:
    code = (
        "import sys; from deciban.cli import main\n"
        "main(['filter', '--server', 'http://127.0.0.1:1'])\n"
        "loaded = {'http.client', 'socket', 'asyncio', 'email', 'ssl'} & set(sys.modules)\n"
        "print(sorted(loaded), file=sys.stderr)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], input=b"Subject: x\n\nx", capture_output=True, check=True
    )
    assert shown.stderr.splitlines()[-1] == b"[]"
