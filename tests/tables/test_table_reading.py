import numpy as np
import pytest

from deciban.errors import NoSuchSource, UnreadableTable
from deciban.tables import Table, read_table, write_table

both = pytest.mark.parametrize("library", ["polars", "pandas"])


@both
def test_a_column_of_numbers_and_gaps_holds_numbers(tmp_path, library):
    (tmp_path / "a.csv").write_text("age,town\n34,Bern\n?,NA\n 2.5 ,\n")
    table = read_table(tmp_path / "a.csv", library=library)
    assert table.columns == ["age", "town"]
    assert np.array_equal(table.values("age"), [34, np.nan, 2.5], equal_nan=True)
    assert table.values("town").tolist() == ["Bern", None, None]


@both
@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_other_separators_are_found_in_the_header(tmp_path, library, separator):
    (tmp_path / "a.csv").write_text(separator.join("xyz") + "\n" + separator.join("123") + "\n")
    assert read_table(tmp_path / "a.csv", library=library).columns == ["x", "y", "z"]


@both
def test_quotes_hold_separators_and_line_ends(tmp_path, library):
    (tmp_path / "a.csv").write_bytes(b'\xef\xbb\xbf"a,b",c\r\n"x\ny, z",1\r\n')
    table = read_table(tmp_path / "a.csv", library=library)
    assert table.columns == ["a,b", "c"]
    assert table.values("a,b").tolist() == ["x\ny, z"]


@both
def test_without_a_header_columns_are_numbered(tmp_path, library):
    (tmp_path / "a.csv").write_text("1,a\n2,b\n")
    table = read_table(tmp_path / "a.csv", header=False, library=library)
    assert table.columns == ["1", "2"]
    assert table.values("1").tolist() == [1, 2]


@both
def test_parquet_keeps_gaps_and_truth_values(tmp_path, library):
    import polars

    columns = {"n": [1, None], "yes": [True, None], "text": [None, "x"]}
    polars.DataFrame(columns).write_parquet(tmp_path / "a.parquet")
    table = read_table(tmp_path / "a.parquet", library=library)
    assert np.array_equal(table.values("n"), [1, np.nan], equal_nan=True)
    assert np.array_equal(table.values("yes"), [1, np.nan], equal_nan=True)
    assert table.values("text").tolist() == [None, "x"]


@both
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "holds no names"),
        (b"\0\1\2\0", "holds no names"),
        (b"a,a\n1,2\n", "two columns called 'a'"),
        (b"a,b\n1,2,3\n4,5,6\n", "cannot be read as a CSV file"),
    ],
)
def test_what_is_no_table_is_one_clear_error(tmp_path, library, content, reason):
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(UnreadableTable, match=reason) as caught:
        read_table(tmp_path / "a.csv", library=library)
    assert "\n" not in str(caught.value)


@both
def test_what_is_no_parquet_is_one_clear_error(tmp_path, library):
    (tmp_path / "a.parquet").write_bytes(b"hello")
    with pytest.raises(UnreadableTable, match="Parquet") as caught:
        read_table(tmp_path / "a.parquet", library=library)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(NoSuchSource, match="gone"):
        read_table(tmp_path / "gone.csv")


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_a_table_that_is_written_reads_the_same(tmp_path, name):
    table = Table({"label": ["flu", None, "a,b"], "decibans": [12.5, np.nan, 3.0]})
    write_table(table, str(tmp_path / name))
    again = read_table(tmp_path / name)
    assert again.values("label").tolist() == ["flu", None, "a,b"]
    assert np.array_equal(again.values("decibans"), [12.5, np.nan, 3.0], equal_nan=True)
    assert [path.name for path in tmp_path.iterdir()] == [name]
