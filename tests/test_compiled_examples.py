"""The examples in compiled modules are true: pytest collects doctests of Python files only."""

import doctest
import importlib
from pathlib import Path

import pytest

import deciban

ROOT = Path(deciban.__file__).parent
COMPILED = sorted(path for path in ROOT.rglob("*.pyx") if ">>> " in path.read_text())


@pytest.mark.parametrize("path", COMPILED, ids=lambda path: path.stem)
def test_the_examples_of_a_compiled_module_are_true(path):
    module = importlib.import_module(".".join(("deciban", *path.relative_to(ROOT).with_suffix("").parts)))
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0
