"""Teaching by folder, with real Maildirs, mboxes and a Takeout mbox."""

import mailbox
import subprocess
import sys

import pytest

from deciban.filter import Filter
from deciban.sources.mail_folders import mail_folders

DECIBAN = (sys.executable, "-m", "deciban")


def letters(word, count):
    return [f"From: a@example.org\nSubject: {word} {number}\n\n{word} {number}\n" for number in range(count)]


def run(*arguments):
    return subprocess.run([*DECIBAN, *map(str, arguments)], capture_output=True, text=True)


def labels(database):
    with Filter.open(str(database), create=False) as mail_filter:
        assert mail_filter.is_replay()
        return mail_filter.labels()


@pytest.fixture
def maildir(tmp_path):
    root = mailbox.Maildir(tmp_path / "Maildir")
    for letter in letters("lunch", 5):
        root.add(letter)
    for name, word, count in (
        ("Junk", "pills", 25),
        ("Trash", "gone", 4),
        ("Work.Clients", "invoice", 8),
        ("Entw&APw-rfe", "draft", 2),
    ):
        folder = root.add_folder(name)
        for letter in letters(word, count):
            folder.add(letter)
    return tmp_path / "Maildir"


def test_every_folder_is_a_label_junk_is_spam_and_trash_is_left_out(maildir, database):
    done = run("learn", "--by-folder", maildir)
    assert done.returncode == 0
    assert done.stdout == "learned 38 messages as spam (25), Work/Clients (8), INBOX (5)\n"
    assert done.stderr.startswith("deciban: left out: Entwürfe, Trash; trash is never taught")
    assert labels(database) == {"spam": 25, "Work/Clients": 8, "INBOX": 5}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_mapping_names_folders_otherwise_but_never_trash(maildir, database, tmp_path, jobs):
    mapping = tmp_path / "labels.txt"
    mapping.write_text("work/* = work\nINBOX = ham\nTrash = ham\nentwürfe = ham\n", encoding="utf-8")
    done = run("learn", "--jobs", jobs, "--by-folder", maildir, "--map", mapping)
    assert done.returncode == 0
    assert labels(database) == {"spam": 25, "work": 8, "ham": 7}


def test_mbox_files_and_folders_of_files_are_folders(tmp_path, database):
    root = tmp_path / "Mail"
    (root / "garden").mkdir(parents=True)
    for number, letter in enumerate(letters("roses", 3)):
        (root / "garden" / f"{number}.eml").write_text(letter)
    for name, word in (("Work", "invoice"), ("junk.mbox", "pills"), ("Deleted Items", "gone")):
        box = mailbox.mbox(root / name)
        for letter in letters(word, 4):
            box.add(letter)
        box.close()
    (root / "Work.msf").write_text("an index of Thunderbird")
    assert sorted(folder.name for folder in mail_folders(str(root))) == [
        "Deleted Items",
        "Work",
        "garden",
        "junk",
    ]
    assert run("learn", "--by-folder", root).returncode == 0
    assert labels(database) == {"garden": 3, "Work": 4, "spam": 4}


def test_a_takeout_is_split_by_the_labels_of_gmail(tmp_path, database):
    box = tmp_path / "All mail.mbox"
    with open(box, "w") as file:
        for kept, word, count in (
            ("Inbox,Opened", "lunch", 5),
            ("Spam,Unread", "pills", 25),
            ("Trash", "gone", 3),
            ('Inbox,"Bills, paid",Important', "bill", 4),
            ("Inbox,Category Promotions", "sale", 3),
            ("Sent", "mine", 2),
        ):
            for letter in letters(word, count):
                file.write(f"From x Thu Aug 22 12:36:23 2002\nX-Gmail-Labels: {kept}\n{letter}\n")
    done = run("learn", "--by-folder", box)
    assert done.returncode == 0
    assert "left out: 5 messages" in done.stderr
    assert labels(database) == {"inbox": 5, "spam": 25, "Bills, paid": 4, "promotions": 3}
    plain = run("read", "--features", "all", "--json", f"{box}@0")
    assert "gmail" not in plain.stdout.lower().replace(str(box).lower(), "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--by-folder", "{empty}"], "there is no mail folder to learn in"),
        (["--by-folder", "{mail}"], "has no X-Gmail-Labels"),
        (["--by-folder", "{maildir}", "ham", "x"], "takes the place of LABEL and FILE"),
        (["--by-folder", "{maildir}", "--map", "{mail}"], "must be FOLDER = LABEL"),
        (["--by-folder", "{maildir}", "--map", "/no/such/file"], "nothing was learned"),
        (["ham", "{mail}", "--map", "{mail}"], "--map is for --by-folder"),
        ([], "say what the messages are"),
    ],
)
def test_mistakes_are_one_line_and_make_no_database(maildir, tmp_path, database, arguments, words):
    (tmp_path / "empty").mkdir()
    (tmp_path / "mail.eml").write_text("Subject: x\n\nhi\n")
    places = {"maildir": maildir, "empty": tmp_path / "empty", "mail": tmp_path / "mail.eml"}
    done = run("learn", *(word.format(**places) for word in arguments))
    assert done.returncode == 3
    assert words in done.stderr.splitlines()[-1]
    assert not database.exists()


def test_sent_mail_that_a_mapping_names_is_taught_as_sent(maildir, database, tmp_path):
    folder = mailbox.Maildir(maildir).add_folder("Sent")
    for letter in letters("reply", 3):
        folder.add(letter)
    mapping = tmp_path / "labels.txt"
    mapping.write_text("Sent = ham\nINBOX = ham\n", encoding="utf-8")
    done = run("learn", "--by-folder", maildir, "--map", mapping)
    assert "taught as sent" in done.stderr
    with Filter.open(str(database), create=False) as mail_filter:
        origins = sorted(lesson.origin for lesson in mail_filter.lessons() if lesson.label == "ham")
    assert origins == ["incoming"] * 5 + ["sent"] * 3
