import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deciban import __version__
from deciban.cli import main
from deciban.cli.evaluate import PEER_NAMES, flag_name
from deciban.evaluate import PEERS
from tests.evaluate.trec_corpus import write_trec_corpus


@pytest.fixture
def index(mails):
    lines = [f"{label}\t{label}/{number}.eml\n" for number in range(20) for label in ("ham", "spam")]
    (mails / "index.tsv").write_text("".join(lines))
    return str(mails / "index.tsv")


def test_the_peers_that_can_be_named_are_those_that_there_are():
    assert set(PEER_NAMES) == set(map(flag_name, PEERS))


PROTOCOLS = [
    [],
    ["--seed", "1"],
    ["--half", "--seed", "1"],
    ["--folds", "4"],
    ["--feedback", "delay=5"],
    ["--feedback", "first=20", "--seed", "2"],
    ["--feedback", "share=0.5"],
    ["--feedback", "corrections"],
    ["--feedback", "corrections=0.5", "--sent", "0.3", "--seed", "2"],
]


@pytest.mark.parametrize("arguments", PROTOCOLS, ids=" ".join)
def test_figures_are_shown_with_limits(index, capsys, arguments):
    assert main(["evaluate", "--rounds", "20", *arguments, index]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[2].split() == ["deciban"]
    assert lines[3].startswith("1-ROCA% ")
    assert "–" in lines[3]
    assert any(line.startswith("deciban: ") and "of" in line for line in lines)
    assert captured.err == ""


@pytest.mark.parametrize("layout", ["full", "delay", "partial"])
def test_the_layouts_of_trec_are_followed_as_they_are(tmp_path, capsys, layout):
    corpus = write_trec_corpus(tmp_path / "trec")
    index = str(corpus / layout / "index")
    assert main(["evaluate", "--rounds", "0", "--json", index]) == 0
    assert json.loads(capsys.readouterr().out)["deciban"]["labels"]["messages"] == 60
    if layout != "full":
        assert main(["evaluate", "--seed", "1", index]) == 3
        assert "says itself when labels are told" in capsys.readouterr().err


def test_more_labels_than_spam_and_ham_are_told_apart(mails, capsys):
    (mails / "index.tsv").write_text(
        "".join(
            f"{label}\t{label}/{number}.eml\n" for number in range(20) for label in ("ham", "spam")
        ).replace("spam\t", "work\t")
    )
    assert main(["evaluate", "--json", str(mails / "index.tsv")]) == 0
    record = json.loads(capsys.readouterr().out)["deciban"]
    assert "roc_loss" not in record
    assert record["labels"]["accuracy"] > 50
    assert set(record["labels"]["confusion"]) == {"ham", "work"}
    assert main(["evaluate", str(mails / "index.tsv")]) == 0
    assert capsys.readouterr().out.startswith("Of 40 messages deciban put ")


def test_a_report_and_pictures_are_written(index, tmp_path, capsys):
    page, folder = tmp_path / "report.html", tmp_path / "figures"
    assert main(["evaluate", "--rounds", "20", "--report", str(page), "--figures", str(folder), index]) == 0
    assert "<svg" in page.read_text()
    assert {path.suffix for path in folder.iterdir()} == {".png", ".svg"}
    assert {"roc.png", "learning-curve.svg", "reliability.png"} <= {path.name for path in folder.iterdir()}


COMMAND = f'{sys.executable} -c \'import sys; sys.exit(int(b"money" not in open(sys.argv[1],"rb").read()))\''


def test_any_command_is_measured_by_the_same_code(index, capsys):
    peer = ["--peer", f"grep={COMMAND} {{path}}", "--peer", "grep:*=true {path} {label} {home}"]
    assert main(["evaluate", "--rounds", "0", "--json", *peer, index]) == 0
    record = json.loads(capsys.readouterr().out)
    assert list(record) == ["deciban", "grep"]
    # It knows one of the five subjects of spam, and nothing before its first lesson.
    assert record["grep"]["ham_lost"] == 0
    assert 75 < record["grep"]["spam_missed"] < 90


@pytest.mark.parametrize(
    ("peer", "complaint"),
    [
        (["x"], "not a peer that deciban knows"),
        (["x=cat {path}"], "x:LABEL"),
        (["x:spam=cat {path}"], "--peer x='COMMAND"),
        (["x@y=cat", "x:*=cat"], "not a number"),
        (["x=/no/such/program {path}", "x:*=cat"], "not installed"),
        (["x='", "x:*=cat"], "cannot be read"),
        (["x=cat", "x:spam=cat"], "no line that teaches 'ham'"),
    ],
)
def test_a_peer_that_cannot_be_run_is_one_line(index, capsys, peer, complaint):
    flags = [word for line in peer for word in ("--peer", line)]
    assert main(["evaluate", "--rounds", "0", *flags, index]) == 3
    captured = capsys.readouterr().err
    assert complaint in captured
    assert captured.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["--half", "--folds", "3"],
        ["--feedback", "soon"],
        ["--feedback", "corrections=2"],
        ["--feedback", "corrections=0.00001"],
        ["--half", "--sent", "0.3"],
        ["--promise", "2"],
    ],
)
def test_what_cannot_be_followed_is_refused(index, capsys, arguments):
    assert main(["evaluate", *arguments, index]) == 3
    assert capsys.readouterr().err.count("\n") == 1


def test_figures_are_json_on_request_and_the_same_each_time(index, capsys):
    assert main(["evaluate", "--json", "--seed", "3", index]) == 0
    first = capsys.readouterr().out
    assert 0 <= json.loads(first)["deciban"]["roc_loss"] <= 100
    main(["evaluate", "--json", "--seed", "3", index])
    assert capsys.readouterr().out == first


@pytest.mark.skipif(shutil.which("bogofilter") is None, reason="bogofilter is not installed")
def test_a_peer_stands_in_the_same_table(index, capsys):
    assert main(["evaluate", "--peer", "bogofilter", index]) == 0
    assert capsys.readouterr().out.splitlines()[3].split() == ["deciban", "bogofilter"]


def test_an_index_that_cannot_be_followed_is_one_line(tmp_path, capsys):
    (tmp_path / "index.tsv").write_text("spam\tnowhere.eml\n")
    for path in (str(tmp_path / "index.tsv"), "/no/such/index"):
        assert main(["evaluate", path]) == 3
        assert capsys.readouterr().err.count("\n") == 1


def test_the_report_begins_in_plain_words_and_says_how_it_was_made(index, tmp_path):
    report = tmp_path / "report.html"
    command = [
        sys.executable,
        "-m",
        "deciban",
        "evaluate",
        "--seed",
        "3",
        "--rounds",
        "5",
        "--report",
        str(report),
    ]
    done = subprocess.run([*command, str(index)], capture_output=True, text=True)
    if "need matplotlib" in done.stderr:
        pytest.skip("matplotlib is not installed")
    assert re.match(
        r"Of 20 good mails deciban would have lost \w+, and of 20 spam mails \d+ would", done.stdout
    )
    page = report.read_text()
    assert done.stdout.splitlines()[0] in page
    assert f"Made by deciban {__version__}, seed 3: deciban evaluate --seed 3 --rounds 5" in page
    assert "What the figures mean" in page
    assert '<meta name="viewport"' in page


def test_a_subject_that_was_interrupted_is_not_tabled_beside_complete_ones(index, tmp_path):
    script = tmp_path / "peer"
    script.write_text(
        '#!/bin/sh\necho x >> "$1/calls"\n[ "$(wc -l < "$1/calls")" -ge 5 ] && kill -INT $PPID\necho 0.5\n'
    )
    script.chmod(0o755)
    command = [sys.executable, "-m", "deciban", "evaluate", "--rounds", "0"]
    for name in ("slow", "slow:spam", "slow:ham"):
        command += ["--peer", f"{name}={script} {{home}}"]
    done = subprocess.run([*command, str(index)], capture_output=True, text=True)
    assert done.returncode == 130
    assert "slow met only " in done.stderr
    assert "of 40 messages and is left out" in done.stderr
    assert "slow" not in done.stdout
    assert "1-ROCA%" in done.stdout


def test_labels_in_warnings_of_the_pictures_are_harmless(index, tmp_path):
    pytest.importorskip("matplotlib")
    path = Path(index)
    path.write_text(path.read_text().replace("ham\t", "\u65e5\u3164\u672c\t"), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "deciban",
        "evaluate",
        "--rounds",
        "0",
        "--figures",
        str(tmp_path / "out"),
    ]
    done = subprocess.run([*command, str(index)], capture_output=True, text=True)
    assert done.returncode == 0
    assert "\u3164" not in done.stderr
    assert "Warning" not in done.stderr


def test_sent_mail_is_taught_and_not_asked(index, capsys):
    assert main(["evaluate", "--rounds", "0", "--json", "--sent", "0.5", index]) == 0
    confusion = json.loads(capsys.readouterr().out)["deciban"]["labels"]["confusion"]
    assert sum(confusion["spam"].values()) == 20
    assert 3 < sum(confusion["ham"].values()) < 17
