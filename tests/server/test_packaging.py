"""The systemd unit is one that systemd would start, and is hardened; the container starts the same."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from deciban.cli.verbs import VERBS

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
