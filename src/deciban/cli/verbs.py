"""The table of verbs: help, shell completion and the manual are made from it and from the parsers.

A verb is a module of its name in this package (but for those in `_MODULES`) that has

- ``EXAMPLES``: pairs of a command line and what it does,
- ``define(parser)``, which adds the arguments,
- ``run(options)``, which does the work and returns the exit code.
"""

from __future__ import annotations

from deciban.cli.parser import Parser

TYPE_CHECKING = False  # typing's own costs 5 ms to import
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Protocol

    class Verb(Protocol):
        """What the module of a verb has."""

        EXAMPLES: tuple[tuple[str, str], ...]

        def define(self, parser: Parser) -> None: ...  # noqa: D102
        def run(self, options: Namespace) -> int: ...  # noqa: D102


VERBS = {
    "learn": "teach the filter messages of one label",
    "classify": "say what messages are",
    "why": "explain the verdict about a message, by place in the message",
    "filter": "pass a message through, with the verdict in its header",
    "lessons": "list and search what was taught",
    "forget": "take back what was taught, as if it had never been",
    "erase": "erase all that is kept from or about one person",
    "journal": "list and search what was decided",
    "correct": "teach a message that was judged, without the mail",
    "undo": "take back a correction",
    "status": "show how good the filter is on your own mail",
    "show": "list the labels, and what was learned about words",
    "prefer": "say what a lost mail costs, ask for a promise, name your contacts",
    "config": "show what is configured, and where each setting is from",
    "merge": "take over the lessons of other filters",
    "compact": "fold old lessons into one state, to make the database small",
    "publish": "write what was learned into a file for others to rest on",
    "backup": "copy the database to a file, also while it is in use",
    "restore": "put a backup in the place of the database",
    "check": "look for damage in all that the filter keeps, and mend it",
    "export": "write all lessons in an open format",
    "import": "take over lessons that were exported",
    "space": "keep many filters in one folder, one for each user",
    "key": "let programs into spaces, each with no more rights than it needs",
    "serve": "answer other programs over HTTP, on one folder of spaces",
    "read": "show what the filter sees in a message",
    "evaluate": "measure the filter on labelled mail, beside others",
    "table": "learn from a CSV or Parquet table, predict and explain its rows",
    "demo": "a tour on a made-up mailbox",
    "completion": "print what makes a shell complete verbs and flags",
    "man": "print the manual page",
}
# Words that Python keeps for itself, or that name another module.
_MODULES = {"import": "import_", "lessons": "list_lessons"}


def load_verb(name: str) -> Verb:
    """Import the module of one verb."""
    # What importlib.import_module does, which itself takes half a millisecond to import.
    verb: Verb = __import__(f"deciban.cli.{_MODULES.get(name, name)}", fromlist=["run"])
    return verb


def verb_parser(name: str, verb: Verb) -> Parser:
    """The parser of a verb: its arguments, and its examples at the end of its help."""
    summary = VERBS[name]
    examples = "\n".join(f"  {command}\n      {meaning}" for command, meaning in verb.EXAMPLES)
    parser = Parser(
        prog=f"deciban {name}",
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"examples:\n{examples}",
    )
    verb.define(parser)
    return parser
