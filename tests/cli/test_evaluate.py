import json
import shutil

import pytest

from deciban.cli import main
from deciban.cli.evaluate import PEER_NAMES, flag_name
from deciban.evaluate import PEERS


@pytest.fixture
def index(mails):
    lines = [f"{label}\t{label}/{number}.eml\n" for number in range(20) for label in ("ham", "spam")]
    (mails / "index.tsv").write_text("".join(lines))
    return str(mails / "index.tsv")


def test_the_peers_that_can_be_named_are_those_that_there_are():
    assert set(PEER_NAMES) == set(map(flag_name, PEERS))


@pytest.mark.parametrize("arguments", [[], ["--seed", "1"], ["--half", "--seed", "1"]])
def test_figures_are_shown_as_a_table(index, capsys, arguments):
    assert main(["evaluate", *arguments, index]) == 0
    captured = capsys.readouterr()
    header, row = captured.out.splitlines()
    assert header.split()[0] == "1-ROCA%"
    assert row.startswith("deciban ")
    assert captured.err == ""


def test_figures_are_json_on_request_and_the_same_each_time(index, capsys):
    assert main(["evaluate", "--json", "--seed", "3", index]) == 0
    first = capsys.readouterr().out
    assert 0 <= json.loads(first)["deciban"]["roc_loss"] <= 100
    main(["evaluate", "--json", "--seed", "3", index])
    assert capsys.readouterr().out == first


@pytest.mark.skipif(shutil.which("bogofilter") is None, reason="bogofilter is not installed")
def test_a_peer_stands_in_the_same_table(index, capsys):
    assert main(["evaluate", "--peer", "bogofilter", index]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]] == ["deciban", "bogofilter"]


def test_an_index_that_cannot_be_followed_is_one_line(tmp_path, capsys):
    (tmp_path / "index.tsv").write_text("spam\tnowhere.eml\n")
    for path in (str(tmp_path / "index.tsv"), "/no/such/index"):
        assert main(["evaluate", path]) == 3
        assert capsys.readouterr().err.count("\n") == 1
