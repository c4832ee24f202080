import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deciban.cli import main
from deciban.cli.definitions import all_verbs

ROOT = Path(__file__).parents[2]


@pytest.fixture
def page(capsys) -> str:
    assert main(["man"]) == 0
    return capsys.readouterr().out


def test_the_manual_has_every_verb_flag_and_example(page):
    text = page.replace("\\-", "-")
    for verb in all_verbs():
        assert f".SS deciban {verb.name}\n" in text
        assert all(f"\\fB{name}\\fR" in text for flag in verb.flags for name in flag.names)
        assert all(command.replace("\\", "\\e") in text for command, _ in verb.examples)


def test_every_line_that_begins_with_a_dot_is_a_request_that_is_meant(page):
    requests = {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))}
    assert requests <= {".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".I"}


def test_a_formatter_has_nothing_to_complain_about(page):
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is not installed")
    done = subprocess.run(
        [groff, "-man", "-Tutf8", "-ww", "-Kutf8"], input=page, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""


def test_the_manual_tells_files_exit_status_and_related_programs(page):
    sections = [line.removeprefix(".SH ") for line in page.splitlines() if line.startswith(".SH ")]
    assert sections[-4:] == ["ENVIRONMENT", "FILES", "EXIT STATUS", "SEE ALSO"]


def test_the_page_that_is_installed_is_that_of_the_program(page):
    message = "run: deciban man > docs/deciban.1"
    assert (ROOT / "docs" / "deciban.1").read_text(encoding="utf-8") == page, message


def test_the_package_installs_the_manual(tmp_path):
    command = [sys.executable, "setup.py", "--quiet", "install_data", "--install-dir", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    installed = tmp_path / "share" / "man" / "man1" / "deciban.1"
    assert installed.read_bytes() == (ROOT / "docs" / "deciban.1").read_bytes()
