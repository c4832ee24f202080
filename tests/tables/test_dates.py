import numpy as np
import pytest

from deciban.errors import NoSuchFeature, OutsideSupport, UnreadableModel, WrongUsage
from deciban.learners import model_file
from deciban.tables import Table, TableModel, read_table
from deciban.tables.dates import DateColumn, date_order, find_dates, parse_date

ROWS = 240
HOURS = np.random.default_rng(1).permutation(np.arange(ROWS) % 24)
WHEN = [f"2024-{n // 24 + 1:02}-{n % 25 + 1:02}T{hour:02}:30:00" for n, hour in enumerate(HOURS)]
# Shops are open by day: the hour tells everything.
KIND = ["open" if 8 <= hour < 18 else "shut" for hour in HOURS]


@pytest.fixture
def shop():
    return Table({"when": WHEN, "size": np.arange(ROWS) % 7 + 0.5, "kind": KIND})


@pytest.mark.parametrize(
    ("text", "order", "expected"),
    [
        ("2024-01-31", "year-first", "2024-01-31 00:00:00"),
        ("2024/1/31 9:05", "year-first", "2024-01-31 09:05:00"),
        ("20240131", "year-first", "2024-01-31 00:00:00"),
        ("2024-01-31T23:59:59.123456+02:00", "year-first", "2024-01-31 23:59:59"),
        ("2024-01-31 00:00:00Z", "year-first", "2024-01-31 00:00:00"),
        ("31.1.2024", "day-first", "2024-01-31 00:00:00"),
        ("1/31/2024 12:10 am", "month-first", "2024-01-31 00:10:00"),
        ("31-Jan-2024", "year-first", "2024-01-31 00:00:00"),
        ("January 31, 2024", "month-first", "2024-01-31 00:00:00"),
        ("1.31.2024", "month-first", "None"),
        ("2024-02-31", "year-first", "None"),
        ("2024-01-31 25:00", "year-first", "None"),
        ("13:00 pm", "year-first", "None"),
        ("2024-01/31", "year-first", "None"),
        ("31 Foo 2024", "day-first", "None"),
        ("", "day-first", "None"),
    ],
)
def test_dates_are_read_as_people_write_them(text, order, expected):
    assert str(parse_date(text, order)) == expected


def test_the_order_is_found_where_one_entry_decides_it():
    assert date_order(["3/4/2024", "3/14/2024", None]) == "month-first"
    assert date_order(["3/4/2024", "14/3/2024"]) == "day-first"
    assert date_order(["3.4.2024"]) == "day-first"
    assert date_order(["3/14/2024", "14/3/2024"]) is None
    assert date_order([None]) is None


def test_the_hour_tells_when_a_shop_is_open(shop):
    model = TableModel.fit(shop, "kind")
    assert model.figures.accuracy > 0.95
    told = model.why(shop[:1])[0]
    assert told.features[0].name == "when.hour"
    assert told.decibans == pytest.approx(model.predict(shop[:1])[0].decibans)


def test_a_saved_model_reads_dates_as_it_did(shop, tmp_path):
    model = TableModel.fit(shop, "kind")
    model.save(tmp_path / "shop.npz")
    again = TableModel.load(tmp_path / "shop.npz")
    assert again.dates == model.dates
    assert again.predict(shop) == model.predict(shop)


def test_later_dates_and_gaps_are_welcome(shop):
    model = TableModel.fit(shop, "kind")
    new = Table({"when": ["2031-05-05 12:00", None], "size": [1.5, 1.5]})
    assert model.predict(new)[0].label == "open"


def test_what_is_no_date_is_refused_with_its_row(shop):
    model = TableModel.fit(shop, "kind")
    with pytest.raises(
        OutsideSupport, match=r"'when' should hold dates \(year-first\), but has 'soon' in row 2"
    ):
        model.predict(Table({"when": ["2024-01-01", "soon"], "size": [1.5, 1.5]}))
    with pytest.raises(NoSuchFeature, match="no column 'when', from which the model learned"):
        model.predict(Table({"size": [1.5]}))


def test_a_given_order_decides_and_what_cannot_be_one_is_refused():
    table = Table({"when": ["03/04/2024", "05/06/2024"], "n": [20240131.0, 20240201.0]})
    assert find_dates(table, {}) == []
    assert find_dates(table, {"when": "day-first"})[0].newest == "2024-06-05T00:00:00"
    assert find_dates(table, {"when": "month-first"})[0].newest == "2024-05-06T00:00:00"
    assert find_dates(table, {"n": "date"})[0].newest == "2024-02-01T00:00:00"
    with pytest.raises(WrongUsage, match="cannot be told apart"):
        find_dates(table, {"when": "date"})
    with pytest.raises(OutsideSupport, match="should hold dates"):
        find_dates(Table({"x": ["a", "b"]}), {"x": "date"})


def test_a_date_can_be_dropped_or_kept_as_it_is(shop):
    columns = {one.name: one.family for one in TableModel.fit(shop, "kind", {"when": "drop"}).columns}
    assert columns["when"] == "drop"
    assert "when.hour" not in columns
    model = TableModel.fit(shop, "kind", {"when.month": "drop", "when.hour": "gaussian"})
    families = {one.name: one.family for one in model.columns}
    assert (families["when.month"], families["when.hour"]) == ("drop", "gaussian")


def test_a_name_that_is_taken_is_refused():
    table = Table({"when": WHEN, "when.year": np.arange(ROWS) % 9 + 0.5, "kind": KIND})
    with pytest.raises(WrongUsage, match=r"'when' holds dates, but 'when.year', .* is there. Rename it"):
        TableModel.fit(table, "kind")
    assert TableModel.fit(table, "kind", {"when": "drop"}).dates == ()


def test_dates_of_parquet_are_dates(tmp_path):
    import polars

    days = polars.Series([f"2024-01-{n + 1:02}" for n in range(30)]).str.to_date()
    polars.DataFrame({"day": days, "time": days.cast(polars.Datetime)}).write_parquet(tmp_path / "a.parquet")
    for library in ("polars", "pandas"):
        table = read_table(tmp_path / "a.parquet", library=library)
        assert [one.newest for one in find_dates(table, {})] == ["2024-01-30T00:00:00"] * 2


@pytest.mark.parametrize(
    "damaged", [["when", "any", "2024-01-01"], ["when", "year-first", "soon"], ["when"], 7]
)
def test_a_model_with_damaged_dates_is_refused(shop, tmp_path, damaged):
    model = TableModel.fit(shop, "kind")
    path = tmp_path / "shop.npz"
    model.save(path)
    about = model_file.about(path)
    model_file.save(model.learner, path, about | {"dates": [damaged]})
    with pytest.raises(UnreadableModel):
        TableModel.load(path)


def test_ages_are_counted_from_the_newest_date_that_was_learned():
    column = DateColumn.found("when", ["2024-01-01", "2024-01-11"])
    assert column.derived(["2024-01-01", "2024-01-12 12:00"])["when.age"].tolist() == [10, -1.5]
