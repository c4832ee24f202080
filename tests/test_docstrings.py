"""Every public class tells its parameters, what it learns, and an example that is run (by doctest)."""

import inspect

import pytest
from sklearn.base import BaseEstimator

import deciban

CLASSES = [name for name in deciban.__all__ if isinstance(getattr(deciban, name), type)]
LEARNERS = [name for name in CLASSES if issubclass(getattr(deciban, name), BaseEstimator)]


def sections(name):
    """The headings of a docstring, with the lines below each."""
    lines, found = inspect.getdoc(getattr(deciban, name)).splitlines(), {}
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if below and set(below) == {"-"}:
            heading = found.setdefault(line, [])
        elif found:
            heading.append(line)
    return {heading: "\n".join(text) for heading, text in found.items()}


def told(text):
    """The names before the colons."""
    lines = [line for line in text.splitlines() if " : " in line and not line.startswith(" ")]
    return {one.strip() for line in lines for one in line.split(" : ")[0].split(",")}


@pytest.mark.parametrize("name", CLASSES)
def test_every_public_class_has_an_example(name):
    assert ">>> " in sections(name)["Examples"]


@pytest.mark.parametrize("name", [name for name in CLASSES if name != "Family"])
def test_every_parameter_of_a_public_class_is_told(name):
    parameters = set(inspect.signature(getattr(deciban, name)).parameters)
    assert told(sections(name).get("Parameters", "")) == parameters


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_tells_what_it_learns(name):
    attributes = told(sections(name)["Attributes"])
    assert attributes
    assert all(attribute.endswith("_") for attribute in attributes)


FAMILIES = [name for name in CLASSES if issubclass(getattr(deciban, name), deciban.Family)]


@pytest.mark.parametrize("name", FAMILIES)
def test_the_help_of_a_family_shows_what_users_call(name):
    family = getattr(deciban, name)
    shown = {one for one in dir(family) if not one.startswith("_")}
    assert shown - set(inspect.signature(family).parameters) == {"tally", "log_marginal"}
