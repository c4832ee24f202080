"""What docs/notes.md points to is there."""

import re
from pathlib import Path

import pytest

import deciban

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "notes.md").read_text()


@pytest.mark.parametrize("example", sorted(set(re.findall(r"examples/\w+\.py", PAGE))))
def test_every_example_that_the_notes_name_is_there(example):
    assert (ROOT / example).exists()


def test_every_section_of_the_gallery_that_the_notes_name_is_there():
    gallery = (ROOT / "docs" / "gallery.md").read_text()
    named = {
        number
        for list_ in re.findall(r"gallery ([\d, and]+\d|\d)", PAGE)
        for number in re.findall(r"\d+", list_)
    }
    assert len(named) > 10
    assert named <= set(re.findall(r"^## (\d+)\.", gallery, re.MULTILINE))


def test_every_class_that_the_notes_name_is_exported():
    named = set(re.findall(r"`([A-Z]\w+)[`(]", PAGE))
    assert {"NaiveBayes", "Mixture"} <= named
    assert named <= set(deciban.__all__)
