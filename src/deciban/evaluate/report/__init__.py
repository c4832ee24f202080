"""What an evaluation looks like: one self-contained page, and the same pictures as PNG and SVG.

Pictures are drawn by matplotlib, which is an extra (`pip install 'deciban[plots]'`) and imported only here.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from deciban.errors import MissingExtra
from deciban.evaluate.assessment import Assessment
from deciban.whole_file import WholeFile


def require_matplotlib() -> None:
    """Refuse at once, rather than after an hour of measuring."""
    if find_spec("matplotlib") is None:
        raise MissingExtra("Pictures need matplotlib. Run: pip install 'deciban[plots]'")


def write_report(path: str | Path, assessments: Sequence[Assessment], title: str, made_by: str = "") -> None:
    """Write the page to a file; ``made_by`` says by which command and version."""
    require_matplotlib()
    from deciban.evaluate.report.pictures import inline_pictures
    from deciban.evaluate.report.report_page import page

    text = page(assessments, inline_pictures(assessments), title, made_by)
    # A lone surrogate, which hostile mail can hold, must not cost the page.
    with WholeFile(path) as file:
        file.write(text.encode("utf-8", "replace"))


def write_figures(folder: str | Path, assessments: Sequence[Assessment]) -> list[Path]:
    """Write each picture as PNG and as SVG; the paths."""
    require_matplotlib()
    from deciban.evaluate.report.pictures import write_pictures

    return write_pictures(Path(folder), assessments)
