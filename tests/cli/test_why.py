import json
import math
import re

import pytest

from deciban.cli import main
from tests.cli.terminals import on_terminal


def figures(lines):
    """The numbers that lines begin with."""
    return [float(line.split()[0].replace("−", "-")) for line in lines]


def test_what_kinds_of_places_say_adds_up_to_the_verdict(taught, capsys):
    assert main(["why", str(taught / "new-spam.eml")]) == 0
    title, verdict, order, *lines = capsys.readouterr().out.splitlines()
    assert title == f"{taught}/new-spam.eml  “free money”"
    assert verdict.startswith("spam  ")
    assert order == "for spam (+) and for ham (−), in decibans:"
    kinds = lines[: lines.index("")]
    assert [line.split()[1] for line in kinds[:-1]] == [
        "sender",
        "route",
        "subject",
        "text",
        "markup",
        "absent",
        "prior",
    ]
    assert kinds[-1].endswith("  in all")
    numbers = figures(kinds)
    assert sum(numbers[:-1]) == pytest.approx(numbers[-1], abs=0.06 * len(numbers))


def test_the_strongest_places_and_the_rest_add_up_to_what_is_not_prior(taught, capsys):
    main(["why", "--top", "5", str(taught / "new-spam.eml")])
    lines = capsys.readouterr().out.splitlines()
    border = lines.index("")
    *_, prior, total = figures(lines[3:border])
    places = lines[border + 2 :]
    assert len(places) == 6
    assert "more places" in places[-1]
    assert sum(figures(places)) == pytest.approx(total - prior, abs=0.06 * 8)
    assert any("from: winner@spam.example" in line for line in places)


def test_json_tells_places_and_kinds_that_add_up_to_the_last_digit(taught, capsys):
    assert main(["why", "--json", str(taught / "new-spam.eml")]) == 0
    record = json.loads(capsys.readouterr().out)
    total = pytest.approx(record["decibans"], abs=1e-9)
    assert math.fsum(spot["decibans"] for spot in record["spots"]) == total
    assert math.fsum(record["kinds"].values()) == total
    assert record["shared"] is None
    (sender,) = (spot for spot in record["spots"] if spot["kind"] == "sender")
    assert sender["name"] == "from: winner@spam.example"
    assert sender["places"] == [["header", 0, 0, len("winner@spam.example")]]


def test_the_text_is_readable_without_colour_and_adds_up(taught, capsys):
    assert main(["why", "--text", str(taught / "new-spam.eml")]) == 0
    lines = capsys.readouterr().out.splitlines()[3:]
    assert all(" │ " in line for line in lines)
    numbers = figures(line for line in lines if line.split()[0] != "│")
    assert sum(numbers[:-1]) == pytest.approx(numbers[-1], abs=0.06 * len(numbers))
    assert any("│ subject" in line and "free" in line for line in lines)
    assert any("[+" in line for line in lines)


def test_on_a_terminal_the_text_is_coloured_unless_no_color_is_set(taught):
    command = ["why", "--text", str(taught / "new-spam.eml")]
    coloured, plain, dumb = (
        on_terminal(*command, **environment) for environment in ({}, {"NO_COLOR": "1"}, {"TERM": "dumb"})
    )
    assert coloured.code == plain.code == dumb.code == 0
    assert "\x1b[38;5;16;48;5;202m" in coloured.text
    assert "\x1b" not in plain.text + dumb.text
    assert "\x1b[38;5;16;48;5;202m" in on_terminal(*command, "--color", "always", NO_COLOR="1").text


def test_a_page_is_written_for_the_browser(taught, tmp_path, capsys):
    page = tmp_path / "why.html"
    mails = [str(taught / name) for name in ("new-spam.eml", "new-ham.eml")]
    assert main(["why", "--html", str(page), *mails]) == 0
    assert capsys.readouterr().out == ""
    text = page.read_text()
    assert text.count("<article>") == 2
    assert "free" in text


def test_a_page_that_cannot_be_written_is_one_line(taught, tmp_path, capsys):
    assert main(["why", "--html", str(tmp_path / "none" / "why.html"), str(taught / "new-spam.eml")]) == 3
    assert capsys.readouterr().err.count("\n") == 1


def test_what_the_shared_filter_says_is_told_from_own_lessons(taught, tmp_path, capsys):
    own, state = ["--db", str(tmp_path / "own.db")], str(tmp_path / "site.state")
    main(["publish", state])
    main(["prefer", *own, "--shared", state])
    main(["classify", "--json", *own, str(taught / "new-spam.eml")])
    alone = json.loads(capsys.readouterr().out.splitlines()[-1])["decibans"]
    main(["learn", "spam", *own, str(taught / "new-ham.eml")])
    capsys.readouterr()
    main(["why", "--json", *own, str(taught / "new-spam.eml")])
    record = json.loads(capsys.readouterr().out)
    assert record["shared"] == pytest.approx(alone, abs=1e-9)
    main(["why", *own, str(taught / "new-spam.eml")])
    page = capsys.readouterr().out
    total = float(re.search(r"^ *([+−][\d.]+)  in all$", page, re.MULTILINE)[1].replace("−", "-"))
    rows = [
        re.search(rf"^ *([+−][\d.]+)  {kind} ", page, re.MULTILINE)[1]
        for kind in ("foundation", "own lessons")
    ]
    shared, own = (float(row.replace("−", "-")) for row in rows)
    assert shared == pytest.approx(alone, abs=0.051)
    assert shared + own == pytest.approx(total, abs=0.11)


def test_json_has_all_evidence_and_adds_up_to_the_last_digit(taught, capsys):
    assert main(["why", "--json", str(taught / "new-spam.eml")]) == 0
    record = json.loads(capsys.readouterr().out)
    assert sum(item["decibans"] for item in record["evidence"]) == pytest.approx(record["decibans"], abs=1e-9)
    assert {item["view"] for item in record["evidence"]} >= {"words", "letters"}


def test_more_words_on_request(taught, capsys):
    main(["why", str(taught / "new-spam.eml"), "--top", "2"])
    few = capsys.readouterr().out
    main(["why", str(taught / "new-spam.eml"), "--top", "30"])
    assert len(capsys.readouterr().out.splitlines()) > len(few.splitlines())


def test_without_two_labels_there_is_nothing_to_explain(mails, database, capsys):
    main(["learn", "spam", str(mails / "spam")])
    capsys.readouterr()
    assert main(["why", str(mails / "new-spam.eml")]) == 0
    assert "teach at least two labels" in capsys.readouterr().out


def test_words_of_the_message_cannot_reach_the_terminal(taught, capsys):
    path = taught / "evil.eml"
    path.write_bytes(b"Subject: \x1b[2Jfree\x07money\n\n\x1b]0;title\x07 \x9b free\n")
    main(["why", "--top", "1000", str(path)])
    main(["why", "--text", str(path)])
    shown = capsys.readouterr().out
    assert not any(char in shown for char in "\x1b\x07\x9b")
