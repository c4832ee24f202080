import gzip
import random
import subprocess
import sys
import zlib

import pytest

from deciban.errors import NoSuchSource
from deciban.sources import Bounds, RawMessage, Skipped, open_source

MAIL = b"Subject: hi\n\nhello\n"
SEPARATOR = b"From joe Thu Aug 22 12:36:23 2002\n"


def test_a_single_file_of_any_kind_is_one_message(tmp_path):
    for name, data in (
        ("a.eml", MAIL),
        ("a.txt", "größer".encode("latin-1")),
        ("a.html", b"<p>hi"),
        ("a.png", b"\x89PNG\r\n"),
    ):
        (tmp_path / name).write_bytes(data)
        path = str(tmp_path / name)
        assert list(open_source(path)) == [RawMessage(path, data)]


def test_what_is_not_there_is_an_error_at_once(tmp_path):
    with pytest.raises(NoSuchSource, match="check the spelling"):
        open_source(str(tmp_path / "missing.mbox"))
    with pytest.raises(NoSuchSource):
        open_source(str(tmp_path / "missing.mbox@12"))


def test_an_id_whose_message_is_gone_is_reported(tmp_path):
    (tmp_path / "box").write_bytes(SEPARATOR + MAIL)
    source = open_source(f"{tmp_path}/box@7")
    assert list(source) == []
    assert source.skipped == [Skipped(f"{tmp_path}/box@7", "no message of this id is there any more")]


def test_skips_are_told_when_they_happen_and_kept(tmp_path):
    (tmp_path / "1.eml").write_bytes(b"")
    (tmp_path / "2.eml").write_bytes(MAIL)
    told: list[Skipped] = []
    source = open_source(str(tmp_path), on_skip=told.append)
    assert len(list(source)) == 1
    assert told == source.skipped == [Skipped(f"{tmp_path}/1.eml", "empty")]
    assert source.skipped_count == 1


def test_reading_is_lazy_and_tells_how_far_it_is(tmp_path):
    for number in range(10):
        (tmp_path / f"{number}.eml").write_bytes(MAIL)
    source = open_source(str(tmp_path))
    messages = iter(source)
    assert (source.consumed, source.size_hint()) == (0, 10 * len(MAIL))
    next(messages)
    assert source.consumed == len(MAIL)


def test_a_message_over_the_bound_is_cut_and_says_by_how_much(tmp_path):
    (tmp_path / "1.eml").write_bytes(b"x" * 1_000_000)
    (message,) = open_source(str(tmp_path / "1.eml"), Bounds(message_bytes=300_000))
    assert (len(message.data), message.cut) == (300_000, 700_000)


@pytest.mark.parametrize(
    ("data", "ids"),
    [(MAIL, ["-"]), (SEPARATOR + MAIL + b"\n" + SEPARATOR + MAIL, ["-@0", "-@54"])],
)
def test_standard_input_is_recognised_like_a_file(data, ids):
    assert ids_from(data, "-") == ids


def test_a_pipe_that_is_named_is_read_like_a_file():
    assert ids_from(SEPARATOR + MAIL, "/dev/stdin") == ["/dev/stdin@0"]


def ids_from(data: bytes, name: str) -> list[str]:
    script = f"from deciban.sources import open_source\nprint(*[m.id for m in open_source({name!r})])"
    done = subprocess.run([sys.executable, "-c", script], input=data, capture_output=True, check=True)
    return done.stdout.decode().split()


def test_all_messages_before_the_damage_of_a_packed_mbox_are_read(tmp_path):
    message = SEPARATOR + b"Subject: hi\n\n" + random.Random(1).randbytes(2_000).hex().encode() + b"\n\n"
    packed = gzip.compress(message * 100)
    (tmp_path / "box.gz").write_bytes(packed[: len(packed) // 2])
    source = open_source(str(tmp_path / "box.gz"))
    unpacked = zlib.decompressobj(31).decompress(packed[: len(packed) // 2])
    assert len(list(source)) == unpacked.count(SEPARATOR) - 1
    assert [record.reason for record in source.skipped] == ["the gzip data end too early"]
