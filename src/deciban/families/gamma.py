"""Gamma: positive measurements with a long tail. Sizes, durations, amounts of money.

    T(x) = (x, log x)          tally: n, sum, logs
    log p(x | a, b) = (a − 1) · log x − b · x + a · log b − log Γ(a)        a: shape, b: rate

The tally is closed; only reading it iterates. The likelihood's peak has b = a / mean(x) and a where
log a − ψ(a) = log mean(x) − mean(log x), found by Newton's method. A prior is n imagined values; with
the measure da · db the mode (`map`) is the peak of data and imagined values together.

`mean` and `bayes` integrate: given a, the rate is again Gamma(N·a + 1, S), which leaves one dimension,

    log p(a) = (a − 1) · L + log Γ(N·a + 1) − (N·a + 1) · log S − N · log Γ(a)     N, S, L = n, sum, logs

summed over 48 values of log a between the points where it has fallen by 37 nats (e^-37 is below the
precision of a float; a smooth peak is then integrated to about 1e-12).

>>> tally = Gamma().tally([[1.0], [2.0], [4.0]], ["a"] * 3)
>>> {name: value.round(3).tolist() for name, value in tally.read("mle").parameters.items()}
{'shape': [[3.401]], 'rate': [[1.458]]}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp, polygamma, psi

from deciban.errors import BadPrior, NotEnoughValues
from deciban.families.family import PEAK, Family, called, refuse_empty
from deciban.families.matrices import without
from deciban.families.reading import ElementwiseReading, Floats, Form, PointReading, Reading
from deciban.families.support import LARGEST, Support
from deciban.membership import Matrix
from deciban.tally import Tally

NODES = 48
EQUAL = 1e-10  # of all labels together: values closer than one in 70,000 are equal, up to rounding
FALLEN = 37.0  # nats below the peak, where an integral may stop


@dataclass(frozen=True)
class Gamma(Family):
    """Positive numbers with a shape and a rate.

    Examples
    --------
    >>> reading = Gamma().tally([[1.0], [2.0], [6.0]], ["a"] * 3).read("mle")
    >>> {name: values.round(2).tolist() for name, values in reading.parameters.items()}
    {'shape': [[2.0]], 'rate': [[0.67]]}
    """

    _support: ClassVar[Support] = Support(
        "x > 0",
        "Drop them, or use Poisson() for counts, Gaussian() for any number.",
        least=0,
        most=LARGEST,
        open_below=True,
    )

    _measured: ClassVar[tuple[str, ...]] = ("sum", "logs")
    _placeholders: ClassVar[Mapping[str, float]] = {"n": 2, "sum": 3, "logs": np.log(2)}

    def _statistics(self, values: Any, missing: Any = None) -> Mapping[str, Matrix]:
        """T(x) = (x, log x)."""
        positive = values if missing is None else np.where(missing > 0, 1.0, values)
        return {"sum": without(positive, missing), "logs": np.log(positive)}

    def _never_negative(self, tally: Tally) -> tuple[str, ...]:  # noqa: ARG002
        """A logarithm has a sign."""
        return ("n", "sum")

    def _imagine_alpha(self, tally: Tally, alpha: NDArray[Any]) -> Tally:
        """α values of an exponential distribution with the mean of all labels: wide, and never degenerate."""
        n, total = (tally.sums[name].sum(axis=0, dtype=float) for name in ("n", "sum"))
        mean = np.where(n > 0, total / np.maximum(n, 1e-300), 1.0)
        return self._imagine_values(tally, alpha, mean, mean**2)

    def _imagine_values(self, tally: Tally, n: Any, mean: Any, variance: Any = None) -> Tally:
        """n values with this mean and variance, as a Gamma distribution has them."""
        if variance is None or np.any(np.asarray(variance) <= 0) or np.any(np.asarray(mean) <= 0):
            raise BadPrior("Gamma imagines n values with a mean and a variance above 0.")
        shape = np.square(mean) / np.asarray(variance)
        nothing = np.zeros(tally.sums["n"].shape)
        logs = np.multiply(n, psi(shape) - np.log(shape / np.asarray(mean)))
        sums = {"n": n, "sum": np.multiply(n, mean), "logs": logs}
        return tally.imagined({name: nothing + value for name, value in sums.items()})

    def _imagine_jeffreys(self, tally: Tally) -> Tally:  # noqa: ARG002
        """There is none that is a tally."""
        raise BadPrior("Jeffreys' prior of a Gamma cannot be imagined as values. Use a number α instead.")

    def _read_posterior(self, posterior: Tally, imagined: Tally, rule: str) -> Reading:  # noqa: ARG002
        """Shape and rate for each label and feature, or a mixture over all shapes."""
        n, total, logs = (np.asarray(posterior.sums[name], dtype=float) for name in ("n", "sum", "logs"))
        refuse_empty(n, posterior, rule, 1e-300, "Give it a prior, such as 1.")
        spread = np.log(total / n) - logs / n
        if bool(np.any(spread <= 1e-14)):
            label, feature = np.argwhere(spread <= 1e-14)[0]
            raise NotEnoughValues(
                f"All values of feature {posterior.features.names[feature]!r} under label "
                f"{posterior.labels.tolist()[label]!r} are equal, so {called(rule)} finds no shape. "
                "Use a prior, such as 1, with another rule than 'mle'."
            )
        shape = peak_shape(spread)
        where = (self, posterior.labels, posterior.features)
        if rule in ("mle", "map", PEAK):
            return self._point(where, shape, shape * n / total)
        shapes, chances = shape_posterior(shape, n, total, logs)
        if rule == "mean":
            chance = np.exp(chances)
            rate = ((n[..., None] * shapes + 1) / total[..., None] * chance).sum(axis=-1)
            return self._point(where, (shapes * chance).sum(axis=-1), rate)
        parameters = {"values": n, "total": total}
        return ElementwiseReading(*where, parameters, log_predictive, (shapes, chances))

    def _log_integral(self, posterior: Tally, imagined: Tally) -> float:  # noqa: ARG002
        """Rates integrated out exactly, shapes by the nodes."""
        n, total, logs = (np.asarray(posterior.sums[name], dtype=float) for name in ("n", "sum", "logs"))
        if bool(np.any(n <= 0)):
            return np.inf
        nodes, heights = shape_heights(peak_shape(np.log(total / n) - logs / n), n, total, logs)
        return float((logsumexp(heights, axis=-1) + np.log(nodes[..., 1] - nodes[..., 0])).sum())

    def _draw_parameters(self, posterior: Tally, rng: np.random.Generator) -> Mapping[str, NDArray[Any]]:
        """The shape from its posterior, between the nodes; then the rate, which is a Gamma."""
        reading = self._read_posterior(posterior, posterior, "bayes")
        assert isinstance(reading, ElementwiseReading)
        shapes, chances = reading.hidden
        below = np.cumsum(np.exp(chances), axis=-1) - np.exp(chances) / 2
        drawn = np.empty(below.shape[:-1])
        for place in np.ndindex(drawn.shape):
            drawn[place] = np.exp(np.interp(rng.random(), below[place], np.log(shapes[place])))
        n, total = (np.asarray(posterior.sums[name], dtype=float) for name in ("n", "sum"))
        return {"shape": drawn, "rate": rng.standard_gamma(n * drawn + 1) / total}

    def _draw_values(
        self, parameters: Mapping[str, NDArray[Any]], number: int, rng: np.random.Generator
    ) -> NDArray[Any]:
        """Positive numbers."""
        shape, rate = parameters["shape"], parameters["rate"]
        drawn = rng.standard_gamma(shape, (number, len(shape))) / rate
        return np.asarray(np.maximum(drawn, np.finfo(float).tiny))

    def _point(self, where: tuple[Any, ...], shape: Floats, rate: Floats) -> Reading:
        form = Form({"sum": -rate, "logs": shape - 1}, shape * np.log(rate) - gammaln(shape))
        family, labels, features = where
        return PointReading(family, labels, features, {"shape": shape, "rate": rate}, form)

    def _is_constant(self, tally: Tally) -> NDArray[np.bool_]:
        """No spread in all labels together."""
        n, total, logs = (tally.sums[name].sum(axis=0, dtype=float) for name in ("n", "sum", "logs"))
        n, total = np.maximum(n, 1e-300), np.maximum(total, 1e-300)
        return np.asarray(np.log(total / n) - logs / n <= EQUAL * (1 + np.abs(logs / n)))

    def _free_parameters(self, tally: Tally) -> int:
        """A shape and a rate for each label and feature."""
        return 2 * int(tally.sums["n"].size)


def peak_shape(spread: Floats) -> Floats:
    """The a with log a − ψ(a) = spread, by Newton's method on 1/a, started as Minka (2002) does."""
    a = (3 - spread + np.sqrt((spread - 3) ** 2 + 24 * spread)) / (12 * spread)
    for _ in range(20):
        step = (np.log(a) - psi(a) - spread) / (a * (1 - a * polygamma(1, a)))
        better = 1 / (1 / a + step)
        if np.all(np.abs(better - a) <= 1e-14 * a):
            break
        a = np.where(better > 0, better, a / 2)
    return np.asarray(a)


def shape_posterior(peak: Floats, n: Floats, total: Floats, logs: Floats) -> tuple[Floats, Floats]:
    """Values of the shape and the log of their chances: (labels, features, nodes) each."""
    nodes, heights = shape_heights(peak, n, total, logs)
    return np.exp(nodes), np.asarray(heights - logsumexp(heights, axis=-1, keepdims=True))


def shape_heights(peak: Floats, n: Floats, total: Floats, logs: Floats) -> tuple[Floats, Floats]:
    """Nodes for log a, equally far apart, and log p(log a) of each, rates integrated out."""
    n, total, logs = n[..., None], total[..., None], logs[..., None]

    def height(log_shape: Floats) -> Floats:
        a = np.exp(log_shape)
        power = n * a + 1
        # + log_shape: the density is per log a
        return np.asarray(
            (a - 1) * logs + gammaln(power) - power * np.log(total) - n * gammaln(a) + log_shape
        )

    centre = np.log(peak)[..., None]
    low, high = (fallen(height, centre, sign) for sign in (-1.0, 1.0))
    nodes = low + (high - low) * np.linspace(0, 1, NODES)
    return nodes, height(nodes)


def fallen(height: Any, centre: Floats, sign: float) -> Floats:
    """Where a peaked function has fallen far below its value at the centre, to one side."""
    top = height(centre)
    near = np.zeros(centre.shape)
    step = np.full(centre.shape, 1e-3)
    while bool(np.any(short := height(centre + sign * step) > top - FALLEN)):
        near, step = np.where(short, step, near), np.where(short, 2 * step, step)
    for _ in range(12):  # halve the last doubling, so that the nodes are spent where the weight is
        middle = (near + step) / 2
        inside = height(centre + sign * middle) > top - FALLEN
        near, step = np.where(inside, middle, near), np.where(inside, step, middle)
    return np.asarray(centre + sign * step)


def log_predictive(x: Floats, n: Floats, total: Floats, shapes: Floats, chances: Floats) -> Floats:
    """log p of a value, rate and shape integrated out."""
    x, n, total = x[..., None], n[..., None], total[..., None]
    power = n * shapes + 1
    terms = (
        chances
        + (shapes - 1) * np.log(x)
        - gammaln(shapes)
        + gammaln(power + shapes)
        - gammaln(power)
        + power * np.log(total)
        - (power + shapes) * np.log(total + x)
    )
    return np.asarray(logsumexp(terms, axis=-1))
