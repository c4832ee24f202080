from hypothesis import given
from hypothesis import strategies as st

from deciban.sources.unique_names import UniqueNames


@given(st.lists(st.sampled_from(["a", "a~2", "a~2~2", "a~3", "b"])))
def test_names_come_out_unique_and_the_first_of_each_kind_unchanged(names):
    unique = UniqueNames()
    given_out = [unique.unique(name) for name in names]
    assert len(set(given_out)) == len(names)
    assert all(out.startswith(name) for name, out in zip(names, given_out, strict=True))


def test_a_chain_of_names_made_to_exhaust_the_stack_does_not():
    unique = UniqueNames()
    chain = ["a" + "~2" * length for length in range(3_000)]
    assert [unique.unique(name) for name in chain] == chain
    assert unique.unique("a") == "a" + "~2" * 3_000
