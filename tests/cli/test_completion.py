import shutil
import subprocess

import pytest

from deciban.cli import main
from deciban.cli.verbs import VERBS


@pytest.fixture
def script(request, tmp_path, capsys):
    shell = request.param
    assert main(["completion", shell]) == 0
    path = tmp_path / f"deciban.{shell}"
    path.write_text(capsys.readouterr().out)
    return path


def completed(script, *words: str) -> list[str]:
    """What bash proposes for the last of the words, asked for real."""
    quoted = " ".join(f"'{word}'" for word in words)
    ask = (
        f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _deciban; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    done = subprocess.run(
        ["bash", "-c", f". '{script}'; {ask}"], capture_output=True, text=True, cwd=script.parent
    )
    assert done.stderr == ""
    return done.stdout.split("\n")[:-1]


bash = pytest.mark.parametrize("script", ["bash"], indirect=True)


@bash
def test_bash_completes_verbs(script):
    assert completed(script, "deciban", "rea") == ["read"]
    assert set(completed(script, "deciban", "")) == {*VERBS, "--help", "--version"}


@bash
def test_bash_completes_flags_and_their_values(script):
    assert completed(script, "deciban", "read", "--js") == ["--json"]
    assert completed(script, "deciban", "read", "--features", "w") == ["words"]
    assert completed(script, "deciban", "completion", "f") == ["fish"]


@bash
def test_bash_completes_file_names_as_they_are(script):
    (script.parent / "my mail $(date).eml").write_text("x")
    assert completed(script, "deciban", "read", "my") == ["my mail $(date).eml"]


@pytest.mark.parametrize("script", ["zsh", "fish"], indirect=True)
def test_other_shells_accept_the_script(script):
    shell = script.suffix[1:]
    text = script.read_text()
    assert all(verb in text for verb in VERBS)
    assert "--json" in text or "-l json" in text
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n", str(script)], check=True)
