"""The walks of docs/design.md lead along places that exist."""

import re
from pathlib import Path

import pytest

import deciban

ROOT = Path(deciban.__file__).parent
DESIGN = Path(__file__).parents[1] / "docs" / "design.md"
STOP = re.compile(r"^\d+\. `([\w/]+\.pyx?):(\w+)` ", re.MULTILINE)
STOPS = STOP.findall(DESIGN.read_text())


def test_both_walks_are_found() -> None:
    assert len(STOPS) > 20


@pytest.mark.parametrize(("file", "function"), STOPS)
def test_every_stop_of_a_walk_is_there(file: str, function: str) -> None:
    defined = re.compile(rf"^ *(?:def|cpdef \w+|cpdef) {function}\(", re.MULTILINE)
    assert defined.search((ROOT / file).read_text())
