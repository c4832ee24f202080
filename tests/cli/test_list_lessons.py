import json

import pytest

from deciban.cli import main
from tests.cli.terminals import on_terminal


def listed(capsys, *arguments):
    assert main(["lessons", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def test_the_newest_lessons_come_first_a_page_at_a_time(taught, capsys):
    main(["learn", "ham", "--by", "ann", str(taught / "new-ham.eml")])
    capsys.readouterr()
    *lines, summary = listed(capsys)
    assert len(lines) == 20
    assert summary == "1 to 20 of 41 lessons"
    assert "lunch on friday" in lines[0]
    assert listed(capsys, "--page", "3")[-1] == "41 to 41 of 41 lessons"
    assert listed(capsys, "--page", "9") == ["nothing on this page; there are 41 lessons"]
    assert len({line.split()[0] for line in listed(capsys, "--limit", "0")[:-1]}) == 41


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (["stocks"], 4),
        (["HOT", "stocks"], 4),
        (["stocks", "nonsense"], 0),
        (["spam.example"], 20),
        (["--label", "Spam"], 20),
        (["--by", "ann"], 1),
        (["--by", "bob"], 0),
        (["--sender", "ann@example.org", "garden"], 4),
    ],
)
def test_lessons_are_found_by_words_and_by_what_is_known_of_them(taught, capsys, arguments, count):
    main(["learn", "ham", "--by", "ann", str(taught / "new-ham.eml")])
    capsys.readouterr()
    records = [json.loads(line) for line in listed(capsys, "--json", "--limit", "0", *arguments)]
    assert len(records) == count


def test_who_taught_says_what_is_forgotten(taught, capsys):
    main(["learn", "ham", "--by", "nightly", str(taught / "new-ham.eml")])
    assert main(["forget", "--by", "nightly", "--yes"]) == 0
    assert "forgotten: 1" in capsys.readouterr().out
    assert listed(capsys, "--by", "nightly") == ["0 lessons"]


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_listing_fits_the_terminal(taught, columns):
    seen = on_terminal("lessons", columns=columns)
    assert seen.code == 0
    assert all(len(line) <= columns for line in seen.text.splitlines())
    forgotten = on_terminal("forget", "--label", "spam", typed=b"n\n", columns=columns)
    assert forgotten.code == 3
    table, _, _ = forgotten.text.partition("Forget these")
    assert all(len(line) <= columns for line in table.splitlines())


def test_where_mail_came_from_is_listed_where_not_all_of_it_came_in(taught, capsys):
    assert not any(" incoming " in line for line in listed(capsys))
    main(["learn", "ham", "--origin", "sent", str(taught / "new-ham.eml")])
    capsys.readouterr()
    lines = listed(capsys)
    assert " sent " in lines[0]
    assert " incoming " in lines[1]
    assert json.loads(listed(capsys, "--json")[0])["origin"] == "sent"
