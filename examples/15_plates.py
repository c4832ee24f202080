"""Plate diagrams: what each model says about who depends on whom.

A circle is a random quantity, grey if it is seen; an arrow points to what is drawn given its other end; a
plate (a box) is repeated as often as its corner says. The two event models of a text differ in what is drawn:
whether each word of the language occurs (Bernoulli), or which word stands at each place (multinomial). In a
mixture the label itself is hidden.

    python examples/15_plates.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import matplotlib.pyplot as plt

from drawing import picture, save
from gallery import options

# Of each quantity: place, and whether it is seen. Of each plate: corners, and how often.
LABEL, PRIOR = (0.5, 3.0), (0.5, 4.4)
FEATURE, PARAMETER = (0.5, 1.2), (2.6, 1.2)
MODELS = {
    "Naive Bayes": (True, "$x_j$", r"$\theta_{jl}$", "features $j$"),
    "multivariate Bernoulli: does it occur?": (True, "$x_w$", r"$\theta_{wl}$", "words $w$"),
    "multinomial: which word is here?": (True, "$w_i$", r"$\theta_l$", "places $i$ in the text"),
    "mixture: the label is hidden": (False, "$x_j$", r"$\theta_{jk}$", "features $j$"),
}


def circle(panel: plt.Axes, place: tuple[float, float], name: str, seen: bool = False) -> None:
    """One quantity."""
    panel.add_patch(plt.Circle(place, 0.42, facecolor="#c8c8c8" if seen else "white", edgecolor="black"))
    panel.text(*place, name, ha="center", va="center", fontsize=13)


def arrow(panel: plt.Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """The end is drawn given the start."""
    panel.annotate(
        "", end, start, arrowprops={"arrowstyle": "-|>", "shrinkA": 22, "shrinkB": 22, "color": "black"}
    )


def plate(panel: plt.Axes, corner: tuple[float, float], size: tuple[float, float], times: str) -> None:
    """What is in the box is there so many times."""
    panel.add_patch(plt.Rectangle(corner, *size, fill=False, edgecolor="black"))
    panel.text(corner[0] + size[0] - 0.08, corner[1] + 0.1, times, ha="right", fontsize=8)


def main() -> None:
    """Four models side by side."""
    told = options(__doc__)
    figure, axes = picture(columns=2, rows=2, height=8.8)
    for panel, (title, (seen, feature, parameter, times)) in zip(axes, MODELS.items(), strict=True):
        label = "$y$" if seen else "$z$"
        # A feature-wise model has a parameter for each feature: its plate reaches over the parameter too.
        shared = "places" in times
        plate(panel, (-0.5, 0.1), (2.1 if shared else 4.2, 1.8), times)
        plate(panel, (-0.8, -0.45), (2.5, 4.1), "rows")
        plate(panel, (1.85, 0.45), (1.6, 1.35), "labels" if seen else "components")
        arrow(panel, PRIOR, LABEL)
        arrow(panel, LABEL, FEATURE)
        arrow(panel, PARAMETER, FEATURE)
        circle(panel, PRIOR, r"$\pi$")
        circle(panel, LABEL, label, seen)
        circle(panel, FEATURE, feature, True)
        circle(panel, PARAMETER, parameter)
        panel.set(title=title, xlim=(-1, 4), ylim=(-0.7, 5), aspect="equal")
        panel.axis("off")
    save(figure, told.pictures, "15_plates", kind="svg")
    print("numbers to learn, 2 labels and 1,000 words: 1 + 2 · 1,000 (Bernoulli), 1 + 2 · 999 (multinomial)")


if __name__ == "__main__":
    main()
