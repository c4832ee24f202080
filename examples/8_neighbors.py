"""k-NN: no model, only the rows that were learned; the nearest of them answer.

One neighbour believes every row, mistakes and noise included; seven outvote them, and blur what is fine. All
it needs is a distance, so texts need no features: by edits (how many letters to change) or by compression
(how much shorter two texts are when packed together).

    python examples/8_neighbors.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import time

import numpy as np
from sklearn.datasets import make_moons

from deciban import Multinomial, NaiveBayes, NeighborsClassifier, NeighborsRegressor, TextFeatures
from deciban.learners.distances import Compression, Edit
from drawing import COLOURS, picture, places_of, points, regions, save
from gallery import ARCHIVES, options, short_messages

NEIGHBORS = (1, 7)


def moons(pictures: object) -> None:
    """Two noisy half-moons: where each label is said, and the errors on rows learned and on new rows."""
    X, y = make_moons(200, noise=0.35, random_state=0)
    test, truth = make_moons(5000, noise=0.35, random_state=1)
    across, up = np.linspace(-2.1, 3.1, 300), np.linspace(-1.7, 2.2, 250)
    figure, axes = picture(columns=3, height=3.4)
    print(f"{'two half-moons':24}{'wrong, learned':>16}{'wrong, new':>12}")
    for panel, k in zip(axes, (1, 7, 61), strict=True):
        model = NeighborsClassifier(k=k).fit(X, y)
        wrong = [np.mean(model.predict(rows) != labels) for rows, labels in ((X, y), (test, truth))]
        print(f"{f'k = {k}':24}{wrong[0]:16.1%}{wrong[1]:12.1%}")
        regions(panel, across, up, model.predict(places_of(across, up)), 2)
        points(
            panel, X, np.array(["upper moon", "lower moon"])[y], names=("upper moon", "lower moon"), size=16
        )
        panel.set(title=f"k = {k}: {wrong[1]:.1%} of new rows wrong", xticks=[], yticks=[])
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    save(figure, pictures, "8_regions")


def regression(pictures: object) -> None:
    """A noisy wave: what is answered at each place, and how far that is from the wave."""
    random = np.random.default_rng(0)
    x = random.uniform(0, 10, 80)
    y = np.sin(x) + random.normal(0, 0.3, len(x))
    places = np.linspace(0, 10, 1000)
    figure, axes = picture(columns=2, height=3.4)
    print(f"\n{'a noisy wave':24}{'root mean square error':>24}")
    for panel, k in zip(axes, NEIGHBORS, strict=True):
        answers = NeighborsRegressor(k=k).fit(x[:, None], y).predict(places[:, None])
        error = np.sqrt(np.mean((answers - np.sin(places)) ** 2))
        print(f"{f'k = {k}':24}{error:24.3f}")
        panel.scatter(x, y, s=14, color=COLOURS[-1], label="learned")
        panel.plot(places, np.sin(places), color=COLOURS[1], linestyle="--", label="the wave")
        panel.plot(places, answers, color=COLOURS[0], label="answered")
        panel.set(title=f"k = {k}: off by {error:.2f}", xlabel="x", ylim=(-1.9, 2.6))
        panel.grid(alpha=0.3)
    axes[0].set_ylabel("y")
    axes[0].legend(loc="upper center", ncols=3, fontsize=9)
    save(figure, pictures, "8_regression")


def strings(quick: bool) -> None:
    """Spam among short messages by distances between their letters, beside Naive Bayes on their words."""
    if not (ARCHIVES / "sms_spam.tar.gz").exists():
        print("There is no ../shared/data/sms_spam.tar.gz: texts are left out.")
        return
    texts, labels = short_messages()
    cut, end = (266, 400) if quick else (1_000, 1_500)
    learn, y, test, truth = texts[:cut], labels[:cut], texts[cut:end], labels[cut:end]
    print(
        f"\n{len(learn)} short messages learned, {len(test)} classified ({np.mean(truth == 'ham'):.1%} ham)"
    )
    print(f"{'':34}{'wrong':>8}{'spam caught':>13}{'ham lost':>10}{'CPU':>8}")
    distances = {
        "edit": Edit(),
        "edit, by length": Edit(normalized=True),
        "compression": Compression(),
    }
    for name, distance in distances.items():
        for k in NEIGHBORS:
            began = time.process_time()
            model = NeighborsClassifier(k=k, distance=distance).fit(learn, y)
            row(f"{name}, k = {k}", model.predict(test), truth, time.process_time() - began)
    words, began = TextFeatures(named=True), time.process_time()
    model = NaiveBayes(Multinomial()).fit(words.fit_transform(learn), y)
    row("Naive Bayes on words", model.predict(words.transform(test)), truth, time.process_time() - began)
    explain(learn, y, test[int(np.argmax(truth == "spam"))])


def row(name: str, said: np.ndarray, truth: np.ndarray, seconds: float) -> None:
    """Print one row of the table."""
    spam = truth == "spam"
    caught, lost = np.mean(said[spam] == "spam"), np.mean(said[~spam] == "spam")
    print(f"{name:34}{np.mean(said != truth):8.1%}{caught:13.1%}{lost:10.1%}{seconds:6.1f} s", flush=True)


def explain(learn: list[str], y: np.ndarray, text: str) -> None:
    """The nearest message by compression is the explanation."""
    distances, rows = NeighborsClassifier(k=1, distance=Compression()).fit(learn, y).kneighbors([text])
    print(f"\nasked     {text[:90]}")
    print(f"nearest   {learn[rows[0, 0]][:90]}   ({y[rows[0, 0]]}, {distances[0, 0]:.2f} away)")


def main() -> None:
    """Regions, a wave, and texts."""
    told = options(__doc__)
    moons(told.pictures)
    regression(told.pictures)
    strings(told.quick)


if __name__ == "__main__":
    main()
