import os
import shutil
import subprocess
import sys

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


@bash
def test_bash_offers_the_labels_of_the_filter_where_one_is_asked_for(script, mails, database, monkeypatch):
    # A label is anybody's word: what looks like a command in it must not be run.
    odd = "$(touch ran) x"
    for label in ("spam", "Work stuff", odd):
        main(["learn", label, str(mails / ("ham" if label == odd else "spam")), "--by", label])
    main(["learn", "spam", str(mails / "spam" / "1.eml")])
    main(["learn", "Work stuff", str(mails / "spam" / "2.eml")])
    bin_folder = script.parent / "bin"
    bin_folder.mkdir()
    command = bin_folder / "deciban"
    command.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m deciban \"$@\"\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_folder}:{os.environ['PATH']}")
    assert sorted(completed(script, "deciban", "learn", "")) == sorted([odd, "Work stuff", "spam"])
    assert completed(script, "deciban", "learn", "s") == ["spam"]
    assert completed(script, "deciban", "forget", "--label", "Wo") == ["Work stuff"]
    assert completed(script, "deciban", "learn", "spam", "nothing-like-it") == [""]
    assert not (script.parent / "ran").exists()


@pytest.mark.parametrize("script", ["zsh", "fish"], indirect=True)
def test_other_shells_accept_the_script(script):
    shell = script.suffix[1:]
    text = script.read_text()
    assert all(verb in text for verb in VERBS)
    assert "--json" in text or "-l json" in text
    assert "deciban show --labels" in text
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n", str(script)], check=True)
