"""Vowpal Wabbit: logistic regression over the byte 4-grams of the whole message, learned online.

The rates are its defaults (adaptive, normalised, invariant); 2^24 weights, so that collisions cost little.
Each 4-gram counts once a message, and a message is a vector of unit length: 1-ROCA% .59 instead of .84 on
1,500 messages of the SpamAssassin corpus.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

from deciban.decibans import SPAM
from deciban.errors import PeerMissing
from deciban.evaluate.subject import Opinion, TaughtMessage

# --hash all: names that are digits would otherwise be taken as places in the table.
OPTIONS = "--quiet --no_stdin --loss_function logistic -b 24 --hash all"


class VowpalWabbit:
    """The package ``vowpalwabbit``, in this process."""

    name = "Vowpal Wabbit"

    def __init__(self) -> None:
        try:
            import vowpalwabbit
        except ImportError:
            raise PeerMissing("Vowpal Wabbit is not installed. Run: pip install vowpalwabbit") from None
        self._workspace = vowpalwabbit.Workspace(OPTIONS)

    def learn(self, lessons: Sequence[TaughtMessage]) -> None:
        """One step a message, in their order."""
        for lesson in lessons:
            self._workspace.learn(f"{1 if lesson.label == SPAM else -1} {four_grams(lesson.data)}")

    def classify(self, messages: Sequence[bytes]) -> list[Opinion]:
        """The log-odds of spam."""
        log_odds = [float(self._workspace.predict(four_grams(message))) for message in messages]
        return [Opinion(score, score > 0, 1 / (1 + math.exp(-score))) for score in log_odds]

    def close(self) -> None:
        """Let go of the weights."""
        self._workspace.finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()


def four_grams(message: bytes) -> str:
    """The different byte 4-grams of a message in Vowpal Wabbit's text format, as a vector of unit length.

    >>> four_grams(b"hello")
    '|b:0.707107 656c6c6f 68656c6c'
    """
    grams = {message[place : place + 4] for place in range(len(message) - 3)}
    value = 1 / math.sqrt(len(grams) or 1)
    return f"|b:{value:.6f} " + " ".join(gram.hex() for gram in sorted(grams))
