r"""Text from mail made harmless for a terminal.

A subject can hold escape sequences that retitle the window, erase what stands above or answer for the user;
a file name can hold a bidirectional override that makes ``exe.gpj`` read as ``jpg.exe``. So everything that
comes from mail, file names included, goes through here before it is printed: what Unicode does not count as
printable is written as an escape.

>>> print(harmless("free \x1b[31mmoney\x07 \u202egpj.exe"))
free \x1b[31mmoney\x07 \u202egpj.exe
>>> print(harmless("two\nlines"), "|", harmless("naïve 日本語 😀"))
two\nlines | naïve 日本語 😀
"""

from __future__ import annotations

import sys

# Spaces that str.isprintable() does not count, though they only move the cursor: U+3000 is in every
# Chinese or Japanese mail, U+00A0 in most HTML.
_SPACES = frozenset(
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)


def harmless(text: str) -> str:
    """The text on one line, with everything that a terminal could act upon written as an escape."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in _SPACES else _escape(char) for char in text)


def harmless_lines(text: str) -> list[str]:
    r"""The lines of the text, each harmless, with tabs as spaces.

    >>> harmless_lines("a\tb\r\nc\x00")
    ['a       b', 'c\\x00']
    """
    lines = text.replace("\r\n", "\n").split("\n")
    return [harmless(line.expandtabs()) for line in lines]


def shortened(text: str, width: int) -> str:
    """The text made harmless and cut to a width.

    >>> shortened("Re: your order of this morning", 12)
    'Re: your or…'
    """
    text = harmless(text[: width + 1])
    return text if len(text) <= width else text[: width - 1] + "…"


def say(text: str) -> None:
    """Print to standard output; what the locale cannot write is shown as an escape as well."""
    encoding = sys.stdout.encoding or "ascii"
    print(text.encode(encoding, "backslashreplace").decode(encoding))


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
