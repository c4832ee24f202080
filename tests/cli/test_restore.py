"""``deciban restore``: a backup takes the place of the database, which is kept."""

import json
import os
from pathlib import Path

import pytest

from deciban.cli import main


@pytest.fixture
def backup(taught: Path) -> str:
    """A backup of 40 lessons; the database has one more by now."""
    path = str(taught / "backup.db")
    assert main(["backup", path]) == 0
    assert main(["learn", "spam", str(taught / "new-spam.eml")]) == 0
    return path


def labels(capsys: pytest.CaptureFixture[str], *flags: str) -> dict[str, int]:
    capsys.readouterr()
    assert main(["status", "--json", *flags]) == 0
    found = json.loads(capsys.readouterr().out)["labels"]
    return {label: figures["lessons"] for label, figures in found.items()}


def test_what_was_there_is_kept_and_can_be_restored_again(
    backup: str, database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["restore", backup]) == 0
    assert "before-restore" in capsys.readouterr().out
    assert labels(capsys) == {"spam": 20, "ham": 20}
    assert main(["restore", f"{database}.before-restore"]) == 0
    assert labels(capsys) == {"spam": 21, "ham": 20}
    assert main(["check"]) == 0
    assert not [name for name in os.listdir(database.parent) if ".new-" in name]


def test_a_database_that_was_kept_is_not_replaced_unless_that_is_asked_for(
    backup: str, database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = Path(f"{database}.before-restore")
    kept.write_text("from an earlier restore")
    assert main(["restore", backup]) == 3
    assert "--force" in capsys.readouterr().err
    assert labels(capsys) == {"spam": 21, "ham": 20}
    assert main(["restore", "--force", backup]) == 0
    assert labels(capsys, "--db", str(kept)) == {"spam": 21, "ham": 20}


@pytest.mark.parametrize("damage", ["a flipped bit", "cut", "garbage", "missing", "empty", "a folder"])
def test_a_bad_backup_changes_nothing(
    backup: str, database: Path, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    content = bytearray(Path(backup).read_bytes())
    content[content.index(b"casino bonus")] ^= 1
    os.unlink(backup)
    if damage == "a folder":
        os.mkdir(backup)
    elif damage != "missing":
        contents = {
            "a flipped bit": content,
            "cut": content[:300_000],
            "garbage": b"x" * 70_000,
            "empty": b"",
        }
        Path(backup).write_bytes(contents[damage])
    capsys.readouterr()
    before = sorted(os.listdir(database.parent))
    assert main(["restore", backup]) == 3
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert backup in error
    assert labels(capsys) == {"spam": 21, "ham": 20}
    assert sorted(os.listdir(database.parent)) == before


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_database_that_cannot_be_opened_gives_way(
    backup: str, database: Path, share: float, capsys: pytest.CaptureFixture[str]
) -> None:
    content = database.read_bytes()
    damaged = content[: int(len(content) * share)]
    database.write_bytes(damaged)
    assert main(["restore", backup]) == 0
    assert labels(capsys) == {"spam": 20, "ham": 20}
    assert Path(f"{database}.before-restore").read_bytes() == damaged
    assert main(["check"]) == 0


def test_a_filter_is_made_from_a_backup_where_there_is_none(
    backup: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = tmp_path / "new" / "mail.db"
    new.parent.mkdir()
    assert main(["restore", "--db", str(new), backup]) == 0
    assert labels(capsys, "--db", str(new)) == {"spam": 20, "ham": 20}
    assert not [name for name in os.listdir(new.parent) if "before" in name or ".new-" in name]


def test_the_database_itself_is_no_backup(
    backup: str, database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link = database.with_name("link.db")
    link.symlink_to(database)
    assert main(["restore", str(link)]) == 3
    assert "itself" in capsys.readouterr().err


def test_forgetting_removes_what_a_restore_kept(taught: Path, backup: str, database: Path) -> None:
    assert main(["restore", backup]) == 0
    assert main(["forget", "--yes", str(taught / "spam" / "1.eml")]) == 0
    assert not Path(f"{database}.before-restore").exists()
