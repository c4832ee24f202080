"""Mail routing: one mailbox, many labels, learned from folders.

A label is any folder: a mailing list, people, spam. The folders here are made from real mail: the lists by
their subject tag or List-Id, spam as spam, everything else as "people". So that the task is not given away,
the headers that name a list (List-*, X-Mailing-List, X-BeenThere, Delivered-To, To, Cc, Sender, Return-
Path, Reply-To …) and the tag in the subject are taken out before anything is learned.

    python examples/9_mail_routing.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from deciban.filter import Filter, Settings
from deciban.filter.mail import lessons_from, question_of
from deciban.sample import sample_mails
from deciban.sources import open_source
from drawing import matrix, picture, save
from gallery import labelled_mail, options

LIST = re.compile(rb"^list-id:[^<\n]*(?:\n[ \t][^<\n]*)*<([^.>]+)", re.IGNORECASE | re.MULTILINE)
TELLTALE = re.compile(
    rb"^(?:list-[\w-]+|x-mailing-list|x-beenthere|x-mailman-version|delivered-to|to|cc|sender|errors-to|return-path"
    rb"|reply-to|received|precedence|x-original-to|x-loop|mailing-list|old-return-path):.*(?:\n[ \t].*)*\n",
    re.IGNORECASE | re.MULTILINE,
)
TAG = re.compile(rb"^(subject:.*?)\[[\w -]+\]\s*", re.IGNORECASE | re.MULTILINE)


def folder_of(label: str, mail: bytes) -> str:
    """Which folder a person would have put this mail into."""
    head = mail.partition(b"\n\n")[0]
    named = LIST.search(head)
    if label == "spam" or named is None:
        return "spam" if label == "spam" else "people"
    return named.group(1).decode("ascii", "replace").lower()


def untold(mail: bytes) -> bytes:
    """The mail without what names its list."""
    head, gap, body = mail.partition(b"\n\n")
    return TAG.sub(rb"\1", TELLTALE.sub(b"", head + b"\n")).rstrip(b"\n") + gap + body


def mailbox(quick: bool) -> list[tuple[str, bytes]]:
    """Folder and bytes of each mail; folders of fewer than 20 mails (5 in a quick run) are left out."""
    mails = [(folder_of(label, data), untold(data)) for label, data in labelled_mail(quick)]
    if len({folder for folder, _ in mails}) <= 2:  # the made-up mailbox has no lists, but kinds of mail
        mails = [(mail.kind, mail.data) for mail in sample_mails()]
    size = Counter(folder for folder, _ in mails)
    return [(folder, data) for folder, data in mails if size[folder] >= (5 if quick else 20)]


def main() -> None:
    """Two thirds of each folder are taught; the rest is routed."""
    told = options(__doc__)
    mails = mailbox(told.quick)
    cut = 2 * len(mails) // 3
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for number, (folder, data) in enumerate(mails[:cut]):
            (root / folder).mkdir(exist_ok=True)
            (root / folder / f"{number:05}.eml").write_bytes(data)
        # Settings without a salt: everybody gets the same figures.
        with Filter.open(str(root / "mail.deciban"), Settings()) as router:
            preferences = router.preferences
            for folder in sorted(path for path in root.iterdir() if path.is_dir()):
                router.learn(lessons_from(open_source(str(folder)), folder.name, preferences))
            size = Counter(folder for folder, _ in mails)
            labels = sorted(router.labels(), key=lambda label: -size[label])
            said = [router.classify(question_of(data, preferences)).label for _, data in mails[cut:]]
    truth = [folder for folder, _ in mails[cut:]]
    counts = np.zeros((len(labels), len(labels)), dtype=int)
    for true, label in zip(truth, said, strict=True):
        if true in labels:
            counts[labels.index(true), labels.index(label)] += 1
    print(f"{'folder':22}{'taught':>8}{'to route':>10}{'rightly':>10}")
    taught = Counter(folder for folder, _ in mails[:cut])
    for number, label in enumerate(labels):
        there = counts[number].sum()
        print(f"{label:22}{taught[label]:8}{there:10}{counts[number, number] / max(there, 1):10.1%}")
    print(f"{'all':22}{cut:8}{counts.sum():10}{np.trace(counts) / counts.sum():10.1%}")
    largest = max(taught.values()) / cut
    print(f"(the largest folder holds {largest:.1%} of all mail)")
    draw(counts, labels, told.pictures)


def draw(counts: np.ndarray, labels: list[str], pictures: object) -> None:
    """The confusion matrix, each row in shares of its folder, the largest folder first."""
    figure, (axes,) = picture(height=5.6)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    shown = matrix(
        axes,
        shares,
        [f"{label} ({n:,})" for label, n in zip(labels, counts.sum(axis=1), strict=True)],
        labels,
    )
    for row, column in zip(*np.nonzero(counts), strict=True):
        ink = "white" if shares[row, column] > 0.5 else "black"
        axes.text(column, row, counts[row, column], ha="center", va="center", color=ink, fontsize=8)
    axes.set(xlabel="routed to", ylabel="belongs to (mails to route)")
    figure.colorbar(shown, ax=axes, label="share of the folder's mail", shrink=0.6)
    save(figure, pictures, "9_mail_routing")


if __name__ == "__main__":
    main()
