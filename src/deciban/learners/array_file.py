"""Arrays in a file, read without trust: a zip of `.npy` members as `numpy.savez` writes it, and nothing else.

`numpy.load` believes what a file says about itself: it unpacks bombs, allocates whatever a shape asks for,
and evaluates headers as Python literals. Here members must be stored as they are, each array must fill its
member exactly, and all members together may not be longer than the file. So reading takes about twice as much
memory as the file has bytes, whoever wrote it; and zip's checksums notice what was damaged on the way.

>>> import io
>>> file = io.BytesIO()
>>> np.savez(file, weights=np.array([[1.5, 2.5]]))
>>> ArrayFile(file)["weights"].tolist()
[[1.5, 2.5]]
>>> ArrayFile(io.BytesIO(file.getvalue()[:-1]))
Traceback (most recent call last):
...
zipfile.BadZipFile: File is not a zip file
"""

from __future__ import annotations

import math
import re
import zipfile
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"\x93NUMPY"
# The types that numpy writes for numbers, truth values and texts; no other spelling is accepted.
HEADER = re.compile(
    rb"\{'descr': '([<>|=]?[?biufSU][0-9]{1,9})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:[0-9]{1,15}, ?){0,32}(?:[0-9]{1,15})?)\), \} *\n"
)


class ArrayFile:
    """The arrays of a file that `numpy.savez` wrote, each read when it is asked for."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file)
        self._members = {member.filename: member for member in self._zip.infolist()}
        self._left = file.seek(0, 2)  # how many bytes may still be read

    def __getitem__(self, name: str) -> NDArray[Any]:
        return _array(self._content(f"{name}.npy"))

    def _content(self, name: str) -> bytes:
        member = self._members[name]
        self._left -= member.file_size
        if member.compress_type != zipfile.ZIP_STORED or member.file_size != member.compress_size:
            raise zipfile.BadZipFile(f"{name} is packed")
        if self._left < 0:
            raise zipfile.BadZipFile("its members are longer than the file")
        return self._zip.read(member)


def _array(content: bytes) -> NDArray[Any]:
    if content[:6] != MAGIC or content[6:8] not in (b"\1\0", b"\2\0"):
        raise ValueError("an array begins with an unknown mark")
    start = 10 if content[6] == 1 else 12
    end = start + int.from_bytes(content[8:start], "little")
    header = HEADER.fullmatch(content, start, end)
    if header is None:
        raise ValueError("an array has an unknown header")
    kind = np.dtype(header[1].decode())
    shape = tuple(int(length) for length in header[3].replace(b",", b" ").split())
    if math.prod(shape) * kind.itemsize != len(content) - end:
        raise ValueError(f"an array of shape {shape} has {len(content) - end} bytes")
    values = np.empty(math.prod(shape), kind)
    values.view(np.uint8)[:] = np.frombuffer(content, np.uint8, offset=end)
    return values.reshape(shape, order="F" if header[2] == b"True" else "C")
