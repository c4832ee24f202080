import numpy as np
import pytest

from deciban.errors import NoSuchFeature
from deciban.schema import Schema, is_numeric, merge_sorted

COATS = Schema(["colour", "size"], [np.array(["blue", "red"]), np.array(["L", "M", "S"])])


def test_plain_features_have_one_cell_each():
    features = Schema(3)
    assert (len(features), features.cells, features.owner.tolist()) == (3, 3, [0, 1, 2])
    assert features == Schema(range(3))
    assert features != Schema(["0", "1", "2"])


def test_features_are_found_by_name_and_by_place():
    assert (COATS.find("size"), COATS.find(1), COATS.find(-1)) == (1, 1, 1)
    with pytest.raises(NoSuchFeature, match="no feature 'weight': the features are colour, size"):
        COATS.find("weight")


@pytest.mark.parametrize("selection", ["size", 1, -1, [1], ["size"], slice(1, 2), np.array([False, True])])
def test_a_selection_is_a_name_place_list_slice_or_mask(selection):
    picked, cells = COATS.pick(selection)
    assert list(picked.names) == ["size"]
    assert cells.tolist() == [2, 3, 4]


def test_a_mask_must_fit():
    with pytest.raises(NoSuchFeature, match="mask of 3 does not fit 2"):
        COATS.pick(np.array([True, False, True]))


def test_a_union_merges_names_and_categories():
    other = Schema(["size", "weight"], [np.array(["M", "XL"]), np.array([1, 2])])
    union = COATS.union(other)
    assert list(union.names) == ["colour", "size", "weight"]
    assert [known.tolist() for known in union.categories] == [["blue", "red"], ["L", "M", "S", "XL"], [1, 2]]
    assert COATS.cells_in(union).tolist() == [0, 1, 2, 3, 4]
    assert other.cells_in(union).tolist() == [3, 5, 6, 7]


def test_numbers_and_texts_do_not_merge():
    with pytest.raises(NoSuchFeature, match="Numbers and texts"):
        merge_sorted(np.array([1, 2]), np.array(["1", "2"]))
    assert merge_sorted(np.array([]), np.array(["a"])).tolist() == ["a"]


def test_objects_are_numeric_if_all_of_them_are():
    assert is_numeric(np.array([1, 2.5], dtype=object))
    assert not is_numeric(np.array([1, "a"], dtype=object))
