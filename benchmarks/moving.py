"""Moving in from another filter: are its counts worth more than the starter, or than its mail taught again?

    python -m benchmarks moving                     # three corpora, two shuffles
    python -m benchmarks moving spamassassin        # some of them

Somebody has used bogofilter for half of a corpus, and now comes to deciban. 1,000 messages of the other half
are learned one by one. 1,000 more are asked about before the first lesson, after 100 and after all. Figures
are 1-ROCA%.

*Counts of bogofilter*: `bogoutil -d` tells in how many good mails and in how many spams each word was. The
mail itself is gone. So as many mails are made up as bogofilter was taught, and each word is put into as many
of them as it was in, drawn by lot, in the field that it is from. A committee learns these mails, and the
filter rests on it as on a starter. *Counts of SpamAssassin*
(`sa-learn --backup`) are those of digests. A digest gets its word back if the word is in another corpus.
*Taught again*: the mail itself, learned on the starter. rspamd keeps hashes of pairs of stems within a window
of words. None of them is a feature of deciban, so there is nothing to take over.

The starter is made without the corpus that it is tried on, as in the benchmark `transfer`.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha1
from pathlib import Path
from random import Random
from statistics import fmean

from benchmarks import transfer
from benchmarks.measure import Cell, Table, show
from deciban import metrics
from deciban.committee._committee import Committee
from deciban.committee._lesson_code import Features
from deciban.committee._panel import Panel
from deciban.committee.extraction import features_of
from deciban.committee.settings import Settings
from deciban.decibans import SPAM
from deciban.evaluate import Bogofilter, LabelledMessage, TaughtMessage, shuffled
from deciban.text import read

CORPORA = ("spamassassin", "chinese", "enron1")
SEEDS = (1, 2)
OWN = (0, 100, 1000)
ASKED = 1000
LONGEST = 40
# What bogofilter puts in front of words, and the fields that they are from.
FIELDS = {
    "rtrn:": "Return-Path",
    "rcvd:": "Received",
    "from:": "From",
    "to:": "To",
    "subj:": "Subject",
    "": "",
}
# Of other fields it does not tell which, and what it tells of MIME is no text.
NAMELESS = ("head:", "mime:", "url:")
Learner = Committee | Panel
Counts = Mapping[str, tuple[int, int]]


class Move:
    """One shuffle of a corpus: what the other filter was taught, own lessons, and what is asked about."""

    def __init__(self, name: str, seed: int) -> None:
        messages = shuffled(transfer.messages_of(name), seed)
        half = len(messages) // 2
        self.before = messages[:half]
        self.own = messages[half : half + OWN[-1]]
        self.asked = messages[half + OWN[-1] :][:ASKED]
        self.seed = seed


@cache
def features_in(message: LabelledMessage) -> bytes:
    """Its features, as a ledger keeps them."""
    return features_of(read(message.read())).encode()


def decoded(message: LabelledMessage) -> Features:
    return Features.decode(features_in(message))


def bogofilter_counts(messages: Sequence[LabelledMessage]) -> tuple[Counts, int, int]:
    """How often each word was in spam and in good mail, after bogofilter was taught; how many of both."""
    with tempfile.TemporaryDirectory(prefix="deciban-moving-") as folder:
        for flag, spam in (("-s", True), ("-n", False)):
            names = "".join(f"{message.path}\n" for message in messages if message.spam == spam)
            command = ["bogofilter", "-C", "-d", folder, "--db-transaction=no", flag, "-b"]
            subprocess.run(command, input=names, text=True, check=True, capture_output=True)
        dumped = subprocess.run(
            ["bogoutil", "-d", str(Path(folder, "wordlist.db"))], check=True, capture_output=True
        ).stdout
    counts: dict[str, tuple[int, int]] = {}
    for line in dumped.decode("utf-8", "replace").split("\n")[:-1]:
        word, spams, hams, _ = line.rsplit(" ", 3)
        counts[word] = int(spams), int(hams)
    totals = counts[".MSG_COUNT"]
    return {word: found for word, found in counts.items() if not word.startswith(".")}, *totals


def made_up(counts: Counts, spams: int, hams: int, seed: int) -> list[tuple[str, Features]]:
    """As many lessons as there were, each word in as many of them as it was in, drawn by lot."""
    dice = Random(seed)
    labels = [SPAM] * spams + ["ham"] * hams
    mails: list[dict[str, list[str]]] = [{field: [] for field in FIELDS} for _ in labels]
    for word, found in counts.items():
        if word.startswith(NAMELESS):
            continue
        field = next((begin for begin in FIELDS if begin and word.startswith(begin)), "")
        for places, count in zip((range(spams), range(spams, spams + hams)), found, strict=True):
            for place in dice.sample(places, min(count, len(places))):
                mails[place][field].append(word.removeprefix(field))
    lessons = [
        (label, features_of(read(written(mail, dice)))) for label, mail in zip(labels, mails, strict=True)
    ]
    return list(shuffled(lessons, seed))


def written(words: Mapping[str, list[str]], dice: Random) -> bytes:
    """A mail of these words, in any order."""
    for each in words.values():
        dice.shuffle(each)
    head = "".join(f"{FIELDS[field]}: {' '.join(words[field])}\n" for field in FIELDS if field)
    return f"{head}\n{' '.join(words[''])}\n".encode()


def learned(lessons: Sequence[tuple[str, Features]]) -> Committee:
    """A committee that has learned these lessons."""
    committee = Committee.fresh(Settings())
    for label, features in lessons:
        if len(features):
            committee.learn(label, features)
    return committee


def spamassassin_counts(
    messages: Sequence[LabelledMessage], words: Mapping[bytes, str]
) -> tuple[Counts, int, int, float]:
    """The same of SpamAssassin, as far as its digests are of known words; and the share that are."""
    with tempfile.TemporaryDirectory(prefix="deciban-moving-") as folder:
        flags = ["--dbpath", f"{folder}/bayes", "--prefspath", "/dev/null", "-L"]
        for label in (SPAM, "ham"):
            names = Path(folder, label)
            names.write_text("".join(f"{message.path}\n" for message in messages if message.label == label))
            command = ["sa-learn", *flags, "--no-sync", f"--{label}", "--folders", str(names)]
            subprocess.run(command, check=True, capture_output=True)
        subprocess.run(["sa-learn", *flags, "--sync"], check=True, capture_output=True)
        dumped = subprocess.run(["sa-learn", *flags, "--backup"], check=True, capture_output=True, text=True)
    counts: dict[str, tuple[int, int]] = {}
    known = seen = 0
    totals = {"num_spam": 0, "num_nonspam": 0}
    for line in dumped.stdout.splitlines():
        kind, *rest = line.split("\t")
        if kind == "v" and rest[1] in totals:
            totals[rest[1]] = int(rest[0])
        elif kind == "t":
            seen += 1
            word = words.get(bytes.fromhex(rest[3]))
            if word is not None:
                known += 1
                spams, hams = counts.get(word, (0, 0))
                counts[word] = spams + int(rest[0]), hams + int(rest[1])
    return counts, totals["num_spam"], totals["num_nonspam"], known / max(seen, 1)


def digests_of_words(target: str) -> dict[bytes, str]:
    """The words of other corpora by the digest that SpamAssassin keeps of a word."""
    words = {
        word.strip("-'\".,")
        for name in transfer.CHOSEN_ON + transfer.CONFIRMED_ON
        if transfer.archive_of(name) != transfer.archive_of(target)
        for message in transfer.messages_of(name)
        for word in read(message.read()).text.split()
        if len(word) <= LONGEST
    }
    return {sha1(word.encode()).digest()[-5:]: word.lower() for word in words if len(word) >= 3}


def followed(learner: Learner, move: Move) -> list[float]:
    """1-ROCA% of what is asked about, after so many own lessons."""
    found = []
    for place in range(OWN[-1] + 1):
        if place in OWN:
            totals = [learner.totals_of(decoded(message)) for message in move.asked]
            scores = [each[SPAM] - each["ham"] if len(each) > 1 else 0.0 for each in totals]
            found.append(metrics.roc_loss(scores, [message.spam for message in move.asked]))
        if place < len(move.own):
            learner.learn(move.own[place].label, decoded(move.own[place]))
    return found


def by_bogofilter(move: Move) -> list[float]:
    """The same of bogofilter, which goes on."""
    found = []
    with Bogofilter() as peer:
        peer.learn([TaughtMessage(message.label, message.read()) for message in move.before])
        for before, after in zip((0, *OWN), OWN, strict=False):
            if after > before:
                own = move.own[before:after]
                peer.learn([TaughtMessage(message.label, message.read()) for message in own])
            opinions = peer.classify([message.read() for message in move.asked])
            spam = [message.spam for message in move.asked]
            found.append(metrics.roc_loss([opinion.score for opinion in opinions], spam))
    return found


def taught_again(base: Committee, move: Move) -> Learner:
    """A filter on a starter that was taught what the other filter was."""
    learner = transfer.begun("both", base)
    for message in move.before:
        learner.learn(message.label, decoded(message))
    return learner


def moved(name: str, seed: int) -> dict[str, list[float]]:
    """Every way to begin on one shuffle of a corpus."""
    move, starter = Move(name, seed), starter_for(name)
    counts, spams, hams = bogofilter_counts(move.before)
    inherited = learned(made_up(counts, spams, hams, seed))
    found = {
        "bogofilter goes on": by_bogofilter(move),
        "empty": followed(transfer.begun("empty", None), move),
        "counts of bogofilter": followed(transfer.begun("both", inherited), move),
        "starter": followed(transfer.begun("both", starter), move),
        "starter, mail taught again": followed(taught_again(starter, move), move),
    }
    if seed == SEEDS[0]:
        counts, spams, hams, share = spamassassin_counts(move.before, digests_of_words(name))
        base = learned(made_up(counts, spams, hams, seed))
        title = f"counts of SpamAssassin, {share:.0%} of its digests named"
        found[title] = followed(transfer.begun("both", base), move)
    return found


@cache
def starter_for(name: str) -> Committee:
    """A starter of all corpora but this one."""
    return transfer.starter_for(name)


def main(arguments: Sequence[str] = ()) -> Iterator[Table]:
    rows: list[Sequence[Cell]] = []
    for name in tuple(arguments) or CORPORA:
        trials = [moved(name, seed) for seed in SEEDS]
        for title in trials[0]:
            columns = zip(*(trial[title] for trial in trials if title in trial), strict=True)
            rows.append((f"{name}: {title}", *(fmean(column) for column in columns)))
    yield Table(
        "1-ROCA% of 1,000 messages after moving in from another filter",
        ("", *(f"after {count:,} own lessons" for count in OWN)),
        rows,
        "SpamAssassin's counts: one shuffle; all else: the mean of two.",
    )


if __name__ == "__main__":
    import sys

    show(main(sys.argv[1:]))
