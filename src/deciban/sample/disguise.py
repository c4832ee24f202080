r"""Words written so that people read them and simple filters do not.

>>> from deciban.sample.dice import Dice
>>> [disguised("cialis", Dice(seed)) for seed in "abc"]
['сiаlis', 'ciiialis', 'c\u200bialis']
"""

from __future__ import annotations

from deciban.sample.dice import Dice

_DIGITS = str.maketrans("aeiost", "4310$7")
_CYRILLIC = str.maketrans("aceopxyABEKMHOPCTX", "асеорхуАВЕКМНОРСТХ")
_INVISIBLE = "\u200b\u200c\u2060\u00ad"


def disguised(word: str, dice: Dice) -> str:
    """The word in one of five disguises, or plain: spammers do not always bother."""
    way = dice.between(0, 5)
    if way == 0:
        return "".join(letter.translate(_DIGITS) if dice.chance(0.6) else letter for letter in word)
    if way == 1:
        return "".join(letter.translate(_CYRILLIC) if dice.chance(0.8) else letter for letter in word)
    if way == 2:
        cut = dice.between(1, len(word) - 1)
        return word[:cut] + dice.pick(_INVISIBLE) + word[cut:]
    if way == 3:
        return dice.pick(".-_").join(word.capitalize())
    if way == 4:
        at = dice.between(1, len(word) - 1)
        return word[:at] + word[at] * dice.between(1, 3) + word[at:]
    return word
