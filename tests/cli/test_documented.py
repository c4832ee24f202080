"""An undocumented verb or flag is a failing test."""

from pathlib import Path

import pytest

from deciban.cli.program import program_parser
from deciban.cli.verbs import VERBS, load_verb, verb_parser
from tools.make_cli_docs import made

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")


def section(verb: str) -> str:
    """The part of docs/cli.md about one verb."""
    _, found, rest = PAGE.partition(f"\n## deciban {verb}\n")
    assert found, f"docs/cli.md has no section about deciban {verb}"
    return rest.partition("\n## ")[0]


@pytest.mark.parametrize("verb", VERBS)
def test_every_flag_of_every_verb_is_documented(verb):
    text = section(verb)
    for action in verb_parser(verb, load_verb(verb)).full()._actions:
        for name in action.option_strings or [action.metavar]:
            if name not in ("-h", "--help"):
                assert f"`{name}" in text, f"docs/cli.md does not explain {name} of deciban {verb}"


@pytest.mark.parametrize("verb", VERBS)
def test_every_example_of_the_help_is_in_the_documentation(verb):
    for command, _ in load_verb(verb).EXAMPLES:
        assert command in section(verb)


def test_every_documented_verb_exists():
    documented = [
        line.removeprefix("## deciban ") for line in PAGE.splitlines() if line.startswith("## deciban ")
    ]
    assert sorted(documented) == sorted(VERBS)


def test_the_tables_of_the_page_are_those_of_the_parsers():
    assert made(PAGE) == PAGE, "run: python tools/make_cli_docs.py"


def test_the_flags_of_the_program_are_documented():
    for action in program_parser()._actions:
        for name in action.option_strings:
            assert f"`{name}`" in PAGE
