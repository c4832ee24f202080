"""argparse with deciban's manners: a wrong command line is one line that says where to look.

>>> FullParser(prog="deciban read").parse_args(["--nonsense"])
Traceback (most recent call last):
deciban.errors.WrongUsage: unrecognized arguments: --nonsense; see deciban read --help
"""

from __future__ import annotations

import argparse
import os

from deciban.errors import WrongUsage

TYPE_CHECKING = False  # typing's own costs 5 ms to import
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of texts; finds the width itself, for which argparse would import shutil (2 ms)."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=_terminal_width())


def _terminal_width() -> int:
    try:
        columns = os.get_terminal_size(1).columns
    except OSError:  # not a terminal
        columns = 0
    # Lines beyond 100 are hard to read.
    return min(columns or 80, 100) - 2


def _filled(text: str) -> str:
    from textwrap import fill

    return fill(text, _terminal_width())


class FullParser(argparse.ArgumentParser):
    """An argument parser that keeps the lines of its texts, takes no abbreviations, and raises."""

    def __init__(
        self,
        prog: str,
        description: str = "",
        epilog: str = "",
        usage: str | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        super().__init__(
            prog=prog,
            usage=usage,
            description="\n\n".join((description, *map(_filled, notes))),
            epilog=epilog,
            formatter_class=_Formatter,
            # An abbreviation that works today is ambiguous when the next option comes.
            allow_abbrev=False,
        )

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """What was typed, with flags anywhere between the operands: ``learn ham --by ann inbox``."""
        return self.parse_intermixed_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Raise `WrongUsage` instead of printing the usage and leaving."""
        raise WrongUsage(f"{message}; see {self.prog} --help")
