import shutil
import subprocess

import pytest

from deciban.cli import main
from deciban.cli.definitions import all_verbs


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
