"""Broken surroundings: a full disk, a read-only folder, a damaged space. The other spaces go on."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from deciban.spaces import Spaces
from tests.server.running_server import RunningServer, mail_of, teach

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", disk], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.decode().strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "-l", disk], check=False)


@only_root
def test_on_a_full_disk_verdicts_go_on_and_lessons_are_refused_until_there_is_room(small_disk: Path) -> None:
    with RunningServer(small_disk) as server:
        teach(server)
        before = server.get("labels").json()["labels"]
        filler = small_disk / "filler"
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(65_536))
            except OSError:
                pass
        refused = server.post("learn?label=spam", mail_of("spam", 5_000))
        assert (refused.status, refused.json()["code"]) == (507, "cannot-write"), refused
        assert str(small_disk) not in refused.body.decode()
        assert server.post("classify", mail_of("spam", 5_001)).json()["label"] == "spam"
        assert server.get("labels").json()["labels"] == before
        filler.unlink()
        assert server.post("learn?label=spam", mail_of("spam", 5_000)).json()["learned"] == 1
        assert server.post("classify", mail_of("spam", 5_002)).json()["label"] == "spam"


@only_root
def test_in_a_read_only_folder_verdicts_go_on_and_changes_are_refused(tmp_path: Path) -> None:
    with RunningServer(tmp_path, spaces=("mail", "other")) as server:
        teach(server)
        teach(server, space="other")
    with Spaces(str(server.folder)) as spaces:
        folder = spaces.folder_of(spaces.find("mail"))
    mounts = [["--bind", folder, folder], ["-o", "remount,bind,ro", folder]]
    if any(subprocess.run(["mount", *mount], capture_output=True).returncode for mount in mounts):
        pytest.skip("no folder can be mounted here")
    try:
        with server:  # once more
            assert server.post("classify", mail_of("spam", 2)).json()["label"] == "spam"
            refused = server.post("learn?label=spam", mail_of("spam", 3))
            assert (refused.status, refused.json()["code"]) == (507, "cannot-write"), refused
            assert server.post("learn?label=spam", mail_of("spam", 3), space="other").json()["learned"] == 1
    finally:
        subprocess.run(["umount", "-l", folder], check=False)


def test_a_damaged_space_says_so_and_the_others_go_on(tmp_path: Path) -> None:
    with RunningServer(tmp_path, spaces=("good", "bad")) as server:
        teach(server, space="good")
    with Spaces(str(server.folder)) as spaces:
        record = spaces.find("bad")
        database = Path(spaces.database_of(record))
    database.write_bytes(b"this is no database" * 1000)
    with server:  # once more
        for answer in (
            server.post("classify", mail_of("spam", 1), space="bad"),
            server.post("learn?label=spam", mail_of("spam", 1), space="bad"),
            server.get("labels", space="bad"),
        ):
            assert (answer.status, answer.json()["code"]) == (500, "damaged-ledger"), answer
            assert "deciban check" in answer.json()["detail"]
            assert str(tmp_path) not in answer.body.decode()
        assert server.post("classify", mail_of("spam", 1), space="good").json()["label"] == "spam"
        assert server.request("GET", "/readyz", key=None).status == 200


def test_a_damaged_state_is_made_again_and_nothing_of_it_is_believed(tmp_path: Path) -> None:
    with RunningServer(tmp_path) as server:
        teach(server)
        expected = server.post("classify", mail_of("spam", 1)).json()["probabilities"]
        with Spaces(str(server.folder)) as spaces:
            snapshot = Path(spaces.database_of(spaces.find("mail")) + ".snapshot")
        data = bytearray(snapshot.read_bytes())
        data[:64] = bytes(64)
        snapshot.write_bytes(data)
        assert server.post("classify", mail_of("spam", 1)).json()["probabilities"] == expected


def test_hostile_mails_get_a_verdict_over_http(tmp_path: Path) -> None:
    hostile = [
        b"",
        b"\0" * 100_000,
        b"\xff\xfe" * 50_000,
        b"Subject: " + b"=?utf-8?q?" * 10_000,
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\n" * 2_000,
        b"Content-Type: text/html\n\n" + b"<div>" * 100_000,
        b"Content-Type: text/html\n\n" + b"<!--" * 100_000,
        b"Content-Transfer-Encoding: base64\n\n" + b"A" * 1_000_001,
        b"X: " + b"y" * 1_000_000 + b"\n\n",
    ]
    with RunningServer(tmp_path) as server:
        teach(server)
        for mail in hostile:
            for operation in ("classify", "why", "learn?label=spam"):
                answer = server.post(operation, mail)
                assert answer.status == 200, (mail[:40], answer)
