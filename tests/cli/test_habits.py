"""Every command of deciban in docs/habits.md is one that its verb's parser takes."""

import re
import shlex
from pathlib import Path

import pytest

from deciban.cli.verbs import VERBS, load_verb, verb_parser

PAGE = (Path(__file__).parents[2] / "docs" / "habits.md").read_text(encoding="utf-8")
COMMANDS = sorted(set(re.findall(r"`deciban ([^`]+)`", PAGE)))


@pytest.mark.parametrize("command", COMMANDS)
def test_the_counterpart_of_each_habit_can_be_typed(command):
    verb, *words = shlex.split(command.partition(" <")[0])
    assert verb in VERBS
    verb_parser(verb, load_verb(verb)).parse_args(words)


def test_each_of_the_three_has_a_table():
    assert re.findall(r"^## (\w+)", PAGE, re.MULTILINE) == ["bogofilter", "SpamAssassin", "rspamd"]
    assert len(COMMANDS) > 25
