"""The lines of configuration that the pages tell administrators to write."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[3] / "docs"


def block(page: str, kind: str, number: int = 0) -> str:
    """The n-th block of a kind in a page, as it stands there."""
    text = (DOCS / page).read_text()
    found = re.findall(rf"^( *)```{re.escape(kind)}\n(.*?)^ *```$", text, re.DOTALL | re.MULTILINE)
    assert len(found) > number, f"{page} has no block {number} of {kind!r}"
    indent, lines = found[number]
    return re.sub(f"^{indent}", "", lines, flags=re.MULTILINE)
