import io

from deciban.cli.progress_line import ProgressLine
from deciban.sources import open_source


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
