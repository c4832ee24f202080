"""Figures that README and docs quote from a benchmark are those of its last run.

A quoted figure is followed by a comment that no reader sees. It says where the figure is from: benchmark,
beginning of the table's title, row and column; or only the benchmark, where that prints text.

    takes .33<!-- accuracy | spamassassin, half | bogofilter | deciban ÷ it --> of …
    a lesson takes 4,899<!-- filter --> bytes
"""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# Made from the results; a log of what was measured at the time.
OTHERWISE = {"benchmarks.md", "experiments.md"}
MARK = re.compile(
    r"(?P<said>[\d.,]*\d)(?:%|×)?\s*<!-- (?P<source>\w+(?: \| [^|]+? \| [^|]+? \| [^|]+?)?) -->"
)


def quoted():
    for page in PAGES:
        for mark in MARK.finditer(page.read_text()):
            yield pytest.param(mark["said"], mark["source"], id=f"{page.name}: {mark['said']}")


def looked_up(name, title, row, column):
    record = json.loads((RESULTS / f"{name}.json").read_text())
    table = next(table for table in record["tables"] if table["title"].startswith(title))
    cells = next(cells for cells in table["rows"] if str(cells[0]) == row)
    return cells[table["columns"].index(column)]


@pytest.mark.parametrize(("said", "source"), list(quoted()))
def test_a_quoted_figure_is_that_of_the_last_run(said, source):
    name, *place = source.split(" | ")
    if not place:
        text = json.loads((RESULTS / f"{name}.json").read_text())["text"]
        assert re.search(rf"(?<![\d.,]){re.escape(said)}(?![\d]|[.,]\d)", text)
        return
    found = looked_up(name, *place)
    value = float(str(found).rstrip("%"))
    decimals = len(said.partition(".")[2])
    assert float(said.replace(",", "")) == pytest.approx(round(value, decimals), abs=10**-decimals / 1000)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name not in OTHERWISE], ids=lambda page: page.name
)
def test_a_page_that_names_a_benchmark_says_which_figures_are_from_it(page):
    text = page.read_text()
    named = set(re.findall(r"`python -m benchmarks (\w+)", text))
    assert named <= {mark["source"].split(" | ")[0] for mark in MARK.finditer(text)}
