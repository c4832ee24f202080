"""Laws of every source: what was put into a container comes out again, in order, under stable ids.

The oracle is the standard library: its `mailbox`, `tarfile` and `zipfile` write, we read.
"""

import bz2
import gzip
import io
import lzma
import mailbox
import os
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deciban.sources import Bounds, RawMessage, open_source
from deciban.sources.kind import recognise
from tests.effort import effort

Written = list[bytes]

# Lines that an mbox could mistake for a separator, or for the quoting of one, come up often.
TRICKY = st.sampled_from(
    [
        b"From now on",
        b">From now on",
        b">>From joe@example.org Thu Aug 22 12:36:23 2002",
        b"From joe@example.org Thu Aug 22 12:36:23 2002",
        b"",
        b"> From",
        b"From",
    ]
)
LINES = st.lists(
    TRICKY | st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"").replace(b"\r", b""))
)
# A message ends in a line end: mbox and the standard library add it where it is missing.
MESSAGES = st.builds(
    lambda number, lines: b"Subject: number %d\n\n" % number + b"".join(line + b"\n" for line in lines),
    st.integers(0, 9),
    LINES,
)
BOXES = st.lists(MESSAGES, min_size=1, max_size=6)


def mboxrd(messages: Written) -> bytes:
    """An mbox by its definition: quote, put a separator before and an empty line behind."""
    box = b""
    for message in messages:
        lines = message.split(b"\n")
        quoted = b"\n".join(b">" + line if line.lstrip(b">").startswith(b"From ") else line for line in lines)
        box += b"From joe@example.org Thu Aug 22 12:36:23 2002\n" + quoted + b"\n"
    return box


def write_mbox(folder: Path, messages: Written) -> Path:
    path = folder / "box.mbox"
    path.write_bytes(mboxrd(messages))
    return path


def write_takeout(folder: Path, messages: Written) -> Path:
    box = mboxrd(messages).replace(
        b"\nFrom joe@example.org Thu Aug 22 12:36:23 2002\n",
        b"\nFrom 1594859898984@xxx Thu Jul 16 00:38:18 +0000 2020\n",
    )
    path = folder / "All mail Including Spam and Trash.mbox"
    path.write_bytes(box)
    return path


def write_packed_mbox(folder: Path, messages: Written) -> Path:
    path = folder / "box.gz"
    path.write_bytes(gzip.compress(mboxrd(messages)))
    return path


def write_maildir(folder: Path, messages: Written) -> Path:
    box = mailbox.Maildir(folder / "Maildir", create=True)
    for number, message in enumerate(messages):
        mail = mailbox.MaildirMessage(message)
        mail.set_subdir("cur" if number % 2 else "new")
        key = box.add(message)
        os.rename(
            folder / "Maildir" / "new" / key,
            folder
            / "Maildir"
            / ("cur" if number % 2 else "new")
            / (f"{number:05}.host" + (":2,S" if number % 2 else "")),
        )
    return folder / "Maildir"


def write_mh(folder: Path, messages: Written) -> Path:
    box = mailbox.MH(folder / "mh", create=True)
    for message in messages:
        box.add(message)
    return folder / "mh"


def write_folder(folder: Path, messages: Written) -> Path:
    place = folder / "mails"
    place.mkdir()
    for number, message in enumerate(messages):
        (place / f"{number + 8}.eml").write_bytes(message)
    return place


def write_tar(folder: Path, messages: Written, mode: str = "w:") -> Path:
    path = folder / "mails.tar"
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for number, message in enumerate(messages):
            info = tarfile.TarInfo(f"mails/{number}.eml")
            info.size = len(message)
            archive.addfile(info, io.BytesIO(message))
    return path


def write_zip(folder: Path, messages: Written, method: int = zipfile.ZIP_DEFLATED) -> Path:
    path = folder / "mails.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        for number, message in enumerate(messages):
            archive.writestr(f"mails/{number}.eml", message)
    return path


def write_mbox_in_zip(folder: Path, messages: Written) -> Path:
    path = folder / "takeout.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Takeout/Mail/box.mbox", mboxrd(messages))
    return path


CONTAINERS: dict[str, Callable[[Path, Written], Path]] = {
    "mbox": write_mbox,
    "Google Takeout": write_takeout,
    "packed mbox": write_packed_mbox,
    "Maildir": write_maildir,
    "MH": write_mh,
    "folder": write_folder,
    "tar": write_tar,
    "tar.gz": lambda folder, messages: write_tar(folder, messages, "w:gz"),
    "tar.bz2": lambda folder, messages: write_tar(folder, messages, "w:bz2"),
    "tar.xz": lambda folder, messages: write_tar(folder, messages, "w:xz"),
    "zip": write_zip,
    "stored zip": lambda folder, messages: write_zip(folder, messages, zipfile.ZIP_STORED),
    "mbox in zip": write_mbox_in_zip,
}


def read_all(path: Path, bounds: Bounds | None = None) -> list[RawMessage]:
    source = open_source(str(path), bounds)
    messages = list(source)
    assert source.skipped == []
    assert source.consumed == source.size_hint()
    return messages


@pytest.mark.parametrize("container", CONTAINERS)
@settings(max_examples=40, deadline=None)
@given(messages=BOXES)
def test_what_was_written_is_read_in_order_under_unique_and_stable_ids(container, messages):
    with tempfile.TemporaryDirectory() as folder:
        path = CONTAINERS[container](Path(folder), messages)
        read = read_all(path)
        assert [message.data for message in read] == messages
        assert len({message.id for message in read}) == len(read)
        assert read_all(path) == read
        assert all(list(open_source(message.id)) == [message] for message in read)


@settings(max_examples=100, deadline=None)
@given(messages=BOXES)
def test_an_mbox_of_the_standard_library_is_read_as_it_reads_it_itself(messages):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "box"
        box = mailbox.mbox(path)
        for message in messages:
            box.add(message)
        box.flush()
        # mailbox quotes as mboxo does and leaves the quotes when reading, so both must be unquoted by hand.
        theirs = [box.get_bytes(key).replace(b"\n>From ", b"\nFrom ") for key in box.iterkeys()]
        ours = [message.data.replace(b"\n>From ", b"\nFrom ") for message in read_all(path)]
    assert [_without_quotes(message) for message in ours] == [_without_quotes(message) for message in theirs]


def _without_quotes(message: bytes) -> list[bytes]:
    return [line.lstrip(b">") if b"From " in line else line for line in message.split(b"\n")]


ANY_FILE = st.one_of(
    st.binary(max_size=2_000),
    st.binary(max_size=200).map(gzip.compress),
    st.binary(max_size=200).map(bz2.compress),
    st.binary(max_size=200).map(lzma.compress),
    st.binary(max_size=200).map(lambda data: b"PK\x03\x04" + data),
    st.binary(max_size=200).map(lambda data: b"From joe Thu Aug 22 12:36:23 2002\n" + data),
)


def _archive(writer: Callable[[Path, Written], Path]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return writer(Path(folder), [b"Subject: one\n\nfirst\n", b"Subject: two\n\nsecond\n"]).read_bytes()


WELL_FORMED = [
    _archive(CONTAINERS[name])
    for name in ("mbox", "packed mbox", "tar", "tar.gz", "tar.bz2", "tar.xz", "zip", "stored zip")
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A well-formed container with a few bytes changed, cut off, or put in."""
    data = bytearray(draw(st.sampled_from(WELL_FORMED)))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(data)))
        data[at : at + draw(st.integers(0, 8))] = draw(st.binary(max_size=8))
    return bytes(data)


@settings(max_examples=effort(200, 5000), deadline=None)
@given(data=ANY_FILE | damaged())
@example(data=b"")
@example(data=b"\x1f\x8b")
@example(data=b"PK\x05\x06")
def test_any_bytes_are_read_or_reported_and_never_raise(data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "any"
        path.write_bytes(data)
        source = open_source(str(path), Bounds(message_bytes=500))
        messages = list(source)
        assert messages or source.skipped or recognise(data[:512]) not in ("message", "mbox")
        assert all(len(message.data) <= 500 for message in messages)
        assert len({message.id for message in messages}) == len(messages)


@settings(max_examples=effort(100, 2000), deadline=None)
@given(messages=BOXES, chunk=st.integers(1, 50), limit=st.integers(60, 400))
def test_how_an_mbox_arrives_in_chunks_changes_nothing(messages, chunk, limit):
    from deciban.sources.mbox import split_mbox
    from deciban.sources.stream import Stream

    box = mboxrd(messages)
    whole = list(split_mbox(Stream(io.BytesIO(box).read), limit))
    file = io.BytesIO(box)
    assert list(split_mbox(Stream(lambda size: file.read(min(size, chunk))), limit)) == whole
    assert len(whole) == len(messages)
