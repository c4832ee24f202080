"""The examples for curl, Node and PHP, run against a real server; with an expired key and a 413, too."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.server.conftest import server as server
from tests.server.running_server import RunningServer

FOLDER = Path(__file__).parents[2] / "examples" / "http"
PROGRAMS = {"teach_and_ask.sh": "curl", "teach_and_ask.mjs": "node", "teach_and_ask.php": "php"}


def run(name: str, server: RunningServer, key: str, size: int = 0) -> subprocess.CompletedProcess[str]:
    program = PROGRAMS[name]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    command = ["sh" if program == "curl" else program, str(FOLDER / name)]
    variables = {
        "DECIBAN_URL": f"http://127.0.0.1:{server.port}",
        "DECIBAN_KEY": key,
        "DECIBAN_SIZE": str(size),
    }
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, env={**os.environ, **variables}
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_example_teaches_and_asks(server: RunningServer, name: str) -> None:
    done = run(name, server, server.key)
    assert (done.returncode, done.stderr) == (0, "")
    assert "spam" in done.stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_example_tells_of_an_expired_key(server: RunningServer, name: str) -> None:
    done = run(name, server, server.add_key("learn", "classify", expires=1))
    assert done.returncode == 1
    assert "unknown-key" in done.stderr
    assert "has expired" in done.stderr


@pytest.mark.parametrize("name", ["teach_and_ask.mjs", "teach_and_ask.php"])
def test_an_example_tells_of_a_body_that_is_too_large(server: RunningServer, name: str) -> None:
    done = run(name, server, server.key, size=60_000_000)
    assert done.returncode == 1
    assert "too-much" in done.stderr
