"""How the pictures of the gallery look: one page, one set of colours, and the few kinds of picture there are.

Pictures are as wide as a page of text and drawn in twice its resolution. Their ground is white, not
transparent: black letters can be read on a dark page too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from deciban.whole_file import WholeFile

# Okabe and Ito's colours, which the colour-blind can tell apart; yellow, too pale for lines, is left out.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X"]
PAGE = 9.4  # inches; a single panel takes two thirds of it
LOOK = {
    "axes.prop_cycle": plt.cycler(color=COLOURS),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10.5,
    "figure.facecolor": "white",
    "font.size": 10,
    "legend.frameon": False,
    "savefig.dpi": 200,
    "svg.hashsalt": "deciban",
}


def picture(
    columns: int = 1, rows: int = 1, height: float = 4.2, wide: bool = False
) -> tuple[Figure, Sequence[plt.Axes]]:
    """A figure with so many panels, told row by row."""
    plt.rcParams.update(LOOK)
    figure, axes = plt.subplots(
        rows,
        columns,
        figsize=(PAGE if wide or columns > 1 else 6.4, height),
        squeeze=False,
        layout="constrained",
    )
    return figure, axes.ravel()


def save(figure: Figure, folder: Path | None, name: str, kind: str = "png") -> None:
    """Save a picture where --pictures says, as pixels (png) or as lines (svg)."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        with WholeFile(folder / f"{name}.{kind}") as file:
            # Without a date, so that the same picture is the same file.
            figure.savefig(file, format=kind, metadata={"Date": None} if kind == "svg" else None)
        print(f"saved {folder / name}.{kind}")
    plt.close(figure)


def curves(panel: plt.Axes, places: Sequence[float], lines: Mapping[str, Sequence[float]]) -> None:
    """One line per name over the same places, each with a marker of its own."""
    for number, (name, values) in enumerate(lines.items()):
        panel.plot(places, values, marker=MARKERS[number], markersize=5, label=name)
    panel.grid(alpha=0.3)


def bars(panel: plt.Axes, names: Sequence[str], groups: Mapping[str, Sequence[float]]) -> None:
    """Bars side by side: one group of them per name, and above each what it is, in per cent."""
    width = 0.8 / len(groups)
    for number, (group, values) in enumerate(groups.items()):
        places = np.arange(len(names)) + (number - (len(groups) - 1) / 2) * width
        drawn = panel.bar(places, values, width, label=group)
        panel.bar_label(drawn, [f"{value:.1%}" for value in values], fontsize=8, padding=1)
    panel.set_xticks(range(len(names)), names)


def ticks(panel: plt.Axes, places: Sequence[float]) -> None:
    """A logarithmic axis that says the numbers which were tried, not powers of ten."""
    panel.set_xscale("log")
    panel.set_xticks(places, [f"{place:,g}" for place in places])
    panel.minorticks_off()


def points(
    panel: plt.Axes,
    X: np.ndarray,
    labels: np.ndarray,
    size: float = 22,
    names: Sequence[object] = (),
    **shown: object,
) -> None:
    """Rows as points: each label has a colour and a marker, in the order of the names or of the alphabet."""
    for number, label in enumerate(names if len(names) else np.unique(labels)):
        panel.scatter(
            *X[labels == label].T,
            s=size,
            color=COLOURS[number],
            marker=MARKERS[number],
            edgecolor="white",
            linewidth=0.5,
            label=str(label),
            **shown,
        )


def regions(panel: plt.Axes, across: np.ndarray, up: np.ndarray, said: np.ndarray, count: int) -> None:
    """Where each of so many labels (their numbers, row by row from below) is said."""
    panel.pcolormesh(
        across,
        up,
        said.reshape(len(up), len(across)),
        cmap=ListedColormap(COLOURS[:count]),
        vmin=0,
        vmax=count - 1,
        alpha=0.3,
        linewidth=0,
        antialiased=False,
        rasterized=True,
    )


def votes(panel: plt.Axes, across: np.ndarray, up: np.ndarray, counts: np.ndarray, most: int) -> object:
    """How many of the neighbours say one label, from 0 to most, each number a shade."""
    return panel.pcolormesh(
        across,
        up,
        np.rint(counts).reshape(len(up), len(across)),
        cmap=plt.get_cmap("Oranges", most + 1),
        vmin=-0.5,
        vmax=most + 0.5,
        rasterized=True,
    )


def border(panel: plt.Axes, axis: np.ndarray, said: np.ndarray) -> None:
    """The line between 0 and 1 on a square grid of whole numbers, along the edges of its cells."""
    cells = np.pad(said.reshape(len(axis), len(axis)), 1, mode="edge")
    for row, column in np.argwhere(cells[1:-1, 1:-1] != cells[1:-1, 2:]):
        panel.plot([axis[column] + 0.5] * 2, axis[row] + np.array([-0.5, 0.5]), color="black", lw=1.5)
    for row, column in np.argwhere(cells[1:-1, 1:-1] != cells[2:, 1:-1]):
        panel.plot(axis[column] + np.array([-0.5, 0.5]), [axis[row] + 0.5] * 2, color="black", lw=1.5)


def places_of(across: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Every point of a grid as a row of two columns, in the order in which `regions` takes them."""
    return np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)


def matrix(
    panel: plt.Axes, values: np.ndarray, rows: Sequence[str], columns: Sequence[str], most: float = 1.0
) -> AxesImage:
    """Values from 0 to most as a table of shades, pale where there is little."""
    shown = panel.imshow(values, cmap="Blues", vmin=0, vmax=most, aspect="auto")
    panel.set_xticks(range(len(columns)), columns, rotation=60, ha="right", rotation_mode="anchor")
    panel.set_yticks(range(len(rows)), rows)
    panel.tick_params(length=0)
    panel.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
    panel.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
    panel.grid(which="minor", color="white", linewidth=1)
    panel.tick_params(which="minor", length=0)
    panel.spines[:].set_visible(False)
    return shown


def tiles(panel: plt.Axes, images: np.ndarray, names: Sequence[str]) -> AxesImage:
    """Square images (rows, columns, pixels from 0 to 1) on one sheet, a pixel of margin round each."""
    rows, columns, pixels = images.shape
    side = int(pixels**0.5)
    sheet = np.full((rows, columns, side + 2, side + 2), np.nan)
    sheet[:, :, 1:-1, 1:-1] = images.reshape(rows, columns, side, side)
    drawn = panel.imshow(sheet.swapaxes(1, 2).reshape(rows * (side + 2), -1), cmap="cividis", vmin=0, vmax=1)
    panel.set_xticks((np.arange(columns) + 0.5) * (side + 2) - 0.5, range(columns))
    panel.set_yticks((np.arange(rows) + 0.5) * (side + 2) - 0.5, names)
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)
    return drawn


def simplex(panel: plt.Axes, density: object, corners: Sequence[str], most: float) -> object:
    """A density over the shares of three words, each of which is a corner: the first above."""
    steps = 120
    inner = [(i, j, steps - i - j) for i in range(1, steps - 1) for j in range(1, steps - i)]
    shares = np.array(inner) / steps
    places = shares[:, 2] + shares[:, 0] / 2, shares[:, 0] * 0.75**0.5
    shown = panel.tricontourf(
        *places, density(shares.T), levels=np.linspace(0, most, 21), cmap="cividis", extend="max"
    )
    for place, name, above in zip(
        ((0.5, 0.9), (0, -0.03), (1, -0.03)), corners, (True, False, False), strict=True
    ):
        panel.text(*place, name, ha="center", va="bottom" if above else "top", fontsize=9)
    panel.set(xlim=(-0.08, 1.08), ylim=(-0.1, 1), aspect="equal")
    panel.axis("off")
    return shown
