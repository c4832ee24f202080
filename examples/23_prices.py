"""Regression on a price series, honestly: what looks like a forecast, and what is left of it.

Google's share from 2004 to 2008, day by day (it comes with matplotlib). Three mistakes and one honest test:
ask for days between days that were learned; ask for a price, which is nearly that of yesterday; and show
only the curve. Who asks for tomorrow's *change*, learns from earlier days only, and compares with “no
change”, finds that neighbours know nothing of it.

    python examples/23_prices.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import numpy as np
from matplotlib.cbook import get_sample_data

from deciban import NeighborsRegressor
from drawing import picture, save
from gallery import options

DAYS, NEIGHBORS = 5, 10


def rms(error: np.ndarray) -> float:
    """Root mean square."""
    return float(np.sqrt(np.mean(error**2)))


def show(what: str, by_neighbors: float, baseline: float) -> None:
    """Print one row of the table."""
    print(f"{what:52}{by_neighbors:11.2f}{baseline:10.2f}")


def main() -> None:
    """The same model asked in four ways."""
    told = options(__doc__)
    price = get_sample_data("goog.npz")["price_data"]["adj_close"].astype(float)
    change, day = np.diff(np.log(price)), np.arange(len(price))[:, None]
    model = NeighborsRegressor(k=NEIGHBORS)
    print(f"{len(price):,} days\n{'':52}{'neighbours':>11}{'baseline':>10}")

    shuffled, cut = np.random.default_rng(0).permutation(len(price)), 2 * len(price) // 3
    learn, ask = shuffled[:cut], shuffled[cut:]
    between = model.fit(day[learn], price[learn]).predict(day[ask])
    show("price on a day between days learned, $", rms(between - price[ask]), rms(price - price.mean()))
    later = model.fit(day[:cut], price[:cut]).predict(day[cut:])
    last = rms(price[cut:] - price[cut - 1])
    show("price on later days, $ (baseline: the last price)", rms(later - price[cut:]), last)

    # The last five changes, and the one that came after them; only earlier days are learned.
    recent = np.lib.stride_tricks.sliding_window_view(change, DAYS)[:-1]
    after, split = change[DAYS:], cut - DAYS - 1
    said, seen = model.fit(recent[:split], after[:split]).predict(recent[split:]), after[split:]
    true, before = price[cut:], price[cut - 1 : -1]
    tomorrow, up = before * np.exp(said), seen > 0
    show("price tomorrow, $ (baseline: that of today)", rms(tomorrow - true), rms(before - true))
    show("change until tomorrow, % (baseline: none)", 100 * rms(said - seen), 100 * rms(seen))
    same = max(up.mean(), 1 - up.mean())
    show("up or down, % right (baseline: the same every day)", 100 * np.mean((said > 0) == up), 100 * same)
    print(f"(by chance alone, the last would vary by ±{100 * 1.96 * 0.5 / np.sqrt(len(up)):.1f})")

    figure, axes = picture(columns=3, height=3.4)
    axes[0].plot(price, color="C6", linewidth=1, label="price")
    axes[0].plot(np.arange(cut, len(price)), later, color="C1", label="said after two thirds")
    axes[0].set(title="later days: nothing to go by", xlabel="day", ylabel="$")
    axes[1].plot(true[:60], color="C6", marker=".", linewidth=1, label="price")
    axes[1].plot(tomorrow[:60], color="C1", marker=".", linewidth=1, label="said the day before")
    axes[1].set(title="tomorrow: today's price, late", xlabel="day")
    axes[2].scatter(100 * said, 100 * seen, s=6)
    axes[2].axline((0, 0), slope=1, color="grey", linestyle="--", linewidth=0.8)
    axes[2].set(title="what it says of the change", xlabel="said, %", ylabel="seen, %")
    for panel in axes[:2]:
        panel.legend(loc="lower right", fontsize=8)
    save(figure, told.pictures, "23_prices")


if __name__ == "__main__":
    main()
