"""The spam classifier of the textbook: two folders of labelled mail in, a filter out, every step in sight.

1. count in how many mails of each label a word is, and keep the words that tell most (information gain); 2.
show what was learned: counts, and log-odds in decibans with Laplace's smoothing; 3. classify by posterior
odds: spam if p(spam | mail) / p(ham | mail) > c; 4. compare event models: Bernoulli (is the word there?),
multinomial (how often?), categorical (exactly how often?); 5. draw the decision regions of a filter with
two words only; 6. teach the same folders to deciban's own filter.

    python examples/1_spam_textbook.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import numpy as np

from deciban import Bernoulli, Categorical, Multinomial, NaiveBayes, Poisson, SelectFeatures, TextFeatures
from deciban.errors import ImpossibleRows
from deciban.filter import Filter, Settings
from deciban.filter.mail import lessons_from, question_of
from deciban.sources import open_source
from deciban.text import read
from drawing import border, picture, places_of, points, regions, save
from gallery import labelled_mail, options

TWO_WORDS, MOST = ["free", "wrote"], 8  # and the count above which a mail is drawn at the edge


def write_folders(mails: list[tuple[str, bytes]], folder: Path) -> None:
    """Two folders of labelled mail, as people have them."""
    for number, (label, data) in enumerate(mails):
        (folder / label).mkdir(parents=True, exist_ok=True)
        (folder / label / f"{number:05}.eml").write_bytes(data)


def read_folders(folder: Path) -> tuple[list[str], np.ndarray, list[bytes]]:
    """Subject and visible text, label, and bytes of every mail."""
    files = sorted(folder.glob("*/*.eml"))
    mails = [path.read_bytes() for path in files]
    texts = [(message := read(data)).header("subject") + "\n" + message.text for data in mails]
    return texts, np.array([path.parent.name for path in files]), mails


def show_learned(X: np.ndarray, y: np.ndarray, names: np.ndarray) -> None:
    """The counts of the most telling words, and what each says in decibans."""
    tally = Bernoulli().tally(X, y)
    ham, spam = tally.sums["ones"]
    print(
        f"\n{'word':16}{'in ham':>9}{'in spam':>9}{'decibans':>10}"
        f"   of {tally.rows[0]} ham, {tally.rows[1]} spam"
    )
    for j in range(12):
        smoothed = ((spam[j] + 1) / (tally.rows[1] + 2)) / ((ham[j] + 1) / (tally.rows[0] + 2))
        print(f"{names[j]:16}{ham[j]:9}{spam[j]:9}{10 * np.log10(smoothed):+10.1f}")


def errors(model: NaiveBayes, X: np.ndarray, y: np.ndarray, X_test: np.ndarray, truth: np.ndarray) -> str:
    """Test error, ham lost and spam missed."""
    said = model.fit(X, y).predict(X_test)
    lost, missed = np.mean(said[truth == "ham"] == "spam"), np.mean(said[truth == "spam"] == "ham")
    return f"{np.mean(said != truth):8.2%}{lost:10.2%}{missed:12.2%}"


def check_textbook_form(X: np.ndarray, y: np.ndarray) -> None:
    """log p(label, x) = Σ log n(x_j, label) − (d−1)·log n(label) − log n, only for unsmoothed counts."""
    labels, n = np.unique(y, return_counts=True)
    together = np.array([[np.sum((X[y == label] == row), axis=0) for label in labels] for row in X[:50]])
    with np.errstate(divide="ignore"):
        by_hand = np.log(together).sum(axis=2) - (X.shape[1] - 1) * np.log(n) - np.log(len(y))
    for alpha in (0, 1):
        model = NaiveBayes(Categorical(), rule="mean", prior=alpha).fit(X, y)
        ours = model.predict_joint_log_proba(X[:50])
        possible = np.isfinite(by_hand)
        apart = np.abs(ours[possible] - by_hand[possible]).max()
        print(
            f"Σ log n(x, label) − (d−1)·log n(label), α = {alpha}: "
            f"at most {apart:.1g} nats from NaiveBayes(Categorical())"
        )


def two_words(counts: np.ndarray, y: np.ndarray, pictures: Path | None) -> None:
    """Mails as points over the counts of two words, and where a filter that knows only these says spam.

    Poisson counts, because a mail is more than these two words: how often each comes is what counts. The last
    panel is made up: either word alone is spam, both together are ham. No border that adds up evidence, word
    by word, can say that.
    """
    rng = np.random.default_rng(0)
    alone, word = rng.random(300) < 0.5, rng.random(300) < 0.5
    both = rng.poisson(np.where(alone[:, None], np.column_stack([word, ~word]) * 4.5, 3.5))
    figure, axes = picture(columns=3, height=3.7)
    axis = np.arange(MOST + 1)
    for panel, X, labels, title in zip(
        axes,
        (counts, counts, both),
        (y, y, np.where(alone, "spam", "ham")),
        ("(a) mails by two words", "(b) where spam is said", "(c) spam has one of them, ham both"),
        strict=True,
    ):
        some = rng.permutation(len(X))[:600]  # more would hide each other
        seen = np.minimum(X[some], MOST) + rng.uniform(-0.36, 0.36, (len(some), 2))
        if panel is not axes[0]:
            for c in (1, 9):
                model = NaiveBayes(Poisson(), rule="mean", prior=1, c={"spam": c}).fit(X, labels)
                spam = (model.predict(places_of(axis, axis)) == "spam").astype(int)
                regions(panel, axis, axis, spam, 2) if c == 1 else border(panel, axis, spam)
            right = np.mean(NaiveBayes(Poisson(), rule="mean", prior=1).fit(X, labels).predict(X) == labels)
            print(f"{title}: {right:.1%} of the mails learned are called rightly")
        points(panel, seen, labels[some], size=9, alpha=0.6)
        panel.set(title=title, xlabel=f"times “{TWO_WORDS[0]}”", xticks=axis[::2], yticks=axis[::2])
    axes[0].set_ylabel(f"times “{TWO_WORDS[1]}”")
    axes[0].legend(loc="upper right", markerscale=2)
    axes[1].plot([], [], color="black", linewidth=1.5, label="the border for c = 9")
    axes[1].legend(handles=axes[1].lines[-1:], loc="upper right")
    save(figure, pictures, "1_two_words")


def through_the_filter(folder: Path, mails: list[bytes], truth: np.ndarray) -> None:
    """The same folders, taught to the filter, which reads headers, links and letters as well."""
    # Settings without a salt: everybody gets the same figures.
    with Filter.open(str(folder / "mail.deciban"), Settings()) as mail_filter:
        preferences = mail_filter.preferences
        for label in ("ham", "spam"):
            mail_filter.learn(lessons_from(open_source(str(folder / label)), label, preferences))
        said = [mail_filter.classify(question_of(data, preferences)) for data in mails]
    rejected = np.array([verdict.label == "spam" and not verdict.unsure for verdict in said])
    spam = truth == "spam"
    print(
        f"{'the filter':34}{np.mean(rejected != spam):8.2%}{np.mean(rejected[~spam]):10.2%}"
        f"{np.mean(~rejected[spam]):12.2%}"
        f"   ({sum(verdict.unsure for verdict in said)} unsure, counted as ham)"
    )


def main() -> None:
    """Two thirds of the mails to learn, one third to classify."""
    told = options(__doc__)
    warnings.simplefilter("ignore", ImpossibleRows)
    mails = labelled_mail(told.quick)
    cut = 2 * len(mails) // 3
    with tempfile.TemporaryDirectory() as name:
        folder, later = Path(name) / "learn", Path(name) / "later"
        write_folders(mails[:cut], folder)
        write_folders(mails[cut:], later)
        texts, y, _ = read_folders(folder)
        test, truth, test_mails = read_folders(later)
        words = TextFeatures(named=True, min_df=2)
        counts, test_counts = words.fit_transform(texts), words.transform(test)
        chosen = SelectFeatures("information_gain", k=200).fit(counts, y)
        best = np.argsort(-chosen.scores_, kind="stable")[:200]
        X, X_test = counts[:, best].toarray().astype(int), test_counts[:, best].toarray().astype(int)
        show_learned(np.minimum(X, 1), y, words.get_feature_names_out()[best])
        print(f"\n{'':34}{'error':>8}{'ham lost':>10}{'spam missed':>12}")
        families = {
            "Bernoulli": Bernoulli(binarize=0.0),
            "multinomial": Multinomial(),
            "categorical": Categorical(),
        }
        for model, family in families.items():
            for c in (1, 9):
                bayes = NaiveBayes(family, rule="mean", prior=1, c={"spam": c})
                print(f"{f'{model}, 200 words, c = {c}':34}" + errors(bayes, X, y, X_test, truth))
        every_word = NaiveBayes(Multinomial(), rule="mean", prior=1)
        print(
            f"{f'multinomial, {counts.shape[1]} words, c = 1':34}"
            + errors(every_word, counts, y, test_counts, truth)
        )
        through_the_filter(folder, test_mails, truth)
        print()
        check_textbook_form(X[:, :20], y)
        pair = TextFeatures(named=True).fit([" ".join(TWO_WORDS)])
        two_words(pair.transform(texts).toarray(), y, told.pictures)


if __name__ == "__main__":
    main()
