"""Every verb's JSON is what docs/json.md says: the real program is run and held against the schemas."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from deciban.cli.verbs import VERBS, load_verb, verb_parser

jsonschema = pytest.importorskip("jsonschema", reason="the schemas are checked by jsonschema")

PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"(?:^## deciban (\w+)\n\n)?^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SCHEMAS = {verb: json.loads(text) for verb, text in BLOCKS}
DEFINITIONS = SCHEMAS.pop("")
TEXT_ONLY = {"filter", "export", "demo", "completion", "man", "serve"}
# Stands for the entry of the journal that was told last.
ENTRY = object()
TABLE = "color,kind\n" + "".join(
    f"{'red' if number % 3 else 'blue'},{'big' if number > 20 else 'small'}\n" for number in range(40)
)


def commands(mails):
    """Command lines for each verb, in an order in which they work."""
    spam, ham, other = mails / "new-spam.eml", mails / "new-ham.eml", mails / "other.db"
    index = mails / "index.tsv"
    index.write_text(
        "".join(f"{kind}\t{kind}/{number}.eml\n" for kind in ("spam", "ham") for number in range(20))
    )
    (mails / "table.csv").write_text(TABLE)
    (mails / "friends.txt").write_text("winner@spam.example\n")
    model = ["--model", mails / "model.npz"]
    yield "learn", ["ham", ham]
    yield "learn", ["--db", other, "work", mails / "ham" / "1.eml", ham]
    yield "classify", [spam]
    yield "classify", [mails / "spam", mails / "ham"]
    yield "prefer", ["--allow", mails / "friends.txt", "--promise", "0.2"]
    yield "classify", [spam]
    yield "why", [spam, ham]
    yield "classify", ["--journal", spam]
    yield "learn", ["--journal", "ham", mails / "ham" / "2.eml"]
    yield "journal", []
    yield "journal", ["--days", "7"]
    yield "journal", ["--sample"]
    yield "correct", [ENTRY, "ham"]
    yield "undo", [ENTRY]
    yield "lessons", []
    yield "status", ["--alert"]
    yield "config", []
    yield "show", []
    yield "show", ["free", "nonsense"]
    yield "merge", [other]
    yield "publish", [mails / "site.state"]
    yield "prefer", ["--db", mails / "own.db", "--shared", mails / "site.state"]
    yield "learn", ["--db", mails / "own.db", "spam", spam]
    yield "show", ["--db", mails / "own.db", "free"]
    yield "why", ["--db", mails / "own.db", spam]
    yield "status", ["--db", mails / "own.db"]
    folder = ["--spaces", mails / "spaces"]
    yield "space", ["add", "ann", "bob", "--bytes", "3M", *folder]
    yield "space", ["list", *folder]
    yield "space", ["find", "ann", *folder]
    yield "key", ["add", "--space", "ann", "--rights", "read", "--expires", "2100-01-01", *folder]
    yield "key", ["list", *folder]
    yield "space", ["delete", "bob", "--yes", *folder]
    yield "read", [spam]
    yield "read", ["--features", "all", ham]
    yield "evaluate", ["--rounds", "5", index]
    yield "table", ["fit", mails / "table.csv", "--label", "kind", "--folds", "2", *model]
    yield "table", ["predict", mails / "table.csv", *model]
    yield "table", ["why", mails / "table.csv", *model]
    yield "forget", ["--yes", ham]
    yield "erase", ["--yes", "winner@spam.example", "--db", mails / "own.db"]
    yield "import", [mails / "lessons.jsonl"]
    yield "backup", [mails / "backup.db"]
    yield "restore", [mails / "backup.db"]
    yield "check", []
    yield "check", ["--repair"]
    yield "compact", ["--before", "2100-01-01", "--yes"]
    yield "status", []


def test_every_verb_prints_what_its_schema_says(taught):
    tried, entry = set(), ""
    exported = subprocess.run([sys.executable, "-m", "deciban", "export"], capture_output=True, check=True)
    (taught / "lessons.jsonl").write_bytes(exported.stdout)
    for verb, arguments in commands(taught):
        tried.add(verb)
        arguments = [entry if word == ENTRY else word for word in arguments]
        done = subprocess.run(
            [sys.executable, "-m", "deciban", verb, "--json", *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=taught,
        )
        if verb == "table" and "needs" in done.stderr and "not installed" in done.stderr:
            continue
        assert done.stdout, f"{verb} {arguments}: {done.stderr}"
        validator = jsonschema.Draft202012Validator({**SCHEMAS[verb], **DEFINITIONS})
        for line in done.stdout.splitlines():
            record = json.loads(line, parse_constant=pytest.fail)
            validator.validate(record)
            entry = record.get("entry", entry)
    assert tried >= SCHEMAS.keys()


def test_every_verb_that_can_print_json_has_a_schema_and_the_others_are_known():
    with_flag = {verb for verb in VERBS if "--json" in verb_parser(verb, load_verb(verb))._flags}
    assert with_flag == SCHEMAS.keys()
    assert VERBS.keys() - with_flag <= TEXT_ONLY


@pytest.mark.parametrize("verb", SCHEMAS)
def test_a_schema_is_one(verb):
    jsonschema.Draft202012Validator.check_schema({**SCHEMAS[verb], **DEFINITIONS})
