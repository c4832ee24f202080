"""Drawing from the model: a generative model can say what it believes by making it up.

A mail's words drawn from each label show what Naive Bayes knows of mail: the words, and nothing of their
order. Digits drawn from Naive Bayes are blurred, because every pixel is drawn by itself. A mixture first
draws a kind of the digit, and then pixels that go together. A judge that learned real digits reads what was
drawn.

    python examples/28_drawing_rows.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import numpy as np

from deciban import Bernoulli, MixtureClassifier, Multinomial, NaiveBayes, NeighborsClassifier, TextFeatures
from deciban.text import read
from drawing import picture, save, tiles
from gallery import digits, every, labelled_mail, options

INK, WORDS, EACH = -0.5, 14, 3


def mails(quick: bool) -> None:
    """Words drawn from each label."""
    told = labelled_mail(quick)
    reader = TextFeatures(named=True, min_df=5, shortest=3)
    X = reader.fit_transform([read(data).text for _, data in told])
    model = NaiveBayes(Multinomial(), rule="mean", prior=0.01).fit(X, np.array([label for label, _ in told]))
    names = reader.get_feature_names_out()
    # Shown are words that are four times as frequent in one label as in the other: the rest all mail has.
    chances = model.model_.reading.parameters["probability"]
    telling = np.abs(np.log2(chances[0] / chances[1])) > 2
    for seed, label in enumerate(model.classes_):
        row = np.asarray(model.sample(1, label, random_state=seed)[0])[0]
        drawn = np.repeat(np.arange(len(row)), row.astype(int))
        drawn = np.random.default_rng(0).permutation(drawn[telling[drawn]])[:WORDS]
        print(f"{label:5} “{' '.join(names[drawn])}”")


def main() -> None:
    """Mails in words, digits as a picture."""
    told = options(__doc__)
    mails(told.quick)
    name, data = digits()
    X, y, test, truth = every(8, data) if told.quick else data
    X, test = (X > INK).astype(float), (test > INK).astype(float)
    models = {
        "Naive Bayes": NaiveBayes(Bernoulli(), rule="mean"),
        "10 kinds of each digit": MixtureClassifier(Bernoulli(), 10, rule="mean", prior=0.1, random_state=0),
    }
    judge = NeighborsClassifier(k=1).fit(X, y)
    print(f"\n{name}: how far from the nearest digit learned, and how many are read as they were meant")
    real = judge.kneighbors(test)[0][:, 0].mean()
    print(f"{'real digits':26}{real:6.2f}{np.mean(judge.predict(test) == truth):8.1%}")
    sheet, rows = (
        [np.array([test[truth == digit][:EACH] for digit in range(10)])],
        ["real"] + [""] * (EACH - 1),
    )
    for way, model in models.items():
        model.fit(X, y)
        drawn = np.array([model.sample(20, digit, random_state=digit)[0] for digit in range(10)])
        flat, meant = drawn.reshape(200, -1), np.repeat(np.arange(10), 20)
        away = judge.kneighbors(flat)[0][:, 0].mean()
        print(f"{way:26}{away:6.2f}{np.mean(judge.predict(flat) == meant):8.1%}")
        sheet.append(drawn[:, :EACH])
        rows += [way] + [""] * (EACH - 1)
    figure, (axes,) = picture(height=5)
    tiles(axes, np.concatenate([block.swapaxes(0, 1) for block in sheet]), rows)
    save(figure, told.pictures, "28_drawing_rows")


if __name__ == "__main__":
    main()
