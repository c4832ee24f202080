"""Conditional independence: what Naive Bayes assumes, and what it costs where that is false.

Thunder and rain go together, but given whether there was lightning, the one says nothing about the other:
P(thunder, rain | lightning) = P(thunder | lightning) · P(rain | lightning). "New" and "York" stay together
whatever is given. Naive Bayes counts such a pair twice, and k copies of one word k times: first its
probabilities are wrong, then its labels.

    python examples/11_independence.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import numpy as np

from deciban import Bernoulli, NaiveBayes
from drawing import curves, picture, save, ticks
from gallery import options

LIGHTNING = 0.1
# P(thunder) and P(rain), without and with lightning.
GIVEN = {"thunder": (0.01, 0.9), "rain": (0.1, 0.7)}
COPIES = (1, 2, 4, 8, 16)


def storms() -> None:
    """The joint distribution of three events, with and without a look at the lightning."""
    flash = np.array([1 - LIGHTNING, LIGHTNING])
    thunder, rain = (np.array(GIVEN[name]) for name in ("thunder", "rain"))
    both, product = (flash * thunder * rain).sum(), (flash * thunder).sum() * (flash * rain).sum()
    print(f"P(thunder, rain) = {both:.1%}, but P(thunder) · P(rain) = {product:.1%}")
    for given, one, other in zip(("no lightning", "lightning"), thunder, rain, strict=True):
        print(f"given {given}: P(thunder, rain) = {one * other:.1%} = {one:.0%} · {other:.0%}")


def letters(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Letters from travellers and from others: has "york", has "ticket"; "new" comes with every "york"."""
    rng = np.random.default_rng(seed)
    travels = rng.random(count) < 0.5
    york = rng.random(count) < np.where(travels, 0.3, 0.1)
    ticket = rng.random(count) < np.where(travels, 0.4, 0.2)
    return np.column_stack([york, ticket]).astype(float), np.where(travels, "travel", "other")


def main() -> None:
    """Storms in numbers, then copies of a word."""
    told = options(__doc__)
    storms()
    X, y = letters(2_000 if told.quick else 20_000, seed=1)
    X_test, truth = letters(20_000, seed=2)
    travels = truth == "travel"
    york = X_test[:, 0] == 1
    print(f"\n{'copies of york':16}{'evidence':>10}{'P(travel)':>11}{'true':>7}{'right':>8}{'log-loss':>10}")
    rows = []
    for copies in COPIES:
        wide, wide_test = (
            np.column_stack([all_of[:, :1].repeat(copies, 1), all_of[:, 1:]]) for all_of in (X, X_test)
        )
        model = NaiveBayes(Bernoulli(), prior=1).fit(wide, y)
        evidence = model.why(wide_test[york][:1])[0].features
        decibans = sum(one.decibans for one in evidence if one.name < copies)
        believed = model.predict_proba(wide_test)[:, 1]
        right = np.mean((believed > 0.5) == travels)
        loss = -np.log(np.where(travels, believed, 1 - believed)).mean()
        rows.append((believed[york].mean(), travels[york].mean(), loss))
        print(f"{copies:<16}{decibans:7.1f} dB{rows[-1][0]:11.1%}{rows[-1][1]:7.1%}{right:8.1%}{loss:10.3f}")
    said, true, lost = np.transpose(rows)
    figure, axes = picture(columns=2, height=3.4)
    curves(axes[0], COPIES, {"Naive Bayes": said, "true": true})
    axes[0].set(ylabel="P(travel | york)", ylim=(0.5, 1.03), title="surer and surer")
    axes[0].legend(loc="center right")
    curves(axes[1], COPIES, {"Naive Bayes": lost})
    axes[1].set(ylabel="log-loss, nats", ylim=(0, None), title="and more and more wrong")
    for panel in axes:
        ticks(panel, COPIES)
        panel.set_xlabel("copies of one word")
    save(figure, told.pictures, "11_copies")


if __name__ == "__main__":
    main()
