import json

from deciban.cli import main
from deciban.filter import Filter
from deciban.sources import RawMessage
from tests.filter.mails import teach


def test_labels_are_listed_with_their_lessons_and_strongest_words(taught, capsys):
    assert main(["show", "--top", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert set(lines[:2]) == {"spam  20 lessons", "ham   20 lessons"}
    assert [line.split(",")[0] for line in lines if line.startswith("strongest")] == [
        f"strongest for {line.split()[0]}" for line in lines[:2]
    ]
    assert sum(line.startswith(("  +", " +", "+")) for line in lines) == 6


def test_the_strongest_words_come_as_json_too(taught, capsys):
    assert main(["show", "--json", "--top", "5"]) == 0
    strongest = json.loads(capsys.readouterr().out)["strongest"]
    assert {label: len(words) for label, words in strongest.items()} == {"spam": 5, "ham": 5}
    assert all(word["decibans"] > 0 and word["counts"]["spam"] for word in strongest["spam"])


def test_what_was_learned_about_a_word_is_shown_by_label(taught, capsys):
    assert main(["show", "--json", "subject:money", "never-seen"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["labels"] == {"spam": 20, "ham": 20}
    money = record["words"]["subject:money"]
    assert money["spam"]["decibans"] > 0 > money["ham"]["decibans"]
    assert set(record["words"]["never-seen"]["spam"]["counts"].values()) == {0}
    assert main(["show", "subject:money"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "subject:money"
    assert any(line.startswith("  spam  counted ") for line in lines)


def test_the_scale_is_told(taught, capsys):
    for words in ([], ["money"]):
        assert main(["show", *words]) == 0
        out = capsys.readouterr().out
        assert "decibans of a message with this word alone" in out
        assert "deciban why" in out


def test_on_a_shared_filter_own_lessons_are_told_from_the_foundation(taught, tmp_path, capsys):
    own, state = ["--db", str(tmp_path / "own.db")], str(tmp_path / "site.state")
    main(["show", "--json", "subject:money"])
    alone = json.loads(capsys.readouterr().out)["words"]["subject:money"]["spam"]
    main(["publish", state])
    main(["prefer", *own, "--shared", state])
    main(["learn", "ham", *own, str(taught / "new-spam.eml")])
    capsys.readouterr()
    main(["show", "--json", *own, "subject:money"])
    record = json.loads(capsys.readouterr().out)
    word = record["words"]["subject:money"]["spam"]
    assert record["labels"] == {"ham": 1}
    assert record["shared"] == {"spam": 20, "ham": 20}
    assert word["shared"] == alone
    assert word["decibans"] < alone["decibans"]
    main(["show", *own, "subject:money"])
    assert "; shared " in capsys.readouterr().out
    main(["show", *own])
    assert "ham   1 lesson, and 20 of the shared filter" in capsys.readouterr().out


def test_words_cannot_reach_the_terminal(taught, database, capsys):
    main(["show", "\x1b[2J"])
    with Filter.open(str(database)) as mail_filter:
        evil = [
            RawMessage(str(n), f"Subject: \x1b[2J\u202e{n}\n\n\u202eevil{n} \x9b".encode()) for n in range(30)
        ]
        teach(mail_filter, "spam", evil)
    main(["show", "--top", "500"])
    out = capsys.readouterr().out
    assert not {"\x1b", "\u202e", "\x9b"} & set(out)
