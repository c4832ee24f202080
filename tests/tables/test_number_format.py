import numpy as np
import pytest

from deciban.tables import read_table

both = pytest.mark.parametrize("library", ["polars", "pandas"])


def read(tmp_path, text, library="polars", **options):
    (tmp_path / "a.csv").write_text(text)
    return read_table(tmp_path / "a.csv", library=library, **options)


@both
def test_decimal_commas_are_read_and_said(tmp_path, library):
    table = read(tmp_path, "price;count\n3,5;1.200\n1.234,25;7\n;8\n", library)
    assert np.array_equal(table.values("price"), [3.5, 1234.25, np.nan], equal_nan=True)
    assert table.values("count").tolist() == [1200, 7, 8]
    assert table.notes == (
        "columns are separated by ';'; --separator overrules this",
        "numbers have decimal commas, such as 3,5 in column 'price'; --decimal overrules this",
    )


@both
def test_commas_between_thousands_are_read_and_said(tmp_path, library):
    table = read(tmp_path, 'price,n\n"1,234,567",1.5\n"12.5",2\n', library)
    assert table.values("price").tolist() == [1234567, 12.5]
    assert table.values("n").tolist() == [1.5, 2]
    assert table.notes == (
        "numbers have commas between thousands, such as 1,234,567 in column 'price'; "
        "--decimal overrules this",
    )


def test_what_may_be_either_is_not_guessed(tmp_path):
    text = "price;n\n1,234;1\n5,678;2\n"
    table = read(tmp_path, text)
    assert table.values("price").tolist() == ["1,234", "5,678"]
    assert "with a decimal comma, or in thousands?" in table.notes[1]
    assert read(tmp_path, text, decimal=",").values("price").tolist() == [1.234, 5.678]
    assert read(tmp_path, text, decimal=".").values("price").tolist() == [1234, 5678]
    assert read(tmp_path, text, decimal=".", separator=";").notes == ()


def test_a_clear_column_decides_for_the_unclear_ones(tmp_path):
    table = read(tmp_path, "a;b\n1,234;2,5\n5,678;3,5\n")
    assert table.values("a").tolist() == [1.234, 5.678]


def test_plain_numbers_need_no_words(tmp_path):
    table = read(tmp_path, "a,b\n1.5,x\n-2e3,y\n")
    assert table.values("a").tolist() == [1.5, -2000]
    assert table.notes == ()


def test_a_comma_in_a_text_is_no_number(tmp_path):
    table = read(tmp_path, 'town,n\n"Bern, old",1\n"3,5",2\n')
    assert table.values("town").tolist() == ["Bern, old", "3,5"]
    assert table.notes == ()


def test_separators_in_quotes_do_not_count(tmp_path):
    assert read(tmp_path, '"a,b,c";d\n"1,2,3";4\n').columns == ["a,b,c", "d"]


def test_tabs_are_called_tabs(tmp_path):
    assert read(tmp_path, "a\tb\n1\t2\n").notes == (
        "columns are separated by tabs; --separator overrules this",
    )


def test_a_told_separator_is_taken(tmp_path):
    assert read(tmp_path, "a:b\n1:2\n", separator=":").columns == ["a", "b"]
