"""What a prior believes, and how much of it is left after some tosses.

A Beta prior over a coin's chance is a number of imagined tosses. Ten real ones move it, a hundred outweigh
it, after a thousand nobody can tell what was believed at first. The peak of the posterior is MAP (dotted),
its mean is what smoothing says. A Dirichlet is the same for words. Without a prior the counts are believed,
and one word that was never seen with a label decides alone.

    python examples/14_beliefs.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from scipy.stats import beta, dirichlet

from deciban import Bernoulli, Beta, Multinomial, NaiveBayes
from deciban.errors import ImpossibleRows
from gallery import options, picture, save

CHANCE, TOSSES = 0.3, (0, 10, 100, 1_000)
PRIORS = {"Beta(1, 1): anything": (1, 1), "Beta(20, 20): surely fair": (20, 20)}
DIRICHLETS = ((0.5, 0.5, 0.5), (1, 1, 1), (4, 4, 4), (8, 3, 2))


def coins(pictures: Path | None) -> None:
    """Posterior, MAP and mean after 0, 10, 100 and 1,000 tosses, for two priors."""
    figure, axes = picture(columns=len(TOSSES), height=3.2)
    chance = np.linspace(0.001, 0.999, 500)
    print(f"a coin with chance {CHANCE:.0%}; what is read of it, peak and mean")
    for panel, tosses in zip(axes, TOSSES, strict=True):
        heads = round(CHANCE * tosses)
        rows = np.array([[1.0]] * heads + [[0.0]] * (tosses - heads)).reshape(-1, 1)
        for colour, (name, (a, b)) in enumerate(PRIORS.items()):
            panel.plot(
                chance, beta(a + heads, b + tosses - heads).pdf(chance), label=name, color=f"C{colour}"
            )
            if tosses:
                tally = Bernoulli().tally(rows, ["coin"] * tosses)
                read = [
                    tally.read(rule, Beta(a, b)).parameters["probability"].item() for rule in ("map", "mean")
                ]
                panel.axvline(read[0], color=f"C{colour}", linestyle=":")
                print(f"{tosses:6,} tosses, {name:28}{read[0]:8.1%}{read[1]:8.1%}")
        panel.set(title=f"{tosses:,} tosses", xlabel="chance of heads", ylim=(0, None), yticks=[])
    axes[-1].legend(frameon=False, loc="upper right")
    save(figure, pictures, "14_coin")


def simplex(pictures: Path | None) -> None:
    """Dirichlets over three words, one at each corner: few of them, anything, all alike, mostly one."""
    figure, axes = picture(columns=len(DIRICHLETS), height=3.0)
    grid = np.array([(i, j, 80 - i - j) for i in range(1, 79) for j in range(1, 80 - i)]) / 80
    for panel, alpha in zip(axes, DIRICHLETS, strict=True):
        density = np.minimum(dirichlet(alpha).pdf(grid.T), 11.99)
        places = grid[:, 1] + grid[:, 0] / 2, grid[:, 0]
        panel.tricontourf(*places, density, levels=np.linspace(0, 12, 25), cmap="cividis")
        panel.set(title=f"α = {', '.join(f'{one:g}' for one in alpha)}")
        panel.axis("off")
    save(figure, pictures, "14_simplex")


def zero_count() -> None:
    """One word that a label was never seen with, against ten that speak for it."""
    X, y = np.array([[8, 0], [0, 8], [4, 1]]), np.array(["spam", "ham", "ham"])
    mail = [[10, 1]]  # "free" ten times, and "lunch", which no spam had
    print("\nten times “free” and once “lunch”, which no spam ever had:")
    for alpha in (0, 1, 100):
        model = NaiveBayes(Multinomial(), rule="mean", prior=alpha, label_prior="uniform").fit(X, y)
        print(f"  α = {alpha:<5}P(spam) = {model.predict_proba(mail)[0, 1]:.1%}")


if __name__ == "__main__":
    warnings.simplefilter("ignore", ImpossibleRows)
    told = options(__doc__)
    coins(told.pictures)
    simplex(told.pictures)
    zero_count()
