"""Every example of the gallery runs with --quick, and says and draws what the gallery shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*_*.py"))
PICTURES = sorted(path for path in (ROOT / "docs" / "gallery").iterdir() if path.suffix in (".png", ".svg"))
ARCHIVES = ROOT.parent / "shared" / "data"
# Those that have nothing to show without a corpus; the others fall back to what is at hand.
NEEDS = {
    "2_newsgroups": ["20newsgroups_19997", "20newsgroups_bydate"],
    "4_smoothing": ["20newsgroups_bydate"],
    "5_hidden_labels": ["20newsgroups_bydate"],
}
PAGE = (ROOT / "docs" / "gallery.md").read_text()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_a_quick_run_prints_figures_and_draws_its_pictures(example, tmp_path):
    missing = [name for name in NEEDS.get(example.stem, []) if not (ARCHIVES / f"{name}.tar.gz").exists()]
    if missing:
        pytest.skip(f"needs {missing[0]}.tar.gz in ../shared/data")
    shown = subprocess.run(
        [sys.executable, example, "--quick", "--pictures", tmp_path],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert shown.returncode == 0, shown.stderr
    assert re.search(r"\d", shown.stdout)
    drawn = {path.name for path in tmp_path.iterdir()}
    number = example.stem.partition("_")[0]
    kept = {path.name for path in PICTURES if path.name.startswith(f"{number}_")}
    assert kept
    assert kept <= drawn


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_gallery_names_the_command_of_every_example(example):
    assert f"examples/{example.name}" in PAGE


@pytest.mark.parametrize("shown", PICTURES, ids=lambda path: path.stem)
def test_the_gallery_shows_every_picture(shown):
    assert f"(gallery/{shown.name})" in PAGE


def test_all_examples_run_in_turn_until_one_fails(tmp_path):
    (tmp_path / "__main__.py").write_text((ROOT / "examples" / "__main__.py").read_text())
    (tmp_path / "1_says.py").write_text("import sys; print('told', sys.argv[1:])")
    (tmp_path / "2_fails.py").write_text("raise SystemExit(3)")
    (tmp_path / "3_never.py").write_text("print('never')")
    shown = subprocess.run([sys.executable, tmp_path, "--quick"], capture_output=True, text=True, check=False)
    assert shown.returncode == 3
    assert "told ['--quick']" in shown.stdout
    assert "never" not in shown.stdout
    assert [line.split()[0] for line in shown.stdout.splitlines()[-4:]] == [
        "seconds",
        "1_says",
        "2_fails",
        "all",
    ]
