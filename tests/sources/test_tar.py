import gzip
import io
import tarfile
from pathlib import Path

import pytest

from deciban.sources import Bounds, open_source

MAIL = b"Subject: hi\n\nhello\n"


def member(name: str, data: bytes = MAIL, kind: bytes = tarfile.REGTYPE) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.size = len(data)
    info.linkname = "/etc/passwd" if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE) else ""
    return info, data


def tar(*members: tuple[tarfile.TarInfo, bytes], form: int = tarfile.GNU_FORMAT) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=form) as archive:
        for info, data in members:
            archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def read(folder: Path, data: bytes, bounds: Bounds | None = None) -> tuple[list[str], list[str]]:
    """The ids of the messages, without the path of the archive, and the reasons for what was skipped."""
    path = folder / "mail.tar"
    path.write_bytes(data)
    source = open_source(str(path), bounds)
    return [message.id.removeprefix(f"{path}!") for message in source], [
        record.reason for record in source.skipped
    ]


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_names_are_read_in_every_dialect(tmp_path, form):
    name = "/".join(["folder" * 8] * (3 if form == tarfile.USTAR_FORMAT else 9)) + "/1.eml"
    assert read(tmp_path, tar(member(name), member("2.eml"), form=form)) == ([name, "2.eml"], [])


def test_names_that_leave_the_folder_are_only_names(tmp_path):
    names = ["/etc/passwd", "../../outside.eml"]
    assert read(tmp_path, tar(*map(member, names))) == (names, [])
    assert [path.name for path in tmp_path.iterdir()] == ["mail.tar"]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (tarfile.SYMTYPE, "a link"),
        (tarfile.LNKTYPE, "a link"),
        (tarfile.CHRTYPE, "a device"),
        (tarfile.FIFOTYPE, "a pipe"),
    ],
)
def test_what_is_no_file_is_skipped_with_a_word(tmp_path, kind, name):
    archive = tar(member("odd", b"", kind), member("1.eml"))
    assert read(tmp_path, archive) == (["1.eml"], [f"not a file but {name}"])


def test_two_members_of_one_name_have_two_ids(tmp_path):
    assert read(tmp_path, tar(member("1.eml"), member("1.eml")))[0] == ["1.eml", "1.eml~2"]


def test_hidden_members_and_indexes_are_passed_over(tmp_path):
    archive = tar(
        member("./.git/config"), member("mail/._1.eml"), member("mail/1.eml"), member("mail/Inbox.msf")
    )
    assert read(tmp_path, archive) == (["mail/1.eml"], [])


def test_an_archive_within_an_archive_is_not_followed(tmp_path):
    archive = tar(
        member("inner.tgz", gzip.compress(tar(member("1.eml")))), member("inner.tar", tar(member("1.eml")))
    )
    ids, reasons = read(tmp_path, archive)
    assert ids == []
    assert len(reasons) == 2
    assert all("archive where it cannot be read" in reason for reason in reasons)


def test_an_archive_that_ends_too_early_gives_what_it_has_and_says_so(tmp_path):
    archive = tar(member("1.eml"), member("2.eml", b"x" * 5000))
    ids, reasons = read(tmp_path, archive[:4000])
    assert (ids, reasons) == (["1.eml"], ["the archive ends in the middle of a member"])


def test_a_header_that_is_none_ends_the_archive_with_a_word(tmp_path):
    archive = tar(member("1.eml"))[:1024] + b"x" * 1024
    assert read(tmp_path, archive) == (["1.eml"], ["no tar header at byte 1,024; what follows is not read"])


def test_a_name_of_gigabytes_is_not_held_in_memory(tmp_path):
    info = tarfile.TarInfo("././@LongLink")
    info.type = tarfile.GNUTYPE_LONGNAME
    info.size = 3 << 30
    ids, reasons = read(tmp_path, info.tobuf(tarfile.GNU_FORMAT) + b"x" * 100_000)
    assert (ids, len(reasons)) == ([], 1)


def test_members_beyond_the_bound_are_left_with_a_word(tmp_path):
    archive = tar(*(member(f"{number}.eml") for number in range(5)))
    ids, reasons = read(tmp_path, archive, Bounds(members=3))
    assert (ids, reasons) == (["0.eml", "1.eml", "2.eml"], ["has more than 3 members; unpack it first"])


def test_a_member_over_the_bound_is_cut_and_the_next_is_read(tmp_path):
    path = tmp_path / "mail.tar"
    path.write_bytes(tar(member("1.eml", b"x" * 5000), member("2.eml")))
    first, second = open_source(str(path), Bounds(message_bytes=100))
    assert (len(first.data), first.cut, second.data) == (100, 4900, MAIL)


def test_a_packed_archive_that_is_a_bomb_is_left(tmp_path):
    bomb = gzip.compress(tar(member("1.eml"), member("2.eml", bytes(20_000_000))))
    ids, reasons = read(tmp_path, bomb, Bounds(unpacked_grace=1_000_000))
    assert ids == ["1.eml"]
    assert "as a bomb does" in reasons[0]
