"""Many labels from few examples: mail routed to folders, and the first mails of a new folder.

    python -m benchmarks routing

*Twenty Newsgroups*, 20 folders, without the fields that name the group; the mail that is asked about is later
than the examples. *Enron's mailboxes*: the good mail of six people, one folder each. A subject learns 1, 5
and 20 examples of each folder, and is asked about 1,000 other mails: the share that it routes rightly, in
percent, the mean of eight draws of the examples (of 200 mails a newsgroup), with its standard error; then
differences, draw by draw.

*A new folder*: beside the others, of which 20 examples each are known, one more folder is begun with 1, 2 and
5 mails. How much of its mail finds it, and how much of the other mail stays right; the mean of four folders.

*deciban* is the filter's committee, which learns one mail after the other. *TextClassifier* is this library's
classifier for texts, and *ComplementNB* scikit-learn's, on TF-IDF of words; both learn all examples at once,
and are given the message as one text, header included.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, NamedTuple, Protocol

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import make_pipeline

from benchmarks.accuracy import SAMPLE_SEED
from benchmarks.corpora import labelled_mail, newsgroups_by_date
from benchmarks.measure import Cell, Table, show
from deciban.committee._lesson_code import Features
from deciban.committee.course import Course
from deciban.committee.extraction import features_of
from deciban.evaluate import shuffled
from deciban.learners import TextClassifier
from deciban.text import read

EXAMPLES = (1, 5, 20)
FIRST_MAILS = (1, 2, 5)
# Draws of 20 from the same 40 mails of a newsgroup shared half of their examples: ComplementNB was 2.6 points
# ahead over three of them, and level over ten draws of other mail (docs/experiments.md).
DRAWS = range(1, 9)
MOST_KNOWN = 200
NEW_FOLDERS = 4
ASKED = 1000
NAMING = ("newsgroups:", "xref:", "path:", "followup-to:")


class Mail(NamedTuple):
    """A mail of a folder, as each subject takes it."""

    folder: str
    features: Features
    text: str


class Router(Protocol):
    """Learns examples once and routes mail."""

    def learn(self, examples: Sequence[Mail]) -> None:
        """Learn these examples, after none."""

    def route(self, mails: Sequence[Mail]) -> list[str]:
        """The folder of each mail."""


class ByCommittee:
    """The filter's committee."""

    def __init__(self) -> None:
        self._course = Course()

    def learn(self, examples: Sequence[Mail]) -> None:
        """One mail after the other."""
        for mail in examples:
            self._course.learn(mail.folder, mail.features)

    def route(self, mails: Sequence[Mail]) -> list[str]:
        """The label with the highest total."""
        found = [self._course.score(mail.features) for mail in mails]
        return [max(totals, key=totals.__getitem__) for totals in found]


class ByTexts:
    """A classifier of texts with scikit-learn's interface."""

    def __init__(self, name: str) -> None:
        self._model = TextClassifier() if name == "TextClassifier" else _complement()

    def learn(self, examples: Sequence[Mail]) -> None:
        """All examples at once."""
        self._model.fit([mail.text for mail in examples], [mail.folder for mail in examples])

    def route(self, mails: Sequence[Mail]) -> list[str]:
        """What it predicts."""
        return [str(folder) for folder in self._model.predict([mail.text for mail in mails])]


def _complement() -> Any:
    return make_pipeline(TfidfVectorizer(sublinear_tf=True), ComplementNB())


OURS = "deciban"
PEERS = ("TextClassifier", "ComplementNB")


def router(name: str) -> Router:
    """A subject that has learned nothing."""
    return ByCommittee() if name == OURS else ByTexts(name)


class Folders(NamedTuple):
    """Mail to choose examples from, by folder, and mail to ask about."""

    title: str
    known: Mapping[str, Sequence[Mail]]
    asked: Sequence[Mail]

    def examples(self, counts: Mapping[str, int], draw: int) -> list[Mail]:
        """So many of each folder, drawn by lot, in a mixed order."""
        drawn = [
            mail for folder, mails in self.known.items() for mail in shuffled(mails, draw)[: counts[folder]]
        ]
        return list(shuffled(drawn, draw))

    def routed(self, name: str, counts: Mapping[str, int], draw: int) -> list[tuple[str, bool]]:
        """For each mail that is asked about its folder, and whether the subject finds it."""
        subject = router(name)
        subject.learn(self.examples(counts, draw))
        said = subject.route(self.asked)
        return [(mail.folder, mail.folder == folder) for mail, folder in zip(self.asked, said, strict=True)]


def from_few(folders: Folders) -> Iterator[Sequence[Cell]]:
    """How much mail finds its folder after so many examples of each, then how far ours is ahead."""
    shares = {
        (name, count): [
            100 * fmean(right for _, right in folders.routed(name, dict.fromkeys(folders.known, count), draw))
            for draw in DRAWS
        ]
        for name in (OURS, *PEERS)
        for count in EXAMPLES
    }
    for name in (OURS, *PEERS):
        yield (f"{folders.title}: {name}", *with_errors([shares[name, count] for count in EXAMPLES]))
    for peer in PEERS:
        ahead = [
            [ours - other for ours, other in zip(shares[OURS, count], shares[peer, count], strict=True)]
            for count in EXAMPLES
        ]
        yield (f"{folders.title}: {OURS} less {peer}", *with_errors(ahead))


def with_errors(columns: Sequence[Sequence[float]]) -> list[Cell]:
    """The mean of each over the draws, and its standard error."""
    return [cell for column in columns for cell in (fmean(column), stdev(column) / math.sqrt(len(column)))]


def begun(folders: Folders) -> Iterator[Sequence[Cell]]:
    """What the first mails of a new folder change, for its mail and for that of the others."""
    every = max(len(folders.known) // NEW_FOLDERS, 1)
    new_ones = list(folders.known)[::every][:NEW_FOLDERS]
    for name in (OURS, *PEERS):
        row: list[Cell] = [f"{folders.title}: {name}"]
        for count in FIRST_MAILS:
            own, other = [], []
            for new in new_ones:
                found = folders.routed(
                    name, {**dict.fromkeys(folders.known, EXAMPLES[-1]), new: count}, DRAWS[0]
                )
                own.append(100 * fmean(right for folder, right in found if folder == new))
                other.append(100 * fmean(right for folder, right in found if folder != new))
            row += [fmean(own), fmean(other)]
        yield row


def newsgroups() -> Folders:
    """Twenty Newsgroups, split by date."""
    parts = newsgroups_by_date()
    known: dict[str, list[Mail]] = {folder: [] for folder in sorted(set(parts["train"][1]))}
    for text, folder in shuffled(list(zip(*parts["train"], strict=True)), SAMPLE_SEED):
        if len(known[folder]) < MOST_KNOWN:
            known[folder].append(mail_of(folder, without_group(text)))
    asked = shuffled(list(zip(*parts["test"], strict=True)), SAMPLE_SEED)[:ASKED]
    return Folders("newsgroups", known, [mail_of(folder, without_group(text)) for text, folder in asked])


def mailboxes() -> Folders:
    """The good mail of Enron's six mailboxes."""
    good = [message for message in shuffled(labelled_mail("enron_spam"), SAMPLE_SEED) if not message.spam]
    # Of byte-identical messages one.
    different = {message.read(): message.path.parts for message in good[: 4 * ASKED]}
    mails = [
        mail_of(next(part for part in parts if re.fullmatch(r"enron\d", part)), data)
        for data, parts in different.items()
    ]
    asked, rest = mails[:ASKED], mails[ASKED:]
    known: dict[str, list[Mail]] = {folder: [] for folder in sorted({mail.folder for mail in rest})}
    for mail in rest:
        known[mail.folder].append(mail)
    return Folders("mailboxes", known, asked)


def mail_of(folder: str, data: bytes) -> Mail:
    """One mail, read."""
    message = read(data)
    return Mail(folder, features_of(message), data.decode("utf-8", "replace"))


def without_group(text: str) -> bytes:
    """A message without the fields that name its group."""
    head, _, body = text.partition("\n\n")
    kept = [line for line in head.split("\n") if not line.lower().startswith(NAMING)]
    return "\n".join([*kept, "", body]).encode()


def main() -> Iterator[Table]:
    both = (newsgroups(), mailboxes())
    heads = [head for count in EXAMPLES for head in (f"{count} a folder", "±")]
    yield Table(
        "routed rightly after so many examples, in percent",
        ("", *heads),
        [row for folders in both for row in from_few(folders)],
    )
    heads = [head for count in FIRST_MAILS for head in (f"{count}: its mail", "other mail")]
    yield Table(
        "a new folder's first mails, routed rightly in percent",
        ("", *heads),
        [row for folders in both for row in begun(folders)],
    )


if __name__ == "__main__":
    show(main())
