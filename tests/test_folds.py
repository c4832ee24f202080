from collections import Counter

import hypothesis.strategies as st
import pytest
from hypothesis import given

from deciban.errors import BadSetting
from deciban.folds import deal


@given(st.lists(st.sampled_from("abc"), min_size=6, max_size=60), st.integers(2, 6), st.integers(0, 3))
def test_every_fold_has_its_share_of_every_label(labels, folds, seed):
    chosen = deal(labels, folds, seed=seed)
    for label, count in Counter(labels).items():
        shares = Counter(fold for fold, its in zip(chosen, labels, strict=True) if its == label)
        assert max(shares.values()) - min(shares.get(fold, 0) for fold in range(folds)) <= 1
        assert sum(shares.values()) == count


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 9)), min_size=8, max_size=60))
def test_a_group_is_never_split(items):
    labels, groups = zip(*items, strict=True)
    chosen = deal(labels, 3, groups)
    home = {}
    for fold, group in zip(chosen, groups, strict=True):
        assert home.setdefault(group, fold) == fold


def test_a_seed_decides_who_meets_whom():
    labels = ["a"] * 40
    assert deal(labels, 4, seed=1) == deal(labels, 4, seed=1) != deal(labels, 4, seed=2)


@pytest.mark.parametrize("folds", [0, 1, 5])
def test_folds_that_cannot_be_filled_are_refused(folds):
    with pytest.raises(BadSetting, match="folds"):
        deal(["a", "b", "a"], folds)


@given(st.lists(st.sampled_from("abc"), min_size=6, max_size=60), st.integers(2, 6), st.integers(0, 3))
def test_groups_of_one_item_change_nothing(labels, folds, seed):
    apart = deal(labels, folds, groups=range(len(labels)), seed=seed)
    assert apart == deal(labels, folds, seed=seed)
