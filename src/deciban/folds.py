"""Folds for cross-validation: every label in equal shares, and what belongs together on one side.

The items are dealt out label by label, one to each fold in turn, so that every fold has its share of each:

>>> deal(["ham", "ham", "spam", "spam", "ham", "ham"], folds=2)
[0, 1, 0, 1, 0, 1]

Duplicates must not be split: a filter that has learned one copy recognises the other, and looks better than
it is. So groups are dealt out, the large ones first, each to the fold that has least of its label.

>>> deal(["ham"] * 4, folds=2, groups=["a", "b", "a", "c"])
[0, 1, 0, 1]

Plain Python: mail is dealt out where numpy is not installed, and a million rows take about a second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from random import Random
from typing import Any

from deciban.errors import BadSetting


def deal(
    labels: Sequence[Any],
    folds: int,
    groups: Sequence[Hashable] | None = None,
    seed: int | None = None,
) -> list[int]:
    """The fold of each item; a seed decides who meets whom, without one it is the order of the items.

    Labels are of one kind, so that they can be sorted.
    """
    if not 2 <= folds <= max(len(labels), 2):
        raise BadSetting(
            f"There must be from 2 folds to one an item, got {folds!r} for {len(labels)} items instead."
        )
    if groups is not None:
        return _deal_groups(labels, folds, groups, seed)
    chosen = [0] * len(labels)
    for turn, place in enumerate(sorted(_order(len(labels), seed), key=labels.__getitem__)):
        chosen[place] = turn % folds
    return chosen


def _deal_groups(
    labels: Sequence[Any], folds: int, groups: Sequence[Hashable], seed: int | None
) -> list[int]:
    """Groups of one item each come out as if there were none."""
    members: dict[Hashable, list[int]] = {}
    for place, group in enumerate(groups):
        members.setdefault(group, []).append(place)
    together = list(members.values())
    labelled = []
    for number in _order(len(together), seed):
        label, _ = Counter(labels[place] for place in together[number]).most_common(1)[0]
        labelled.append((label, together[number]))
    of_label: list[Counter[Any]] = [Counter() for _ in range(folds)]
    sizes = [0] * folds
    chosen = [0] * len(labels)
    for label, places in sorted(labelled, key=lambda group: (-len(group[1]), group[0])):
        fold = min(range(folds), key=lambda one: (of_label[one][label], sizes[one]))
        of_label[fold].update(labels[place] for place in places)
        sizes[fold] += len(places)
        for place in places:
            chosen[place] = fold
    return chosen


def _order(items: int, seed: int | None) -> list[int]:
    order = list(range(items))
    if seed is not None:
        Random(seed).shuffle(order)
    return order
