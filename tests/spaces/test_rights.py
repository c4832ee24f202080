from pathlib import Path

from deciban.spaces.rights import OPERATIONS, RIGHTS, rights_table

PAGE = (Path(__file__).parents[2] / "docs" / "spaces.md").read_text(encoding="utf-8")


def test_the_table_of_the_page_is_the_table_of_the_checks():
    assert rights_table() in PAGE


def test_every_right_opens_something():
    assert {*OPERATIONS.values()} == {*RIGHTS}
