"""What the examples share: where the data are, and the options --quick and --pictures.

Corpora are read from ../shared/data, beside the project; where one is absent the example says so and stops.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
import tarfile
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.datasets._twenty_newsgroups import (
    strip_newsgroup_footer,
    strip_newsgroup_header,
    strip_newsgroup_quoting,
)
from sklearn.model_selection import train_test_split

from deciban.sample import sample_mails

ROOT = Path(__file__).resolve().parent.parent
ARCHIVES = ROOT.parent / "shared" / "data"
LABEL_HEADERS = re.compile(
    r"^(newsgroups|xref|path|followup-to|references|message-id):.*(\n[ \t].*)*\n",
    re.IGNORECASE | re.MULTILINE,
)
Split = tuple[list[str], np.ndarray, list[str], np.ndarray]
# Pixels and digits to learn, pixels and digits to read; pixels go from -1 (paper) to 1 (ink).
Digits = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def options(doc: str | None, *switches: str) -> argparse.Namespace:
    """The command line of an example: --quick, --pictures, and switches of its own."""
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a small part of the data, in seconds")
    parser.add_argument(
        "--pictures", type=Path, metavar="DIR", help="where to save pictures; none are saved unless told"
    )
    for switch in switches:
        parser.add_argument(f"--{switch}", action="store_true")
    return parser.parse_args()


@cache
def members(archive: str, below: str = "") -> list[tuple[str, bytes]]:
    """Path and content of every file of an archive, without its outermost folder, sorted by path."""
    path = ARCHIVES / f"{archive}.tar.gz"
    if not path.exists():
        sys.exit(f"This example needs {archive}.tar.gz beside the project, in ../shared/data.")
    with tarfile.open(path) as content:
        files = ((entry.name.partition("/")[2], entry) for entry in content if entry.isfile())
        return sorted(
            (name, content.extractfile(entry).read()) for name, entry in files if name.startswith(below)
        )


def newsgroups(quick: bool) -> dict[str, Split]:
    """Twenty Newsgroups in three settings: texts and labels to learn, texts and labels to classify."""
    posts = members("20newsgroups_19997", "20_newsgroups/")
    texts = [without_label_headers(data.decode("latin-1")) for _, data in posts]
    labels = np.array([name.split("/")[-2] for name, _ in posts])
    learn, test, y, truth = train_test_split(texts, labels, test_size=1 / 3, random_state=0, stratify=labels)
    nth = 40 if quick else 1
    raw = every(nth, by_date())
    return {
        "random two thirds": every(nth, (learn, y, test, truth)),
        "by date": raw,
        "by date, stripped": ([*map(stripped, raw[0])], raw[1], [*map(stripped, raw[2])], raw[3]),
    }


def by_date() -> Split:
    """The split by date, with the headers that the archive has."""
    parts = []
    for part in ("train", "test"):
        posts = members("20newsgroups_bydate", f"20news-bydate-{part}/")
        parts += [
            [data.decode("latin-1") for _, data in posts],
            np.array([name.split("/")[-2] for name, _ in posts]),
        ]
    return tuple(parts)  # type: ignore[return-value]


def every(nth: int, split: Split) -> Split:
    """Each nth text of a split."""
    return tuple(part[::nth] for part in split)  # type: ignore[return-value]


def without_label_headers(post: str) -> str:
    """A post without the headers that hold its label."""
    head, gap, body = post.partition("\n\n")
    return LABEL_HEADERS.sub("", head + "\n") + gap[1:] + body


def stripped(post: str) -> str:
    """A post without headers, footer and quotes, as scikit-learn strips them."""
    return strip_newsgroup_quoting(strip_newsgroup_footer(strip_newsgroup_header(post)))


def digits() -> tuple[str, Digits]:
    """USPS; where absent, the digits of 8×8 pixels that come with scikit-learn."""
    if not (ARCHIVES / "usps.tar.gz").exists():
        print("There is no ../shared/data/usps.tar.gz: these are the digits that come with scikit-learn.")
        X, y = load_digits(return_X_y=True)
        learn, test, known, truth = train_test_split(X / 8 - 1, y, test_size=1 / 3, random_state=0)
        return "8×8 digits", (learn, known, test, truth)
    files, parts = dict(members("usps")), []
    for part in ("train", "test"):
        table = np.loadtxt(gzip.decompress(files[f"zip.{part}.gz"]).decode().splitlines())
        parts += [table[:, 1:], table[:, 0].astype(int)]
    return "USPS", tuple(parts)  # type: ignore[return-value]


def short_messages() -> tuple[list[str], np.ndarray]:
    """Short messages in a seeded order, and their labels; each text is there once."""
    lines = dict(members("sms_spam"))["SMSSpamCollection"].decode().splitlines()
    labels = {text: label for label, _, text in (line.partition("\t") for line in lines)}
    texts = np.random.default_rng(0).permutation(sorted(labels)).tolist()
    return texts, np.array([labels[text] for text in texts])


def labelled_mail(quick: bool) -> list[tuple[str, bytes]]:
    """Label and bytes of real mail in a seeded order; where absent, of `deciban demo`'s made-up mailbox."""
    if (ARCHIVES / "spamassassin.tar.gz").exists():
        files = dict(members("spamassassin"))
        lines = files["index.tsv"].decode().splitlines()
        mails = [(label, files[path]) for label, _, path in (line.partition("\t") for line in lines)]
    else:
        print(
            "There is no ../shared/data/spamassassin.tar.gz: this is the made-up mailbox of `deciban demo`."
        )
        mails = [(mail.label, mail.data) for mail in sample_mails()]
    order = np.random.default_rng(0).permutation(len(mails))
    return [mails[i] for i in order[: 600 if quick else None]]
