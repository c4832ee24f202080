r"""The view `words`: what a person would point at to say why a mail is wanted or not.

>>> from deciban.text import read
>>> message = read(b"From: Ann <ann@example.org>\n\nSave $50 on v1agra")
>>> [name for name in names(message) if ":" not in name]
['$', '$dd', '50', '50 on', 'on', 'on v1agra', 'save', 'save 50', 'v1agra', 'viagra']
>>> [name for name in names(message) if name.startswith("from:")]
['from:ann', 'from:ann@example.org', 'from:example', 'from:example.org', 'from:org']

docs/features.md lists everything that the view holds. Facts that only the world outside knows are handed in:

>>> message = read(b"From: Ann <Ann@Example.org>\n\nhello")
>>> "fact:sender-in-contacts" in names(message, facts=["sender-in-contacts"])
True
"""

from collections.abc import Iterable

from deciban.text._reader import Message
from deciban.text._views import FeatureSet
from deciban.text.limits import Limits
from deciban.text.views import DEFAULT_LIMITS, extract, trace


def features(message: Message, facts: Iterable[str] = (), limits: Limits = DEFAULT_LIMITS) -> FeatureSet:
    """The view as a sorted set of hashes."""
    return extract(message, facts, limits).words


def names(message: Message, facts: Iterable[str] = (), limits: Limits = DEFAULT_LIMITS) -> list[str]:
    """The names of the features of the view, sorted."""
    return sorted(traced.name for traced in trace(message, "words", facts, limits))
