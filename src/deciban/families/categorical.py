"""Categorical: one of several, without an order. A colour, a country, a grade.

    T(x) = one-hot of x     tally: count of each category     prior: Dirichlet(α), α of each category
    log p(x | θ) = log θ_x

Categories are found in the data, in any batch; `categories=` declares ones that may not have come yet
(a number k stands for 0 … k−1) and says that there are no others. Otherwise there is always room for one
more: α is imagined for *something new* too. So a category that was never learned gets α where a known one
gets count + α, and all of them together make 1.

>>> coats = Categorical().tally([["red"], ["blue"], ["red"]], ["fox", "fox", "fox"])
>>> coats.features.categories[0].tolist(), coats.sums["count"].tolist()
(['blue', 'red'], [[1, 2]])
>>> np.exp(coats.read("mean", prior=1).log_likelihood([["red"], ["blue"], ["green"]])).round(2).tolist()
[[0.5], [0.33], [0.17]]

Where categories were declared, a value that is none of them says nothing, like a missing value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.special import gammaln

from deciban.errors import BadPrior, BadSetting, NotEnoughValues
from deciban.families.cells import Cells, categories_in
from deciban.families.dirichlet import draw_shares, share
from deciban.families.family import BLOCK, Family, called
from deciban.families.matrices import columns_of, is_frame, is_missing, names_of, signed, unmasked
from deciban.families.reading import Form, PointReading, Reading, counting, finite_log
from deciban.families.urns import STEPS, TOLERANCE, likeliest_alphas
from deciban.membership import Matrix, Membership
from deciban.schema import Schema, merge_sorted
from deciban.tally import Tally


@dataclass(frozen=True)
class Categorical(Family):
    """One of several categories: texts, whole numbers or anything that sorts.

    Parameters
    ----------
    categories : those that may come, or a number k for 0 … k − 1; None finds them in the data, and expects
        that something new may come.

    Examples
    --------
    >>> tally = Categorical().tally([["red"], ["blue"], ["red"]], ["a", "a", "b"])
    >>> tally.features.categories[0].tolist(), tally.sums["count"].tolist()
    (['blue', 'red'], [[1, 1], [0, 1]])
    """

    categories: int | tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        if self.categories is not None:
            object.__setattr__(self, "categories", _checked(self.categories))

    # --- learning ----------------------------------------------------------------------------

    def _admit(self, X: Any, names: Any = None) -> Any:  # noqa: ARG002 - every value is inside
        """A table of any values."""
        if is_frame(X):
            return signed(columns_of(X, names_of(X) or []))
        table = X.toarray() if sparse.issparse(X) else np.asarray(unmasked(X))
        if table.ndim != 2:
            raise ValueError(
                f"Expected a table of rows and columns, got {table.ndim} dimension(s) instead. "
                "Reshape your data: X.reshape(-1, 1) for one column, X.reshape(1, -1) for one row."
            )
        return signed(table)

    def _gather(self, X: Any, membership: Membership, names: Any = None) -> Tally:
        """Count each category under each label."""
        found = [merge_sorted(self._declared(), seen) for seen in self._distinct(X)]
        features = Schema(X.shape[1] if names is None else names, found)
        cells = self._cells_of(features)
        count = np.zeros((len(membership.labels), features.cells))
        for rows in self._blocks(X):
            count += membership[rows].sum(cells.one_hot(X[rows])["count"])
        return Tally(self, membership.labels, features, membership.rows(), {"count": count})

    def _distinct(self, X: Any) -> list[NDArray[Any]]:
        """The categories of each column, sorted."""
        return categories_in(X)

    def _cells_of(self, features: Schema) -> Cells:
        """What finds the cells of a value."""
        return Cells(features)

    def _blocks(self, X: Any) -> list[slice]:
        """Blocks are smaller than for numbers, because looking up a value takes several arrays of codes."""
        step = max(1, BLOCK // 8 // max(1, X.shape[1]))
        return [slice(start, start + step) for start in range(0, len(X), step)]

    def _declared(self) -> NDArray[Any]:
        """The categories that were named beforehand."""
        if self.categories is None:
            return np.empty(0)
        return np.arange(self.categories) if isinstance(self.categories, int) else np.unique(self.categories)

    def _statistics(self, values: Any, missing: Any = None) -> Mapping[str, Matrix]:
        """T(x) is one-hot in the cells of a tally, which only `Cells` knows."""
        raise NotImplementedError("Categorical rows are looked up by Cells.one_hot.")

    def _without_leftovers(self, tally: Tally) -> Tally:
        """Drop categories that no row has any more, unless they were declared."""
        features, count = tally.features, tally.sums["count"]
        assert features.categories is not None
        used = np.asarray(count.any(axis=0))
        kept = np.concatenate(
            [np.zeros(0, dtype=bool)]
            + [
                used[start:end] | np.isin(names, self._declared())
                for start, end, names in zip(
                    features.starts[:-1], features.starts[1:], features.categories, strict=True
                )
            ]
        )
        if kept.all():
            return tally
        pieces = np.split(kept, features.starts[1:-1])
        fewer = [names[piece] for names, piece in zip(features.categories, pieces, strict=True)]
        return replace(tally, features=Schema(features.names, fewer), sums={"count": count[:, kept]})

    # --- imagining ---------------------------------------------------------------------------

    def _imagine_alpha(self, tally: Tally, alpha: NDArray[Any]) -> Tally:
        """α of each category: one number, one for each feature, or one for each cell."""
        if alpha.ndim == 1 and len(alpha) == len(tally.features) != tally.features.cells:
            alpha = alpha[tally.features.owner]
        return tally.imagined({"count": np.broadcast_to(alpha, tally.sums["count"].shape)})

    def _imagine_empirical(self, tally: Tally, tolerance: float = TOLERANCE, steps: int = STEPS) -> Tally:
        """The likeliest α of each feature."""
        pieces = np.split(tally.sums["count"], tally.features.starts[1:-1], axis=1)
        alphas = likeliest_alphas(pieces, tolerance=tolerance, steps=steps)
        return self._imagine_alpha(tally, alphas[tally.features.owner])

    def _alpha_of(self, imagined: Tally) -> NDArray[np.float64]:
        """One α for each feature; NaN where it has no category."""
        widths, starts = np.diff(imagined.features.starts), imagined.features.starts[:-1]
        padded = np.append(np.asarray(imagined.sums["count"][0], dtype=float), np.nan)
        return np.where(widths > 0, padded[starts], np.nan)

    def _imagine_values(self, tally: Tally, n: Any, mean: Any, variance: Any = None) -> Tally:  # noqa: ARG002
        """Categories have no mean."""
        raise BadPrior("A category has no mean. Give Categorical a number α, or α for each cell.")

    # --- reading -----------------------------------------------------------------------------

    def _read_posterior(self, posterior: Tally, imagined: Tally, rule: str) -> Reading:
        """θ for each label and category, and what a category gets that was never learned."""
        features = posterior.features
        count = np.asarray(posterior.sums["count"], dtype=float)
        n, widths = features.add_up(count), np.diff(features.starts)
        if bool(np.any(n[:, widths > 0] <= 0)):
            label, feature = np.argwhere((n <= 0) & (widths > 0))[0]
            raise NotEnoughValues(
                f"Label {posterior.labels.tolist()[label]!r} has no value of feature "
                f"{features.names[feature]!r}, so {called(rule)} has nothing to read. "
                "Give it a prior, such as 1."
            )
        new = self._something_new(imagined)
        if rule == "map":
            new = np.where(new >= 1, new, 0.0)  # below 1, the likeliest share of something new is zero
        whole, cells = n + new, np.maximum(widths + (new > 0), 1)
        theta = share(count, whole[:, features.owner], cells[:, features.owner], rule)
        some = new > 0
        unseen = np.where(some, share(np.where(some, new, 1.0), np.where(some, whole, 1.0), cells, rule), 0.0)
        nothing, silent = np.zeros(n.shape), self.categories is not None or widths == 0
        form = Form({"count": finite_log(theta), "unseen": finite_log(unseen)}, nothing)
        never = counting({"count": theta <= 0, "unseen": (unseen <= 0) & ~np.asarray(silent)}, nothing)
        return CategoricalReading(
            self, posterior.labels, features, {"probability": theta, "unseen": unseen}, form, never
        )

    def _log_integral(self, posterior: Tally, imagined: Tally) -> float:
        """Γ of each category over Γ of all, with room for something new."""
        count, new = np.asarray(posterior.sums["count"], dtype=float), self._something_new(imagined)
        inside = gammaln(count).sum() + gammaln(new[new > 0]).sum()
        return float(inside - gammaln(posterior.features.add_up(count) + new).sum())

    def _draw_parameters(self, posterior: Tally, rng: np.random.Generator) -> Mapping[str, NDArray[Any]]:
        """The shares of the known categories of each feature from their Dirichlet."""
        count, starts = np.asarray(posterior.sums["count"], dtype=float), posterior.features.starts
        pieces = np.split(count, starts[1:-1], axis=1)
        return {"probability": np.hstack([draw_shares(piece, rng) for piece in pieces])}

    def _draw_rows(
        self,
        parameters: Mapping[str, NDArray[Any]],
        number: int,
        tally: Tally,
        label: int,  # noqa: ARG002
        rng: np.random.Generator,
    ) -> NDArray[Any]:
        """Known categories: something new has no name to be drawn by."""
        features = tally.features
        assert features.categories is not None
        pieces = np.split(np.asarray(parameters["probability"]), features.starts[1:-1])
        columns = [
            known[rng.choice(len(known), number, p=piece / piece.sum())]
            for known, piece in zip(features.categories, pieces, strict=True)
        ]
        numbers = all(column.dtype.kind in "biuf" for column in columns)
        table = np.empty((number, len(columns)), dtype=np.result_type(*columns) if numbers else object)
        for place, column in enumerate(columns):
            table[:, place] = column
        return table

    def _something_new(self, imagined: Tally) -> NDArray[np.float64]:
        """What is imagined of a category that was never seen: as much as of an average known one."""
        features = imagined.features
        each = features.add_up(np.asarray(imagined.sums["count"], dtype=float))
        return each / np.maximum(np.diff(features.starts), 1) if self.categories is None else 0 * each

    def _log_imagined(self, reading: Reading, imagined: Tally) -> float:
        """That of something new included."""
        assert isinstance(reading, PointReading)
        new = self._something_new(imagined) * reading.form.weights["unseen"]
        return super()._log_imagined(reading, imagined) + float(new.sum())

    def _discounted(self, imagined: Tally) -> Tally:
        """Dirichlet(α) is α − 1 of each category."""
        return imagined.imagined({"count": imagined.sums["count"] - 1})

    def _is_constant(self, tally: Tally) -> NDArray[np.bool_]:
        """One category only."""
        used = tally.sums["count"].any(axis=0, keepdims=True)
        return np.asarray(tally.features.add_up(used.astype(float))[0] == 1)

    def _seen(self, tally: Tally) -> NDArray[Any]:
        """The categories of a feature together."""
        return tally.features.add_up(np.asarray(tally.sums["count"], dtype=float))

    def _with_placeholders(self, posterior: Tally, silent: NDArray[np.bool_], rule: str) -> Tally:  # noqa: ARG002
        """Two of each category."""
        count = np.where(silent[posterior.features.owner], 2, posterior.sums["count"])
        return replace(posterior, sums={"count": count})

    def _free_parameters(self, tally: Tally) -> int:
        """For each label and feature one fewer than there are categories."""
        return len(tally.labels) * (tally.features.cells - len(tally.features))


def _checked(given: Any) -> int | tuple[Any, ...]:
    """Declared categories, or how many there are; refused if they cannot be told apart or sorted."""
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool) and given >= 1:
        return int(given)
    if isinstance(given, Iterable) and not isinstance(given, (str, bytes)):
        one_by_one = tuple(given)
        known = np.empty(len(one_by_one), dtype=object)
        known[:] = one_by_one
        scalars = all(np.ndim(one) == 0 for one in one_by_one)
        if known.size and scalars and not is_missing(known).any() and _sorts(known):
            return one_by_one
    raise BadSetting(
        "categories must be a whole number of 1 or more, or a list of texts or one of numbers, "
        f"got {given!r} instead."
    )


def _sorts(values: NDArray[Any]) -> bool:
    try:
        np.sort(values)
    except TypeError:
        return False
    return True


@dataclass(frozen=True, eq=False)
class CategoricalReading(PointReading):
    """A point reading that looks categories up in the cells of its tally."""

    family: Categorical

    @cached_property
    def _cells(self) -> Cells:
        return self.family._cells_of(self.features)

    def _look(self, X: Any, gaps: bool = True) -> tuple[Mapping[str, Any], Any]:  # noqa: ARG002
        return self._cells.one_hot(X), None
