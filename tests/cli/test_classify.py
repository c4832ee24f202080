import json
import os
import subprocess
import sys

import pytest

from deciban.cli import main
from tests.cli.imports import SLOW, imported_by


def deciban(*arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "deciban", *arguments], input=data, capture_output=True)


@pytest.mark.parametrize(("file", "code", "word"), [("new-spam.eml", 0, b"spam"), ("new-ham.eml", 1, b"ham")])
def test_one_message_is_one_line_and_an_exit_code_of_bogofilter(taught, file, code, word):
    done = deciban("classify", data=(taught / file).read_bytes())
    assert (done.returncode, done.stderr) == (code, b"")
    label, decibans, unit, probability = done.stdout.split()
    assert (label, unit) == (word, b"dB")
    assert float(decibans) > 0
    assert 0.5 < float(probability.removeprefix(b"p=")) <= 1
    assert main(["classify", str(taught / file)]) == code


@pytest.mark.parametrize(("file", "code"), [("new-spam.eml", 0), ("new-ham.eml", 1)])
def test_one_message_waits_for_no_slow_module(taught, file, code):
    done, imported = imported_by("classify", stdin=(taught / file).read_bytes())
    assert done == code
    assert "deciban.filter.filter" in imported
    assert sorted(SLOW.intersection(imported)) == []


def test_while_one_label_was_taught_everything_is_unsure(mails, database, capsys):
    main(["learn", "spam", str(mails / "spam")])
    capsys.readouterr()
    assert main(["classify", str(mails / "new-spam.eml")]) == 2
    assert capsys.readouterr().out == "unsure  nothing to choose between yet: teach at least two labels\n"


def test_without_a_database_the_exit_code_is_3(mails, database, capsys):
    assert main(["classify", str(mails / "new-spam.eml")]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "deciban learn" in captured.err
    assert not database.exists()


def test_many_messages_are_a_table_with_counts(taught, capsys):
    assert main(["classify", str(taught / "spam"), str(taught / "new-ham.eml")]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert len(lines) == 21
    assert lines[0].startswith("spam ")
    assert lines[0].endswith(f"  {taught}/spam/0.eml  free money")
    assert lines[-1].startswith("ham ")
    assert captured.err == "deciban: 21 messages: 20 spam, 1 ham\n"


def test_json_is_one_object_a_line(taught, capsys):
    assert main(["classify", "--json", str(taught / "new-spam.eml")]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["id"] == str(taught / "new-spam.eml")
    assert record["verdict"] == record["label"] == "spam"
    assert record["unsure"] is False
    assert record["probability"] == record["probabilities"]["spam"]
    assert sum(record["probabilities"].values()) == pytest.approx(1)
    assert len(record["digest"]) == 32
    assert main(["classify", "--json", str(taught / "ham")]) == 0
    assert len([json.loads(line) for line in capsys.readouterr().out.splitlines()]) == 20


def test_nothing_on_standard_input_is_a_failure(taught):
    done = deciban("classify")
    assert done.returncode == 3
    assert done.stderr.startswith(b"deciban: ")


def test_subjects_cannot_reach_the_terminal(taught, capsys):
    (taught / "spam" / "evil.eml").write_bytes(b"Subject: \x1b[2J\x07 \xe2\x80\xae\n\nx\n")
    main(["classify", str(taught / "spam")])
    shown = capsys.readouterr().out
    assert "\\x1b[2J\\x07 \\u202e" in shown
    assert "\x1b" not in shown


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_filter_of_somebody_else_is_only_read(taught, database):
    for path in (*database.parent.iterdir(), database.parent):
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        assert main(["classify", str(taught / "new-spam.eml")]) == 0
    finally:
        database.parent.chmod(0o700)
