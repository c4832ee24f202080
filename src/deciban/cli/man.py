"""``deciban man``: the manual page, in roff."""

from __future__ import annotations

from deciban import __version__
from deciban.cli.configuration import SETTINGS, variable_of
from deciban.cli.definitions import Argument, VerbDefinition, all_verbs
from deciban.cli.parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

EXAMPLES = (
    ("deciban man > ~/.local/share/man/man1/deciban.1", "install it: man deciban then shows it"),
    ("deciban man | man -l -", "read it"),
)

_ENVIRONMENT = (
    *((variable_of(name), meaning) for name, (_, meaning) in SETTINGS.items()),
    ("NO_COLOR", "if set, no colours on a terminal"),
    ("XDG_CONFIG_HOME", "your configuration directory, if it is not ~/.config"),
    ("XDG_CONFIG_DIRS", "those of the machine, if it is not /etc/xdg"),
    ("XDG_DATA_HOME", "your data directory, if it is not ~/.local/share"),
    ("DECIBAN_TRACEBACK", "if set, an error shows where it happened"),
)
_FILES = (
    ("/etc/xdg/deciban/config", "settings for the whole machine; deciban config lists them"),
    ("~/.config/deciban/config", "your settings"),
    ("~/.local/share/deciban/filter.db", "the filter's database: what was taught"),
    (
        "~/.local/share/deciban/filter.db.snapshot",
        "what was learned from it; made again whenever it is missing",
    ),
)
_SEE_ALSO = ("bogofilter(1)", "maildrop(1)", "procmail(1)", "sa-learn(1)")
_EXIT_CODES = (
    ("0", "done; classify, and filter --exit-code: the message is spam"),
    (
        "1",
        "classify, and filter --exit-code: the message is good; check: something is damaged, or was lost; "
        "status --alert: something is wrong",
    ),
    ("2", "classify, and filter --exit-code: unsure"),
    (
        "3",
        "failed, with one line on standard error that says why and what to do; also if not one message was "
        "read, as in an empty folder",
    ),
    ("75", "filter: the message could not be read or written whole; try again later"),
    ("130", "interrupted"),
    ("141", "the reader of the output went away"),
)


def define(parser: Parser) -> None:
    """``deciban man`` has no arguments."""


def run(options: Namespace) -> int:  # noqa: ARG001 (every verb takes them)
    """Print the page."""
    print("\n".join(_page(list(all_verbs()))))
    return 0


def _page(verbs: list[VerbDefinition]) -> Iterator[str]:
    yield f'.TH DECIBAN 1 "" "deciban {__version__}" "User Commands"'
    yield from (
        ".SH NAME",
        r"deciban \- a Bayesian filter for mail and text that explains itself and can forget",
    )
    yield from (".SH SYNOPSIS", ".B deciban", r".I VERB", "[argument ...]")
    yield ".SH DESCRIPTION"
    yield _escaped(
        "Wherever a verb takes FILE, that may be a message, a text or a page, an mbox, a Maildir, an MH or "
        "plain folder, a tar or zip archive, the id of a single message, or - for standard input."
    )
    yield ".SH VERBS"
    for verb in verbs:
        yield from _verb(verb)
    yield from _table("ENVIRONMENT", _ENVIRONMENT)
    yield from _table("FILES", _FILES)
    yield from _table("EXIT STATUS", _EXIT_CODES)
    yield from (".SH SEE ALSO", ", ".join(map(_escaped, _SEE_ALSO)))


def _verb(verb: VerbDefinition) -> Iterator[str]:
    yield f".SS deciban {verb.name}"
    yield _escaped(verb.summary[0].upper() + verb.summary[1:] + ".")
    yield ".PP"
    yield _escaped(verb.usage)
    for argument in (*verb.operands, *verb.flags):
        yield ".TP"
        yield _name(argument)
        yield _escaped(argument.help)
    for note in verb.notes:
        yield from (".PP", _escaped(note))
    yield from (".PP", "Examples:")
    for command, meaning in verb.examples:
        yield ".TP"
        yield f"\\fB{_escaped(command)}\\fR"
        yield _escaped(meaning)


def _name(argument: Argument) -> str:
    value = f"\\fI{_escaped(argument.metavar)}\\fR"
    if not argument.names:
        return value
    names = ", ".join(f"\\fB{_escaped(name)}\\fR" for name in argument.names)
    return f"{names} {value}" if argument.metavar else names


def _table(title: str, rows: tuple[tuple[str, str], ...]) -> Iterator[str]:
    yield f".SH {title}"
    for name, meaning in rows:
        yield from (".TP", f"\\fB{_escaped(name)}\\fR", _escaped(meaning))


def _escaped(text: str) -> str:
    r"""Text that roff prints as it is.

    >>> print(_escaped(".TP of --json is \\n"))
    \&.TP of \-\-json is \en
    """
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text
