import json
import os

import pytest

from deciban.cli import main
from deciban.spaces import Spaces


@pytest.fixture
def folder(tmp_path, monkeypatch):
    path = tmp_path / "spaces"
    monkeypatch.setenv("DECIBAN_SPACES", str(path))
    return path


def test_every_verb_of_the_filter_works_on_a_space(mails, folder, capsys):
    assert main(["space", "add", "ann@example.org", "bob@example.org"]) == 0
    for label in ("spam", "ham"):
        assert main(["learn", label, str(mails / label), "--space", "Ann@Example.org"]) == 0
    assert main(["--space", "ann@example.org", "classify", str(mails / "new-spam.eml")]) == 0
    assert main(["classify", str(mails / "new-spam.eml"), "--space=bob@example.org"]) == 2
    capsys.readouterr()
    assert main(["--spaces", str(folder), "--space", "ann@example.org", "status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["lessons"] == {"spam": 20, "ham": 20}


def test_a_space_that_is_not_there_is_one_line_and_makes_nothing(mails, folder, capsys):
    assert main(["space", "add", "ann"]) == 0
    before = os.listdir(folder)
    capsys.readouterr()
    assert main(["learn", "spam", str(mails / "spam"), "--space", "nobody"]) == 3
    assert "There is no space 'nobody'" in capsys.readouterr().err
    assert os.listdir(folder) == before


def test_a_database_and_a_space_at_once_are_refused(mails, folder, capsys):
    assert main(["classify", "--db", "x.db", "--space", "ann", str(mails / "new-spam.eml")]) == 3
    assert "one way" in capsys.readouterr().err


def test_spaces_are_listed_renamed_and_deleted(folder, capsys):
    assert main(["space", "add", "ann", "bob", "--lessons", "10", "--bytes", "2M"]) == 0
    assert main(["space", "rename", "ann", "cleo"]) == 0
    capsys.readouterr()
    assert main(["space", "list", "--json"]) == 0
    listed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(each["name"], each["most_lessons"], each["most_bytes"]) for each in listed] == [
        ("bob", 10, 2_000_000),
        ("cleo", 10, 2_000_000),
    ]
    assert main(["space", "quota", "bob", "--lessons", "none"]) == 0
    assert main(["space", "delete", "cleo", "--yes"]) == 0
    assert "deleted: 1 space" in capsys.readouterr().out
    with Spaces(str(folder)) as spaces:
        (left,) = spaces.all()
        assert (left.name, left.quota.lessons, left.quota.bytes) == ("bob", None, 2_000_000)


def test_deleting_asks(folder, capsys):
    main(["space", "add", "ann"])
    assert main(["space", "delete", "ann"]) == 3
    assert "--yes" in capsys.readouterr().err
    assert main(["space", "list", "ann"]) == 0


def test_a_quota_stops_learn_import_and_merge(mails, folder, tmp_path, capsys):
    main(["space", "add", "ann", "--lessons", "5"])
    assert main(["learn", "spam", str(mails / "spam"), "--space", "ann"]) == 3
    assert "its 5 lessons" in capsys.readouterr().err
    other = str(tmp_path / "other.db")
    main(["learn", "spam", str(mails / "spam"), "--db", other])
    capsys.readouterr()
    main(["export", "--db", other])
    (tmp_path / "lessons.jsonl").write_text(capsys.readouterr().out)
    assert main(["merge", other, "--space", "ann"]) == 3
    assert main(["import", str(tmp_path / "lessons.jsonl"), "--space", "ann"]) == 3
    capsys.readouterr()
    main(["status", "--json", "--space", "ann"])
    assert json.loads(capsys.readouterr().out)["lessons"] == {}


@pytest.mark.parametrize(
    "words",
    [
        ["add"],
        ["rename", "a"],
        ["quota", "a"],
        ["delete"],
        ["list", "--lessons", "3"],
        ["add", "x", "--bytes", "y"],
    ],
)
def test_what_cannot_be_meant_is_one_line_and_makes_nothing(folder, capsys, words):
    assert main(["space", *words]) == 3
    assert capsys.readouterr().err.count("\n") == 1
    assert not folder.exists()


def test_filter_hands_the_mail_on_whatever_is_wrong_with_the_space(
    folder, capfdbinary, monkeypatch, tmp_path
):
    message = b"Subject: hi\n\nhello\n"
    (tmp_path / "mail").write_bytes(message)
    with open(tmp_path / "mail", "rb") as stream:
        saved = os.dup(0)
        os.dup2(stream.fileno(), 0)
        try:
            assert main(["filter", "--space", "nobody"]) == 0
        finally:
            os.dup2(saved, 0)
    assert capfdbinary.readouterr().out == message
