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

import os
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
    """The text made harmless and cut in the middle to a width, counted in columns of the terminal.

    >>> shortened("Re: your order of this morning", 12)
    'Re: yo…rning'
    >>> shortened("日本語のテキスト", 9), columns_of(shortened("日本語のテキスト", 9))
    ('日本…スト', 9)
    """
    if len(text) > 2 * width:  # only what can be shown is made harmless: a subject may have megabytes
        text = text[:width] + text[-width:]
        is_cut = True
    else:
        is_cut = False
    text = harmless(text)
    if columns_of(text) <= width and not is_cut:
        return text
    head = _beginning(text, width // 2)
    tail = _beginning(text[::-1], max(width - 1 - columns_of(head), 0))[::-1]
    return f"{head}…{tail}"


def columns_of(text: str) -> int:
    """How many columns of a terminal a harmless text takes: Chinese letters take two, accents none."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 1 + (east_asian_width(char) in "WF") for char in text)


def terminal_columns() -> int | None:
    """The columns of the terminal that a table must fit into, as $COLUMNS says if it does; None in a pipe."""
    if not sys.stdout.isatty():
        return None
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and given.isascii() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    except (OSError, ValueError):
        return None


def say(text: str) -> None:
    """Print to standard output; what the locale cannot write is shown as an escape as well."""
    encoding = sys.stdout.encoding or "ascii"
    print(text.encode(encoding, "backslashreplace").decode(encoding))


def tell_that_it_waits() -> None:
    """Tell the person at the terminal, if there is one, that standard input is being read."""
    if sys.stdin.isatty():
        print("deciban: waiting for what you type; Ctrl-D ends it", file=sys.stderr, flush=True)


def _beginning(text: str, width: int) -> str:
    """As much of a text as fits into a width."""
    if text.isascii():
        return text[:width]
    end = 0
    while end < len(text) and columns_of(text[: end + 1]) <= width:
        end += 1
    return text[:end]


def _is_harmless(char: str) -> bool:
    return (char.isprintable() or char in _SPACES) and char not in _INVISIBLE


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
