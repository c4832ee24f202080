r"""Names of spaces: what may be one, and which spellings are one name.

Any text of up to 200 characters is a name, mail addresses above all. Two names are one if they are equal
after case folding and composing (NFC); the first spelling is the one that is shown. No file is ever named
after a space, so a name can hold anything that can be shown on one line:

>>> space_name(" Ann@Example.org "), space_name("../../etc/passwd")
('Ann@Example.org', '../../etc/passwd')
>>> space_key("Ann@Example.org") == space_key("ann@EXAMPLE.ORG"), space_key("e\u0301") == space_key("É")
(True, True)
>>> space_name("a\nb")
Traceback (most recent call last):
deciban.errors.BadSpaceName: A space's name has 1 to 200 characters, none of control, got 'a\nb' instead.
"""

from __future__ import annotations

from deciban.errors import BadSpaceName

MOST_CHARACTERS = 200
# Control characters, lone surrogates, separators of lines and paragraphs; format characters join emoji.
_REFUSED = frozenset({"Cc", "Cs", "Zl", "Zp"})


def space_name(text: str) -> str:
    """The name that somebody means, as it is shown; refused if it cannot be one."""
    from unicodedata import category, normalize

    name = normalize("NFC", text.strip())
    if not 0 < len(name) <= MOST_CHARACTERS or any(category(character) in _REFUSED for character in name):
        shown = text if len(text) <= MOST_CHARACTERS else text[:20] + "…"
        raise BadSpaceName(
            f"A space's name has 1 to {MOST_CHARACTERS} characters, none of control, got {shown!r} instead."
        )
    return name


def can_be_name(text: str) -> bool:
    r"""Whether there may be a space of this name: whatever else somebody looks for is not there.

    >>> can_be_name("ann@example.org"), can_be_name("a" * 1000), can_be_name("\udce9")
    (True, False, False)
    """
    # Composing makes a name at most three times shorter.
    return len(text) <= 3 * MOST_CHARACTERS and not any("\ud800" <= letter <= "\udfff" for letter in text)


def space_key(name: str) -> str:
    """What is compared of a name: it is the same for every spelling."""
    from unicodedata import normalize

    return normalize("NFC", normalize("NFD", name.strip()).casefold())
