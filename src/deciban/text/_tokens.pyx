"""The tokeniser: UTF-8 text to words and their places, in one linear walk that no bytes can break.

- A word is a run of letters, digits, marks and underscores of any script (what ``\\w`` matches), folded:
  lower case, compatible forms (fullwidth ＦＲＥＥ, mathematical 𝐟𝐫𝐞𝐞, circled ⓕⓡⓔⓔ) made plain.
- Zero-width characters inside a word are dropped; that they were there is a flag of the word.
- A word that mixes Latin letters with Cyrillic, Greek or Armenian lookalikes is read as Latin, and flagged.
  Words wholly in another script stay as they are: they are words of that language.
- Scripts without spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese) give overlapping
  pairs of characters; a pair is the shortest thing there that is usually a word or a part of just one
  (single Han characters as well made the weights over words worse on Chinese mail: 1-ROCA% .0018 → .0032).
- A pictograph (emoji, dingbat) is a word of one character.
- Bytes that are no UTF-8 separate words.
- A word longer than 256 bytes is cut: its beginning stands for all of it.

Case is folded one character to one: ß, ﬁ and other characters that fold to several stay as they are.
The table behind this (_characters.h) is committed, because Python's own changes between versions.

>>> [word.decode() for word, start, end, flags in tokens("Free ＭＯＮＥＹ: 免费发票 р\\u0430yp\\u200bal".encode())]
['free', 'money', '免费', '费发', '发票', 'paypal']
"""

from deciban.text._tokens cimport Token, Tokens, begin_tokens, next_token


def tokens(const unsigned char[::1] text not None):
    """Every token of a text as (word, start, end, flags); for tests and for curious eyes."""
    cdef Tokens walk
    cdef Token token
    found = []
    if text.shape[0] == 0:
        return found
    begin_tokens(&walk, &text[0], text.shape[0])
    while next_token(&walk, &token):
        found.append((<bytes>token.word[: token.length], token.start, token.end, token.flags))
    return found
