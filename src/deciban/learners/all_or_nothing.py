"""A learner that refuses what it is given stays as it was.

scikit-learn notes how many columns there are before anything else is looked at, so that a model that refused
a table of other columns would refuse its own from then on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

Learner = TypeVar("Learner")
Given = ParamSpec("Given")
Learned = TypeVar("Learned")
Lesson = Callable[Concatenate[Learner, Given], Learned]


def all_or_nothing(learn: Lesson[Learner, Given, Learned]) -> Lesson[Learner, Given, Learned]:
    """A method that learns, and changes nothing if it fails.

    >>> class Box:
    ...     @all_or_nothing
    ...     def fit(self, number):
    ...         self.number = number
    ...         self.inverse = 1 / number
    >>> box = Box()
    >>> box.fit(4)
    >>> box.fit(0)
    Traceback (most recent call last):
    ...
    ZeroDivisionError: division by zero
    >>> box.number, box.inverse
    (4, 0.25)
    """

    @wraps(learn)
    def careful(learner: Learner, /, *arguments: Given.args, **settings: Given.kwargs) -> Learned:
        before = dict(vars(learner))
        try:
            return learn(learner, *arguments, **settings)
        except BaseException:
            vars(learner).clear()
            vars(learner).update(before)
            raise

    return careful
