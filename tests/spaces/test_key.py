import pytest

from deciban.errors import BadSetting, NotAllowed
from deciban.spaces.key import Key, KeyScope
from deciban.spaces.rights import OPERATIONS, RIGHTS

ALL = KeyScope()


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_needs_its_right_and_no_other(operation):
    needed = OPERATIONS[operation]
    assert Key("1", frozenset({needed}), ALL, 0).allows(operation)
    without = Key("1", frozenset(RIGHTS) - {needed}, ALL, 0)
    with pytest.raises(NotAllowed, match=needed):
        without.must_allow(operation)
    with pytest.raises(NotAllowed):
        without.must_allow(operation, "id", "ann")


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_key_for_one_space_opens_neither_another_nor_the_folder(operation):
    key = Key("1", frozenset(RIGHTS), KeyScope(space="id-of-ann"), 0)
    assert key.allows(operation, "id-of-ann", "ann")
    assert not key.allows(operation, "id-of-bob", "bob")
    assert not key.allows(operation, "another id", "ann")
    assert not key.allows(operation)


@pytest.mark.parametrize(
    "name", ["ann@example.org.evil", "x@example.orgx", "example.org", "ann@exampleXorg", "@example.or"]
)
def test_a_pattern_is_anchored(name):
    assert not KeyScope(pattern="*@example.org").covers("id", name)


def test_a_pattern_has_one_special_character():
    assert KeyScope(pattern="*@EXAMPLE.org").covers("id", "Ann@example.org")
    assert KeyScope(pattern="a?[b]*").covers("id", "a?[b]c")
    assert not KeyScope(pattern="a?").covers("id", "ab")


@pytest.mark.parametrize("rights", [[], ["everything"], ["classify", "root"]])
def test_rights_that_there_are_not_are_refused(rights):
    with pytest.raises(BadSetting):
        Key("1", frozenset(rights), ALL, 0)
