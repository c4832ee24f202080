"""The shape of a table: how many labels, slots and rows it has room for (see _row_table.pyx).

A table is sparse while that is smaller:

>>> Shape.for_rows(capacity=2, bits=21, rows=26_000)
Shape(capacity=2, bits=21, rows=29250, is_dense=False)
>>> Shape.for_rows(capacity=2, bits=21, rows=3_000_000) == Shape.dense(capacity=2, bits=21)
True
"""

from __future__ import annotations

from deciban.value import Value

# The least room that is made.
LEAST_ROWS = 512
# So much more room than needed is made, so that not every lesson makes a new file.
SPARE = 0.125
# A bucket of the index has places for so many entries, and for fewer if there are many rows.
BUCKET_BYTES = 64
NARROW_PLACES = 12
WIDE_PLACES = 10
# Work in bulk may take so many times the room of a sparse table, and so many bytes.
BULK_TIMES = 8
BULK_BYTES = 1 << 27


class Shape(Value):
    """The sizes of a table."""

    capacity: int
    """Labels that a row has room for: a power of two."""
    bits: int
    """A view has 2^bits slots."""
    rows: int
    """Rows that there is room for."""
    is_dense: bool = False
    """Whether each slot has its row."""

    @classmethod
    def dense(cls, capacity: int, bits: int) -> Shape:
        """A table with a row for each slot of both views."""
        return cls(capacity, bits, 2 << bits, is_dense=True)

    @classmethod
    def for_rows(
        cls, capacity: int, bits: int, rows: int, is_layer: bool = False, spare: float = SPARE
    ) -> Shape:
        """A table for so many rows, and for a ``spare`` share more; dense if that is not larger.

        A layer is always sparse.
        """
        dense = cls.dense(capacity, bits)
        sparse = cls(capacity, bits, min(max(rows + int(spare * rows), LEAST_ROWS), dense.rows))
        return sparse if is_layer or sparse.size < dense.size else dense

    def for_bulk(self) -> Shape:
        """The same for much work in memory, which is over soon: dense, unless that takes far too much.

        A dense table finds a row by one look at memory, a sparse one by two or three: 6,046 lessons of
        SpamAssassin are learned in .5 of the time. Its 64 MB take some 30 ms to clear and to look through,
        as much as 500 lessons gain.

        >>> few, many = (Shape.for_rows(2, 21, rows).for_bulk() for rows in (100_000, 400_000))
        >>> few.is_dense, many.is_dense, Shape.for_rows(16, 21, 400_000).for_bulk().is_dense
        (False, True, False)
        """
        dense = Shape.dense(self.capacity, self.bits)
        return dense if dense.size <= min(BULK_TIMES * self.size, BULK_BYTES) else self

    @property
    def buckets(self) -> int:
        """The buckets of the index, at most four fifths full; a dense table has none."""
        if self.is_dense:
            return 0
        places = NARROW_PLACES if self.rows <= 1 << (39 - self.bits) else WIDE_PLACES
        return 5 * self.rows // (4 * places) + 1

    @property
    def size(self) -> int:
        """The bytes of index and rows, about."""
        return BUCKET_BYTES * self.buckets + self.rows * row_bytes(self.capacity)


def row_bytes(capacity: int) -> int:
    """The bytes of a row with room for so many labels: a power of two.

    >>> [row_bytes(capacity) for capacity in (2, 4, 8, 16)]
    [16, 32, 64, 128]
    """
    return 1 << max(3 + 6 * capacity, 15).bit_length()
