"""The systemd unit is one that systemd would start, and is hardened; the container starts the same."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from deciban.cli.verbs import VERBS
from tests.server.running_server import RunningServer

FOLDER = Path(__file__).parents[2] / "packaging"
MOST_EXPOSED = 2.0


@pytest.fixture
def units(tmp_path: Path) -> Path:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    for name in ("deciban.service", "deciban.socket"):
        shutil.copy(FOLDER / name, tmp_path / name)
    return tmp_path


def test_what_mail_servers_need_beside_is_no_mistake_either(units: Path) -> None:
    (units / "deciban.service.d").mkdir()
    shutil.copy(FOLDER / "mail.conf", units / "deciban.service.d")
    test_systemd_finds_no_mistake_in_the_units(units)


def test_systemd_finds_no_mistake_in_the_units(units: Path) -> None:
    command = ["systemd-analyze", "verify", "--man=no", units / "deciban.service", units / "deciban.socket"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    ours = [line for line in done.stderr.splitlines() if "deciban" in line]
    assert ours == []


def test_the_unit_is_hardened(units: Path) -> None:
    command = ["systemd-analyze", "security", "--offline=yes", "--no-pager", units / "deciban.service"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    exposure = re.search(r"Overall exposure level for .*: ([\d.]+)", done.stdout)
    if exposure is None:
        pytest.skip(f"this systemd-analyze cannot look at files: {done.stderr.strip()[:200]}")
    assert float(exposure[1]) <= MOST_EXPOSED


def test_what_the_files_start_is_there() -> None:
    for name in ("deciban.service", "Containerfile"):
        text = (FOLDER / name).read_text()
        assert "serve" in VERBS
        assert re.search(r"deciban\"?,? \"?serve\"?,? \"?--config", text)


def health_check(port: int) -> int:
    """The exit code of the container's check of its health, of a server at another port."""
    text = (FOLDER / "Containerfile").read_text().replace("\\\n", "")
    found = re.search(r"^HEALTHCHECK CMD (\[.*\])$", text, re.M)
    assert found is not None
    program, *rest = json.loads(found[1].replace("127.0.0.1:8420", f"127.0.0.1:{port}"))
    assert program == "python"
    return subprocess.run([sys.executable, *rest], stderr=subprocess.DEVNULL, check=False).returncode


def test_the_container_is_well_only_while_its_server_answers(tmp_path: Path) -> None:
    with RunningServer(tmp_path) as server:
        assert health_check(server.port) == 0
    assert health_check(server.port) != 0


def test_the_container_installs_extras_that_there_are_and_copies_no_build_of_another_machine() -> None:
    project = FOLDER.parent
    text = (FOLDER / "Containerfile").read_text()
    wanted = re.findall(r"'/source\[(\w+)\]'", text)
    extras = tomllib.loads((project / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert wanted == ["serve"]
    assert set(wanted) <= set(extras)
    ignored = (project / ".dockerignore").read_text().split()
    assert {".git", ".venv", "build", "**/*.so"} <= set(ignored)


def test_the_container_listens_with_the_configuration_that_its_head_describes(tmp_path: Path) -> None:
    path = tmp_path / "server.toml"
    path.write_text('[http]\nlisten = ["0.0.0.0:0"]\nhosts = ["mail.example.org"]\ncleartext = true\n')
    command = [sys.executable, "-m", "deciban", "serve", "--config", str(path), "--check"]
    done = subprocess.run([*command, "--spaces", str(tmp_path / "spaces")], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
