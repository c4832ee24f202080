import pytest

from deciban.errors import BadSpaceName
from deciban.spaces.space_name import space_key, space_name


@pytest.mark.parametrize(
    "name", ["", " ", "a\0b", "a\nb", "a\rb", "a\u2028b", "a\x1b[31m", "\ud800", "x" * 201]
)
def test_what_cannot_be_shown_on_one_line_is_no_name(name):
    with pytest.raises(BadSpaceName) as error:
        space_name(name)
    assert str(error.value).count("\n") == 0


@pytest.mark.parametrize(
    "name", ["../../etc", "/", ".", "..", "a/b", "😀" * 200, "👩‍👩‍👧", "ann@example.org", "日本"]
)
def test_everything_else_is_a_name(name):
    assert space_name(name) == name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann@X.org", "ann@x.ORG"),
        ("e\u0301", "\u00c9"),
        ("straße", "STRASSE"),
        ("\u1fb3", "\u0391\u0345"),
        (" a ", "A"),
    ],
)
def test_unicode_twins_are_one_name(one, other):
    assert space_key(one) == space_key(other)
    assert space_key(space_name(one)) == space_key(one)


def test_names_that_only_look_alike_are_different():
    assert space_key("pаypal") != space_key("paypal")
