import json

import pytest

from deciban.cli import main
from deciban.errors import UnknownKey
from deciban.spaces import Spaces


@pytest.fixture
def folder(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DECIBAN_SPACES", str(tmp_path / "spaces"))
    assert main(["space", "add", "ann@example.org"]) == 0
    capsys.readouterr()
    return str(tmp_path / "spaces")


def test_a_key_is_shown_once_listed_without_its_secret_and_revoked(folder, capsys):
    assert (
        main(["key", "add", "--space", "Ann@example.org", "--rights", "classify,learn", "--note", "milter"])
        == 0
    )
    text = capsys.readouterr().out.strip()
    with Spaces(folder) as spaces:
        key = spaces.keys.unlock(text)
        assert key.allows("learn", spaces.find("ann@example.org").id, "ann@example.org")
    assert main(["key", "list"]) == 0
    listed = capsys.readouterr().out
    assert key.id in listed
    assert "ann@example.org" in listed
    assert text.rpartition("_")[2] not in listed
    assert main(["key", "revoke", key.id]) == 0
    with Spaces(folder) as spaces, pytest.raises(UnknownKey):
        spaces.keys.unlock(text)


def test_keys_in_json(folder, capsys):
    assert main(["key", "add", "--pattern", "*@example.org", "--rights", "read", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["pattern"] == "*@example.org"
    assert main(["key", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed == {name: value for name, value in made.items() if name != "key"}


@pytest.mark.parametrize(
    "words",
    [
        ["add", "--all"],
        ["add", "--rights", "read"],
        ["add", "--all", "--space", "ann@example.org", "--rights", "read"],
        ["add", "--all", "--rights", "everything"],
        ["add", "--all", "--rights", "read", "--expires", "2001-01-01"],
        ["add", "--space", "nobody", "--rights", "read"],
        ["revoke"],
        ["revoke", "0123"],
        ["list", "0123"],
    ],
)
def test_what_cannot_be_meant_is_one_line_and_makes_no_key(folder, capsys, words):
    assert main(["key", *words]) == 3
    assert capsys.readouterr().err.count("\n") == 1
    with Spaces(folder) as spaces:
        assert spaces.keys.all() == []


def test_rights_without_their_flag_are_told_where_they_belong(folder, capsys):
    assert main(["key", "add", "classify", "learn", "--all"]) == 3
    assert "--rights classify,learn" in capsys.readouterr().err
