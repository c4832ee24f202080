"""A family says what to add up for one value, and how to read the sums.

For a value x a family names its sufficient statistics T(x); their sums are all that it needs to know
about the data. In the exponential form

    log p(x | θ)  =  weight(θ) · T(x)  +  offset(θ)        (+ what does not depend on θ)

learning is `sum of T(x)` and classifying is `T(x) times weights`: the same T, two products. So a new
family is one small file: its support, T, how a prior is imagined, and how a posterior is read by each
rule:

    mle    the parameters that make the data most likely; no prior
    map    the mode of the posterior
    mean   the mean of the posterior (what scikit-learn calls smoothing)
    bayes  the parameters integrated out: the posterior predictive

Missing values (NaN) add nothing to a tally and say nothing about a label.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sparse
from numpy.typing import ArrayLike, NDArray

from deciban.errors import BadPrior, CannotForget, DifferentFamilies, NotEnoughValues
from deciban.families.matrices import cut, matrix_of, names_of, observed
from deciban.families.reading import PointReading, Reading
from deciban.families.support import Support
from deciban.families.urns import STEPS, TOLERANCE
from deciban.membership import Matrix, Membership
from deciban.schema import Schema
from deciban.tally import ROUNDING, Tally, narrow

RULES = ("mle", "map", "mean", "bayes")
PRIORS = ("laplace", "jeffreys", "empirical", "cv")

# Users cannot ask for this rule. By it EM reads a tally and a prior between its steps: it takes the
# parameters under which the seen and the imagined values together are most likely. That is `mean` for shares,
# rates and waiting times, and `map` for a Gamma; a Gaussian divides its scatter by the number of values,
# whatever its ddof.
PEAK = "peak"

# Dense rows are worked through in blocks of this many numbers: 4 MB of float64 stays in the cache, so
# statistics such as x² never need a second copy of the data in memory.
BLOCK = 2**19


class Family(ABC):
    """What to add up for one value, and how to read the sums.

    A family is a value: it has settings and no data. Ask it for a `tally`, or give it to a learner. Methods
    that begin with an underscore are for those who write a family: tallies, readings and learners call them.

    Examples
    --------
    >>> from deciban import Bernoulli, Gaussian
    >>> [isinstance(family, Family) for family in (Bernoulli(), Gaussian())]
    [True, True]
    """

    _support: ClassVar[Support]
    _measured: ClassVar[tuple[str, ...]] = ()  # the sums of measurements; all others count something
    _of_labels: ClassVar[tuple[str, ...]] = ()  # the sums with one number a label; all others have one a cell
    _zero_is_absence: ClassVar[bool] = False  # a zero says that something is not there
    _zero_adds_nothing: ClassVar[bool] = False  # T(0) == 0: sparse rows need not be filled with zeros

    # --- learning ----------------------------------------------------------------------------

    def tally(self, X: Any, y: ArrayLike, *, weight: ArrayLike | None = None, features: Any = None) -> Tally:
        """The sums of all rows under their labels.

        >>> from deciban import Poisson
        >>> Poisson().tally([[3], [5], [0]], ["a", "a", "b"]).sums["sum"].tolist()
        [[8], [0]]
        """
        names = features if features is not None else names_of(X)
        family, rows = self._welcome(X, names)
        return family._gather(rows, _membership(y, rows.shape[0], weight), names)

    def _welcome(self, X: Any, names: Any = None) -> tuple[Family, Any]:
        """A first batch: the family with everything settled by it, and the admitted rows."""
        rows = self._admit(X, names)
        return self._settle(rows), rows

    def _admit(self, X: Any, names: Any = None) -> Any:
        """The door: X as a matrix of numbers, refused where a value is outside the support."""
        matrix = matrix_of(X)
        self._support.check(type(self).__name__, matrix, names)
        return matrix

    def _settle(self, X: Any) -> Family:  # noqa: ARG002 - most families have nothing to settle
        """The family with everything fixed that the first batch fixes (a Gaussian's pivot)."""
        return self

    def _unsettled(self) -> Family:
        """The family as it was before a first batch fixed anything."""
        return self

    def _gather(self, X: Any, membership: Membership, names: Any = None) -> Tally:
        """The tally of admitted rows under observed or expected labels."""
        features = Schema(X.shape[1] if names is None else names)
        sums: dict[str, NDArray[Any]] = {}
        missing_values: NDArray[Any] | float = 0.0
        for rows in self._blocks(X):
            values, missing = observed(self._dense(cut(X, rows)))
            members = membership[rows]
            for name, statistic in self._statistics(values, missing).items():
                more = members.sum(statistic)
                sums[name] = sums[name] + more if name in sums else more
            if missing is not None:
                missing_values = missing_values + members.sum(missing)
        counted = np.broadcast_to(membership.rows()[:, None], (len(membership.labels), len(features)))
        if not sums:
            sums = {name: np.zeros(counted.shape) for name in self._statistics(np.zeros((1, len(features))))}
        n = counted if isinstance(missing_values, float) else counted - missing_values
        everything = self._totals({"n": n, **sums})
        return Tally(self, membership.labels, features, membership.rows(), everything)

    @abstractmethod
    def _statistics(self, values: Any, missing: Any = None) -> Mapping[str, Matrix]:
        """T(x) for a block of rows; zero where a value is missing."""

    def _totals(self, sums: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """The sums to keep, given those of the statistics and n, the number of values seen."""
        return sums

    def _blocks(self, X: Any) -> list[slice]:
        """Slices of rows that are worked on together."""
        count = int(X.shape[0])
        if sparse.issparse(X) and self._zero_adds_nothing:
            return [slice(0, count)] if count else []
        step = max(1, BLOCK // max(1, X.shape[1]))
        return [slice(start, start + step) for start in range(0, count, step)]

    def _dense(self, X: Any) -> Any:
        """The block itself; a sparse one is filled with its zeros if the family needs them."""
        return X.toarray() if sparse.issparse(X) and not self._zero_adds_nothing else X

    # --- imagining ---------------------------------------------------------------------------

    def _imagine(self, prior: Any, tally: Tally) -> Tally:
        """A prior as a tally; it may be given as a tally, as something that imagines one, or as an α."""
        if isinstance(prior, Tally):
            return prior.with_rows(np.zeros(len(prior.labels)))
        if hasattr(prior, "imagine"):
            imagined: Tally = prior.imagine(tally)
            return imagined
        if isinstance(prior, str):
            return self._imagine_named(prior, tally)
        alpha, features = alpha_of(prior), tally.features
        fits = alpha.ndim < 2 or (alpha.ndim == 2 and alpha.shape[0] in (1, len(tally.labels)))
        if alpha.ndim and not (fits and alpha.shape[-1] in (1, len(features), features.cells)):
            raise BadPrior(
                f"α must be one number, or one for each of the {len(features)} features, "
                f"got numbers of shape {alpha.shape}."
            )
        return self._imagine_alpha(tally, alpha)

    def _imagine_named(self, name: str, tally: Tally) -> Tally:
        """A prior by its name."""
        if name == "laplace":
            return self._imagine(1, tally)
        if name == "jeffreys":
            return self._imagine_jeffreys(tally)
        if name == "empirical":
            return self._imagine_empirical(tally)
        refuse_unknown_prior(name)
        raise BadPrior("prior='cv' needs rows, and a tally has none: use NaiveBayes(prior='cv').")

    @abstractmethod
    def _imagine_alpha(self, tally: Tally, alpha: NDArray[Any]) -> Tally:
        """α of everything that can be seen: in each cell, or as values that look like all the data."""

    @abstractmethod
    def _imagine_values(self, tally: Tally, n: Any, mean: Any, variance: Any = None) -> Tally:
        """N imagined values of each feature, with this mean and (where it is free) this variance."""

    def _imagine_jeffreys(self, tally: Tally) -> Tally:
        """The prior that does not depend on how the parameters are written down."""
        return self._imagine_alpha(tally, np.array(0.5))

    def _imagine_empirical(self, tally: Tally, tolerance: float = TOLERANCE, steps: int = STEPS) -> Tally:  # noqa: ARG002
        """The α under which what was counted is likeliest, for the families that count cells."""
        raise BadPrior(
            "prior='empirical' is for Bernoulli, Categorical and Multinomial, not "
            f"{type(self).__name__}. Use prior='cv', or a number."
        )

    def _alpha_of(self, imagined: Tally) -> Any:  # noqa: ARG002
        """The α that an imagined tally holds of each cell, for the families that count cells."""
        raise BadPrior(f"{type(self).__name__} counts no cells, so no α was found for it.")

    def _imagine_beta(self, tally: Tally, a: Any, b: Any) -> Tally:  # noqa: ARG002
        """A Beta(a, b) prior on a probability, for the families that have one."""
        raise BadPrior(f"Beta(a, b) is a prior for Bernoulli and Geometric, not for {type(self).__name__}.")

    # --- reading -----------------------------------------------------------------------------

    def _read(self, tally: Tally, rule: str = "bayes", prior: Any = 1) -> Reading:
        """What the tally says, under a rule and a prior."""
        imagined = self._imagined_for(rule, prior, tally)
        return self._read_posterior(tally + imagined, imagined, rule)

    def _imagined_for(self, rule: str, prior: Any, tally: Tally) -> Tally:
        """What is imagined under a rule: nothing for mle."""
        refuse_unknown_rule(rule)
        return tally.zeros() if rule == "mle" else self._imagine(prior, tally)

    @abstractmethod
    def _read_posterior(self, posterior: Tally, imagined: Tally, rule: str) -> Reading:
        """The posterior read by a rule; under mle nothing was imagined."""

    def _log_base(self, X: Any) -> NDArray[np.float64]:
        """Log h(x), the factor of p(x | θ) that no parameter touches and that readings leave out."""
        return np.zeros(X.shape[0])

    def _log_prior(self, reading: Reading, imagined: Tally, rule: str) -> float:
        """What the prior adds to EM's objective: log p of the imagined values, or for `map` its log density.

        Both up to a constant. The reading must have parameters: those of `map`, or of the peak.
        """
        return self._log_imagined(reading, self._discounted(imagined) if rule == "map" else imagined)

    def _log_imagined(self, reading: Reading, imagined: Tally) -> float:
        """The log-likelihood of imagined values: linear in their sums, as that of any others."""
        assert isinstance(reading, PointReading)
        form, sums = reading.form, imagined.sums
        products = [weights * sums[name] for name, weights in form.weights.items() if name in sums]
        return float(sum(product.sum() for product in products) + (form.offset * sums.get("n", 0)).sum())

    def _discounted(self, imagined: Tally) -> Tally:
        """The values whose likelihood is the density of the prior: a Dirichlet(α) is α − 1 of each cell."""
        return imagined

    # --- the likelihood of everything together ------------------------------------------------

    def log_marginal(self, X: Any, y: ArrayLike, prior: Any = 1, *, features: Any = None) -> float:
        """log p of all rows together, given their labels, with the parameters integrated out.

        It compares families and priors without held-out rows: what explains the rows best before seeing them.

        >>> from deciban import Bernoulli
        >>> round(float(np.exp(Bernoulli().log_marginal([[1], [1], [0]], ["a"] * 3))), 4)  # 1/2 · 2/3 · 1/4
        0.0833
        """
        names = features if features is not None else names_of(X)
        family, rows = self._welcome(X, names)
        tally = family._gather(rows, _membership(y, rows.shape[0]), names)
        return tally.log_marginal(prior) + float(family._log_base(rows).sum())

    def _log_evidence(self, tally: Tally, imagined: Tally) -> float:
        """log p of what was tallied, without log h(x): by how much the integral over the parameters grows."""
        before = self._log_integral(imagined, imagined)
        if not np.isfinite(before):
            raise BadPrior(
                f"This prior of {type(self).__name__} is no distribution, so rows have no likelihood before "
                f"any was seen. Give a number above {self._proper_above}."
            )
        return self._log_integral(tally + imagined, imagined) - before

    _proper_above: ClassVar[int] = 0  # a plain α must be larger to be a distribution

    @abstractmethod
    def _log_integral(self, posterior: Tally, imagined: Tally) -> float:
        """log ∫ p(values | θ) dθ of the values that a tally sums up, all labels and features together."""

    # --- drawing ------------------------------------------------------------------------------

    def _sample(
        self, tally: Tally, numbers: NDArray[np.intp], rule: str, prior: Any, rng: np.random.Generator
    ) -> NDArray[Any]:
        """Draw rows of each label, label by label, from the parameters that a rule reads.

        Where the rule integrates parameters out (`bayes`) they are drawn first, and all rows come from them.
        """
        imagined = self._imagined_for(rule, prior, tally)
        posterior = tally + imagined
        parameters = (
            self._draw_parameters(posterior, rng)
            if rule == "bayes"
            else self._read_posterior(posterior, imagined, rule).parameters
        )
        heaps = []
        for label, number in enumerate(numbers):
            mine = {name: np.asarray(values)[label] for name, values in parameters.items()}
            heaps.append(self._draw_rows(mine, int(number), tally, label, rng))
        return np.concatenate(heaps)

    @abstractmethod
    def _draw_parameters(self, posterior: Tally, rng: np.random.Generator) -> Mapping[str, NDArray[Any]]:
        """Parameters drawn from their posterior, named and laid out as those of a reading are."""

    def _draw_rows(
        self,
        parameters: Mapping[str, NDArray[Any]],
        number: int,
        tally: Tally,  # noqa: ARG002
        label: int,  # noqa: ARG002
        rng: np.random.Generator,
    ) -> NDArray[Any]:
        """Draw rows of one label; the tally knows what parameters do not say: categories, and lengths."""
        return self._draw_values(parameters, number, rng)

    def _draw_values(
        self, parameters: Mapping[str, NDArray[Any]], number: int, rng: np.random.Generator
    ) -> NDArray[Any]:
        """Draw rows from the parameters of one label, where they say everything."""
        raise NotImplementedError(f"{type(self).__name__} draws rows with the help of its tally.")

    @abstractmethod
    def _free_parameters(self, tally: Tally) -> int:
        """How many numbers a reading may choose, for all labels together (BIC counts them)."""

    # --- what tells labels apart (telling.py) -------------------------------------------------

    _pools_features: ClassVar[bool] = False  # a reading of one feature depends on the others
    _placeholders: ClassVar[Mapping[str, float]] = {}  # sums that any rule can read

    def _is_constant(self, tally: Tally) -> NDArray[np.bool_]:
        """Which features were the same in every row, as far as sums can tell: (features,)."""
        return np.zeros(len(tally.features), dtype=bool)

    def _repeats(self, X: Any) -> NDArray[np.bool_]:
        """Which columns of admitted rows have one value only, where sums cannot tell: (features,)."""
        return np.zeros(X.shape[1], dtype=bool)

    def _seen(self, tally: Tally) -> NDArray[Any]:
        """How many values of each feature each label has: (labels, features)."""
        return np.asarray(tally.sums["n"])

    def _with_placeholders(self, posterior: Tally, silent: NDArray[np.bool_], rule: str) -> Tally:  # noqa: ARG002
        """The posterior with something readable in place of features that are not looked at."""
        pairs = ((name, posterior.sums[name], value) for name, value in self._placeholders.items())
        sums = {name: np.where(silent, value, values) for name, values, value in pairs}
        return replace(posterior, sums=sums)

    # --- keeping the algebra honest ----------------------------------------------------------

    def _adopt(self, other: Tally) -> Tally:
        """Another tally, converted so that it can be added to one of this family; refused if it cannot."""
        if self != other.family:
            raise DifferentFamilies(
                f"Tallies of different families do not add: {self} here, {other.family} there."
            )
        return other

    def _refuse_impossible(self, rest: Tally, before: Tally) -> None:
        """Raise an error when more is taken away than was learned; never clamp the sums to zero."""
        refuse_negative(rest.rows, before.rows, rest.labels, "rows")
        for name in self._never_negative(rest):
            refuse_negative(rest.sums[name], before.sums[name], rest.labels, name)

    def _never_negative(self, tally: Tally) -> tuple[str, ...]:
        """The sums that no data can bring below zero."""
        return tuple(tally.sums)

    def _without_leftovers(self, tally: Tally) -> Tally:
        """The tally without traces of what was forgotten (a Categorical's unused categories)."""
        return tally

    def _slice(self, tally: Tally, selection: Any) -> Tally:
        """The tally seen through fewer features, its totals kept."""
        features, cells = tally.features.pick(selection)
        sums = {
            name: values[:, cells] if values.ndim == 2 and values.shape[1] == tally.features.cells else values
            for name, values in tally.sums.items()
        }
        return replace(tally, features=features, sums=sums)


def _membership(y: ArrayLike, rows: int, weight: ArrayLike | None = None) -> Membership:
    """Which row has which label, by its weight; refused where there are more or fewer labels than rows."""
    labels = np.asarray(y)
    weights = np.ones(rows) if weight is None else np.asarray(weight, dtype=float)
    if labels.shape != (rows,) or weights.shape != (rows,):
        raise ValueError(
            f"Found {rows} rows, labels of shape {labels.shape} and weights of shape {weights.shape}: "
            "there must be one of each per row."
        )
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError("Weights must be finite and not negative.")
    try:
        return Membership.observed(labels, weights)
    except TypeError:
        raise ValueError("Labels mix texts and numbers. Turn them all into texts first.") from None


def refuse_unknown_rule(rule: Any) -> None:
    """Refuse what is no rule."""
    if rule not in RULES:
        raise ValueError(f"rule must be one of {', '.join(RULES)}, got {rule!r} instead.")


def refuse_unknown_prior(prior: Any) -> None:
    """Refuse what is no prior for any family."""
    if isinstance(prior, Tally) or hasattr(prior, "imagine") or (isinstance(prior, str) and prior in PRIORS):
        return
    if isinstance(prior, str):
        names = ", ".join(map(repr, PRIORS))
        raise BadPrior(
            f"prior must be a number α, {names}, a Tally, or an object that imagines, got {prior!r}."
        )
    alpha_of(prior)


def alpha_of(prior: Any) -> NDArray[Any]:
    """One α or several, as numbers."""
    try:
        alpha = np.asarray(prior, dtype=float)
    except (TypeError, ValueError):
        alpha = None
    if alpha is None or prior is None:
        raise BadPrior(
            f"A prior must be a number α, a name, a Tally or an object that imagines, got {prior!r}."
        )
    if not np.all(np.isfinite(alpha)) or np.any(alpha < 0):
        raise BadPrior(f"α must be finite and not negative, got {prior!r}.")
    return alpha


def called(rule: str) -> str:
    """What a message calls a rule: what a user asked for."""
    return "EM" if rule == PEAK else f"rule={rule!r}"


def refuse_negative(rest: NDArray[Any], before: NDArray[Any], labels: NDArray[Any], what: str) -> None:
    """Refuse to go below zero by more than rounding explains."""
    slack = 0.0 if rest.dtype.kind == "i" else ROUNDING * max(1.0, float(np.abs(before).max(initial=0)))
    if bool(np.any(rest < -slack)):
        label = labels.tolist()[np.argwhere(rest < -slack)[0][0]]
        raise CannotForget(
            f"More would be forgotten than was learned: {what!r} of label {label!r} would fall below zero. "
            "Forget only rows that were learned, with the same label and weight."
        )


def refuse_empty(n: NDArray[Any], posterior: Tally, rule: str, at_least: float, advice: str) -> None:
    """Refuse to read a label and feature of which too little was seen."""
    if bool(np.any(narrow(n) < at_least)):
        label, feature = np.argwhere(n < at_least)[0]
        found = float(n[label, feature])
        raise NotEnoughValues(
            f"{called(rule)} needs {'a value' if at_least <= 1 else f'at least {at_least:g} values'} of "
            f"every feature for every label, but {posterior.labels.tolist()[label]!r} has {found:g} of "
            f"feature {posterior.features.names[feature]!r}. {advice}"
        )
