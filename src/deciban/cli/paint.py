r"""Colours on the terminal: on one unless NO_COLOR is set, elsewhere only if asked for.

>>> Paint("never").good("none"), Paint("always").bad("2")
('none', '\x1b[31m2\x1b[0m')
"""

from __future__ import annotations

import os
import sys

from deciban.cli.configuration import Configuration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.cli.parser import Parser

RED, GREEN, YELLOW, FAINT, BOLD = 31, 32, 33, 2, 1


def add_color_flag(parser: Parser) -> None:
    """Add ``--color``."""
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        metavar="WHEN",
        help="auto (the default: on a terminal, unless NO_COLOR is set), always or never",
    )


def wants_color(when: str) -> bool:
    """Whether colours are to be printed on standard output."""
    if when == "auto":
        when = Configuration.load().value("color")
    if when != "auto":
        return when == "always"
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not plain and sys.stdout.isatty()


def painted(text: str, color: int) -> str:
    """The text in a colour."""
    return f"\x1b[{color}m{text}\x1b[0m" if text else ""


class Paint:
    """Colours by what they mean, or none at all."""

    def __init__(self, when: str) -> None:
        self.is_on = wants_color(when)

    def good(self, text: str) -> str:
        """Green."""
        return self._painted(text, GREEN)

    def bad(self, text: str) -> str:
        """Red."""
        return self._painted(text, RED)

    def doubtful(self, text: str) -> str:
        """Yellow."""
        return self._painted(text, YELLOW)

    def faint(self, text: str) -> str:
        """What may be passed over."""
        return self._painted(text, FAINT)

    def strong(self, text: str) -> str:
        """What must not."""
        return self._painted(text, BOLD)

    def side(self, text: str, decibans: float) -> str:
        """Evidence: green for the verdict, red against it, and what is next to nothing as it is."""
        if abs(decibans) < 0.05:
            return text
        return self.good(text) if decibans > 0 else self.bad(text)

    def _painted(self, text: str, color: int) -> str:
        return painted(text, color) if self.is_on else text
