"""Bag of words against words at their places: what it costs to ask where a word stands.

P(word at place i | label), one table for each place, can tell “call” as the first word from “call” as the
ninth. But each table must be learned from the words at that place alone. The bag has one table for all
places: it assumes that the place says nothing, and learns each word from all places together.

    python examples/19_positions.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import re

import numpy as np

from deciban import Categorical, Multinomial, NaiveBayes
from drawing import curves, picture, save, ticks
from gallery import options, short_messages

PLACES, ALPHA = 20, 0.1
COUNTS = (30, 100, 300, 1_000, 3_000)


def places(texts: list[str], codes: dict[str, int]) -> np.ndarray:
    """The number of the word at each of the first places; NaN behind the end. New words get new numbers."""
    found = np.full((len(texts), PLACES), np.nan)
    for row, text in zip(found, texts, strict=True):
        words = re.findall(r"[a-z]+|£|\d+", text.lower())[:PLACES]
        row[: len(words)] = [codes.setdefault(word, len(codes)) for word in words]
    return found


def bag(rows: np.ndarray, width: int) -> np.ndarray:
    """How often each word is among them, wherever it stands."""
    counts = np.zeros((len(rows), width))
    here = ~np.isnan(rows)
    np.add.at(counts, (np.nonzero(here)[0], rows[here].astype(int)), 1)
    return counts


def main() -> None:
    """Error against messages learned, for the same words with and without their places."""
    told = options(__doc__)
    texts, y = short_messages()
    codes: dict[str, int] = {}
    ordered = places(texts, codes)
    loose = bag(ordered, len(codes))
    held, draws = 1_000, 1 if told.quick else 5
    print(f"short messages, their first {PLACES} words; {len(codes):,} different words")
    print(
        f"numbers to learn per label: {PLACES * (len(codes) - 1):,} with places, {len(codes) - 1:,} without"
    )
    print(f"{'learned':>8}{'with places':>13}{'bag':>8}   wrong, mean of {draws} draws")
    counts = COUNTS[: 3 if told.quick else None]
    # Every word may stand at every place: what was never seen there is not impossible, nor new.
    families = ((Categorical(categories=tuple(range(len(codes)))), ordered), (Multinomial(), loose))
    errors = np.zeros((len(counts), 2))
    for seed in range(draws):
        order = np.random.default_rng(seed).permutation(len(y))
        test = order[:held]
        for row, count in enumerate(counts):
            learn = order[held : held + count]
            for column, (family, X) in enumerate(families):
                model = NaiveBayes(family, rule="mean", prior=ALPHA).fit(X[learn], y[learn])
                errors[row, column] += np.mean(model.predict(X[test]) != y[test]) / draws
    for count, (with_places, without) in zip(counts, errors, strict=True):
        print(f"{count:8,}{with_places:13.1%}{without:8.1%}")
    figure, (axes,) = picture(height=3.6)
    curves(axes, counts, {"each place has its own table": errors[:, 0], "bag of words": errors[:, 1]})
    ticks(axes, counts)
    axes.set(xlabel="messages learned", ylabel="wrong", ylim=(0, None))
    axes.legend()
    save(figure, told.pictures, "19_positions")


if __name__ == "__main__":
    main()
