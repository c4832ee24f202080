import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.sources.kind import LOOK_AHEAD, not_mail, recognise


def tar(form: int) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=form) as archive:
        archive.addfile(tarfile.TarInfo("x" * 150))
    return file.getvalue()


def empty_zip() -> bytes:
    file = io.BytesIO()
    zipfile.ZipFile(file, "w").close()
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (gzip.compress(b"x", mtime=0), "gzip"),
        (bz2.compress(b"x"), "bzip2"),
        (lzma.compress(b"x"), "xz"),
        (tar(tarfile.GNU_FORMAT), "tar"),
        (tar(tarfile.PAX_FORMAT), "tar"),
        (empty_zip(), "zip"),
        (b"From joe Thu Aug 22 12:36:23 2002\r\nSubject: hi", "mbox"),
        (b"From joe Thu Aug 22 12:36:23 2002", "mbox"),
        (b"From joe to ann\n", "message"),
        (b"Return-Path: <joe@example.org>\n", "message"),
        (b"<html>", "message"),
        (b"", "message"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",  # the bytes differ by the time of day
)
def test_a_kind_is_told_by_the_first_bytes(data, kind):
    assert recognise(data[:LOOK_AHEAD]) == kind


@given(
    st.text(st.characters(min_codepoint=32, max_codepoint=126)).map(lambda text: f"Subject: {text}".encode())
)
def test_mail_is_never_taken_for_something_else(head):
    assert recognise(head) == "message"
    assert not_mail(head) is None
