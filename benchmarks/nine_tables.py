"""Nine real tables with labels: four of scikit-learn, Spambase, two of statsmodels, two of vega_datasets.

They are no part of the project: the packages bring theirs, and Spambase lies in ../shared/data.

    iris, wine, breast cancer, digits    scikit-learn
    Spambase                             57 columns of words, characters and capitals of 4,601 mails
    election                             statsmodels' anes96: who voted for Clinton or Dole, 1996
    affairs                              statsmodels' fair: had an affair or none, 1978
    cars                                 vega_datasets: Europe, Japan or USA
    weather                              vega_datasets: drizzle, fog, rain, snow or sun in Seattle

Cars have names and weather has dates; as numbers only, the names are left out, and year and month stand for
dates.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets

from benchmarks.corpora import unpack
from deciban.tables import Table


class LabelledTable(NamedTuple):
    """A table without its label, and the label of each row."""

    name: str
    table: Table
    labels: NDArray[np.str_]


def nine_tables(numbers_only: bool = True) -> Iterator[LabelledTable]:
    """All of them, with or without the columns of text."""
    for name in ("iris", "wine", "breast_cancer", "digits"):
        data = getattr(datasets, f"load_{name}")(as_frame=True)
        yield _labelled(name.replace("_", " "), data.frame, "target")
    yield spambase()
    yield election()
    yield affairs()
    yield cars(numbers_only)
    yield weather(numbers_only)


def spambase() -> LabelledTable:
    rows = np.loadtxt(unpack("spambase") / "spambase.data", delimiter=",")
    table = Table({f"column {number}": rows[:, number - 1] for number in range(1, 58)})
    return LabelledTable("Spambase", table, np.where(rows[:, 57] == 1, "spam", "good"))


def election() -> LabelledTable:
    from statsmodels.datasets import anes96

    return _labelled("election", anes96.load_pandas().data, "vote", drop=("logpopul",))


def affairs() -> LabelledTable:
    from statsmodels.datasets import fair

    data = fair.load_pandas().data
    return _labelled("affairs", data.assign(affairs=data["affairs"] > 0), "affairs")


def cars(numbers_only: bool) -> LabelledTable:
    from vega_datasets import local_data

    data = local_data.cars()
    if not numbers_only:
        return _labelled("cars", data.assign(Year=data["Year"].astype(str)), "Origin")
    return _labelled("cars", data.assign(Year=data["Year"].dt.year), "Origin", drop=("Name",))


def weather(numbers_only: bool) -> LabelledTable:
    from vega_datasets import local_data

    data = local_data.seattle_weather()
    if not numbers_only:
        return _labelled("weather", data.assign(date=data["date"].astype(str)), "weather")
    return _labelled("weather", data.assign(month=data["date"].dt.month), "weather", drop=("date",))


def _labelled(name: str, frame: Any, label: str, drop: tuple[str, ...] = ()) -> LabelledTable:
    columns = {str(key): frame[key].to_numpy() for key in frame.columns if key not in (label, *drop)}
    return LabelledTable(name, Table(columns), frame[label].to_numpy().astype(str))
