"""`deciban serve` on the command line: what it checks, prints and refuses. tests/server runs it."""

import os
import pty
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from deciban.server.server_configuration import ServerConfiguration, explained
from deciban.spaces import Spaces


def serve(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "deciban", "serve", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **options,  # type: ignore[call-overload]
    )


def test_the_printed_configuration_is_the_default_one_and_explains_every_setting(tmp_path: Path) -> None:
    printed = serve("--print-config").stdout
    assert ServerConfiguration.of_text(printed) == ServerConfiguration()
    assert printed == explained()
    settings = re.findall(r"\n(.*)\n[a-z_]+ = ", printed)
    assert len(settings) > 20
    assert all(line.startswith("# ") and len(line) > 10 for line in settings)
    (tmp_path / "server.toml").write_text(printed)
    assert serve("--config", tmp_path / "server.toml", "--check", "--spaces", tmp_path / "s").returncode == 0


@pytest.mark.parametrize(
    ("configuration", "told"),
    [
        ("[http]\nlisten = []", "No door is open"),
        ('[http]\nlisten = ["localhost"]', "host:port or unix:/path"),
        ('[http]\nlisten = ["unix:/nowhere/at/all"]', "No socket can be made"),
        ('[http]\nlisten = ["192.0.2.1:80"]', "travel in clear"),
        ('[http]\nlisten = ["0.0.0.0:80"]\ncleartext = true', "Name the hosts"),
        ('[http]\ncertificate = "a.pem"', "both certificate and private_key"),
        ('[http]\ncertificate = "a.pem"\nprivate_key = "b.pem"', "cannot be read"),
        ("[http]\nlissten = []", "there is no setting http.lissten"),
        ("[limits]\nbody_bytes = 0", ">= 1"),
        ('[http]\nwithout_key = ["learn"]', "Invalid enum value"),
        ("[http", "cannot be followed"),
        ('[server]\naliases = "a"\n', "cannot be read"),
        ('[server]\nresults_from = ["no host"]\n', "names of hosts"),
    ],
)
def test_a_configuration_that_is_wrong_is_told_in_one_line(
    tmp_path: Path, configuration: str, told: str
) -> None:
    (tmp_path / "server.toml").write_text(configuration)
    done = serve("--config", tmp_path / "server.toml", "--check", "--spaces", tmp_path / "spaces")
    assert done.returncode == 3
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "spaces").exists()


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = serve("--listen", f"127.0.0.1:{taken.getsockname()[1]}", "--spaces", tmp_path / "spaces")
    assert done.returncode == 3
    assert "Nobody can listen at 127.0.0.1" in done.stderr


def test_the_first_start_shows_a_key_to_a_terminal_only(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "deciban",
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--spaces",
        tmp_path / "s",
    ]
    theirs, ours = pty.openpty()
    process = subprocess.Popen(command, stdout=ours, stderr=subprocess.PIPE)
    os.close(ours)
    shown = ""
    while "learn?label=spam" not in shown:
        shown += os.read(theirs, 4096).decode()
    key = re.search(r"deciban_[0-9a-f]{16}_[0-9a-f]{64}", shown)
    address = re.search(r"(http://127\.0\.0\.1:\d+)/", shown)
    assert key
    assert address
    request = urllib.request.Request(
        f"{address[1]}/v1/spaces/mail/labels", headers={"Authorization": f"Bearer {key[0]}"}
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        assert response.status == 200
    process.send_signal(signal.SIGTERM)
    _, log = process.communicate(timeout=60)
    os.close(theirs)
    assert process.returncode == 0
    assert b"deciban_" not in log


def test_without_a_terminal_no_key_is_made(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "deciban",
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--spaces",
        tmp_path / "s",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "there is no key yet" in process.stderr.readline()
        assert "ready" in process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        said, log = process.communicate(timeout=60)
    assert said == ""
    assert "deciban_" not in log
    with Spaces(str(tmp_path / "s")) as spaces:
        assert spaces.keys.all() == []


def test_no_other_verb_imports_what_only_the_server_needs() -> None:
    code = (
        "import sys; from deciban.cli.verbs import VERBS, load_verb\n"
        "for verb in VERBS: load_verb(verb)\n"
        "print(sorted({'msgspec', 'httptools', 'uvloop', 'prometheus_client', 'asyncio'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
