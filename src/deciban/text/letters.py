"""The view `letters`: overlapping runs of four bytes, of the headers and of the text.

It needs no language, no words and no idea of what mail is, and sees what tokenisers miss: the order and
spelling of header fields, punctuation, invented words. Each of the two has a budget, and signatures, keys and
ids in the headers may use little of theirs (docs/features.md has the rules).

>>> from deciban.text import read
>>> len(features(read(b"hello, world")))  # reading ends the last line
10
"""

from deciban.text._reader import Message
from deciban.text._views import FeatureSet
from deciban.text.limits import Limits
from deciban.text.views import DEFAULT_LIMITS, extract


def features(message: Message, limits: Limits = DEFAULT_LIMITS) -> FeatureSet:
    """The view as a sorted set of hashes."""
    return extract(message, (), limits).letters
