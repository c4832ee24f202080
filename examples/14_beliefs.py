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
from drawing import picture, save, simplex
from gallery import options

CHANCE, TOSSES = 0.3, (0, 10, 100, 1_000)
PRIORS = {"Beta(1, 1): anything": (1, 1), "Beta(20, 20): surely fair": (20, 20)}
DIRICHLETS = {
    "few of them": (0.5, 0.5, 0.5),
    "anything": (1, 1, 1),
    "all alike": (4, 4, 4),
    "mostly “free”": (8, 3, 2),
}


def coins(pictures: Path | None) -> None:
    """Posterior, MAP and mean after 0, 10, 100 and 1,000 tosses, for two priors."""
    figure, axes = picture(columns=len(TOSSES), height=3.2)
    chance = np.linspace(0.001, 0.999, 500)
    print(f"a coin with chance {CHANCE:.0%}; what is read of it, peak and mean")
    for panel, tosses in zip(axes, TOSSES, strict=True):
        heads = round(CHANCE * tosses)
        rows = np.array([[1.0]] * heads + [[0.0]] * (tosses - heads)).reshape(-1, 1)
        for colour, (name, (a, b)) in enumerate(PRIORS.items()):
            density = beta(a + heads, b + tosses - heads).pdf(chance)
            panel.plot(chance, density, label=name, color=f"C{colour}")
            if tosses:
                tally = Bernoulli().tally(rows, ["coin"] * tosses)
                parameters = [tally.read(rule, Beta(a, b)).parameters for rule in ("map", "mean")]
                read = [each["probability"].item() for each in parameters]
                panel.axvline(read[0], color=f"C{colour}", linestyle=":")
                print(f"{tosses:6,} tosses, {name:28}{read[0]:8.1%}{read[1]:8.1%}")
        panel.set(title=f"{tosses:,} tosses", xlabel="chance of heads", ylim=(0, None), yticks=[])
    figure.legend(*axes[-1].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    save(figure, pictures, "14_coin")


def words(pictures: Path | None) -> None:
    """Dirichlets over three words, one at each corner."""
    figure, axes = picture(columns=len(DIRICHLETS), height=2.7)
    for panel, (name, alpha) in zip(axes, DIRICHLETS.items(), strict=True):
        shown = simplex(panel, dirichlet(alpha).pdf, ("“free”", "“the”", "“of”"), most=10)
        panel.set_title(f"α = {', '.join(f'{one:g}' for one in alpha)}\n{name}")
    figure.colorbar(shown, ax=axes, label="density", ticks=[0, 2, 4, 6, 8, 10], shrink=0.8)
    save(figure, pictures, "14_simplex")


def zero_count() -> None:
    """One word that a label was never seen with, against ten that speak for it."""
    X, y = np.array([[8, 0], [0, 8], [4, 1]]), np.array(["spam", "ham", "ham"])
    print("\nten times “free” and once “lunch”, which no spam ever had:")
    for alpha in (0, 1, 100):
        model = NaiveBayes(Multinomial(), rule="mean", prior=alpha, label_prior="uniform").fit(X, y)
        print(f"  α = {alpha:<5}P(spam) = {model.predict_proba([[10, 1]])[0, 1]:.1%}")


if __name__ == "__main__":
    warnings.simplefilter("ignore", ImpossibleRows)
    told = options(__doc__)
    coins(told.pictures)
    words(told.pictures)
    zero_count()
