"""What the columns of a tally mean: the features, by name, and the cells that each one fills.

Most families keep one cell a feature. A categorical feature has one cell for each of its categories,
laid side by side, so that every statistic is still one flat array and adding two tallies is still
adding two arrays:

    features      colour           size
    categories    blue   red       L   M   S
    cells         0      1         2   3   4

>>> wide = Schema(["colour", "size"], [np.array(["blue", "red"]), np.array(["L", "M", "S"])])
>>> wide.cells, wide.owner
(5, array([0, 0, 1, 1, 1]))

Features without names are numbered, and then a tally can only meet tallies of as many features.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from deciban.errors import NoSuchFeature

Names: TypeAlias = range | tuple[Hashable, ...]


class Schema:
    """The names of a tally's features and, for categorical ones, their categories."""

    names: Names
    categories: tuple[NDArray[Any], ...] | None

    def __init__(
        self, names: int | Iterable[Hashable], categories: Sequence[NDArray[Any]] | None = None
    ) -> None:
        if isinstance(names, (int, np.integer)):
            self.names = range(int(names))
        else:
            self.names = names if isinstance(names, range) else tuple(names)
        self.categories = None if categories is None else tuple(categories)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.names[:4])) + (", …" if len(self) > 4 else "")
        return f"<{len(self)} features: {shown}>"

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Schema) or self.names != other.names:
            return False
        if self.categories is None or other.categories is None:
            return self.categories is other.categories
        return all(map(np.array_equal, self.categories, other.categories))

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """The first cell of each feature, and one past the last cell."""
        widths = [1] * len(self) if self.categories is None else [len(c) for c in self.categories]
        return np.concatenate(([0], np.cumsum(widths, dtype=np.intp)))

    @property
    def cells(self) -> int:
        """How many cells all features fill together."""
        return len(self) if self.categories is None else int(self.starts[-1])

    @cached_property
    def owner(self) -> NDArray[np.intp]:
        """The feature that each cell belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def add_up(self, cells: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum of each feature's cells: (…, cells) to (…, features); nothing where it has none."""
        sums = np.zeros((*cells.shape[:-1], len(self)))
        some = np.flatnonzero(np.diff(self.starts))
        if len(some):
            sums[..., some] = np.add.reduceat(cells, self.starts[some], axis=-1)
        return sums

    @cached_property
    def _position(self) -> dict[Hashable, int]:
        return {name: position for position, name in enumerate(self.names)}

    def find(self, name: Hashable) -> int:
        """The position of one feature, by its name or, where it is a number, by its place."""
        found = self._position.get(name)
        if found is None and isinstance(name, (int, np.integer)) and -len(self) <= name < len(self):
            found = int(name) % len(self)
        if found is None:
            raise NoSuchFeature(
                f"There is no feature {name!r}: the features are {', '.join(map(str, self.names[:8]))}"
                + (", …" if len(self) > 8 else "")
            )
        return found

    def pick(self, selection: Any) -> tuple[Schema, NDArray[np.intp]]:
        """Fewer features, and the cells that they had here. A selection is a mask, slice, name or list."""
        chosen = self._positions(selection)
        names = [self.names[i] for i in chosen]
        if self.categories is None:
            return Schema(names), chosen
        cells = [np.arange(self.starts[i], self.starts[i + 1]) for i in chosen]
        where = np.concatenate(cells) if cells else np.empty(0, dtype=np.intp)
        return Schema(names, [self.categories[i] for i in chosen]), where

    def _positions(self, selection: Any) -> NDArray[np.intp]:
        if isinstance(selection, slice):
            return np.arange(len(self))[selection]
        if isinstance(selection, (str, int, np.integer)) or not isinstance(selection, Iterable):
            selection = [selection]
        if isinstance(selection, np.ndarray) and selection.dtype == bool:
            if len(selection) != len(self):
                raise NoSuchFeature(f"A mask of {len(selection)} does not fit {len(self)} features.")
            return np.flatnonzero(selection)
        return np.array([self.find(name) for name in selection], dtype=np.intp)

    def union(self, other: Schema) -> Schema:
        """All features of both, in order of appearance; categories are merged and sorted."""
        if self == other:
            return self
        if len(self) != len(other) and range in (type(self.names), type(other.names)):
            raise NoSuchFeature(
                f"Features without names can only be matched by their number, but there are {len(self)} "
                f"here and {len(other)} there. Give both tallies features=…"
            )
        names = self.names if self.names == other.names else tuple(dict.fromkeys((*self.names, *other.names)))
        if self.categories is None or other.categories is None:
            return Schema(names)
        merged = []
        for name in names:
            known = [f.categories_of(name) for f in (self, other) if name in f._position]
            merged.append(known[0] if len(known) == 1 else merge_sorted(*known))
        return Schema(names, merged)

    def categories_of(self, name: Hashable) -> NDArray[Any]:
        """The categories of one feature, sorted."""
        assert self.categories is not None
        return self.categories[self.find(name)]

    def cells_in(self, wider: Schema) -> NDArray[np.intp] | slice:
        """Where each cell of these features is among the cells of a union that contains them."""
        if self is wider or self == wider:
            return slice(None)
        positions = [wider.find(name) for name in self.names]
        if self.categories is None or wider.categories is None:
            return np.array(positions, dtype=np.intp)
        return np.concatenate(
            [np.empty(0, dtype=np.intp)]
            + [
                wider.starts[there] + np.searchsorted(wider.categories[there], self.categories[here])
                for here, there in enumerate(positions)
            ]
        )


def merge_sorted(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """The sorted union of two sorted arrays of one kind; numbers and texts do not mix."""
    if len(left) == 0 or len(right) == 0:
        return right if len(left) == 0 else left
    if is_numeric(left) != is_numeric(right):
        raise NoSuchFeature(
            f"Numbers and texts cannot be matched by name: {left[:1].tolist()[0]!r} here, "
            f"{right[:1].tolist()[0]!r} there."
        )
    return np.union1d(left, right)


def is_numeric(values: NDArray[Any]) -> bool:
    """Whether an array holds numbers, also as objects."""
    if values.dtype.kind == "O":
        return all(isinstance(value, (int, float, np.number, np.bool_)) for value in values)
    return values.dtype.kind in "biuf"
