"""Multinomial: how often each of many things came up. The words of a text.

    T(x) = x          tally: count, total          prior: Dirichlet(α), α of each word
    log p(x | θ) = Σ x_j · log θ_j                  (without the number of orders, which no label changes)

`bayes` integrates θ out: the words of a text are drawn from an urn into which each drawn word is put
back *twice* (Pólya), so that a word which came once is expected to come again:

    log p(x) = Σ_j log (a_j)(a_j + 1)…(a_j + x_j − 1)  −  log A(A + 1)…(A + N − 1),   a = count + α, A = Σ a

>>> tally = Multinomial().tally([[3, 1]], ["ham"])
>>> np.exp(tally.read("mean", prior=1).log_likelihood([[2, 0]])).round(3).tolist()     # (4/6)²
[[0.444]]
>>> np.exp(tally.read("bayes", prior=1).log_likelihood([[2, 0]])).round(3).tolist()    # 4/6 · 5/7
[[0.476]]

Weighted counts such as TF-IDF are welcome: only the sums matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.special import gammaln

from deciban.errors import BadPrior, NotEnoughValues
from deciban.families._predictive import add_rises
from deciban.families.dirichlet import draw_shares, share
from deciban.families.family import Family, called
from deciban.families.matrices import observed
from deciban.families.reading import Breakdown, Floats, Form, PointReading, Reading, counting, finite_log
from deciban.families.support import Support
from deciban.families.urns import STEPS, TOLERANCE, likeliest_alpha
from deciban.membership import Matrix
from deciban.schema import Schema
from deciban.tally import Tally

# We keep what a word adds when it comes once, twice and so on, up to MOST times, or fewer if ROOM is too
# small. A table of FEW cells has room in the cache, so each cell has its own entry.
MOST, LEAST, ROOM, FEW = 8, 2, 2**22, 2**14
SAME = 2.0**-50  # numbers that differ by less, relative to the largest, differ by rounding alone


@dataclass(frozen=True)
class Multinomial(Family):
    """Counts of many things that together make up a whole.

    Parameters
    ----------
    width : how many columns the totals cover, where only some of them are looked at; slicing sets it.

    Examples
    --------
    >>> tally = Multinomial().tally([[3, 1], [0, 2]], ["ham", "spam"])
    >>> tally.read("mean", prior=1).parameters["probability"].round(2).tolist()
    [[0.67, 0.33], [0.25, 0.75]]
    """

    width: int | None = None

    _support: ClassVar[Support] = Support(
        "x ≥ 0", "Negative values in data are no counts: use Gaussian() for them.", least=0
    )
    _zero_adds_nothing: ClassVar[bool] = True
    _of_labels: ClassVar[tuple[str, ...]] = ("total",)

    def _statistics(self, values: Any, missing: Any = None) -> Mapping[str, Matrix]:  # noqa: ARG002
        """T(x) = x."""
        return {"count": values}

    def _totals(self, sums: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """The words of each label, one by one and all together; how many values were seen does not matter."""
        return {"count": sums["count"], "total": sums["count"].sum(axis=1)}

    def _imagine_alpha(self, tally: Tally, alpha: NDArray[Any]) -> Tally:
        """α of each word."""
        width = self.width or len(tally.features)
        if alpha.ndim and self.width is not None:
            raise BadPrior("α for each feature needs all features: read the tally before slicing it.")
        count = np.broadcast_to(alpha, tally.sums["count"].shape)
        total = count.sum(axis=1) if alpha.ndim else np.full(len(tally.labels), float(alpha) * width)
        return tally.imagined({"count": count, "total": total})

    def _imagine_empirical(self, tally: Tally, tolerance: float = TOLERANCE, steps: int = STEPS) -> Tally:
        """One likeliest α for all words."""
        alpha = likeliest_alpha(tally.sums["count"], symmetric=True, tolerance=tolerance, steps=steps)
        return self._imagine_alpha(tally, np.asarray(alpha[0]))

    def _alpha_of(self, imagined: Tally) -> float:
        """One α of every word."""
        return float(imagined.sums["count"].flat[0])

    def _imagine_values(self, tally: Tally, n: Any, mean: Any, variance: Any = None) -> Tally:
        """n texts in which each word comes `mean` times."""
        if variance is not None:
            raise BadPrior("Multinomial imagines n values with a mean, and no variance.")
        return self._imagine_alpha(tally, np.multiply(n, mean))

    def _read_posterior(self, posterior: Tally, imagined: Tally, rule: str) -> Reading:  # noqa: ARG002
        """θ for each label and word, or Pólya's urn."""
        count, total = posterior.sums["count"], posterior.sums["total"]
        if bool(np.any(total <= 0)):
            empty = posterior.labels.tolist()[np.argmax(total <= 0)]
            raise NotEnoughValues(
                f"Label {empty!r} has no counts at all, so {called(rule)} has nothing to read. "
                "Give it a prior, such as 1."
            )
        if rule == "bayes":
            parameters = {"count": count.astype(float), "total": total.astype(float)}
            return PolyaReading(self, posterior.labels, posterior.features, parameters)
        theta = share(count, total[:, None], self.width or len(posterior.features), rule)
        nothing = np.broadcast_to(0.0, theta.shape)
        form = Form({"count": finite_log(theta)}, nothing)
        never = counting({"count": theta <= 0}, nothing)
        parameters = {"probability": theta}
        return PointReading(self, posterior.labels, posterior.features, parameters, form, never)

    def _log_integral(self, posterior: Tally, imagined: Tally) -> float:  # noqa: ARG002
        """Γ of each word over Γ of all; words that are not looked at cancel out."""
        count, total = (np.asarray(posterior.sums[name], dtype=float) for name in ("count", "total"))
        rest = total - count.sum(axis=1) if self.width else np.zeros(len(total))
        unseen = float(gammaln(rest[rest > 0]).sum())
        return float(gammaln(count).sum() - gammaln(total).sum()) + unseen

    def _draw_parameters(self, posterior: Tally, rng: np.random.Generator) -> Mapping[str, NDArray[Any]]:
        """The shares of the words from their Dirichlet; those that are not looked at are the rest."""
        count, total = (np.asarray(posterior.sums[name], dtype=float) for name in ("count", "total"))
        rest = np.maximum(total - count.sum(axis=1), 0.0) if self.width else np.zeros(len(total))
        shares = draw_shares(np.column_stack([count, rest]), rng)
        return {"probability": shares[:, :-1]}

    def _draw_rows(
        self,
        parameters: Mapping[str, NDArray[Any]],
        number: int,
        tally: Tally,
        label: int,
        rng: np.random.Generator,
    ) -> NDArray[Any]:
        """Texts about as long as those of the label: Poisson, round their mean length."""
        rows, total = (np.asarray(values, dtype=float) for values in (tally.rows, tally.sums["total"]))
        length = total[label] / rows[label] if rows[label] else total.sum() / max(rows.sum(), 1.0)
        shares = np.asarray(parameters["probability"], dtype=float)
        shares = np.append(shares, max(0.0, 1.0 - shares.sum()) if self.width else 0.0)
        return rng.multinomial(rng.poisson(length, number), shares / shares.sum())[:, :-1]

    def _discounted(self, imagined: Tally) -> Tally:
        """Dirichlet(α) is α − 1 of each word."""
        count, total = imagined.sums["count"], imagined.sums["total"]
        return imagined.imagined({"count": count - 1, "total": total - (self.width or count.shape[1])})

    def _seen(self, tally: Tally) -> NDArray[Any]:
        """Every label has a count of every word. No word is constant: each is a share of a varying total."""
        return np.broadcast_to(1, tally.sums["count"].shape)

    def _free_parameters(self, tally: Tally) -> int:
        """For each label one fewer than there are words."""
        return len(tally.labels) * ((self.width or len(tally.features)) - 1)

    def _log_base(self, X: Any) -> Floats:
        """The logarithm of the number of orders that the counts can come in."""
        values, _ = observed(X)
        inside = -gammaln(1.0 + (values.data if sparse.issparse(values) else values))
        if sparse.issparse(values):
            rows = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
            factorials = np.bincount(rows, weights=inside, minlength=values.shape[0])
        else:
            factorials = inside.sum(axis=1)
        return np.asarray(gammaln(1.0 + np.asarray(values.sum(axis=1)).ravel()) + factorials)

    def _slice(self, tally: Tally, selection: Any) -> Tally:
        """Fewer words to look at; how many words each label has in all is kept."""
        fewer = super()._slice(tally, selection)
        return replace(fewer, family=replace(self, width=self.width or len(tally.features)))


@dataclass(frozen=True, eq=False)
class PolyaReading(Reading):
    """Word counts with the shares of the words integrated out."""

    family: Multinomial
    labels: NDArray[Any]
    features: Schema
    parameters: Mapping[str, NDArray[Any]]

    def score(self, X: Any) -> Floats:
        """The urn's log-probability of each row under each label."""
        counts = X if sparse.issparse(X) else sparse.csr_array(X)
        lengths, total = np.zeros(counts.shape[0]), np.zeros((counts.shape[0], len(self.labels)))
        data = np.ascontiguousarray(counts.data, dtype=float)
        if total.size and self.urn.size:
            add_rises(counts.indptr, counts.indices, data, *self._looked_up, lengths, total)
        total += self._drawn(lengths)
        return total if self._full else self._without_impossible(counts, total)

    def _without_impossible(self, counts: Any, total: Floats) -> Floats:
        ones = (counts.data > 0).astype(float)
        drawn = sparse.csr_array((ones, counts.indices, counts.indptr), counts.shape)
        return np.where(drawn @ (self.urn <= 0).T.astype(float) > 0, -np.inf, total)

    def explain(self, X: Any) -> Breakdown:
        """What each word adds; the intercept is what the length of the text takes away."""
        values, _ = observed(X)
        drawn = (values.toarray() if sparse.issparse(values) else values)[:, None, :]
        urn = self.urn[None]
        lengths = np.asarray(values.sum(axis=1), dtype=float).ravel()
        return Breakdown(
            self._drawn(lengths), np.where((drawn > 0) & (urn <= 0), -np.inf, _log_rise(urn, drawn))
        )

    def picked(self, columns: NDArray[np.intp]) -> Reading | None:
        """Some words of the urn; it is as full as before."""
        features, _ = self.features.pick(columns)
        parameters = dict(self.parameters) | {"count": self.urn[:, columns]}
        return replace(self, features=features, parameters=parameters)

    @property
    def urn(self) -> Floats:
        """How much of each word is in the urn of each label: seen and imagined."""
        return self.parameters["count"]

    @cached_property
    def _looked_up(self) -> tuple[NDArray[np.int32] | None, Floats, Floats]:
        """Which number each word and label has in the urn, these numbers, and what they add by count.

        There are few different counts, so the table of what they add stays in the cache. With few cells, or
        fractions, every cell has a number of its own, and None is said of which.
        """
        urn = np.ascontiguousarray(self.urn.T)
        least, most = urn.min(), urn.max()
        steps = np.rint(urn - least)
        if urn.size > FEW and most - least < urn.size and np.abs(urn - least - steps).max() <= SAME * most:
            which, insides = steps.astype(np.int32), least + np.arange(steps.max() + 1)
        else:
            which, insides = None, urn.ravel()
        counts = min(MOST, max(LEAST, ROOM // len(insides)))
        return which, insides, np.cumsum([finite_log(insides + drawn) for drawn in range(counts)], axis=0)

    @cached_property
    def _full(self) -> bool:
        return bool(self.urn.all())

    def _drawn(self, lengths: Floats) -> Floats:
        """What the length of each text takes away; there are far fewer lengths than texts."""
        with np.errstate(invalid="ignore"):  # lengths beyond 2⁶³ are found to be no whole numbers below
            whole = lengths.astype(np.intp)
        if whole.max(initial=0) < len(whole) and np.array_equal(whole, lengths):
            distinct, which = np.arange(whole.max() + 1.0), whole
        else:
            distinct, which = np.unique(lengths, return_inverse=True)
        return -_log_rise(self.parameters["total"][None, :], distinct[:, None])[which]


def _log_rise(start: Floats, steps: Any) -> Floats:
    """log of start · (start + 1) · … for so many steps; nothing where there is no start."""
    some = np.where(start > 0, start, 1.0)
    return np.asarray(np.where(start > 0, gammaln(some + steps) - gammaln(some), 0.0))
