"""A coverage-guided fuzzer for the views, made as fuzz/reader.py is: python -m fuzz.views [INPUTS] [SEED]."""

from deciban.text import Limits, read
from deciban.text.views import extract, trace
from fuzz.explore import explore, main
from fuzz.reader import mutated, seeds

SMALL = Limits(features=100)
PIECES = (
    "http://a.b:8/@c?d=%41 www.x.y $1,000 v1agra v.i.a.g.r.a ca$h рaypal f\u200bree 免费 ไทย 🚀!".encode()
)


def check(raw: bytes) -> None:
    """Both views, and their traces, of any bytes; all the same with a small limit."""
    for limits in (Limits(), SMALL):
        message = read(raw, limits)
        words, letters = extract(message, (), limits)
        assert [feature.hash for feature in trace(message, "words", (), limits)] == list(words)
        assert [feature.hash for feature in trace(message, "letters", (), limits)] == list(letters)


def fuzz(inputs: int | None, seed: int | None) -> None:
    """Takes so many inputs, or goes on for ever."""
    first = [PIECES, b"From: " + PIECES, b"Received: " + PIECES, *seeds()]
    explore(check, mutated, first, inputs, seed, "current-views")


if __name__ == "__main__":
    main("fuzz.views", fuzz, "current-views")
