"""A recommender: what somebody would say of a film, from the ratings of those who rate alike.

The ratings are made up: everybody has some of five tastes, every film too, and a rating is how well they
match, plus the film's fame, plus noise of .5 stars. So the best that anybody could do is known. Neighbours
are those whose ratings, compared with what everybody says, point in the same direction (cosine distance).

    python examples/22_recommender.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import numpy as np

from deciban import NeighborsRegressor
from drawing import curves, picture, save, ticks
from gallery import options

FILMS, TASTES, NOISE, RATED = 60, 5, 0.5, 0.4
NEIGHBORS = (1, 3, 10, 30, 100)


def ratings(people: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Stars that people would give, and which of them they have given."""
    rng = np.random.default_rng(seed)
    liking, content = rng.normal(0, 0.6, (people, TASTES)), rng.normal(0, 0.6, (FILMS, TASTES))
    stars = 3 + rng.normal(0, 0.4, FILMS) + liking @ content.T + rng.normal(0, NOISE, (people, FILMS))
    return stars, rng.random(stars.shape) < RATED


def rms(said: np.ndarray, truth: np.ndarray) -> float:
    """Root mean square of the error, in stars."""
    return float(np.sqrt(np.mean((said - truth) ** 2)))


def main() -> None:
    """Error on ratings that were hidden, by everybody's mean and by neighbours."""
    told = options(__doc__)
    stars, given = ratings(400 if told.quick else 2_000, seed=0)
    hidden = given & (np.random.default_rng(1).random(given.shape) < 0.2)
    known = given & ~hidden
    film = np.nanmean(np.where(known, stars, np.nan), axis=0)
    taste = np.where(known, stars - film, 0.0)  # how much better or worse than everybody says; 0 if not rated
    truth, (_, films) = stars[hidden], np.nonzero(hidden)
    print(f"{known.sum():,} ratings learned, {hidden.sum():,} asked for; root mean square error in stars")
    print(f"{'the same for everything':28}{rms(np.full(len(truth), stars[known].mean()), truth):6.3f}")
    everybody = rms(film[films], truth)
    print(f"{'what everybody says of it':28}{everybody:6.3f}")
    errors = []
    for k in NEIGHBORS:
        said = np.zeros(stars.shape)
        for one in range(FILMS):
            others = np.delete(taste, one, axis=1)
            who, asking = known[:, one], hidden[:, one]
            model = NeighborsRegressor(k=k, distance="cosine").fit(others[who], taste[who, one])
            said[asking, one] = film[one] + model.predict(others[asking])
        errors.append(rms(said[hidden], truth))
        print(f"{f'{k} who rate alike':28}{errors[-1]:6.3f}")
    print(f"{'the noise itself':28}{NOISE:6.3f}")
    figure, (axes,) = picture(height=3.6)
    curves(axes, NEIGHBORS, {"neighbours who rate alike": errors})
    axes.axhline(everybody, color="C1", linestyle="--", label="what everybody says of the film")
    axes.axhline(NOISE, color="black", linestyle=":", label="the noise: nobody can do better")
    ticks(axes, NEIGHBORS)
    axes.set(xlabel="neighbours", ylabel="off by so many stars", ylim=(0, None))
    axes.legend()
    save(figure, told.pictures, "22_recommender")


if __name__ == "__main__":
    main()
