"""What was learned about single words: the strongest of each label, by the names that lessons kept.

Everything else knows words by their hashes only; committee/extraction.py says which words have a name.
"""

from __future__ import annotations

from array import array

from deciban.committee._lesson_code import Features, shorten
from deciban.decibans import DECIBANS_A_NAT
from deciban.text._hashing import feature_hash
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from deciban.filter.filter import Filter
    from deciban.filter.footing import Learner


class WordEvidence(Value):
    """What was learned about one word, as to one label."""

    name: str
    counts: dict[str, int]
    """How many of the lessons that the counts learned from have this word, by label."""
    decibans: float
    """The evidence for the label against the best other, of a message that has this word and no other."""
    shared: WordEvidence | None = None
    """What the shared filter alone knows of it; the rest of counts and decibans came from own lessons."""


def strongest_words(mail_filter: Filter, count: int) -> dict[str, list[WordEvidence]]:
    """For each label the words that speak for it most, the strongest first."""
    names = mail_filter.names()
    found = mail_filter.ask(lambda committee: _strongest(committee, names, count))
    return {
        label: [_with_shared(mail_filter.foundation(), word.name, {label: word})[label] for word in words]
        for label, words in found.items()
    }


def word_evidence(mail_filter: Filter, name: str) -> dict[str, WordEvidence]:
    """What was learned about one word, by label."""
    found = mail_filter.ask(lambda committee: _evidence(committee, name))
    return _with_shared(mail_filter.foundation(), name, found)


def _with_shared(
    foundation: Learner | None, name: str, found: dict[str, WordEvidence]
) -> dict[str, WordEvidence]:
    """The same with what the foundation says; it says nothing about a label that it does not know."""
    if foundation is None:
        return found
    shared = _evidence(foundation, name)
    nothing = WordEvidence(name, {}, 0.0)
    return {label: word.replaced(shared=shared.get(label, nothing)) for label, word in found.items()}


def _strongest(committee: Learner, names: Iterable[str], count: int) -> dict[str, list[WordEvidence]]:
    found: dict[str, list[WordEvidence]] = {label: [] for label in committee.considered}
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


def _evidence(committee: Learner, name: str) -> dict[str, WordEvidence]:
    feature = feature_hash(name)
    labels = committee.considered
    known = dict(zip(committee.labels, committee.look("words", shorten(feature))[0], strict=True))
    counts = {label: known[label] for label in labels}
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


def words_record(
    strongest: dict[str, list[WordEvidence]], words: dict[str, dict[str, WordEvidence]]
) -> dict[str, object]:
    """The strongest words of each label, and some that were looked up, ready for JSON."""
    return {
        "strongest": {
            label: [{"name": word.name, **_record(word)} for word in rows]
            for label, rows in strongest.items()
        },
        "words": {
            word: {label: _record(found) for label, found in rows.items()} for word, rows in words.items()
        },
    }


def _record(word: WordEvidence) -> dict[str, object]:
    record: dict[str, object] = {"counts": word.counts, "decibans": word.decibans}
    return record if word.shared is None else record | {"shared": _record(word.shared)}
