"""``deciban`` itself: finds the verb, or prints the help or the version."""

from __future__ import annotations

import sys

from deciban import __version__
from deciban.cli.verbs import VERBS, load_verb, verb_parser
from deciban.errors import WrongUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deciban.cli.full_parser import FullParser

# Flags that choose the filter, which may stand in front of the verb.
CHOOSING = ("--db", "--space", "--spaces")


def run(arguments: Sequence[str]) -> int:
    """Run the verb that the arguments begin with, --db aside."""
    arguments = _with_database_behind(arguments)
    if arguments and arguments[0] in VERBS:
        name, *rest = arguments
        verb = load_verb(name)
        try:
            options = verb_parser(name, verb).parse_args(rest)
        except SystemExit:  # argparse leaves this way after --help
            return 0
        except WrongUsage as error:
            if name != "filter":
                raise
            from deciban.cli.filter import run_misused

            return run_misused(error)
        return verb.run(options)
    return _without_verb(arguments)


def _with_database_behind(arguments: Sequence[str]) -> Sequence[str]:
    """The arguments with --db, --space or --spaces in front of the verb put behind it.

    >>> _with_database_behind(["--db", "my.db", "classify", "mail.eml"])
    ['classify', '--db', 'my.db', 'mail.eml']
    >>> _with_database_behind(["--spaces=/srv/mail", "--space", "ann", "status"])
    ['status', '--spaces=/srv/mail', '--space', 'ann']
    """
    place = 0
    while place < len(arguments):
        flag, given, _ = arguments[place].partition("=")
        if flag not in CHOOSING:
            break
        place += 1 if given else 2
    if place < len(arguments) and arguments[place] in VERBS:
        return [arguments[place], *arguments[:place], *arguments[place + 1 :]]
    return arguments


def _without_verb(arguments: Sequence[str]) -> int:
    parser = program_parser()
    try:
        options, rest = parser.parse_known_args(arguments)
    except SystemExit:
        return 0
    if options.version:
        print(f"deciban {__version__}")
        return 0
    if options.verb or rest:
        unknown = options.verb or rest[0]
        raise WrongUsage(
            f"{unknown!r} is not a verb of deciban; it knows {', '.join(VERBS)} (see deciban --help)"
        )
    parser.print_help(sys.stderr)
    return 3


def program_parser() -> FullParser:
    """The parser of ``deciban`` without a verb."""
    from argparse import SUPPRESS

    from deciban.cli.full_parser import FullParser

    width = max(map(len, VERBS))
    verbs = "\n".join(f"  {name:{width}}  {summary}" for name, summary in VERBS.items())
    parser = FullParser(
        prog="deciban",
        usage="deciban [--help] [--version] [--db DATABASE | --space NAME] VERB ...",
        description="A Bayesian filter for mail and text that explains itself and can forget.",
        epilog=f"verbs:\n{verbs}\n\ndeciban VERB --help explains a verb, with examples.",
    )
    parser.add_argument("--version", action="store_true", help="print the version and leave")
    parser.add_argument("--db", metavar="DATABASE", help="the filter's database; behind the verb too")
    parser.add_argument("--space", metavar="NAME", help="instead: the filter of a space")
    parser.add_argument("--spaces", metavar="FOLDER", help="the folder of the spaces")
    parser.add_argument("verb", nargs="?", metavar="VERB", help=SUPPRESS)
    return parser
