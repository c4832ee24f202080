import json
from pathlib import Path

import pytest

from deciban.cli import main
from deciban.spaces import Spaces


def erased(capsys, *arguments):
    capsys.readouterr()
    code = main(["erase", "winner@spam.example", "--yes", "--json", *arguments])
    return code, json.loads(capsys.readouterr().out)


@pytest.fixture
def spaces(mails, tmp_path, monkeypatch, capsys):
    """Two spaces that know the winner, and one that was never used."""
    folder = tmp_path / "spaces"
    monkeypatch.setenv("DECIBAN_SPACES", str(folder))
    main(["space", "add", "ann", "winner@spam.example", "unused"])
    for name in ("ann", "winner@spam.example"):
        main(["learn", "spam", str(mails / "spam"), "--space", name])
        main(["learn", "ham", str(mails / "ham"), "--space", name, "--journal"])
        main(["classify", str(mails / "new-spam.eml"), "--space", name, "--journal"])
    capsys.readouterr()
    return folder


def test_one_person_is_erased_in_the_own_filter_and_in_all_spaces(taught, database, spaces, capsys):
    code, told = erased(capsys)
    assert code == 0
    counts = {each["filter"]: (len(each["lessons"]), len(each["entries"])) for each in told["filters"]}
    assert counts == {str(database): (20, 0), "ann": (20, 1), "winner@spam.example": (20, 1)}
    main(["space", "rename", "winner@spam.example", "other"])
    for folder in (spaces, database.parent):
        for path in folder.rglob("*"):
            assert not path.is_file() or b"winner@spam.example" not in path.read_bytes(), path
    code, told = erased(capsys)
    assert not any(each["lessons"] or each["entries"] for each in told["filters"])


def test_the_report_tells_what_there_is_and_of_a_space_that_bears_the_address(spaces, capsys):
    assert main(["erase", "winner@spam.example", "--yes"]) == 0
    out = capsys.readouterr().out
    assert "ann: 20 lessons (0 kept mails), 1 in the journal" in out
    assert "deciban space delete winner@spam.example" in out
    assert out.endswith("erased\n")


def test_spaces_that_were_never_used_and_keys_that_bear_the_address_are_told(spaces, capsys):
    main(["space", "add", "joe@example.net"])
    main(["key", "add", "--all", "--rights", "classify", "--note", "for Joe@Example.net"])
    main(["key", "add", "--all", "--rights", "classify", "--note", "for somebody else"])
    capsys.readouterr()
    assert main(["erase", "joe@example.net", "--yes", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["spaces"] == ["joe@example.net"]
    (key,) = told["keys"]
    assert main(["erase", "joe@example.net", "--yes"]) == 0
    out = capsys.readouterr().out
    assert "deciban space delete joe@example.net" in out
    assert f"deciban key revoke {key}" in out


def test_one_space_alone(spaces, capsys):
    _, told = erased(capsys, "--space", "ann")
    assert [each["filter"] for each in told["filters"]] == ["ann"]
    _, told = erased(capsys, "--spaces", str(spaces))
    assert {each["filter"]: len(each["lessons"]) for each in told["filters"]} == {
        "ann": 0,
        "winner@spam.example": 20,
    }


def test_a_broken_space_is_told_and_keeps_no_other_back(spaces, capsys):
    with Spaces(str(spaces)) as opened:
        Path(opened.database_of(opened.find("ann"))).write_bytes(b"no database at all\n" * 100)
    code, told = erased(capsys)
    assert (code, told["failed"]) == (3, ["ann"])
    assert {each["filter"]: len(each["lessons"]) for each in told["filters"]} == {"winner@spam.example": 20}


def test_erasing_asks(taught, capsys):
    assert main(["erase", "winner@spam.example"]) == 3
    assert "--yes" in capsys.readouterr().err
