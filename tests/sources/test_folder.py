import gzip
import os
from pathlib import Path

from deciban.sources import open_source

MAIL = b"Subject: hi\n\nhello\n"


def read(folder: Path) -> tuple[list[str], list[str]]:
    source = open_source(str(folder))
    ids = [message.id.removeprefix(f"{folder}/") for message in source]
    return ids, [f"{record.id.removeprefix(f'{folder}/')}: {record.reason}" for record in source.skipped]


def test_a_tree_is_read_files_first_in_natural_order(tmp_path):
    for name in ("10.eml", "9.eml", "b/1.html", "a/c/1.txt", "a/2"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(MAIL)
    assert read(tmp_path) == (["9.eml", "10.eml", "a/2", "a/c/1.txt", "b/1.html"], [])


def test_each_file_and_folder_is_recognised_for_what_it_is(tmp_path):
    separator = b"From joe Thu Aug 22 12:36:23 2002\n"
    (tmp_path / "box").write_bytes(separator + MAIL + b"\n" + separator + MAIL)
    (tmp_path / "box2.gz").write_bytes(gzip.compress(separator + MAIL))
    (tmp_path / "inbox" / "cur").mkdir(parents=True)
    (tmp_path / "inbox" / "new").mkdir()
    (tmp_path / "inbox" / "cur" / "1.host:2,S").write_bytes(MAIL)
    assert read(tmp_path) == (["box@0", "box@54", "box2.gz@0", "inbox/1.host"], [])


def test_hidden_files_and_indexes_are_passed_over(tmp_path):
    for name in (".DS_Store", "Inbox.msf", "dovecot.index.cache", "dovecot-uidlist", "maildirsize", "1.eml~"):
        (tmp_path / name).write_bytes(b"x")
    assert read(tmp_path) == ([], [])


def test_pictures_and_programs_are_reported_not_learned(tmp_path):
    (tmp_path / "1.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert read(tmp_path) == ([], ["1.png: not mail but a PNG image"])


def test_a_pipe_is_reported_and_does_not_make_us_wait(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert read(tmp_path) == ([], ["pipe: not a regular file"])


def test_links_that_lead_in_circles_or_nowhere_are_reported(tmp_path):
    (tmp_path / "circle").symlink_to(tmp_path)
    (tmp_path / "nowhere").symlink_to(tmp_path / "missing")
    ids, skipped = read(tmp_path)
    assert ids == []
    assert sorted(skipped) == [
        "circle: a link to a folder; name it to have it read",
        "nowhere: no such file or directory",
    ]


def test_a_link_to_a_file_is_read(tmp_path):
    (tmp_path / "1.eml").write_bytes(MAIL)
    (tmp_path / "2.eml").symlink_to(tmp_path / "1.eml")
    assert read(tmp_path) == (["1.eml", "2.eml"], [])


def test_a_file_that_may_not_be_read_is_reported_and_the_next_is_read(tmp_path):
    # A file that even root cannot open: a link to itself.
    (tmp_path / "1.eml").symlink_to(tmp_path / "1.eml")
    (tmp_path / "2.eml").write_bytes(MAIL)
    assert read(tmp_path) == (["2.eml"], ["1.eml: too many levels of symbolic links"])


def test_names_that_are_no_unicode_are_read(tmp_path):
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.eml")).write_bytes(MAIL)
    assert read(tmp_path) == (["\udcff.eml"], [])


def test_folders_nested_deeper_than_python_calls_are_read(tmp_path):
    places = [tmp_path]
    for _ in range(1_200):
        places.append(Path(f"{places[-1]}/d"))
        places[-1].mkdir()
    (places[-1] / "1").write_bytes(MAIL)
    try:
        ids, skipped = read(tmp_path)
    finally:  # pytest's own removal would recurse, and end this run and later ones
        (places[-1] / "1").unlink()
        for place in reversed(places[1:]):
            place.rmdir()
    assert (len(ids), skipped) == (1, [])
