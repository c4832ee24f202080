"""The shape of a table: how many labels, slots and rows it has room for (see _row_table.pyx).

A table is sparse while that is smaller:

>>> Shape.for_rows(capacity=2, bits=21, rows=26_000)
Shape(capacity=2, bits=21, rows=29250, is_dense=False, shared=0)

Features that were always taught together have equal rows, and a small file holds each only once:

>>> Shape.for_rows(capacity=2, bits=21, rows=26_000, shared=24_000)
Shape(capacity=2, bits=21, rows=5250, is_dense=False, shared=24000)
>>> Shape.for_rows(capacity=2, bits=21, rows=3_000_000) == Shape.dense(capacity=2, bits=21)
True
"""

from __future__ import annotations

from deciban.value import Value

# The least room that is made.
LEAST_ROWS = 1024
# So much more room than needed is made, so that not every lesson makes a new file.
SPARE = 0.125
# A bucket of the index has places for so many entries, and for fewer if there are many rows.
BUCKET_BYTES = 64
NARROW_PLACES = 12
WIDE_PLACES = 10
# A table that has rows for such a share of all slots gets a directory for work in bulk.
DIRECTORY_SHARE = 1 / 16


class Shape(Value):
    """The sizes of a table."""

    capacity: int
    """Labels that a row has room for: an even number."""
    bits: int
    """A view has 2^bits slots."""
    rows: int
    """Rows that there is room for."""
    is_dense: bool = False
    """Whether each slot has its row."""
    shared: int = 0
    """For so many features more there is room, which have a row together with others."""

    @classmethod
    def dense(cls, capacity: int, bits: int) -> Shape:
        """A table with a row for each slot of both views."""
        return cls(capacity, bits, 2 << bits, is_dense=True)

    @classmethod
    def for_rows(
        cls,
        capacity: int,
        bits: int,
        rows: int,
        is_layer: bool = False,
        spare: float = SPARE,
        shared: int = 0,
    ) -> Shape:
        """A table for so many rows, and for a ``spare`` share more; dense if that is not larger.

        A layer is always sparse. Of the rows so many are ``shared``: equal to others, and not there twice.
        """
        dense = cls.dense(capacity, bits)
        sparse = cls.sparse(capacity, bits, max(rows - shared + int(spare * rows), LEAST_ROWS), shared)
        return sparse if is_layer or sparse.size < dense.size else dense

    @classmethod
    def sparse(cls, capacity: int, bits: int, rows: int, shared: int = 0) -> Shape:
        """A sparse table with room for so many rows, and for at most one for each slot.

        Then none is shared: one that no feature has any more would take the room of another.

        >>> Shape.sparse(capacity=2, bits=8, rows=1024, shared=200)
        Shape(capacity=2, bits=8, rows=512, is_dense=False, shared=0)
        """
        slots = 2 << bits
        return cls(capacity, bits, rows, shared=shared) if rows < slots else cls(capacity, bits, slots)

    def for_bulk(self) -> Shape:
        """The same with double the room, for much work in memory: there, room that is not used costs nothing.

        >>> Shape.for_rows(2, 21, 400_000).for_bulk().rows
        900000
        """
        return self if self.is_dense else self.sparse(self.capacity, self.bits, 2 * self.rows, self.shared)

    @property
    def wants_directory(self) -> bool:
        """Whether much work in memory is faster with a directory (_row_table.pyx), which takes 16 MB.

        From nothing to a file, sparse tables without and with it, SpamAssassin: 200 lessons 22 and 22 ms, 800
        80 and 72, 3,200 309 and 226. A dense table would do without a second look at memory, but it takes 64
        MB, on pages of 4 KB each lesson takes longer in it (78 µs, against 67), and on huge pages (58 µs) it
        may take .7 s to get them: on a virtual machine that has handed its free memory back.

        >>> [Shape.for_rows(2, 21, rows).wants_directory for rows in (200_000, 400_000, 3_000_000)]
        [False, True, False]
        """
        return not self.is_dense and self.rows >= DIRECTORY_SHARE * (2 << self.bits)

    @property
    def buckets(self) -> int:
        """The buckets of the index, at most four fifths full; a dense table has none."""
        if self.is_dense:
            return 0
        places = NARROW_PLACES if self.rows < 1 << (39 - self.bits) else WIDE_PLACES
        return 5 * (self.rows + self.shared) // (4 * places) + 1

    @property
    def size(self) -> int:
        """The bytes of index and rows, about."""
        return BUCKET_BYTES * self.buckets + self.rows * row_bytes(self.capacity)


def row_bytes(capacity: int) -> int:
    """The bytes of a row with room for so many labels: a power of two.

    >>> [row_bytes(capacity) for capacity in (2, 4, 10, 20)]
    [16, 32, 64, 128]
    """
    return 1 << max(3 + 6 * capacity, 15).bit_length()
