import io
import zipfile

import numpy as np
import pytest

from deciban.learners.array_file import ArrayFile

KINDS = [
    np.arange(6.0).reshape(2, 3),
    np.asfortranarray(np.arange(6, dtype=np.int32).reshape(2, 3)),
    np.array(3.5, dtype=np.float32),
    np.zeros((0, 4)),
    np.array(["ä", "bc"]),
    np.array([b"xy"]),
    np.array([True, False]),
]


@pytest.mark.parametrize("array", KINDS, ids=lambda array: f"{array.dtype}{array.shape}")
def test_what_numpy_saves_is_read_as_it_was(array):
    file = io.BytesIO()
    np.savez(file, a=array)
    back = ArrayFile(file)["a"]
    assert back.dtype == array.dtype
    assert np.array_equal(back, array)
    assert back.shape == array.shape
    assert back.flags.writeable


def archive(content, name="a.npy", kind=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", kind) as packed:
        packed.writestr(name, content)
    return file


def saved(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no array", "unknown mark"),
        (saved(np.zeros(3)).replace(b"(3,), }", b"(4,), }"), r"shape \(4,\) has 24 bytes"),
        (saved(np.zeros(3)).replace(b"(3,), }         ", b"(999999999,), } "), "shape"),
        (saved(np.zeros(3)).replace(b"<f8", b"|O8"), "unknown header"),
        (saved(np.zeros(3)).replace(b"(3,), }", b"(-3,),}"), "unknown header"),
    ],
)
def test_an_array_that_is_not_what_it_says_is_refused(content, reason):
    with pytest.raises(ValueError, match=reason):
        ArrayFile(archive(content))["a"]


def test_a_bomb_is_not_unpacked():
    with pytest.raises(zipfile.BadZipFile, match="is packed"):
        ArrayFile(archive(bytes(10**7), kind=zipfile.ZIP_DEFLATED))["a"]


def test_members_that_lie_over_each_other_are_read_within_the_length_of_the_file():
    file = ArrayFile(archive(saved(np.zeros(1000))))
    assert len(file["a"]) == 1000
    with pytest.raises(zipfile.BadZipFile, match="longer than the file"):
        file["a"]
