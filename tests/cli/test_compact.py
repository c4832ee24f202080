import json

import pytest

from deciban.cli import main

YEAR = ["compact", "--before", "2099-01-01"]


@pytest.fixture
def compacted(taught, capsys):
    assert main([*YEAR, "--yes"]) == 0
    assert capsys.readouterr().out == "folded: 40 lessons, learned for good\n"
    return taught


def test_nothing_is_folded_where_nobody_can_be_asked(taught, capsys):
    assert main(YEAR) == 3
    assert "--yes" in capsys.readouterr().err
    assert main(["compact"]) == 3
    assert "--before" in capsys.readouterr().err
    main(["export"])
    assert "40 lessons exported\n" in capsys.readouterr().err


def test_a_folded_filter_classifies_as_before_and_says_what_it_is(compacted, capsys):
    assert main(["classify", str(compacted / "new-spam.eml")]) == 0
    capsys.readouterr()
    main(["status"])
    assert "40 of them" in capsys.readouterr().out
    main(["status", "--json"])
    assert json.loads(capsys.readouterr().out)["folded"]["lessons"] == 40


def test_there_is_nothing_to_fold_twice(compacted, capsys):
    assert main([*YEAR, "--yes"]) == 3
    assert "no lesson" in capsys.readouterr().err


def test_every_verb_tells_about_folded_lessons(compacted, tmp_path, database, capsys):
    mail = str(compacted / "spam" / "0.eml")
    assert main(["forget", "--yes", mail]) == 3
    assert "folded" in capsys.readouterr().err
    assert main(["forget", "--yes", "--sender", "winner@spam.example"]) == 3
    assert "40 lessons were folded" in capsys.readouterr().err
    assert main(["learn", "spam", mail]) == 0
    assert "1 known already" in capsys.readouterr().out
    assert main(["learn", "ham", mail]) == 0
    assert "beside a folded lesson" in capsys.readouterr().out
    assert main(["export"]) == 0
    assert "40 folded ones" in capsys.readouterr().err
    assert main(["merge", "--db", str(tmp_path / "other.db"), str(database)]) == 0
    assert "1 lesson taken over; 40 folded lessons cannot be" in capsys.readouterr().out
