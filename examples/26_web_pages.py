"""A recipe for web pages: HTML in, the kind of page out.

`deciban.text.read` takes any bytes, follows the charset, and gives what a reader sees: no tags, no scripts,
no hidden text. `TextClassifier` does the rest. The pages are made up: courses, people, projects and shops,
which share menus and most of their words; each shows some words of its own kind and hides some of others in
a script.

    python examples/26_web_pages.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import numpy as np

from deciban import TextClassifier
from deciban.text import read
from drawing import curves, picture, save, ticks
from gallery import options

KINDS = {
    "course": "lecture exercise exam syllabus homework credits semester notes prerequisites textbook",
    "person": "office phone born interests publications advisor thesis hobby photo resume",
    "project": "funded partners software release goals members repository results prototype workshop",
    "shop": "cart price delivery order stock sale checkout shipping returns discount",
}
SHARED = (
    "home about contact search news students research university department page welcome information links "
    "please the and of for with this more our you site group work time year new first people"
)
PAGE = (
    "<html><head><meta charset=utf-8><title>{title}</title><script>var keys = '{hidden}';</script></head>"
    "<body><ul><li>home<li>search<li>contact</ul><h1>{title}</h1><p>{text}</p></body></html>"
)
COUNTS = (8, 20, 50, 200, 800)


def pages(count: int, seed: int) -> tuple[list[bytes], np.ndarray]:
    """HTML pages, each with a few words of its kind among many that all kinds share."""
    rng = np.random.default_rng(seed)
    own, shared = {kind: words.split() for kind, words in KINDS.items()}, SHARED.split()
    labels, made = rng.choice(list(KINDS), count), []
    for label in labels:
        other = own[rng.choice([kind for kind in KINDS if kind != label])]
        words = [*rng.choice(own[label], 3), *rng.choice(other, 1), *rng.choice(shared, 40)]
        text, hidden = " ".join(rng.permutation(words)), " ".join(rng.choice(other, 6))
        made.append(PAGE.format(title=rng.choice(shared), hidden=hidden, text=text).encode())
    return made, labels


def visible(page: bytes) -> str:
    """What a reader of the page sees."""
    return read(b"Content-Type: text/html\n\n" + page).text


def main() -> None:
    """Accuracy against pages learned: HTML as it is, and what a reader sees."""
    told = options(__doc__)
    learn, y = pages(COUNTS[-1], seed=1)
    test, truth = pages(400 if told.quick else 2_000, seed=2)
    right: dict[str, list[float]] = {}
    for name, way in {"HTML as it is": bytes.decode, "what a reader sees": visible}.items():
        texts, asked = [way(page) for page in learn], [way(page) for page in test]
        for count in COUNTS:
            model = TextClassifier(n_features=2**14).fit(texts[:count], y[:count])
            right.setdefault(name, []).append(np.mean(model.predict(asked) == truth))
    print(f"{len(truth):,} pages of {len(KINDS)} kinds; right after so many pages")
    print(f"{'':24}" + "".join(f"{count:>7}" for count in COUNTS))
    for name, shares in right.items():
        print(f"{name:24}" + "".join(f"{share:7.1%}" for share in shares))
    figure, (axes,) = picture(height=3.8)
    curves(axes, COUNTS, right)
    ticks(axes, COUNTS)
    axes.set(xlabel="pages learned", ylabel="accuracy", ylim=(0, 1.02))
    axes.legend(loc="lower right")
    save(figure, told.pictures, "26_web_pages")


if __name__ == "__main__":
    main()
