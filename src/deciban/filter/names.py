"""Names: the text of words, for lists of the strongest. Everything else knows words by their hashes only.

A lesson keeps the text of 16 of its words, some 200 bytes, drawn by lot. Which ones depends on the message
alone, so that a lesson tells nothing about others; whoever forgets it forgets its names with it. What
matters is in many lessons and so it has a name; what was seen once and only shares the slot of a strong word
seldom has one, and is not listed (docs/experiments.md).
"""

from __future__ import annotations

from array import array

from deciban.committee._lesson_code import Features, shorten
from deciban.decibans import DECIBANS_A_NAT
from deciban.filter.ledger import LESSONS_IN_ORDER
from deciban.text._hashing import feature_hash
from deciban.text._views import extract_with_names
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from deciban.committee._committee import Committee
    from deciban.filter.filter import Filter
    from deciban.filter.ledger import Ledger
    from deciban.text import Message

NAMES_A_LESSON = 16
# Long ones are links and tracking codes, which few would recognise.
MOST_BYTES = 60


class WordEvidence(Value):
    """What was learned about one word, as to one label."""

    name: str
    counts: dict[str, int]
    """In how many of the lessons that the counts were taught it was seen, by label."""
    decibans: float
    """The evidence for the label against the best other, of a message that has this word and no other."""


def features_with_names(message: Message, facts: Iterable[str]) -> tuple[Features, str]:
    """What a lesson keeps of a message: its features, and some names, one a line."""
    seed = int.from_bytes(message.digest[:8], "little")
    words, letters, names = extract_with_names(message, facts, seed, NAMES_A_LESSON)
    kept = b"\n".join(sorted([name for name in names if len(name) <= MOST_BYTES and b"\n" not in name]))
    # What is no UTF-8 loses its name: a replaced character has another hash, and nothing is found under it.
    text = kept.decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
    return Features.of(words, letters), text


def all_names(ledger: Ledger) -> set[str]:
    """The names of all lessons, folded ones too."""
    kept = ledger.execute("SELECT value FROM foundation WHERE what = 'names'")
    texts = [bytes(value).decode() for (value,) in kept]
    texts += [names for (names,) in ledger.execute("SELECT names FROM lessons")]
    return {name for text in texts for name in text.split("\n") if name}


def joined_names(ledger: Ledger, positions: Iterable[int]) -> str:
    """The names of folded lessons, with those of the lessons at these positions, one a line."""
    kept = ledger.execute("SELECT value FROM foundation WHERE what = 'names'")
    texts = [bytes(value).decode() for (value,) in kept]
    here = f"SELECT names FROM {LESSONS_IN_ORDER} WHERE position = ?"
    for position in positions:
        texts += [names for (names,) in ledger.execute(here, position)]
    return "\n".join(sorted({name for text in texts for name in text.split("\n") if name}))


def strongest_words(mail_filter: Filter, count: int) -> dict[str, list[WordEvidence]]:
    """For each label so many words that speak for it most, the strongest first."""
    with mail_filter.ledger.reading():
        names = all_names(mail_filter.ledger)
    return mail_filter.ask(lambda committee: _strongest(committee, names, count))


def word_evidence(mail_filter: Filter, name: str) -> dict[str, WordEvidence]:
    """What was learned about one word, by label."""
    return mail_filter.ask(lambda committee: _evidence(committee, name))


def _strongest(committee: Committee, names: Iterable[str], count: int) -> dict[str, list[WordEvidence]]:
    found: dict[str, list[WordEvidence]] = {label: [] for label in committee.labels}
    if len(found) < 2:
        return found
    for name in names:
        for label, word in _evidence(committee, name).items():
            if word.decibans > 0 and any(word.counts.values()):
                found[label].append(word)
    return {
        label: sorted(words, key=lambda word: (-word.decibans, word.name))[:count]
        for label, words in found.items()
    }


def _evidence(committee: Committee, name: str) -> dict[str, WordEvidence]:
    feature = feature_hash(name)
    labels = committee.labels
    counts = dict(zip(labels, committee.look("words", shorten(feature))[0], strict=True))
    nothing = array("Q")
    before = committee.score(Features.of(nothing, nothing))
    totals = committee.score(Features.of(array("Q", [feature]), nothing))
    nats = {label: with_it - without for label, with_it, without in zip(labels, totals, before, strict=True)}
    others = {
        label: max((nats[other] for other in labels if other != label), default=0.0) for label in labels
    }
    return {
        label: WordEvidence(name, counts, DECIBANS_A_NAT * (nats[label] - others[label])) for label in labels
    }
