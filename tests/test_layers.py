"""Imports point down only, compiled modules included, and the light half of the house never touches numpy."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import deciban

ROOT = Path(deciban.__file__).parent

# Top to bottom; a module may import its own layer and those below it.
LAYERS = [
    {"tour", "__main__", "cli"},
    {"server"},
    {"evaluate", "engines", "spaces"},
    {"journal"},
    {"filter", "tables"},
    {"ledger"},
    {"committee"},
    {"learners", "text", "sources", "sample"},
    {"smoothing", "selection", "dependent_pairs", "rolling", "fading", "metrics"},
    {"families"},
    {"tally"},
    {"membership", "schema", "folds", "client"},
    {
        "errors",
        "value",
        "decibans",
        "whole_file",
        "sqlite_store",
        "html_page",
        "__init__",
        "_crc32",
        "_descent",
        "_sums",
        "_exponentials",
    },
]
# Neighbours in one layer that must not know each other, either way.
STRANGERS = [
    ("text", "sources"),
    ("sample", "text"),
    ("sample", "sources"),
    ("sample", "learners"),
    ("filter", "tables"),
    ("spaces", "evaluate"),
    ("spaces", "engines"),
]
LIGHT = {
    "cli",
    "client",
    "committee",
    "ledger",
    "filter",
    "journal",
    "spaces",
    "sqlite_store",
    "text",
    "sources",
    "sample",
    "metrics",
    "folds",
    "decibans",
    "errors",
    "value",
    "whole_file",
    "html_page",
    "_crc32",
    "_descent",
    "_sums",
    "_exponentials",
    "__init__",
    "__main__",
}
HEAVY = {"numpy", "scipy", "sklearn", "pandas", "polars"}
# What only the server needs: nothing below it knows the web.
WEB = {"httptools", "uvloop", "msgspec", "prometheus_client"}


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[0]


def imports_of(path):
    """What a module imports, also within its functions; what only type checkers read is left aside."""
    if path.suffix == ".py":
        return imports_of_python(ast.parse(path.read_text()))
    return CIMPORT.findall(path.read_text())


def imports_of_python(tree):
    skipped = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            if node.module == "deciban":
                yield from (f"deciban.{alias.name}" for alias in node.names)
            yield node.module


# from deciban.text._content cimport Buffer: no parser of Python reads Cython.
CIMPORT = re.compile(r"^ *(?:from|import|cimport) +([\w.]+)", re.MULTILINE)
MODULES = sorted(path for path in ROOT.rglob("*") if path.suffix in (".py", ".pyx", ".pxd"))


def level(name):
    return next((depth for depth, layer in enumerate(LAYERS) if name in layer), None)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path):
    here = module_name(path)
    assert level(here) is not None, f"{here} has no layer: add it to LAYERS"
    for name in imports_of(path):
        parts = name.split(".")
        if parts[0] != "deciban" or len(parts) == 1:
            continue
        depth = level(parts[1])
        if depth is not None and parts[1] != here:
            assert depth >= level(here), f"{path.name} imports {name}, which lies above it"
            assert (here, parts[1]) not in STRANGERS
            assert (parts[1], here) not in STRANGERS


@pytest.mark.parametrize(
    "path", [p for p in MODULES if module_name(p) in LIGHT], ids=lambda path: str(path.relative_to(ROOT))
)
def test_the_light_half_imports_nothing_heavy(path):
    assert not {name.split(".")[0] for name in imports_of(path)} & HEAVY


@pytest.mark.parametrize(
    "path", [p for p in MODULES if module_name(p) != "server"], ids=lambda path: str(path.relative_to(ROOT))
)
def test_only_the_server_imports_what_a_server_needs(path):
    assert not {name.split(".")[0] for name in imports_of(path)} & WEB


def test_what_a_compiled_module_imports_is_seen():
    names = {name for path in MODULES if path.suffix != ".py" for name in imports_of(path)}
    assert {"deciban.text._content", "deciban._descent", "deciban.errors"} <= names


@pytest.mark.parametrize(
    "name", ["deciban", "deciban.committee", "deciban.filter", "deciban.spaces", "deciban.cli"]
)
def test_importing_the_light_half_loads_nothing_heavy(name):
    code = f"import sys, {name}; print(sorted({HEAVY} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_no_module_is_named_after_nothing():
    vague = {"utils", "helpers", "common", "manager", "base", "misc"}
    assert not [path for path in MODULES if path.stem.strip("_") in vague]
