"""Writes the examples and the tables of arguments in docs/cli.md, from what the parsers define.

    python tools/make_cli_docs.py

Everything between the two marks in a section of a verb is made; the prose around it is written by hand. A
test (tests/cli/test_documented.py) fails when the page is not what this writes.
"""

from pathlib import Path

from deciban.cli.definitions import Argument, VerbDefinition, all_verbs

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"
BEGIN, END = "<!-- made by tools/make_cli_docs.py -->", "<!-- until here -->"


def made(page: str) -> str:
    """The page with what is made in it made anew."""
    for verb in all_verbs():
        heading = f"\n## deciban {verb.name}\n"
        before, found, section = page.partition(heading)
        if not found:
            raise SystemExit(f"docs/cli.md has no section{heading}")
        prose, begun, rest = section.partition(BEGIN)
        _, ended, rest = rest.partition(END)
        if not (begun and ended) or "\n## " in prose:
            raise SystemExit(f"the section of {verb.name} in docs/cli.md has not both marks: {BEGIN} {END}")
        page = f"{before}{heading}{prose}{_region(verb)}{rest}"
    return page


def _region(verb: VerbDefinition) -> str:
    lines = [BEGIN, ""]
    lines += [f"    {command}" for command, _ in verb.examples]
    arguments = [argument for argument in (*verb.operands, *verb.flags) if "--help" not in argument.names]
    if arguments:
        lines += ["", "| argument | |", "|---|---|"]
        lines += [f"| {_name(argument)} | {_cell(argument.help)} |" for argument in arguments]
    for note in verb.notes:
        lines += ["", note]
    return "\n".join((*lines, "", END))


def _name(argument: Argument) -> str:
    if not argument.names:
        return f"`{argument.metavar}`"
    value = f" {argument.metavar}" if argument.metavar else ""
    return ", ".join(f"`{name}{value}`" for name in argument.names)


def _cell(text: str) -> str:
    return text.replace("%%", "%").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(made(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
