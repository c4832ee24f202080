"""Which words of real mail break the naive assumption, and what joining them would gain.

`dependence` takes the 100 words that tell most about the label, and says of each pair how many bits one
still tells of the other once the label is known. Independent words would have 0. Shuffled columns have no
such pairs: that is the test of the test. Where two columns of a table say the same, joining them into one
category gains most; of words each pair gains little, because there are so many.

    python examples/29_dependence.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer

from deciban import TextFeatures, dependence
from deciban.text import read
from drawing import matrix, picture, save
from gallery import labelled_mail, options

WORDS, SHOWN, SURE = 100, 8, 0.01


def told(title: str, found: object) -> None:
    """The strongest pairs, and how many are surely no accident."""
    sure, every = sum(pair.corrected < SURE for pair in found.pairs), len(found.pairs)
    print(
        f"{title}: {sure:,} of {every:,} pairs depend on each other given the label (p < {SURE}, corrected)"
    )
    print("\n".join(str(found).splitlines()[: SHOWN + 1]), end="\n\n")


def main() -> None:
    """Words of mail, the same shuffled, and the columns of a medical table."""
    asked = options(__doc__)
    mails = labelled_mail(asked.quick)
    y = np.array([label for label, _ in mails])
    reader = TextFeatures(named=True, min_df=20, binary=True, shortest=3)
    X = reader.fit_transform([read(data).text for _, data in mails])
    names = reader.get_feature_names_out()
    spelled = [column for column, name in enumerate(names) if name.isalpha()]  # no rulers: ______
    X, names = X[:, spelled], names[spelled].tolist()
    words = dependence(X, y, names=names, most=WORDS)
    told("words of mail", words)
    chosen = [names.index(name) for name in words.names]
    rng, dense = np.random.default_rng(0), X[:, chosen].toarray()
    for label in np.unique(y):  # each word among the mails of a label by itself: independent given the label
        rows = np.flatnonzero(y == label)
        dense[rows] = rng.permuted(dense[rows], axis=0)
    told("the same words, shuffled within each label", dependence(dense, y, names=list(words.names)))
    table = load_breast_cancer(as_frame=True)
    cells = dependence(table.data, table.target)
    told("measurements of cells", cells)
    figure, axes = picture(columns=2, height=4.6)
    for panel, found in zip(axes, (words, cells), strict=True):
        # The features of the strongest pairs, in the order in which they come.
        seen = [name for pair in found.pairs for name in (pair.first, pair.second)]
        strong = list(dict.fromkeys(seen))[:14]
        places = [found.names.index(name) for name in strong]
        bits = np.nan_to_num(found.information[np.ix_(places, places)])
        shown = matrix(panel, bits, strong, strong, most=found.pairs[0].information)
        figure.colorbar(shown, ax=panel, label="bits, given the label", location="top")
    save(figure, asked.pictures, "29_dependence")


if __name__ == "__main__":
    main()
