"""Asking the person at the terminal before something is done that cannot be undone."""

from __future__ import annotations

import sys

from deciban.errors import WrongUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from deciban.cli.parser import Parser


def add_yes_flag(parser: Parser) -> None:
    """Add ``--yes``."""
    parser.add_argument("--yes", action="store_true", help="do not ask")


def must_be_able_to_ask(options: Namespace, what: str, reads_input: bool = False) -> None:
    """Refuse before any work where nobody can answer, because standard input is no terminal or read."""
    if not options.yes and (reads_input or not sys.stdin.isatty()):
        raise WrongUsage(f"there is nobody to ask whether to {what}; add --yes to do it without asking")


def agreed(options: Namespace, question: str) -> bool:
    """Whether the person at the terminal says yes, or said so before."""
    if options.yes:
        return True
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
