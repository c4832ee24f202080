r"""What a gzip, bzip2 or xz file unpacks to, as a stream: bounded memory, and no bombs.

Ten gigabytes of zeros pack into ten megabytes. So output is taken in pieces of the size asked for, never
more, and an archive whose output exceeds `Bounds.unpacked_ratio` times its input is left there.

>>> import gzip
>>> from io import BytesIO
>>> from deciban.sources.bounds import Bounds
>>> packed = Stream(BytesIO(gzip.compress(b"Subject: hi\n") * 2).read)
>>> unpacked_stream(packed, "gzip", Bounds()).read_exactly(100)
b'Subject: hi\nSubject: hi\n'
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from deciban.errors import DamagedSource, UnpacksTooMuch
from deciban.sources.bounds import MIB, Bounds
from deciban.sources.stream import Stream

# What follows the end of one packed piece is copied once per piece, so input is taken in small chunks:
# a file of empty pieces would otherwise cost a copy of a large chunk for every 20 bytes.
_PACKED_CHUNK = 1 << 16
# xz -9 needs 65 MiB to unpack; a crafted header may ask for 4 GiB.
_XZ_MEMORY = 128 * MIB
_OPENING = {"gzip": b"\x1f\x8b", "bzip2": b"BZh", "xz": b"\xfd7zXZ\x00"}


class _Unpacker(Protocol):
    """What the decompressors of bz2 and lzma share."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Gunzip:
    """zlib's decompressor with the interface of the other two."""

    def __init__(self) -> None:
        import zlib

        self._inflate = zlib.decompressobj(wbits=31)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._inflate.eof

    @property
    def unused_data(self) -> bytes:
        return self._inflate.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        output = self._inflate.decompress(self._inflate.unconsumed_tail + data, max_length)
        self.needs_input = not self._inflate.unconsumed_tail and len(output) < max_length
        return output


def _format(kind: str) -> tuple[Callable[[], _Unpacker], type[Exception]]:
    """What unpacks this kind, and what that raises on damage; only the module of the kind is imported."""
    if kind == "gzip":
        import zlib

        return _Gunzip, zlib.error
    if kind == "bzip2":
        import bz2

        return bz2.BZ2Decompressor, OSError
    import lzma

    return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY), lzma.LZMAError


def unpacked_stream(packed: Stream, kind: str, bounds: Bounds) -> Stream:
    """The stream of what ``packed`` unpacks to; reading it raises `DamagedSource` where that fails."""
    return Stream(_Unpacking(packed, kind, bounds).read)


class _Unpacking:
    def __init__(self, packed: Stream, kind: str, bounds: Bounds) -> None:
        self._packed = packed
        self._kind = kind
        self._bounds = bounds
        self._new_unpacker, self._error = _format(kind)
        self._unpacker = self._new_unpacker()
        self._input = b""
        self._bytes_in = 0
        self._bytes_out = 0
        self._damage: DamagedSource | None = None

    def read(self, size: int) -> bytes:
        """Like `Stream.read`; once damaged, always damaged."""
        if self._damage is not None:
            raise self._damage
        try:
            return self._read(size)
        except DamagedSource as damage:
            self._damage = damage
            raise

    def _read(self, size: int) -> bytes:
        while True:
            if self._unpacker.eof and not self._next_piece():
                return b""
            if self._unpacker.needs_input and not self._input:
                self._input = self._take(_PACKED_CHUNK)
                if not self._input:
                    raise DamagedSource(f"the {self._kind} data end too early")
            output = self._unpack(size)
            if output:
                self._bytes_out += len(output)
                refuse_bombs(self._bytes_in, self._bytes_out, self._bounds)
                return output

    def _take(self, size: int) -> bytes:
        chunk = self._packed.read(size)
        self._bytes_in += len(chunk)
        return chunk

    def _unpack(self, size: int) -> bytes:
        data, self._input = self._input, b""
        try:
            return self._unpacker.decompress(data, size)
        except self._error as error:
            raise DamagedSource(f"the {self._kind} data are damaged ({error})") from None

    def _next_piece(self) -> bool:
        """Whether another packed piece follows, as where two gzip files were put into one."""
        opening = _OPENING[self._kind]
        rest = self._unpacker.unused_data
        while len(rest) < len(opening):
            chunk = self._take(_PACKED_CHUNK)
            if not chunk:
                return False
            rest += chunk
        if not rest.startswith(opening):
            return False  # padding, as tapes and some writers leave it
        self._unpacker = self._new_unpacker()
        self._input = rest
        return True


def refuse_bombs(bytes_in: int, bytes_out: int, bounds: Bounds) -> None:
    """Raise `UnpacksTooMuch` where so few bytes have unpacked to so many."""
    if bytes_out > bounds.unpacked_grace and bytes_out > bounds.unpacked_ratio * bytes_in:
        raise UnpacksTooMuch(
            f"unpacks to more than {bounds.unpacked_ratio} times its size, as a bomb does; "
            "unpack it yourself if you trust it"
        )
