"""Folds for cross-validation: every label in equal shares, and what belongs together on one side.

Duplicates must not be split: a filter that has learned one copy recognises the other, and looks better than
it is. So groups are dealt out, the large ones first, each to the fold that has least of its label.

>>> deal(["ham", "ham", "spam", "spam", "ham", "ham"], folds=2)
[0, 1, 0, 1, 0, 1]
>>> deal(["ham"] * 4, folds=2, groups=["a", "b", "a", "c"])
[0, 1, 0, 1]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from deciban.errors import BadSetting
from deciban.evaluate.orders import shuffled


def deal(
    labels: Sequence[Hashable],
    folds: int,
    groups: Sequence[Hashable] | None = None,
    seed: int | None = None,
) -> list[int]:
    """The fold of each item; a seed decides who meets whom, without one it is the order of the items."""
    if not 2 <= folds <= max(len(labels), 2):
        raise BadSetting(
            f"There must be from 2 folds to one an item, got {folds!r} for {len(labels)} items instead."
        )
    members: dict[Hashable, list[int]] = {}
    for place, group in enumerate(range(len(labels)) if groups is None else groups):
        members.setdefault(group, []).append(place)
    order = list(members.values())
    order = order if seed is None else shuffled(order, seed)
    of_label: list[Counter[Hashable]] = [Counter() for _ in range(folds)]
    sizes = [0] * folds
    chosen = [0] * len(labels)
    for places in sorted(order, key=len, reverse=True):  # stable, so that equal ones keep their order
        label, _ = Counter(labels[place] for place in places).most_common(1)[0]
        fold = min(range(folds), key=lambda one: (of_label[one][label], sizes[one]))
        of_label[fold].update(labels[place] for place in places)
        sizes[fold] += len(places)
        for place in places:
            chosen[place] = fold
    return chosen
