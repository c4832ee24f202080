"""A recipe for fraud: payments with columns of every kind, a rare label, and mistakes that cost money.

One payment in 200 is a fraud, so “never” is right in 99.5% of all. What counts is money: a fraud that passes
costs its amount, a good payment that is held up costs a phone call. So a payment is held if P(fraud) ·
amount is more than the call. `c` says the same for a fixed amount. The payments are made up.

    python examples/24_fraud.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from deciban import Bernoulli, Categorical, Columns, Gamma, NaiveBayes, Poisson
from drawing import picture, save
from gallery import options

CALL = 5.0  # what it costs to ask about one payment
FAMILY = Columns(
    {
        "amount": Gamma(),
        "today": Poisson(),
        "country": Categorical(),
        "hour": Categorical(),
        "card": Bernoulli(),
    }
)


def payments(count: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Amount, payments of the day, country, hour, whether the card was there, and what it was."""
    rng = np.random.default_rng(seed)
    fraud = rng.random(count) < 0.005
    hours = np.array([1, 1, 1, 1, 1, 2, 4, 7, 8, 8, 8, 9, 9, 8, 8, 8, 8, 8, 7, 6, 5, 4, 3, 2], dtype=float)
    by_day = rng.choice(24, count, p=hours / hours.sum())
    table = pd.DataFrame(
        {
            "amount": np.where(fraud, rng.gamma(1.5, 140, count), rng.gamma(1.2, 40, count)) + 0.01,
            "today": rng.poisson(np.where(fraud, 4, 1.5)),
            "country": np.where(rng.random(count) < np.where(fraud, 0.5, 0.95), "home", "abroad"),
            "hour": np.where(fraud, rng.integers(0, 24, count), by_day).astype(str),
            "card": (rng.random(count) < np.where(fraud, 0.2, 0.7)).astype(float),
        }
    )
    return table, np.where(fraud, "fraud", "good")


def main() -> None:
    """What each rule for holding payments costs, and one payment explained."""
    told = options(__doc__)
    X, y = payments(20_000 if told.quick else 100_000, seed=1)
    X_test, truth = payments(20_000 if told.quick else 100_000, seed=2)
    model = NaiveBayes(FAMILY).fit(X, y)
    chance = model.predict_proba(X_test)[:, list(model.classes_).index("fraud")]
    fraud, amount = truth == "fraud", X_test["amount"].to_numpy()
    rules = {
        "let everything pass": np.zeros(len(truth), dtype=bool),
        "hold where P(fraud) > ½": chance > 0.5,
        "hold where P(fraud) · amount > call": chance * amount > CALL,
        "hold everything above $ 300": amount > 300,
    }
    print(f"{len(truth):,} payments, {fraud.sum()} frauds")
    print(f"{'':38}{'right':>8}{'caught':>8}{'held':>8}{'lost':>12}")
    lost = {}
    for name, held in rules.items():
        lost[name] = amount[fraud & ~held].sum() + CALL * held.sum()
        row = f"{np.mean(held == fraud):8.2%}{held[fraud].mean():8.1%}{held.mean():8.2%}"
        print(f"{name:38}{row}   ${lost[name]:8,.0f}")
    caught = int(np.argmax(fraud & (chance * amount > CALL)))
    print(f"\none payment: {X_test.iloc[caught].to_dict()}\n{model.why(X_test.iloc[[caught]])[0]}")
    figure, (axes,) = picture(height=2.8)
    drawn = axes.barh(list(lost)[::-1], list(lost.values())[::-1])
    axes.bar_label(drawn, [f"${one:,.0f}" for one in list(lost.values())[::-1]], padding=3)
    axes.set(xlabel="lost to frauds and calls", xlim=(0, 1.2 * max(lost.values())))
    save(figure, told.pictures, "24_fraud")


if __name__ == "__main__":
    main()
