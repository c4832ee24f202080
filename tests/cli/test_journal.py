import json
import os
import subprocess
import sys

import pytest

from deciban.cli import main
from deciban.filter.tagging import identity_in
from deciban.text import read


def listed(capsys, *arguments):
    capsys.readouterr()
    assert main(["journal", "--json", *arguments]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def filtered(data, *arguments):
    command = [sys.executable, "-m", "deciban", "filter", *arguments]
    return subprocess.run(command, input=data, capture_output=True, check=True)


def test_a_verdict_is_kept_found_corrected_and_undone(taught, capsys):
    assert main(["classify", "--journal", str(taught / "new-spam.eml")]) == 0
    (entry,) = listed(capsys, "money", "winner@spam.example")
    assert entry["verdict"]["verdict"] == "spam"
    assert (entry["door"], entry["done"], entry["outcome"]) == ("classify", "told", None)
    assert main(["correct", entry["entry"], "ham", "--by", "ann"]) == 0
    assert capsys.readouterr().out == "learned as ham\n"
    assert listed(capsys, "--corrected")[0]["outcome"]["label"] == "ham"
    main(["lessons", "--by", "ann", "--json"])
    assert json.loads(capsys.readouterr().out)["digest"] == entry["digest"]
    assert main(["undo", entry["entry"]]) == 0
    assert listed(capsys)[0]["outcome"] is None
    main(["status", "--json"])
    assert json.loads(capsys.readouterr().out)["lessons"] == {"spam": 20, "ham": 20}


def test_classify_tells_the_entry_of_each_message(taught, capsys):
    main(["classify", "--journal", "--json", str(taught / "spam"), str(taught / "ham")])
    told = [json.loads(line)["entry"] for line in capsys.readouterr().out.splitlines()]
    assert {entry["entry"] for entry in listed(capsys, "--limit", "0")} == {*told}
    assert len(told) == 40


def test_filter_writes_the_id_and_takes_off_what_came_along(taught, capsys):
    message = (taught / "new-spam.eml").read_bytes()
    forged = b"X-Deciban-Id: 00112233445566778899aabbccddeeff\n" + message
    done = filtered(forged, "--journal")
    assert done.stderr == b""
    (entry,) = listed(capsys)
    assert identity_in(done.stdout).hex() == entry["entry"] != "00112233445566778899aabbccddeeff"
    assert done.stdout.lower().count(b"x-deciban-id") == 1
    assert read(done.stdout).digest == read(message).digest
    assert identity_in(filtered(forged).stdout) == b""


def test_learning_a_tagged_message_marks_its_entry(taught, capsys):
    done = filtered((taught / "new-spam.eml").read_bytes(), "--journal")
    (taught / "stored.eml").write_bytes(
        b"Received: by mx.example; Mon, 2 Jan 2006 15:04:05 +0000\n" + done.stdout
    )
    assert main(["learn", "ham", str(taught / "stored.eml")]) == 0
    (entry,) = listed(capsys)
    assert entry["outcome"]["label"] == "ham"


def test_learning_by_processes_marks_entries_too(taught, capsys):
    main(["classify", "--journal", str(taught / "new-spam.eml"), str(taught / "new-ham.eml")])
    assert (
        main(["learn", "--jobs", "2", "ham", str(taught / "new-ham.eml"), str(taught / "new-spam.eml")]) == 0
    )
    assert [entry["outcome"]["label"] for entry in listed(capsys)] == ["ham", "ham"]


def test_one_entry_is_told_with_the_subtotals_of_its_verdict(taught, capsys):
    main(["classify", "--journal", str(taught / "new-spam.eml")])
    (record,) = listed(capsys)
    identity, subtotals = record["entry"], record["verdict"]["subtotals"]
    assert sum(subtotals.values()) == pytest.approx(record["verdict"]["decibans"])
    main(["correct", identity, "ham"])
    capsys.readouterr()
    assert main(["journal", "--entry", identity]) == 0
    told = capsys.readouterr().out
    for text in (
        "door      classify: told",
        "verdict   spam, +",
        "words +",
        "letters +",
        "taught    as ham, 2",
    ):
        assert text in told
    assert main(["journal", "--entry", "0" * 32]) == 3


def test_a_journal_that_cannot_be_written_keeps_no_mail_back(taught, database):
    os.mkdir(f"{database}.journal")
    message = (taught / "new-spam.eml").read_bytes()
    done = filtered(message, "--journal")
    assert done.stdout.startswith(b"X-Deciban: spam")
    assert done.stdout.endswith(message)
    assert done.stderr.count(b"\n") == 1
    assert b"journal" in done.stderr


def test_forget_erases_entries_also_of_messages_that_were_only_judged(taught, database, capsys):
    main(["classify", "--journal", str(taught / "new-spam.eml"), str(taught / "new-ham.eml")])
    capsys.readouterr()
    assert main(["forget", "--yes", str(taught / "new-ham.eml")]) == 0
    assert "1 entry of the journal" in capsys.readouterr().out
    assert main(["forget", "--yes", "--sender", "winner@spam.example", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["entries"] == 1
    assert listed(capsys) == []
    with open(f"{database}.journal", "rb") as file:
        data = file.read()
    assert b"as never seen" not in data
    assert b"winner@spam.example" not in data


def test_entries_are_kept_for_so_many_days(taught, capsys):
    main(["classify", "--journal", str(taught / "new-spam.eml")])
    assert main(["journal", "--days", "0"]) == 0
    assert "0 entries" in capsys.readouterr().out
    main(["classify", "--journal", str(taught / "new-spam.eml")])
    assert listed(capsys) == []


def test_journal_of_a_space(mails, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DECIBAN_SPACES", str(tmp_path / "spaces"))
    monkeypatch.setenv("DECIBAN_JOURNAL", "yes")
    main(["space", "add", "ann", "bob"])
    assert main(["classify", "--space", "ann", str(mails / "new-spam.eml")]) == 2
    (entry,) = listed(capsys, "--space", "ann")
    assert listed(capsys, "--space", "bob") == []
    assert main(["correct", "--space", "bob", entry["entry"], "ham"]) == 3
    assert main(["correct", "--space", "ann", entry["entry"], "ham"]) == 0
    assert main(["space", "delete", "ann", "--yes"]) == 0
    files = [path for path in (tmp_path / "spaces").rglob("*") if path.is_file()]
    assert not [path for path in files if b"winner@spam.example" in path.read_bytes()]


@pytest.mark.parametrize(
    "words",
    [
        ["journal"],
        ["correct", "00" * 16, "ham"],
        ["correct", "nonsense", "ham"],
        ["undo", "00" * 16],
        ["undo"],
    ],
)
def test_without_a_journal_or_an_entry_there_is_one_line(taught, database, capsys, words):
    assert main(words) == 3
    assert capsys.readouterr().err.count("\n") == 1
    assert not os.path.exists(f"{database}.journal")


def test_learn_and_classify_go_on_without_a_journal_that_cannot_be_opened(taught, database, capsys):
    os.mkdir(f"{database}.journal")
    assert main(["classify", "--journal", str(taught / "new-spam.eml")]) == 0
    assert main(["learn", "ham", str(taught / "new-ham.eml")]) == 0
    captured = capsys.readouterr()
    assert "learned 1 message as ham" in captured.out
    assert captured.err.count("\n") == 2
