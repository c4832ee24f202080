"""A recipe for letters: images of A to Z in many typefaces, read in typefaces that were never learned.

The images are drawn here, with the typefaces that come with matplotlib, in several sizes and places, with
noise. Naive Bayes asks of each pixel how often it is on; several kinds of each letter (a mixture) tell
serifs from none; the nearest neighbour compares with every image that was learned.

    python examples/27_letters.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import re
import string
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.ft2font import FT2Font

from deciban import Bernoulli, MixtureClassifier, NaiveBayes, NeighborsClassifier
from drawing import picture, save, tiles
from gallery import options

SIDE, NOISE = 20, 0.02
TEXT = re.compile("DejaVuS(?!.*Display)|STIXGeneral|cm(?!sy|ex|mi)")
LETTERS = list(string.ascii_uppercase)


def typefaces() -> list[Path]:
    """Text faces in a seeded order: no symbols, no script."""
    found = sorted(Path(matplotlib.get_data_path(), "fonts", "ttf").glob("*.ttf"))
    return np.random.default_rng(0).permutation([path for path in found if TEXT.match(path.stem)]).tolist()


def image(letter: str, face: Path, rng: np.random.Generator) -> np.ndarray:
    """One letter at a random size and place, with some pixels flipped: 0 paper, 1 ink."""
    font = FT2Font(str(face))
    font.set_size(rng.uniform(16, 18), 72)
    font.set_text(letter, 0)
    font.draw_glyphs_to_bitmap()
    ink = np.asarray(font.get_image())[:SIDE, :SIDE] > 60
    page = np.zeros((SIDE, SIDE), dtype=bool)
    down, right = (np.clip((SIDE - size) // 2 + rng.integers(-1, 2), 0, SIDE - size) for size in ink.shape)
    page[down : down + ink.shape[0], right : right + ink.shape[1]] = ink
    return (page ^ (rng.random(page.shape) < NOISE)).ravel().astype(float)


def images(faces: list[Path], each: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """So many images of each letter in each typeface."""
    rng = np.random.default_rng(seed)
    drawn = [(image(letter, face, rng), letter) for face in faces for letter in LETTERS for _ in range(each)]
    return np.array([pixels for pixels, _ in drawn]), np.array([letter for _, letter in drawn])


def main() -> None:
    """Accuracy on typefaces that were never learned."""
    told = options(__doc__)
    faces = typefaces()
    cut, each = 2 * len(faces) // 3, 3 if told.quick else 8
    X, y = images(faces[:cut], each, seed=1)
    X_test, truth = images(faces[cut:], each, seed=2)
    print(f"{cut} typefaces learned, {len(faces) - cut} read; {len(y):,} and {len(truth):,} letters")
    models = {
        "Naive Bayes": NaiveBayes(Bernoulli()),
        "3 kinds of each letter": MixtureClassifier(Bernoulli(), 3, prior=0.1, random_state=0),
        "the nearest neighbour": NeighborsClassifier(k=1),
    }
    for name, model in models.items():
        print(f"{name:26}{model.fit(X, y).score(X_test, truth):7.1%}", flush=True)
    chances = Bernoulli().tally(X, y).read("mean", prior=1).parameters["probability"]
    asked = [X_test[np.argmax(truth == letter)] for letter in LETTERS]
    figure, (axes,) = picture(height=3, wide=True)
    rows = np.array([chances[:13], chances[13:], asked[:13], asked[13:]])
    tiles(axes, rows, ["P(ink | letter)", "", "to be read", ""])
    axes.set_xticks([])
    save(figure, told.pictures, "27_letters")


if __name__ == "__main__":
    main()
