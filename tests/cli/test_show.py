import json

from deciban.cli import main


def test_labels_are_listed_with_their_lessons(taught, capsys):
    assert main(["show"]) == 0
    assert set(capsys.readouterr().out.splitlines()) == {"spam  20 lessons", "ham   20 lessons"}


def test_what_was_learned_about_a_word_is_shown_by_label(taught, capsys):
    assert main(["show", "--json", "subject:money", "never-seen"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["labels"] == {"spam": 20, "ham": 20}
    money = record["words"]["subject:money"]
    assert money["spam"]["weight"] > 0 > money["ham"]["weight"]
    assert {row["count"] for row in record["words"]["never-seen"].values()} == {0}
    assert main(["show", "subject:money"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "subject:money"
    assert any(line.startswith("  spam  counted ") for line in lines)


def test_words_cannot_reach_the_terminal(taught, capsys):
    main(["show", "\x1b[2J"])
    assert "\x1b" not in capsys.readouterr().out
