import os
import pty
import subprocess
import sys

import pytest

from deciban.cli import main
from deciban.filter import Filter, Settings
from deciban.ledger import Selection, open_ledger, sqlite_file
from deciban.text import read
from tests.filter.mails import mail as made_up
from tests.filter.mails import teach


def labels(database):
    with Filter.open(str(database), create=False) as mail_filter:
        assert mail_filter.is_replay()
        return mail_filter.labels()


def test_a_message_is_forgotten(taught, database, capsys):
    assert main(["forget", "--yes", str(taught / "spam" / "3.eml")]) == 0
    shown = capsys.readouterr().out
    assert "hot stocks" in shown
    assert shown.endswith("forgotten: 1, as if never taught\n")
    assert labels(database) == {"spam": 19, "ham": 20}


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        (["--sender", "Winner@spam.example"], {"ham": 20}),
        (["--source", "{mails}/ham"], {"spam": 20}),
        (["--source", "{mails}/ham/7.eml"], {"spam": 20, "ham": 19}),
        (["--label", "spam"], {"ham": 20}),
        (["--since", "2020-01-01"], {}),
        (["--since", "2020-01-01", "--label", "ham"], {"spam": 20}),
        (["{mails}/spam", "{mails}/ham/1.eml"], {"ham": 19}),
        (["{mails}/spam", "{mails}/ham/1.eml", "--label", "ham"], {"spam": 20, "ham": 19}),
    ],
)
def test_lessons_are_forgotten_by_what_is_known_of_them(taught, database, arguments, left):
    assert main(["forget", "--yes", *(word.format(mails=taught) for word in arguments)]) == 0
    assert labels(database) == left


def test_a_lesson_is_forgotten_by_its_digest(taught, database):
    digest = read((taught / "ham" / "0.eml").read_bytes()).digest
    assert main(["forget", "--yes", "--digest", digest.hex()]) == 0
    assert labels(database) == {"spam": 20, "ham": 19}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "say what to forget"),
        (["--yes"], "say what to forget"),
        (["--label", "spam"], "add --yes"),
        (["--yes", "--sender", "nobody@example.org"], "nothing like that was ever taught"),
        (["--yes", "--until", "2020-01-01"], "nothing like that was ever taught"),
        (["--yes", "--since", "yesterday"], "must be a date such as"),
        (["--yes", "--digest", "12"], "must be 32 hexadecimal digits"),
        (["--yes", "/no/such/file"], "is not a file"),
    ],
)
def test_bad_input_is_one_line_and_changes_nothing(taught, database, capsys, arguments, message, monkeypatch):
    with open(os.devnull) as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        assert main(["forget", *arguments]) == 3
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert labels(database) == {"spam": 20, "ham": 20}


@pytest.mark.parametrize(("answer", "code", "left"), [(b"y\n", 0, 0), (b"n\n", 3, 20), (b"\n", 3, 20)])
def test_on_a_terminal_it_asks(taught, database, answer, code, left):
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "deciban", "forget", "--label", "spam"]
    with subprocess.Popen(command, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        os.write(controller, answer)
        shown, asked = process.communicate()
    os.close(controller)
    os.close(terminal)
    assert b"Forget these 20 lessons? [y/N] " in asked
    assert shown.count(b"winner@spam.example") == 20
    assert process.returncode == code
    assert labels(database).get("spam", 0) == left


def test_a_long_list_is_cut(taught, capsys):
    main(["forget", "--yes", "--since", "2020-01-01"])
    assert "… 20 more\n" in capsys.readouterr().out


def test_a_label_is_forgotten_in_any_spelling(taught, database, capsys):
    assert main(["forget", "--label", " SPAM", "--yes"]) == 0
    assert "forgotten: 20" in capsys.readouterr().out


def logged(database):
    """What is in the database and its log."""
    return b"".join(path.read_bytes() for path in database.parent.iterdir() if "snapshot" not in path.name)


@pytest.mark.parametrize(
    ("next_one", "said"),
    [
        (["forget", "--yes", "--source", "{mails}/spam/3.eml"], "nothing more to forget\n"),
        (["learn", "spam", "{mails}/new-spam.eml"], "learned"),
        (["prefer", "--cost", "20"], "cost      20"),
    ],
)
def test_what_a_reader_kept_from_being_erased_is_erased_by_the_next_command(
    taught, database, monkeypatch, capsys, next_one, said
):
    monkeypatch.setattr(sqlite_file, "PATIENCE_SECONDS", 0.01)
    source = str(taught / "spam" / "3.eml")
    digest = read((taught / "spam" / "3.eml").read_bytes()).digest
    with open_ledger(str(database)) as reader, reader.reading():
        assert reader.count_of(Selection()) == 40
        assert main(["forget", "--yes", "--source", source]) == 0
        shown = capsys.readouterr()
        assert shown.out.endswith("forgotten: 1, as if never taught\n")
        assert "traces of it stay for now" in shown.err
        assert digest in logged(database)
    assert main([word.format(mails=taught) for word in next_one]) == 0
    shown = capsys.readouterr()
    assert said in shown.out + shown.err
    assert digest not in logged(database)
    assert labels(database)["ham"] == 20


def test_after_a_finished_forgetting_there_is_nothing_to_forget(taught, database, capsys):
    source = str(taught / "spam" / "3.eml")
    assert main(["forget", "--yes", "--source", source]) == 0
    assert main(["forget", "--yes", "--source", source]) == 3
    assert "forgotten already" in capsys.readouterr().err


@pytest.mark.parametrize("way", ["--digest", "the message"])
def test_forgetting_a_late_message_takes_no_more_work_in_a_long_ledger_than_in_a_short_one(
    tmp_path, monkeypatch, way
):
    """Counted in the steps of SQLite: reading ten times as many lessons would take ten times as many."""
    short, long = (steps_to_forget(tmp_path / str(count), count, monkeypatch, way) for count in (120, 1200))
    assert 0 < long < 1.5 * short


def steps_to_forget(folder, count, monkeypatch, way):
    """How many hundreds of SQLite's steps it takes to forget one of the last lessons."""
    folder.mkdir()
    path = str(folder / "mail.db")
    monkeypatch.setattr("deciban.filter.checkpoints.NEAREST", 8)
    with Filter.open(path, Settings(bits=12, salt=1)) as filter_:
        filter_.checkpoints.nearest = 8
        for first in range(0, count, 10):  # no run of one label is long enough to be mixed
            for label in ("spam", "ham"):
                teach(filter_, label, (made_up(label, number) for number in range(first, first + 5)))
    late = made_up("ham", count - 6).data
    (folder / "late.eml").write_bytes(late)
    words = ["--digest", read(late).digest.hex()] if way == "--digest" else [str(folder / "late.eml")]
    steps = []
    open_file = sqlite_file.open_file

    def counting(*arguments, **options):
        connection = open_file(*arguments, **options)
        connection.set_progress_handler(lambda: steps.append(1), 100)
        return connection

    with monkeypatch.context() as watched:
        watched.setattr(sqlite_file, "open_file", counting)
        assert main(["forget", "--yes", *words, "--db", path]) == 0
    return len(steps)
