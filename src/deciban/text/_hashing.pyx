"""The feature hash: 64 bits that mean the same feature on every machine and in every version.

A feature is named by bytes, for example ``subject:free``; its hash is FNV-1a (64 bits) over those very
bytes, followed by the finaliser of splitmix64. FNV-1a goes byte by byte, so that the state after a
field's tag is computed once for all the words of the field; the finaliser spreads what the last bytes
changed over all 64 bits, so that the top bits alone are a good table index. A 4-gram of the letters view
is its four bytes as one number, mixed into the state of the view's tag and finished likewise: a text of
n bytes has n − 3 of them, and two multiplications each are all that they cost.

The hash has no key. An attacker can find two words with one hash, but that wins him nothing: instead of
a word that collides with a good word he could simply write the good word. Filters salt their slots.

>>> hex(feature_hash(b"subject:free"))
'0x5d11fa8d0d36b859'
>>> feature_hash("subject:free") == feature_hash(b"subject:free")
True
>>> FORMAT
1
"""

from deciban.text._hashing cimport FORMAT_VERSION, hash_begin, hash_bytes, hash_end, hash_gram

FORMAT = FORMAT_VERSION


def feature_hash(name):
    """The hash of the feature with this name (bytes, or text that is encoded as UTF-8)."""
    cdef bytes encoded = name.encode("utf-8", "surrogatepass") if isinstance(name, str) else bytes(name)
    return hash_end(hash_bytes(hash_begin(), encoded, len(encoded)))


def gram_hash(view, gram):
    """The hash of a 4-gram (four bytes) of the view with this tag (bytes).

    >>> gram_hash(b"letters:", b"free") != feature_hash(b"free")
    True
    """
    cdef bytes tag = bytes(view)
    return hash_gram(hash_bytes(hash_begin(), tag, len(tag)), int.from_bytes(gram, "big"))
