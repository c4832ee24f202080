import subprocess
import sys

import pytest

from deciban.cli import main
from deciban.filter import Filter


@pytest.fixture
def exported(taught, tmp_path, capsys):
    main(["export"])
    path = tmp_path / "lessons.jsonl"
    path.write_text(capsys.readouterr().out)
    return path


def test_what_was_exported_comes_back(exported, tmp_path, capsys):
    copy = str(tmp_path / "copy.db")
    assert main(["import", "--db", copy, str(exported)]) == 0
    assert capsys.readouterr().out == "40 lessons taken over\n"
    with Filter.open(copy, create=False) as mail_filter:
        assert mail_filter.labels() == {"spam": 20, "ham": 20}
        assert mail_filter.is_replay()
    assert main(["import", "--db", copy, str(exported)]) == 0
    assert capsys.readouterr().out == "0 lessons taken over\n"


def test_an_export_can_come_through_a_pipe(exported, tmp_path):
    command = [sys.executable, "-m", "deciban", "import", "-", "--db", str(tmp_path / "copy.db")]
    with open(exported) as file:
        done = subprocess.run(command, stdin=file, capture_output=True, text=True, check=True)
    assert done.stdout == "40 lessons taken over\n"


@pytest.mark.parametrize("damage", ["", "not json\n", '{"deciban": "lessons"}\n'])
def test_a_damaged_export_is_one_line_and_changes_nothing(taught, database, tmp_path, capsys, damage):
    path = tmp_path / "damaged.jsonl"
    path.write_text(damage)
    assert main(["import", str(path)]) == 3
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["import", "/no/such/file"]) == 3
    capsys.readouterr()
    with Filter.open(str(database), create=False) as mail_filter:
        assert mail_filter.labels() == {"spam": 20, "ham": 20}


def test_half_an_export_is_not_imported(exported, tmp_path, capsys):
    exported.write_text(exported.read_text()[:-100])
    assert main(["import", "--db", str(tmp_path / "copy.db"), str(exported)]) == 3
    assert not list(tmp_path.glob("copy.db*"))


@pytest.mark.parametrize(
    "damage", [b"", b"no export\n", b'{"deciban":"lessons","format":1,"features":1}\nno\n']
)
@pytest.mark.parametrize("through", ["file", "pipe"])
def test_a_refused_import_leaves_nothing_behind(tmp_path, damage, through):
    path = tmp_path / "damaged.jsonl"
    path.write_bytes(damage)
    place = "-" if through == "pipe" else str(path)
    command = [sys.executable, "-m", "deciban", "import", place, "--db", str(tmp_path / "new.db")]
    done = subprocess.run(command, input=damage, capture_output=True)
    assert done.returncode == 3
    assert done.stderr.count(b"\n") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["damaged.jsonl"]
