"""What can be typed, read from the parsers: the one origin of shell completion and of the manual.

>>> read = next(verb for verb in all_verbs() if verb.name == "read")
>>> [flag.names for flag in read.flags][:3]
[('-h', '--help'), ('--files-from',), ('--features',)]
>>> read.flags[2].choices, read.operands[0].metavar
(('words', 'letters', 'all'), 'FILE')
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from deciban.cli.verbs import VERBS, load_verb, verb_parser
from deciban.value import Value


class Argument(Value):
    """A flag with its names, or an operand, which has none."""

    names: tuple[str, ...]
    metavar: str
    """What stands for its value; empty if it takes none."""
    choices: tuple[str, ...]
    """All the values that it can have, if they can be listed."""
    help: str


class VerbDefinition(Value):
    """A verb with everything that its help shows."""

    name: str
    summary: str
    usage: str
    flags: tuple[Argument, ...]
    operands: tuple[Argument, ...]
    examples: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def all_verbs() -> Iterator[VerbDefinition]:
    """Every verb, in the order of the help."""
    for name, summary in VERBS.items():
        verb = load_verb(name)
        defined = verb_parser(name, verb)
        parser = defined.full()
        arguments = [_argument(action) for action in parser._actions]
        yield VerbDefinition(
            name,
            summary,
            " ".join(parser.format_usage().removeprefix("usage: ").split()),
            tuple(argument for argument in arguments if argument.names),
            tuple(argument for argument in arguments if not argument.names),
            verb.EXAMPLES,
            tuple(defined.notes),
        )


def _argument(action: argparse.Action) -> Argument:
    takes_value = action.nargs != 0
    return Argument(
        tuple(action.option_strings),
        str(action.metavar or action.dest.upper()) if takes_value else "",
        tuple(map(str, action.choices or ())),
        action.help or "",
    )
