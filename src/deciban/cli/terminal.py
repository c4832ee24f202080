r"""Text from mail made harmless for a terminal.

A subject can hold escape sequences that retitle the window, erase what stands above or answer for the user;
a file name can hold a bidirectional override that makes ``exe.gpj`` read as ``jpg.exe``. So everything that
comes from mail, file names included, goes through here before it is printed: what Unicode does not count as
printable is written as an escape, and so are the letters and marks that show nothing.

>>> print(harmless("free \x1b[31mmoney\x07 \u202egpj.exe"))
free \x1b[31mmoney\x07 \u202egpj.exe
>>> print(harmless("two\nlines"), "|", harmless("naïve 日本語 😀"))
two\nlines | naïve 日本語 😀
"""

from __future__ import annotations

import sys

# Letters and marks that show nothing: fillers of Hangul, an empty Braille cell, joiners and vowels of no
# width, variation selectors. Two labels, or two addresses, that differ in them look the same.
_INVISIBLE = frozenset(
    map(chr, (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180F, 0x2800, 0x3164, 0xFFA0))
) | frozenset(map(chr, (*range(0x180B, 0x180E), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
# Spaces that str.isprintable() does not count, though they only move the cursor: U+3000 is in every
# Chinese or Japanese mail, U+00A0 in most HTML.
_SPACES = frozenset(
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)


def harmless(text: str) -> str:
    """The text on one line, with everything that a terminal could act upon written as an escape."""
    if text.isprintable() and (text.isascii() or _INVISIBLE.isdisjoint(text)):
        return text
    return "".join(char if _is_harmless(char) else _escape(char) for char in text)


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


def tell_that_it_waits() -> None:
    """Tell the person at the terminal, if there is one, that standard input is being read."""
    if sys.stdin.isatty():
        print("deciban: waiting for what you type; Ctrl-D ends it", file=sys.stderr, flush=True)


def _is_harmless(char: str) -> bool:
    return (char.isprintable() or char in _SPACES) and char not in _INVISIBLE


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
