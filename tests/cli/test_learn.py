import hashlib
import os
import re
import signal
import stat
import subprocess
import sys
from collections import Counter

import pytest

from deciban.cli import main
from deciban.filter import Filter
from deciban.filter.learned import BATCH_LESSONS
from deciban.ledger.facts import MIXING_DUE
from tests.cli.imports import SLOW, imported_by
from tests.filter.mails import WORDS, mail


def labels(database):
    with Filter.open(str(database), create=False) as mail_filter:
        return mail_filter.labels()


def wait_for_lessons(database, count):
    """Look until another process has acknowledged so many lessons."""
    while not database.exists() or labels(database).get("spam", 0) < count:
        pass


def test_learning_tells_how_much_was_new(mails, database, capsys):
    assert main(["learn", "spam", str(mails / "spam")]) == 0
    assert capsys.readouterr().out == "learned 20 messages as spam\n"
    assert main(["learn", "spam", str(mails / "spam"), str(mails / "new-spam.eml")]) == 0
    assert capsys.readouterr().out == "learned 1 message as spam, 20 known already\n"
    assert labels(database) == {"spam": 21}


def test_a_folder_waits_for_no_slow_module(mails, database):
    done, imported = imported_by("learn", "spam", str(mails / "spam"))
    assert done == 0
    assert "deciban.filter.filter" in imported
    assert sorted((SLOW | {"fnmatch", "signal"}).intersection(imported)) == []


def test_another_label_takes_the_first_lesson_back(taught, database, capsys):
    assert main(["learn", "ham", str(taught / "spam" / "3.eml")]) == 0
    assert capsys.readouterr().out == "learned 0 messages as ham, 1 relearned that had another label\n"
    assert labels(database) == {"spam": 19, "ham": 21}


def test_after_one_label_a_second_is_asked_for(mails, database, capsys):
    main(["learn", "spam", str(mails / "spam")])
    assert "teach a second label" in capsys.readouterr().err
    main(["learn", "ham", str(mails / "ham")])
    assert capsys.readouterr().err == ""


def test_a_message_is_learned_from_standard_input(mails, database):
    command = [sys.executable, "-m", "deciban", "learn", "ham", "-"]
    with open(mails / "new-ham.eml", "rb") as file:
        done = subprocess.run(command, stdin=file, capture_output=True, text=True, check=True)
    assert done.stdout == "learned 1 message as ham\n"


@pytest.mark.parametrize(
    ("label", "source", "message"),
    [
        ("spam", "/no/such/file", "'/no/such/file' is not a file"),
        ("", ".", "label"),
        ("x" * 1000, ".", "label"),
    ],
)
def test_bad_input_changes_nothing(database, capsys, label, source, message):
    assert main(["learn", label, source]) == 3
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert not database.exists()


def test_a_source_in_which_nothing_can_be_read_is_a_failure(tmp_path, database, capsys):
    (tmp_path / "junk").mkdir()
    (tmp_path / "junk" / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    assert main(["learn", "spam", str(tmp_path / "junk")]) == 3
    assert "a.png: not mail but a PNG image\n" in capsys.readouterr().err


def test_the_default_database_is_private(mails, tmp_path, monkeypatch):
    monkeypatch.delenv("DECIBAN_DB", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    assert main(["learn", "spam", str(mails / "new-spam.eml")]) == 0
    folder = tmp_path / "share" / "deciban"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}


def test_a_label_cannot_reach_the_terminal(mails, database, capsys):
    assert main(["learn", "\x1b[2J", str(mails / "new-ham.eml")]) == 3
    assert "\x1b" not in capsys.readouterr().err


def test_an_interrupt_keeps_what_was_acknowledged_and_tells_where_it_stopped(database):
    command = [sys.executable, "-m", "deciban", "learn", "spam", "-"]
    separator = b"From joe Thu Aug 22 12:36:23 2002\n"
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        # Two batches and a half; the pipe stays open, so the command waits for more when it is interrupted.
        for number in range(BATCH_LESSONS * 5 // 2):
            process.stdin.write(separator + b"Subject: %d\n\nfree money\n\n" % number)
        process.stdin.flush()
        wait_for_lessons(database, BATCH_LESSONS)
        process.send_signal(signal.SIGINT)
        told = process.stderr.read().decode()
        process.stdin.close()
    assert process.returncode == 130
    kept = labels(database)["spam"]
    assert kept in (BATCH_LESSONS, 2 * BATCH_LESSONS)
    assert told.startswith(f"deciban: interrupted; learned {kept} messages as spam up to -@")
    assert "goes on from there" in told
    assert told.count("\n") == 1
    with Filter.open(str(database)) as mail_filter:
        assert mail_filter.is_replay()


def test_several_threads_learn_what_one_does(mails, tmp_path, capsys):
    told = []
    for jobs in ("1", "2"):
        database = tmp_path / f"{jobs}.db"
        for label in ("ham", "spam"):
            assert main(["learn", "--db", str(database), "--jobs", jobs, label, str(mails / label)]) == 0
        with Filter.open(str(database)) as mail_filter:
            told.append([(lesson.source, lesson.label, lesson.features) for lesson in mail_filter.lessons()])
            assert mail_filter.is_replay()
    assert told[0] == told[1]
    assert len(told[0]) == 40


def test_an_interrupt_of_several_threads_tells_where_it_stopped(database):
    command = [sys.executable, "-m", "deciban", "learn", "--jobs", "2", "spam", "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, process_group=0
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        for number in range(1200):
            process.stdin.write(b"From joe Thu Aug 22 12:36:23 2002\nSubject: %d\n\nfree money\n\n" % number)
        process.stdin.flush()
        wait_for_lessons(database, BATCH_LESSONS)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to everybody in the foreground
        told = process.stderr.read().decode()  # to its end: nobody holds it any more
        process.stdin.close()
    assert process.returncode == 130
    kept = labels(database)["spam"]
    assert told.startswith(f"deciban: interrupted; learned {kept} messages as spam up to -@")
    assert told.count("\n") == 1


def test_a_cluster_that_is_not_there_is_one_line(mails, database, capsys, monkeypatch):
    pytest.importorskip("distributed", reason="needs the extra `cluster`")
    monkeypatch.setattr("deciban.engines.dask_cluster.CONNECT_SECONDS", 0.2)
    assert main(["learn", "--cluster", "dask://127.0.0.1:1", "spam", str(mails / "spam")]) == 3
    assert "No Dask scheduler answers at 'tcp://127.0.0.1:1'" in capsys.readouterr().err


def test_no_jobs_are_refused(mails, database, capsys):
    assert main(["learn", "--jobs", "0", "spam", str(mails / "spam")]) == 3
    assert "must be 1 or more" in capsys.readouterr().err
    assert not database.exists()


@pytest.mark.parametrize("label", ["Spam", "SPAM", " spam"])
def test_spam_in_any_spelling_is_spam(mails, database, capsys, label):
    assert main(["learn", label, str(mails / "spam")]) == 0
    assert main(["learn", "ham", str(mails / "ham")]) == 0
    assert "as spam\n" in capsys.readouterr().out
    assert labels(database) == {"spam": 20, "ham": 20}
    assert main(["classify", str(mails / "new-spam.eml")]) == 0
    assert capsys.readouterr().out.startswith("spam ")


def test_the_first_spelling_of_a_label_is_said_again(mails, database, capsys):
    main(["learn", "Work", str(mails / "ham" / "1.eml")])
    main(["learn", "work", str(mails / "ham" / "2.eml")])
    assert capsys.readouterr().out.count("as Work\n") == 2
    assert labels(database) == {"Work": 2}


@pytest.mark.parametrize("label", ["junk", "Bulk"])
def test_words_that_others_use_for_spam_get_a_hint(mails, database, capsys, label):
    assert main(["learn", label, str(mails / "spam")]) == 0
    assert "did you mean spam?" in capsys.readouterr().err
    assert labels(database) == {label: 20}


@pytest.mark.parametrize("label", ["unsure", "Unsure", "a\nb", "\x1b[31m"])
def test_a_label_that_cannot_be_one_is_one_line_and_no_database(mails, database, capsys, label):
    assert main(["learn", label, str(mails / "spam")]) == 3
    assert capsys.readouterr().err.count("\n") == 1
    assert not database.exists()


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 4 MB, where that can be had."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", place], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.decode().strip()}")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_a_full_disk_says_what_is_kept(small_disk, tmp_path, capsys):
    words = [hashlib.sha256(b"%d" % number).hexdigest() for number in range(40)]
    with open(tmp_path / "spam.mbox", "wb") as mbox:
        for number in range(2000):
            text = " ".join(f"{word[number % 40 : number % 40 + 12]}{number}" for word in words)
            mbox.write(b"From joe Thu Aug 22 12:36:23 2002\nSubject: %d\n\n%s\n\n" % (number, text.encode()))
    database = small_disk / "filter.db"
    assert main(["learn", "--db", str(database), "spam", str(tmp_path / "spam.mbox")]) == 3
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "is full" in told
    kept = re.search(r"Before that, it learned ([\d,]+) messages as spam up to .*, and that is kept", told)
    assert kept, told
    subprocess.run(["mount", "-o", "remount,size=64m", small_disk], check=True)
    assert labels(database) == {"spam": int(kept[1].replace(",", ""))}


def origins(database):
    with Filter.open(str(database), create=False) as mail_filter:
        return Counter(lesson.origin for lesson in mail_filter.lessons())


@pytest.mark.parametrize(
    "name", ["Sent", ".Sent", "Sent Items", "Gesendet", ".INBOX.Sent", "&BB4EQgQ,BEAEMAQyBDsENQQ9BD0ESwQ1-"]
)
def test_mail_in_a_sent_folder_is_taught_as_sent_and_that_is_said(mails, database, tmp_path, capsys, name):
    (mails / "ham").rename(tmp_path / name)
    assert main(["learn", "ham", str(tmp_path / name)]) == 0
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "sent mail" in line]
    assert line.endswith("counts for no promise (--origin incoming if it came in)")
    assert origins(database) == {"sent": 20}


@pytest.mark.parametrize("origin", ["incoming", "sent", "imported"])
def test_the_origin_of_mail_can_be_said(mails, database, tmp_path, capsys, origin):
    (mails / "ham").rename(tmp_path / "Sent")
    assert main(["learn", "--origin", origin, "ham", str(tmp_path / "Sent")]) == 0
    assert "sent mail" not in capsys.readouterr().err
    assert main(["learn", "--jobs", "2", "--origin", origin, "spam", str(mails / "spam")]) == 0
    assert origins(database) == {origin: 40}


def test_other_mail_came_in(mails, database):
    main(["learn", "ham", str(mails / "ham"), str(mails / "new-ham.eml")])
    assert origins(database) == {"incoming": 21}


def test_a_message_of_a_sent_maildir_is_known_by_its_folder(mails, database, tmp_path):
    folder = tmp_path / "Maildir" / ".Sent" / "cur"
    folder.mkdir(parents=True)
    (mails / "new-ham.eml").rename(folder / "1.host:2,S")
    assert main(["learn", "ham", str(folder / "1.host:2,S")]) == 0
    assert origins(database) == {"sent": 1}


def test_only_who_draws_a_sample_can_say_so(mails, database, capsys):
    assert main(["learn", "--origin", "sample", "ham", str(mails / "ham")]) == 3
    assert "sample" in capsys.readouterr().err
    assert not database.exists()


@pytest.fixture
def folders(tmp_path):
    """A folder of 25 mails for each of five labels."""
    for label in WORDS:
        (tmp_path / "folders" / label).mkdir(parents=True)
        for number in range(25):
            (tmp_path / "folders" / label / f"{number}.eml").write_bytes(mail(label, number).data)
    return tmp_path / "folders"


def waits_to_be_mixed(database):
    with Filter.open(str(database), create=False) as mail_filter:
        return mail_filter.ledger.fact(MIXING_DUE) is not None


def test_folders_taught_by_commands_wait_for_the_first_question(folders, database, capsys):
    waited = []
    for label in WORDS:
        assert main(["learn", label, str(folders / label)]) == 0
        waited.append(waits_to_be_mixed(database))
    assert waited == [True, False, True, True, True]
    assert main(["check"]) == 0
    capsys.readouterr()
    for label in WORDS:
        (folders / "new.eml").write_bytes(mail(label, 100).data)
        main(["classify", str(folders / "new.eml")])
        assert label in capsys.readouterr().out
        assert not waits_to_be_mixed(database)
    for number in range(200, 225):
        (folders / "spam" / f"{number}.eml").write_bytes(mail("spam", number).data)
    assert main(["learn", "spam", str(folders / "spam")]) == 0
    assert not waits_to_be_mixed(database)


def test_all_folders_taught_by_one_command_are_mixed_at_once(folders, database):
    assert main(["learn", "--by-folder", str(folders)]) == 0
    assert len(labels(database)) == 5
    assert not waits_to_be_mixed(database)


def test_the_folders_of_a_space_are_mixed_at_once(folders, tmp_path, monkeypatch):
    monkeypatch.setenv("DECIBAN_SPACES", str(tmp_path / "spaces"))
    assert main(["space", "add", "ann"]) == 0
    for label in WORDS:
        assert main(["learn", label, str(folders / label), "--space", "ann"]) == 0
    (database,) = (tmp_path / "spaces").glob("*/filter.db")
    assert not waits_to_be_mixed(database)
