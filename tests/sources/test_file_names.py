from hypothesis import given
from hypothesis import strategies as st

from deciban.sources.file_names import in_natural_order, passed_over, path_passed_over


@given(st.lists(st.integers(0, 10**9), unique=True))
def test_numbered_names_are_ordered_by_their_numbers(numbers):
    names = [f"mail{number}.eml" for number in numbers]
    assert in_natural_order(names) == [f"mail{number}.eml" for number in sorted(numbers)]


@given(st.lists(st.text()))
def test_any_names_can_be_ordered(names):
    assert sorted(in_natural_order(names)) == sorted(names)


def test_a_name_of_many_digits_is_ordered_without_computing_it():
    assert in_natural_order(["9" * 100_000, "1"]) == ["1", "9" * 100_000]


def test_messages_are_not_taken_for_indexes():
    for name in (
        "1",
        "1.eml",
        "1592223000.M1P7.host:2,S",
        "inbox",
        "Sent Items.mbox",
        "00001.7c53336b37003a92",
    ):
        assert not passed_over(name)


def test_a_member_below_a_hidden_folder_is_passed_over():
    assert path_passed_over("mail/.cache/1.eml")
    assert path_passed_over("__MACOSX/1.eml")
    assert not path_passed_over("../mail/./1.eml")


@given(st.lists(st.text("a.019", min_size=1, max_size=6), min_size=1, unique=True))
def test_the_first_numbers_alone_order_names_as_all_numbers_do(names):
    # A name that is there twice is not told apart by its first number.
    by_all_numbers = in_natural_order([*names, names[0]])
    by_all_numbers.reverse()
    by_all_numbers.remove(names[0])
    by_all_numbers.reverse()
    assert in_natural_order(names) == by_all_numbers
