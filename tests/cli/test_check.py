"""``deciban check``: what is damaged is told, with what to do, and mended on request."""

import json
import os
import re
from pathlib import Path

import pytest

from deciban.cli import main
from deciban.spaces import Spaces


def damage(path: Path, trace: bytes = b"casino bonus") -> None:
    content = bytearray(path.read_bytes())
    content[content.index(trace)] ^= 1
    path.write_bytes(content)


@pytest.mark.usefixtures("taught")
def test_a_whole_filter_is_right_in_every_part_and_stays_as_it_is(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path.name: path.read_bytes() for path in database.parent.iterdir()}
    assert main(["check"]) == 0
    told = capsys.readouterr().out
    for part in (
        "file",
        "facts",
        "lessons",
        "trail",
        "folded lessons",
        "kept mail",
        "preferences",
        "foundation",
    ):
        assert f"\n{part}" in f"\n{told}"
    for part in ("shared filter", "snapshot", "checkpoints"):
        assert f"\n{part}" in told
    assert "WRONG" not in told
    assert {path.name: path.read_bytes() for path in database.parent.iterdir()} == before


@pytest.mark.usefixtures("taught")
def test_damage_is_told_with_what_to_do_and_changes_nothing(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(database)
    before = database.read_bytes()
    assert main(["check"]) == 1
    told = capsys.readouterr().out
    assert "WRONG" in told
    assert "deciban restore FILE" in told
    assert "deciban check --repair" in told
    assert database.read_bytes() == before


@pytest.mark.usefixtures("taught")
def test_a_repair_saves_the_others_keeps_the_damaged_file_and_says_so(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(database)
    damaged = database.read_bytes()
    assert main(["check", "--repair", "--json"]) == 1  # something was lost
    told = json.loads(capsys.readouterr().out)
    assert told["right"]
    assert told["repaired"]["lessons"] == 39
    assert told["repaired"]["lost"] == 1
    assert Path(told["repaired"]["kept"]).read_bytes() == damaged
    assert main(["check"]) == 0
    assert main(["check", "--repair"]) == 0  # there is nothing to repair any more


@pytest.mark.usefixtures("taught")
def test_a_damaged_snapshot_loses_nothing(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    snapshot = database.with_name(database.name + ".snapshot")
    content = bytearray(snapshot.read_bytes())
    content[len(content) // 2] ^= 1
    snapshot.write_bytes(content)
    assert main(["check"]) == 1
    assert "no lesson is lost" in capsys.readouterr().out
    assert main(["check", "--repair"]) == 0
    assert main(["check"]) == 0
    assert not os.path.exists(f"{database}.before-repair")


def test_a_shared_filter_that_changed_is_told(
    taught: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own, state = str(tmp_path / "own.db"), tmp_path / "site.state"
    assert main(["publish", str(state)]) == 0
    assert main(["prefer", "--db", own, "--shared", str(state)]) == 0
    assert main(["learn", "--db", own, "spam", str(taught / "new-spam.eml")]) == 0
    assert main(["check", "--db", own]) == 0
    content = bytearray(state.read_bytes())
    content[-10] ^= 1
    state.write_bytes(content)
    capsys.readouterr()
    assert main(["check", "--db", own]) == 1
    assert "deciban prefer --shared" in capsys.readouterr().out
    state.unlink()
    assert main(["check", "--repair", "--db", own]) == 1
    assert "deciban prefer --shared" in capsys.readouterr().out


@pytest.mark.usefixtures("database")
def test_where_there_is_no_database_nothing_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 3
    assert main(["check", "--repair"]) == 3


def test_a_damaged_journal_is_told_and_every_whole_entry_saved(
    taught: Path, database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["classify", "--journal", str(taught / "new-spam.eml"), str(taught / "new-ham.eml")])
    capsys.readouterr()
    assert main(["check"]) == 0
    assert "journal" in capsys.readouterr().out
    damage(Path(f"{database}.journal"), b"new-spam.eml")
    assert main(["check"]) == 1
    told = capsys.readouterr().out
    assert re.search("journal +WRONG", told)
    assert "no lesson is lost: deciban check --repair" in told
    assert main(["check", "--repair", "--json"]) == 1  # an entry was lost
    record = json.loads(capsys.readouterr().out)
    assert record["right"]
    assert record["stores"] == [{"part": "journal", "text": "1 entry saved, 1 lost", "lost": True}]
    assert main(["check"]) == 0


def test_a_folder_of_spaces_is_checked_and_mended_with_its_registry(
    mails: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "spaces"
    monkeypatch.setenv("DECIBAN_SPACES", str(folder))
    main(["space", "add", "ann@example.org", "bob@example.org", "eve@example.org"])
    for name in ("ann@example.org", "bob@example.org"):
        for label in ("spam", "ham"):
            main(["learn", label, str(mails / label), "--space", name])
    capsys.readouterr()
    assert main(["check", "--space", "ann@example.org"]) == 0
    assert "spaces: 3, keys: 0" in capsys.readouterr().out
    assert main(["check", "--spaces", str(folder)]) == 0
    assert "2 spaces, as they were written" in capsys.readouterr().out
    with Spaces(str(folder)) as spaces:
        bobs = Path(spaces.database_of(spaces.find("bob@example.org")))
    damage(bobs)
    registry = folder / "spaces.db"
    content = registry.read_bytes()
    registry.write_bytes(content.replace(b"ann@example.org", b"amn@example.org"))
    assert main(["classify", "--space", "ann@example.org", str(mails / "new-spam.eml")]) == 3
    assert main(["check", "--spaces", str(folder)]) == 1
    told = capsys.readouterr()
    assert "registry  WRONG" in told.out
    assert "--spaces FOLDER --repair" in told.out
    assert main(["check", "--spaces", str(folder), "--repair"]) == 1
    told = capsys.readouterr()
    assert "repaired registry: 2 spaces" in told.out
    assert "1 space lost the name and came back as recovered " in told.out
    assert "repaired space bob@example.org: 1 damaged lesson lost" in told.out
    assert main(["check", "--spaces", str(folder)]) == 0
    assert main(["check", "--spaces", str(tmp_path / "elsewhere")]) == 3
