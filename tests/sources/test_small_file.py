"""What is read at once, and what is left to a closer look."""

import os

import pytest

from deciban.sources._small_file import MOST_BYTES, MOST_FILES, read_small_files


@pytest.mark.parametrize("size", [1, 4096, MOST_BYTES])
def test_a_small_file_is_read_byte_for_byte(tmp_path, size):
    content = os.urandom(size)
    (tmp_path / "m").write_bytes(content)
    assert read_small_files([str(tmp_path / "m")]) == [content]


@pytest.mark.parametrize("size", [0, MOST_BYTES + 1, 3 * MOST_BYTES])
def test_an_empty_or_a_large_file_is_left_to_a_closer_look(tmp_path, size):
    (tmp_path / "m").write_bytes(bytes(size))
    assert read_small_files([str(tmp_path / "m")]) == [None]


def test_what_is_no_regular_file_is_neither_read_nor_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    os.symlink(tmp_path / "nowhere", tmp_path / "link")
    for name in ("pipe", "link", "missing", "."):
        assert read_small_files([str(tmp_path / name)]) == [None]
    assert read_small_files(["/dev/zero"]) == [None]


def test_a_name_of_any_bytes_is_found(tmp_path):
    path = os.fsencode(tmp_path) + b"/caf\xe9"
    with open(path, "wb") as file:
        file.write(b"x")
    assert read_small_files([os.fsdecode(path)]) == [b"x"]
    assert read_small_files([os.fsdecode(path) + "\0more"]) == [None]


def test_descriptors_are_given_back(tmp_path):
    (tmp_path / "m").write_bytes(b"x")
    before = len(os.listdir("/proc/self/fd"))
    for name in ("m", "missing", "."):
        read_small_files([str(tmp_path / name)])
    assert len(os.listdir("/proc/self/fd")) == before


def test_several_are_read_at_once_and_none_is_lost(tmp_path):
    contents = [
        os.urandom(size) for size in (MOST_BYTES, 1, MOST_BYTES, MOST_BYTES, *range(2, 2 * MOST_FILES))
    ]
    paths = [str(tmp_path / f"{number}") for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        with open(path, "wb") as file:
            file.write(content)
    found: list[bytes | None] = []
    while len(found) < len(paths):
        some = read_small_files(paths[len(found) :])
        assert 0 < len(some) <= MOST_FILES
        found += some
    assert found == contents
    assert read_small_files([]) == []
