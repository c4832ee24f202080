import pytest

from deciban.cli import main


@pytest.fixture
def published(taught, tmp_path, capsys):
    path = tmp_path / "site.state"
    assert main(["publish", str(path)]) == 0
    assert "published: 40 lessons" in capsys.readouterr().out
    return path


def test_others_rest_on_what_was_published(taught, published, tmp_path, capsys):
    own = ["--db", str(tmp_path / "own.db")]
    assert main(["prefer", *own, "--shared", str(published)]) == 0
    assert f"shared    {published}" in capsys.readouterr().out
    assert main(["classify", *own, str(taught / "new-spam.eml")]) == 0
    assert main(["learn", "ham", *own, str(taught / "new-spam.eml")]) == 0
    capsys.readouterr()
    main(["status", *own])
    out = capsys.readouterr().out
    assert ": 1 lesson\n" in out
    assert f"Rests on {published} (" in out
    assert "another version" not in out


def test_a_new_version_is_told_and_taken_over(taught, published, tmp_path, capsys):
    own = ["--db", str(tmp_path / "own.db")]
    main(["prefer", *own, "--shared", str(published)])
    main(["learn", "spam", str(taught / "new-spam.eml")])
    main(["publish", str(published)])
    capsys.readouterr()
    main(["status", *own])
    assert "another version" in capsys.readouterr().out
    # The version that was pinned stays as long as somebody rests on it.
    (tmp_path / "own.db.snapshot").unlink()
    assert main(["classify", *own, str(taught / "new-spam.eml")]) == 0
    assert main(["prefer", *own, "--shared", str(published)]) == 0
    assert main(["classify", *own, str(taught / "new-spam.eml")]) == 0


def test_where_nothing_can_be_written_is_one_line(taught, capsys):
    assert main(["publish", "/no/such/folder/site.state"]) == 3
    assert capsys.readouterr().err.count("\n") == 1


def test_replacing_a_version_warns_those_who_rest_on_it(taught, tmp_path, capsys):
    state = str(tmp_path / "site.state")
    assert main(["publish", state]) == 0
    assert capsys.readouterr().err == ""
    assert main(["publish", state]) == 0
    assert capsys.readouterr().err == ""
    main(["learn", "ham", str(taught / "new-ham.eml")])
    capsys.readouterr()
    assert main(["publish", state]) == 0
    assert "this replaced another version, which stays as " in capsys.readouterr().err
