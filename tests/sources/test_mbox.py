import subprocess
import sys
from io import BytesIO

import pytest

from deciban.sources import Bounds, RawMessage
from deciban.sources.mbox import read_mbox, unquoted
from deciban.sources.progress import Progress
from deciban.sources.stream import CHUNK, Stream

SEPARATOR = b"From joe@example.org Thu Aug 22 12:36:23 2002\n"


def messages(box: bytes, bounds: Bounds | None = None) -> list[RawMessage]:
    return list(read_mbox(Stream(BytesIO(box).read), "box", Progress(bounds or Bounds())))


def test_the_id_is_the_offset_of_the_separator():
    box = SEPARATOR + b"Subject: one\n\n1\n\n" + SEPARATOR + b"Subject: two\n\n2\n"
    offsets = [int(message.id.removeprefix("box@")) for message in messages(box)]
    assert offsets == [0, len(SEPARATOR) + 17]
    assert all(box[offset:].startswith(SEPARATOR) for offset in offsets)


def test_appending_a_message_leaves_the_other_ids_as_they_are():
    box = SEPARATOR + b"Subject: one\n\n1\n\n"
    assert messages(box + SEPARATOR + b"Subject: two\n")[:1] == messages(box)


def test_a_line_of_text_that_begins_with_from_does_not_split():
    text = b"Subject: one\n\nFrom now on\n\nFrom here Thu Aug 22\nFrom joe Thu Aug 22 12:36:23 2002\n"
    assert [message.data for message in messages(SEPARATOR + text)] == [text]


def test_line_ends_of_windows_are_kept_and_understood():
    windows = SEPARATOR.replace(b"\n", b"\r\n")
    box = windows + b"Subject: one\r\n\r\n1\r\n\r\n" + windows + b"Subject: two\r\n\r\n2\r\n\r\n"
    assert [message.data for message in messages(box)] == [
        b"Subject: one\r\n\r\n1\r\n",
        b"Subject: two\r\n\r\n2\r\n",
    ]


def test_content_length_cannot_hide_the_messages_that_follow():
    box = SEPARATOR + b"Content-Length: 100000\n\n1\n\n" + SEPARATOR + b"Subject: two\n\n2\n"
    assert len(messages(box)) == 2


def test_a_message_without_header_and_body_is_still_one():
    assert [message.data for message in messages(SEPARATOR + b"\n" + SEPARATOR + b"\n")] == [b"", b""]


def test_a_separator_at_the_very_end_begins_an_empty_message():
    box = SEPARATOR + b"Subject: one\n\n" + SEPARATOR.rstrip(b"\n")
    assert [message.data for message in messages(box)] == [b"Subject: one\n", b""]


def test_a_message_over_the_bound_is_cut_and_the_next_is_found():
    long = SEPARATOR + b"Subject: long\n\n" + b"x" * (3 * CHUNK) + b"\n\n"
    box = long + SEPARATOR + b"Subject: two\n\n2\n"
    first, second = messages(box, Bounds(message_bytes=1000))
    assert (len(first.data), first.cut) == (1000 - len(SEPARATOR), len(long) - 1000)
    assert second == RawMessage(f"box@{len(long)}", b"Subject: two\n\n2\n")


def test_a_message_over_many_chunks_is_whole():
    text = b"Subject: long\n\n" + b"x\n" * (2 * CHUNK)
    assert [message.data for message in messages((SEPARATOR + text + b"\n") * 3)] == [text] * 3


# In a process of its own: threads that other tests left behind use memory too.
LONG_MBOX = """
import tracemalloc
from deciban.sources.bounds import Bounds
from deciban.sources.mbox import read_mbox
from deciban.sources.progress import Progress
from deciban.sources.stream import Stream

MESSAGE = {separator!r} + b"Subject: one\\n\\n" + b"text\\n" * 1000 + b"\\n"

def peak(count):
    left = [MESSAGE] * count
    stream = Stream(lambda _: left.pop() if left else b"")
    tracemalloc.start()
    assert sum(1 for _ in read_mbox(stream, "box", Progress(Bounds()))) == count
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most

peak(1)  # what is imported on the way does not count
print(peak(400), peak(4_000))
"""


def test_memory_stays_flat_over_a_long_mbox():
    program = LONG_MBOX.format(separator=SEPARATOR)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    short, long = map(int, done.stdout.split())
    assert long < 1.1 * short


def test_only_lines_that_are_quoted_from_lines_lose_a_quote():
    assert unquoted(b">From a\n>>From b\nx >From c\n> From d\n>Fromage\n") == (
        b"From a\n>From b\nx >From c\n> From d\n>Fromage\n"
    )


@pytest.mark.parametrize(
    "line",
    [
        b"\n\nFrom \n",
        b"\n\nFrom x Thu Aug Thu Aug Thu Aug Thu Aug Thu Aug Thu Aug Thu Aug Thu Aug\n",
        b"\n\nFrom joe Thu Aug 22 12:36:23 2002\n",
        b"\n>>>>From >From \n",
        b"From From From ",
    ],
)
def test_twice_the_input_is_twice_the_work(line):
    def calls(repeats: int) -> int:
        """Calls of any function, of Python or C: each takes time linear in what it is given."""
        count = 0

        def tally(*_event: object) -> None:
            nonlocal count
            count += 1

        box = SEPARATOR + line * repeats
        sys.setprofile(tally)
        try:
            messages(box)
        finally:
            sys.setprofile(None)
        return count

    assert calls(8_000) < 2.1 * calls(4_000)
