"""Tests that come with scikit-learn, made ready to run on ours.

A foreign test names the classes that it tests, as globals of its module and as parameters. `cases` finds
every combination of parameters; `run` puts our classes in place of those with the same name, and demands that
they were used. Some of our errors are theirs in other words: `OtherWords` lets a test go on beyond them.
"""

import inspect
import re
from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.base import BaseEstimator

FIXTURES = {"global_dtype": np.float64, "global_random_seed": 42}


def cases(module, names, failures, left_out=()):
    """Each test with every combination of its parameters; those that fail are marked with the reason.

    Combinations with a parameter that is `left_out` by its name are not there.
    A reason belongs to a test, or to those of its combinations that begin so: "test_alpha-csr_array".
    """
    left = set(failures)
    for name in names:
        test = getattr(module, name)
        for settings in combinations(test):
            # A function by its name: its text has an address, which differs from process to process.
            words = [_name(value) for value in settings.values()]
            if set(words) & set(left_out):
                continue
            whole = "-".join([name, *words])
            known = [key for key in failures if whole == key or whole.startswith(f"{key}-")]
            left -= set(known)
            marks = [pytest.mark.xfail(reason=failures[key], strict=True) for key in known]
            yield pytest.param(test, settings, id=whole.removeprefix("test_"), marks=marks)
    assert not left, f"reasons for tests that are not there: {sorted(left)}"


def combinations(test):
    """Every combination of a test's parameters."""
    settings = [{}]
    for mark in getattr(test, "pytestmark", []):
        if mark.name == "parametrize":
            names = [one.strip() for one in mark.args[0].split(",")]
            values = [one if len(names) > 1 else [one] for one in mark.args[1]]
            settings = [
                {**known, **dict(zip(names, one, strict=True))} for known in settings for one in values
            ]
    return settings


class OtherWords:
    """pytest as a foreign test knows it, to whom an error of the right kind is right, whatever it says."""

    def __init__(self):
        self.differed = False

    def __getattr__(self, name):
        return getattr(pytest, name)

    @contextmanager
    def raises(self, kind, match=""):
        """What must be raised here."""
        with pytest.raises(kind) as raised:
            yield raised
        self.differed |= not re.search(match, str(raised.value))


def run(test, settings, modules, ours, monkeypatch, in_other_words=()):
    """Run a foreign test with our classes, which must be used; those by name have errors in other words."""
    asked, by_name = [], {one.__name__: one for one in ours}
    words = OtherWords()
    if test.__name__ in in_other_words:
        monkeypatch.setitem(test.__globals__, "pytest", words)
    for one in ours:
        for module in modules:
            if hasattr(module, one.__name__):
                monkeypatch.setattr(module, one.__name__, one)
        monkeypatch.setattr(one, "__init__", noting(one.__init__, asked))
    wanted = inspect.signature(test).parameters
    settings = {name: _ours(value, by_name) for name, value in settings.items()}
    test(**settings, **{name: value for name, value in FIXTURES.items() if name in wanted})
    assert asked, "this test of scikit-learn did not use our learners"
    assert words.differed == (test.__name__ in in_other_words), "its errors are not in other words"


def _ours(value, by_name):
    """Our class in place of theirs, and an estimator of ours with the same settings in place of theirs."""
    if isinstance(value, BaseEstimator) and type(value).__name__ in by_name:
        return by_name[type(value).__name__](**value.get_params())
    return by_name.get(getattr(value, "__name__", None), value)


def _name(value):
    return getattr(value, "__name__", str(value))


def noting(start, asked):
    """A constructor that notes that it was called; scikit-learn still finds the parameters of the old one."""

    def begin(self, *arguments, **settings):
        asked.append(self)
        start(self, *arguments, **settings)

    begin.__signature__ = inspect.signature(start)
    return begin
