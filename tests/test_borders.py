"""Who knows what: SQL stays in the ledger, ledger and snapshot behind the filter, mail outside of it."""

import ast
import re
from pathlib import Path

import pytest

import deciban

ROOT = Path(deciban.__file__).parent
SQL = re.compile(r"^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|BEGIN|VACUUM)\s", re.MULTILINE)
# The ledger, the registry of spaces, the journal; and the file that the last two share.
SQL_ROOMS = {"ledger", "spaces", "journal", "deciban"}
# What the rooms above the filter may not reach through.
PARTS = {"ledger", "snapshot", "checkpoints"}


def modules(*rooms: str) -> list[Path]:
    return sorted(path for room in rooms for path in (ROOT / room).rglob("*.py"))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def texts_of(path: Path) -> list[str]:
    """The strings of a module that are no docstrings."""
    tree = ast.parse(path.read_text())
    docstrings = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
    ]


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=name)
def test_sql_stands_in_files_of_that_name_only(path: Path) -> None:
    """Whoever keeps something in SQLite does so in a file sqlite_*.py of its own room."""
    if path.name.startswith("sqlite_") and path.parent.name in SQL_ROOMS:
        return
    assert not [text for text in texts_of(path) if SQL.search(text)]
    assert "sqlite3" not in {
        alias.name
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import)
        for alias in node.names
    }


ABOVE = modules("cli", "evaluate", "engines", "spaces", "journal", "server")


@pytest.mark.parametrize("path", ABOVE, ids=name)
def test_nobody_reaches_through_the_filter(path: Path) -> None:
    attributes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)]
    reached = {node.attr for node in attributes if ast.unparse(node.value).endswith("mail_filter")}
    assert not reached & PARTS
    assert not [attribute for attribute in reached if attribute.startswith("_")]


@pytest.mark.parametrize("path", [p for p in modules("filter", "ledger") if p.name != "mail.py"], ids=name)
def test_reading_mail_is_the_business_of_callers(path: Path) -> None:
    imported = {
        f"{node.module}.{alias.name}"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert not {"deciban.text.read", "deciban.text.Message", "deciban.sources.RawMessage"} & imported
