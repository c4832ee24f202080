import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deciban.cli.verbs import VERBS, load_verb, verb_parser
from deciban.errors import WrongUsage

FLAGS = sorted({name for verb in VERBS for name in verb_parser(verb, load_verb(verb))._flags})
words = st.sampled_from(
    [*FLAGS, "-", "--", "-h", "--help", "-x", "a", "b c", "12", "-1", "2026-11-15", "bash", "--db=x", ""]
)


@settings(max_examples=500)
@given(st.sampled_from(sorted(VERBS)), st.lists(words, max_size=6))
def test_what_is_read_without_argparse_is_what_argparse_reads(verb, line):
    parser = verb_parser(verb, load_verb(verb))
    plain = parser._plain(line)
    if plain is not None:
        assert plain == vars(parser.full().parse_args(line))


@pytest.mark.parametrize(
    ("verb", "line"),
    [
        ("classify", []),
        ("classify", ["--json", "a", "b"]),
        ("classify", ["a", "--db", "x"]),
        ("filter", ["--db", "x"]),
        ("learn", ["spam", "a", "b"]),
        ("why", ["--top", "3", "-"]),
        ("forget", ["--since", "2026-11-15", "--yes"]),
    ],
)
def test_plain_command_lines_do_not_need_argparse(verb, line):
    assert verb_parser(verb, load_verb(verb))._plain(line) is not None


def test_a_mistake_is_told_in_one_line():
    with pytest.raises(WrongUsage, match=r"argument --top: must be a whole number.*; see deciban why --help"):
        verb_parser("why", load_verb("why")).parse_args(["--top", "many"])


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_imports_argparse_until_it_is_needed(verb):
    script = (
        "import sys; from deciban.cli.verbs import load_verb, verb_parser;"
        f"verb_parser({verb!r}, load_verb({verb!r})); print('argparse' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n" or verb in ("completion", "man")
