"""The page fetches nothing, runs nothing, and shows hostile tables as text."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from deciban.errors import CannotWrite
from deciban.tables import Table, TableModel
from deciban.tables.report import write_report
from deciban.tables.report.table_page import chosen_rows

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&"
ROWS = 90
RNG = np.random.default_rng(5)
KIND = np.array([f"a {HOSTILE}", "b", "c"])[np.arange(ROWS) % 3]


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.text, self.open = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text.append(data)


def every_kind_of_column():
    size = np.where(KIND == "b", 3.0, 8.0) + RNG.normal(0, 1, ROWS)
    size[::9] = np.nan
    town = [(f"Bern {HOSTILE}", "Rome", None)[n % 3 if n % 5 else 1] for n in range(ROWS)]
    return {
        f"size {HOSTILE}": size,
        "town": town,
        "visits": RNG.poisson(30, ROWS).astype(float),
        "tries": RNG.geometric(0.03, ROWS) - 1.0,
        "amount": RNG.gamma(0.7, 100, ROWS),
        "paid": np.where(RNG.random(ROWS) < 0.7, 0, RNG.gamma(2, 3, ROWS)),
        "yes": RNG.integers(0, 2, ROWS).astype(float),
        "when": [f"20{n % 4 + 20}-{n % 12 + 1:02}-{n % 28 + 1:02} {n % 24}:00" for n in range(ROWS)],
        "note": [f"{HOSTILE} a {('mild', 'high')[n % 2]} fever again {n}" for n in range(ROWS)],
        "nr": np.arange(ROWS) + 1.0,
    }


@pytest.fixture(scope="module")
def table():
    return Table(
        {**every_kind_of_column(), "kind": [None if n == 7 else kind for n, kind in enumerate(KIND)]}
    )


@pytest.fixture(scope="module")
def model(table):
    return TableModel.fit(table, "kind")


@pytest.fixture(scope="module")
def page(model, table, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "page.html"
    write_report(path, model, table, HOSTILE)
    return path.read_text()


def test_hostile_names_and_values_are_shown_as_text(page):
    found = Tags()
    found.feed(page)
    assert "".join(found.text).count("<script>alert(1)") >= 5
    assert not {"script", "img", "iframe", "link", "object"} & set(found.tags)
    assert not [name for name, _ in found.attributes if name.startswith("on")]


def test_nothing_is_fetched(page):
    assert "default-src 'none'" in page
    assert "@import" not in page
    assert not re.search(r"(href|src)=|url\(|https?:", page.replace("alert(2)", "").replace("src=x", ""))


def test_there_is_one_picture_for_each_column_that_was_learned(page, model):
    assert {one.family for one in model.used} >= {
        "text",
        "categorical",
        "bernoulli",
        "above-zero",
        "gaussian",
    }
    assert page.count("<svg") == len(model.used) + 1  # and reliability
    for heading in ("Labels", "Confusion", "Reliability", "Columns", "Not learned from", "Single rows"):
        assert f"<h2>{heading}</h2>" in page


def test_pictures_hold_numbers_and_nothing_else(page):
    for value in re.findall(r'(?:x|y|cx|cy|width|height|points)="([^"]*)"', page):
        assert re.fullmatch(r"[-0-9., ]*|device-width, initial-scale=1", value), value


def test_the_confusion_is_that_of_the_trial(page, model):
    cells = re.findall(r"<td[^>]*rgb\(var\(--shade\)[^>]*>([\d,]+)</td>", page)
    order = np.argsort(-np.bincount(model.trial.truth), kind="stable")
    assert [int(cell) for cell in cells] == model.trial.confusion()[np.ix_(order, order)].ravel().tolist()


def test_single_rows_are_shown_with_their_line_in_the_file_and_add_up(page, model):
    assert page.count("<details>") == sum(map(len, chosen_rows(model.trial).values())) > 4
    assert "Row 8:" not in page  # has no label
    for part in re.findall(r"<details>(.*?)</details>", page, flags=re.DOTALL):
        numbers = [float(text.replace("−", "-")) for text in re.findall(r"([+−][\d.]+) dB", part)]
        assert sum(numbers[1:]) == pytest.approx(numbers[0], abs=0.1 * len(numbers))


def test_the_same_model_makes_the_same_page(model, table, page, tmp_path):
    write_report(tmp_path / "again.html", model, table, HOSTILE)
    assert (tmp_path / "again.html").read_text() == page


def test_a_place_that_cannot_be_written_is_told(model, table, tmp_path):
    with pytest.raises(CannotWrite):
        write_report(tmp_path / "no" / "such" / "page.html", model, table, "x")


@pytest.mark.parametrize(
    "families", [{"x": "poisson"}, {"x": "gaussian"}, {"x": "text"}, {"x": "categorical"}]
)
def test_columns_that_are_silent_or_empty_for_a_label_are_drawn_too(tmp_path, families):
    kind = ["a", "b"] * 20
    for values in ([3.0] * 40, [n % 4 + 0.0 if n % 2 else np.nan for n in range(40)], [np.nan] * 40):
        table = Table({"x": values, "y": np.arange(40) % 7 + 0.25, "kind": kind})
        write_report(tmp_path / "a.html", TableModel.fit(table, "kind", families), table, "x")
        assert "nan" not in (tmp_path / "a.html").read_text()


def test_many_labels_are_cut_to_the_commonest(tmp_path, wine_file):
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    table = Table({"p": X[:, 20], "q": X[:, 42], "digit": y})
    write_report(tmp_path / "digits.html", TableModel.fit(table, "digit"), table, "digits")
    assert "The pictures show the 6 commonest of 10 labels." in (tmp_path / "digits.html").read_text()
