"""``deciban backup``: a whole copy, or none."""

import json
import os
from pathlib import Path

import pytest

from deciban.cli import main


def test_a_backup_holds_every_lesson_and_leaves_nothing_else(
    taught: Path, database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = taught / "backups" / "mail.db"
    target.parent.mkdir()
    assert main(["backup", str(target)]) == 0
    assert "40 lessons" in capsys.readouterr().out
    assert os.listdir(target.parent) == ["mail.db"]
    assert target.stat().st_mode & 0o777 == 0o600
    assert main(["status", "--db", str(target), "--json"]) == 0
    labels = json.loads(capsys.readouterr().out)["labels"]
    assert {label: figures["lessons"] for label, figures in labels.items()} == {"spam": 20, "ham": 20}


def test_a_backup_is_never_overwritten_unless_that_is_asked_for(
    taught: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = taught / "mail.db"
    target.write_text("something else")
    assert main(["backup", str(target)]) == 3
    assert "--force" in capsys.readouterr().err
    assert target.read_text() == "something else"
    assert main(["backup", "--force", str(target)]) == 0
    assert main(["check", "--db", str(target)]) == 0


def test_a_damaged_database_is_not_backed_up(
    taught: Path, database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = bytearray(database.read_bytes())
    content[content.index(b"casino bonus")] ^= 1
    database.write_bytes(content)
    assert main(["backup", str(taught / "mail.db")]) == 3
    assert "deciban check" in capsys.readouterr().err
    assert not (taught / "mail.db").exists()


@pytest.mark.usefixtures("taught")
def test_where_nothing_can_be_written_the_error_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["backup", "/proc/mail.db"]) == 3
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "/proc/mail.db cannot be written" in error


@pytest.mark.usefixtures("database")
def test_there_must_be_something_to_back_up(tmp_path: Path) -> None:
    assert main(["backup", str(tmp_path / "mail.db")]) == 3
    assert not (tmp_path / "mail.db").exists()


@pytest.mark.parametrize("is_done", [False, True])
def test_what_a_killed_backup_left_is_removed_by_the_next_and_that_of_a_live_one_stays(
    taught: Path, is_done: bool
) -> None:
    ends = ("", ".new-999999999-0a", f".new-{os.getpid()}-0a")
    target, dead, alive = (taught / f"backup.db{end}" for end in ends)
    for path in (dead, alive, taught / "backup.db.new-x", *([target] if is_done else [])):
        path.write_bytes(b"")
    assert main(["backup", str(target)]) == (3 if is_done else 0)
    assert not dead.exists()
    assert alive.exists()
    assert (taught / "backup.db.new-x").exists()
