import io
import zipfile
from pathlib import Path

import pytest

from deciban.sources import Bounds, open_source

MAIL = b"Subject: hi\n\nhello\n"


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def read(folder: Path, data: bytes, bounds: Bounds | None = None) -> tuple[list[str], list[str]]:
    """The ids of the messages, without the path of the archive, and the reasons for what was skipped."""
    path = folder / "mail.zip"
    path.write_bytes(data)
    source = open_source(str(path), bounds)
    return [message.id.removeprefix(f"{path}!") for message in source], [
        record.reason for record in source.skipped
    ]


def test_names_that_leave_the_folder_are_only_names(tmp_path):
    assert read(tmp_path, zipped({"../../outside.eml": MAIL, "/etc/passwd": MAIL})) == (
        ["../../outside.eml", "/etc/passwd"],
        [],
    )
    assert [path.name for path in tmp_path.iterdir()] == ["mail.zip"]


def test_an_archive_that_is_a_bomb_is_left(tmp_path):
    bomb = zipped({"1.eml": MAIL, "2.eml": bytes(20_000_000), "3.eml": MAIL})
    ids, reasons = read(tmp_path, bomb, Bounds(unpacked_grace=1_000_000))
    assert ids == ["1.eml"]
    assert "as a bomb does" in reasons[0]


def test_overlapping_members_are_held_against_the_size_of_the_file(tmp_path):
    # A table of contents that lists one packed megabyte 100 times, as the 46 MB bomb of 4.5 PB does.
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0", b"Subject: hi\n\n" + bytes(1_000_000))
        archive.filelist *= 100
    ids, reasons = read(tmp_path, file.getvalue(), Bounds(unpacked_grace=3_000_000))
    assert len(ids) < 10
    assert any("bomb" in reason for reason in reasons)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_choose_their_own_memory_are_skipped_with_a_word(tmp_path, method):
    assert read(tmp_path, zipped({"1.eml": MAIL}, method)) == (
        [],
        [f"packed by zip method {method}; unpack it first"],
    )


def test_encrypted_members_are_skipped_with_a_word(tmp_path):
    data = bytearray(zipped({"1.eml": MAIL}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert read(tmp_path, bytes(data)) == ([], ["encrypted"])


def test_links_are_skipped_with_a_word(tmp_path):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        info = zipfile.ZipInfo("link")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    assert read(tmp_path, file.getvalue()) == ([], ["not a file but a link"])


def test_a_member_without_a_name_is_reported(tmp_path):
    data = zipped({"x": MAIL})
    start, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    directory = data[start : start + 28] + b"\0\0" + data[start + 30 : start + 46] + data[start + 47 : end]
    size = len(directory).to_bytes(4, "little")
    ids, reasons = read(tmp_path, data[:start] + directory + data[end : end + 12] + size + data[end + 16 :])
    assert ids == []
    assert reasons[0].startswith("the member is damaged (File name in directory '' and header b'x' differ.")


def test_a_vast_table_of_contents_is_not_loaded(tmp_path):
    data = zipped({f"{number}.eml": b"x" for number in range(2_000)})
    ids, reasons = read(tmp_path, data, Bounds(directory_bytes=70_000))
    assert ids == []
    assert reasons == ["the table of contents has more than 70,000 bytes; unpack it first"]


def test_a_damaged_member_is_reported_and_the_next_is_read(tmp_path):
    data = bytearray(zipped({"1.eml": MAIL * 50, "2.eml": MAIL}, zipfile.ZIP_STORED))
    data[60] ^= 0xFF
    ids, reasons = read(tmp_path, bytes(data))
    assert ids == ["2.eml"]
    assert "damaged" in reasons[0]


def test_a_zip_from_a_pipe_is_refused_with_advice(tmp_path):
    from deciban.sources.contents import read_contents
    from deciban.sources.progress import Progress
    from deciban.sources.stream import Stream

    progress = Progress(Bounds())
    stream = Stream(io.BytesIO(zipped({"1.eml": MAIL})).read)
    assert list(read_contents(stream, "-", progress)) == []
    assert progress.skipped[0].reason == "a zip archive where it cannot be read; unpack it first"
