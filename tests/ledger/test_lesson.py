"""The check of a lesson covers all of it; a selection says what is meant."""

import pytest

from deciban.errors import WrongUsage
from deciban.ledger.lesson import Selection, check_of, storable

FIELDS = (b"code", b"digest", "spam", 1234, "ann", "inbox@1", "names")


@pytest.mark.parametrize("place", range(len(FIELDS)))
def test_a_check_depends_on_every_field(place: int) -> None:
    other = {bytes: b"other", str: "other", int: 99}[type(FIELDS[place])]
    assert check_of(*FIELDS[:place], other, *FIELDS[place + 1 :]) != check_of(*FIELDS)  # type: ignore[arg-type]


def test_a_check_tells_apart_where_one_field_ends_and_the_next_begins() -> None:
    assert check_of(b"", b"", "a", 1, "bc", "d") != check_of(b"", b"", "a", 1, "b", "cd")


def test_a_selection_that_says_nothing_is_refused() -> None:
    Selection(label="").must_mean_some()
    with pytest.raises(WrongUsage, match="Say which lessons are meant"):
        Selection().must_mean_some()


def test_text_that_is_none_can_be_stored_and_looked_for() -> None:
    assert storable("grün") == "grün"
    assert storable("\udcff").encode("utf-8") == b"\\udcff"
