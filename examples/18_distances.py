"""Random projection: distances before and after, with the bound of Johnson and Lindenstrauss drawn in.

Rows of many columns, projected onto k random directions, keep each squared distance within 1 ± ε, all of them
at once with high probability, if k ≥ 4 ln(rows) / (ε²/2 − ε³/3), however many columns there were.

    python examples/18_distances.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import pdist

from deciban import RandomProjection
from drawing import picture, save
from gallery import options

COLUMNS = 10_000
EPSILONS = (0.5, 0.3, 0.15)


def main() -> None:
    """How far squared distances move, for three bounds."""
    told = options(__doc__)
    count = 60 if told.quick else 300
    rng = np.random.default_rng(0)
    # Rows of very different lengths: the bound holds for near and far ones alike.
    X = rng.normal(size=(count, COLUMNS)) * rng.lognormal(0, 0.7, (count, 1))
    before = pdist(X, "sqeuclidean")
    figure, axes = picture(columns=len(EPSILONS), height=3.6)
    print(f"{count} rows of {COLUMNS:,} columns, {len(before):,} distances")
    for panel, epsilon in zip(axes, EPSILONS, strict=True):
        projected = RandomProjection(epsilon=epsilon, random_state=1).fit_transform(X)
        ratio = pdist(projected, "sqeuclidean") / before
        inside = np.mean(np.abs(ratio - 1) <= epsilon)
        print(
            f"ε = {epsilon:<5}{projected.shape[1]:6,} dimensions: {inside:.2%} of squared distances within "
            f"1 ± ε, from {ratio.min():.2f} to {ratio.max():.2f} of what they were"
        )
        panel.scatter(before, ratio, s=2, alpha=0.3, rasterized=True)
        for bound in (1 - epsilon, 1 + epsilon):
            panel.axhline(bound, color="black", linestyle="--")
        panel.set(title=f"ε = {epsilon}: {projected.shape[1]:,} dimensions", xscale="log", ylim=(0.4, 1.6))
        panel.set_xlabel("squared distance before")
    axes[0].set_ylabel("after, divided by before")
    save(figure, told.pictures, "18_distances")


if __name__ == "__main__":
    main()
