"""A shape is as small as it can be for what it has room for."""

from hypothesis import given
from hypothesis import strategies as st

from deciban.committee._committee import Committee
from deciban.committee.settings import Settings
from deciban.committee.shape import Shape, row_bytes
from deciban.filter.state import capacity_for


@given(st.sampled_from([2, 4, 8, 32, 1024]), st.integers(4, 16), st.integers(0, 200_000))
def test_a_table_is_sparse_while_that_is_smaller(capacity: int, bits: int, rows: int) -> None:
    rows = min(rows, 2 << bits)
    shape = Shape.for_rows(capacity, bits, rows)
    assert shape.rows >= rows or shape.is_dense
    assert shape.size <= Shape.dense(capacity, bits).size
    assert (shape.buckets == 0) == shape.is_dense
    if not shape.is_dense:
        assert 10 * shape.buckets > shape.rows
    for settings, label in ((Settings(), 128), (Settings(complement=0.0), 112)):
        more = Committee.size(settings, shape) - shape.size - label * capacity
        assert 0 <= more <= 16_384 + shape.size // 500


def test_a_layer_is_always_sparse() -> None:
    shape = Shape.for_rows(2, 4, 1000, is_layer=True)
    assert not shape.is_dense
    assert shape.rows == 2 << 4


def test_a_row_of_two_labels_takes_16_bytes() -> None:
    assert [row_bytes(capacity) for capacity in (2, 4, 8, 32)] == [16, 32, 64, 256]


def test_up_to_20_labels_fill_their_rows() -> None:
    for labels in range(2, 21):
        capacity = capacity_for(labels)
        assert capacity >= labels
        assert row_bytes(capacity) < row_bytes(capacity + 2)
