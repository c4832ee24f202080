import io

import pytest

from deciban.cli.progress_line import ProgressLine
from deciban.filter import Filter, Settings
from deciban.filter.mail import lessons_from
from deciban.sources import open_source
from tests.cli.terminals import on_terminal
from tests.filter.mails import mail, teach


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def write_mails(folder, count):
    for number in range(count):
        (folder / f"{number}.eml").write_bytes(b"Subject: %d\n\ntext\n" % number)


def test_nothing_is_shown_in_a_pipe(tmp_path):
    write_mails(tmp_path, 3)
    stream = io.StringIO()
    assert len(list(ProgressLine(stream).follow([open_source(str(tmp_path))]))) == 3
    assert stream.getvalue() == ""


def test_a_terminal_sees_a_line_that_is_gone_at_the_end(tmp_path):
    write_mails(tmp_path, 3)
    stream = Terminal()
    progress = ProgressLine(stream)
    assert len(list(progress.follow([open_source(str(tmp_path)), open_source(str(tmp_path))]))) == 6
    assert progress.messages == 6
    assert "% of 102 bytes · 1 message ·" in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[K")
    assert "\n" not in stream.getvalue()


def test_a_replay_shows_its_beginning_and_is_gone_at_the_end():
    stream = Terminal()
    with ProgressLine(stream) as progress:
        for done in range(0, 251, 50):
            progress.relearning(done, 250)
        assert stream.getvalue().startswith("\r\x1b[K  0% of 250 lessons learned anew")
        assert stream.getvalue().endswith("\r\x1b[K")
    quiet = io.StringIO()
    with ProgressLine(quiet) as progress:
        progress.relearning(0, 250)
    assert quiet.getvalue() == ""


@pytest.mark.parametrize(
    ("verb", "lessons"),
    [
        ("learn ham {}/ham", 80),
        ("forget --yes --label ham", 80),
        ("merge {}/other.db", 80),
        ("import {}/lessons.jsonl", 80),
        ("prefer --shared {}/site.state", 40),
        ("compact --yes --before 2100-01-01", 40),
    ],
)
def test_whatever_learns_lessons_anew_shows_it_on_a_terminal(tmp_path, verb, lessons):
    for label in ("spam", "ham"):
        (tmp_path / label).mkdir()
        for number in range(40):
            (tmp_path / label / f"{number}.eml").write_bytes(mail(label, number).data)
    settings = Settings(bits=10)
    path = str(tmp_path / "mail.db")
    with Filter.open(str(tmp_path / "other.db"), settings) as other:
        teach(other, "ham", (mail("ham", number) for number in range(40)))
        other.publish(str(tmp_path / "site.state"))
        with (tmp_path / "lessons.jsonl").open("w", encoding="utf-8") as stream:
            other.export(stream)
    with Filter.open(path, settings) as filter_:
        teach(filter_, "spam", (mail("spam", number) for number in range(40)))
        if verb.startswith("forget"):
            teach(filter_, "ham", (mail("ham", number) for number in range(40)))
    seen = on_terminal(*verb.replace("{}", str(tmp_path)).split(), "--db", path)
    assert seen.code == 0
    assert f"  0% of {lessons} lessons learned anew" in seen.text


def test_whoever_asks_first_sees_how_far_the_mixing_is(tmp_path):
    path = str(tmp_path / "mail.db")
    for label in ("spam", "ham", "work"):
        with Filter.open(path, Settings(bits=10)) as filter_:
            lessons = lessons_from([mail(label, number) for number in range(25)], label, filter_.preferences)
            filter_.learn(lessons)
            filter_.leave()
    (tmp_path / "new.eml").write_bytes(mail("work", 100).data)
    seen = on_terminal("classify", str(tmp_path / "new.eml"), "--db", path)
    assert "  0% of 75 lessons learned anew" in seen.text
    assert "work" in seen.text.rpartition("\x1b[K")[2]
    assert "learned anew" not in on_terminal("classify", str(tmp_path / "new.eml"), "--db", path).text
