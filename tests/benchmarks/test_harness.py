"""The harness runs every benchmark, documents the results, and does not tell whose machine it was."""

import importlib
import json
import socket
from pathlib import Path

import pytest

from benchmarks.__main__ import known, plan
from benchmarks.document import PAGE, document
from benchmarks.measure import Table, growth_exponent, show
from benchmarks.outcome import RESULTS, machine, run

RESULT_FILES = sorted(RESULTS.glob("*.json"))


@pytest.mark.parametrize("name", known())
def test_every_benchmark_has_a_main_and_says_what_it_is(name):
    module = importlib.import_module(f"benchmarks.{name}")
    assert callable(module.main)
    assert len(module.__doc__.split("\n")[0]) > 20


def test_tables_and_prints_are_both_kept(tmp_path, monkeypatch):
    import benchmarks

    (tmp_path / "made_of_tables.py").write_text(
        '"""A benchmark that returns."""\n'
        "from benchmarks.measure import Table\n"
        "def main(): return [Table('speed', ('', 'MB/s'), [('deciban', 2.0)])]\n"
    )
    (tmp_path / "made_of_prints.py").write_text(
        '"""A benchmark that prints."""\ndef main(): print("2 MB/s")\n'
    )
    monkeypatch.setattr(benchmarks, "__path__", [*benchmarks.__path__, str(tmp_path)])
    monkeypatch.syspath_prepend(str(tmp_path.parent))
    results = tmp_path / "results"
    results.mkdir()
    for name in ("made_of_tables", "made_of_prints"):
        (results / f"{name}.json").write_text(json.dumps(run(name)))
    page = document(results)
    assert "| deciban | 2.00 |" in page
    assert "```\n2 MB/s\n```" in page
    assert "`python -m benchmarks made_of_tables`" in page


def test_arguments_reach_a_benchmark_and_the_page_names_them(tmp_path, monkeypatch):
    import benchmarks

    (tmp_path / "with_arguments.py").write_text(
        '"""A benchmark that is told what to do."""\n'
        "from benchmarks.measure import Table\n"
        "def main(arguments=()):\n"
        "    for word in arguments: yield Table(word, ('', 'n'), [('deciban', 1)])\n"
    )
    monkeypatch.setattr(benchmarks, "__path__", [*benchmarks.__path__, str(tmp_path)])
    results = tmp_path / "results"
    results.mkdir()
    (results / "with_arguments.json").write_text(json.dumps(run("with_arguments", ["--peer", "a b"])))
    page = document(results)
    assert "`python -m benchmarks with_arguments --peer 'a b'`" in page
    assert "**--peer**" in page
    assert "**a b**" in page


def test_a_plan_says_what_the_last_runs_took(tmp_path):
    (tmp_path / "long.json").write_text(json.dumps({"cpu_seconds": 600, "arguments": ["--most", "9"]}))
    (tmp_path / "short.json").write_text(json.dumps({"cpu_seconds": 30}))
    (tmp_path / "old.json").write_text(json.dumps({}))
    shown = plan(["long", "short", "old", "new"], tmp_path)
    assert "10 minutes with --most 9" in shown
    assert "30 s" in shown
    assert shown.endswith("10 minutes in all, and 2 that never told.")


@pytest.mark.parametrize(
    "words", [["nothing"], ["nothing", "startup"], ["startup", "naive_bayes", "--quick"]]
)
def test_what_is_no_benchmark_is_refused_in_one_line(words, monkeypatch, capsys):
    from benchmarks.__main__ import main

    monkeypatch.setattr("sys.argv", ["benchmarks", *words])
    with pytest.raises(SystemExit) as stopped:
        main()
    told = str(stopped.value) if isinstance(stopped.value.code, str) else capsys.readouterr().err
    assert "there is no 'nothing'" in told or "is no benchmark" in told


def test_arguments_for_a_benchmark_that_takes_none_are_refused():
    with pytest.raises(SystemExit, match="smoothing takes no arguments, got '--quick'"):
        run("smoothing", ["--quick"])


def test_the_facts_of_the_machine_name_neither_it_nor_its_folders():
    facts = json.dumps(machine())
    assert socket.gethostname() not in facts
    assert str(Path.home()) not in facts
    assert machine()["cores"] >= 1


@pytest.mark.skipif(not RESULT_FILES, reason="nothing has been measured")
def test_the_page_is_made_from_the_results():
    assert PAGE.read_text() == document(RESULTS), "run: python -m benchmarks --document"


@pytest.mark.parametrize("power", [0.5, 1, 2])
def test_the_exponent_of_a_power_is_found(power):
    assert growth_exponent([1, 2, 4, 8], [5 * size**power for size in (1, 2, 4, 8)]) == pytest.approx(power)


def test_a_table_is_aligned(capsys):
    show([Table("t", ("", "a"), [("x", 1.0), ("longer", None)], "note")])
    assert capsys.readouterr().out == "t\n           a\nx       1.00\nlonger\nnote\n"
