"""What deciban exports is what it says it exports, and a missing extra is named."""

import subprocess
import sys

import pytest

import deciban

EXPORTED = {
    "Bernoulli", "Beta", "Categorical", "Columns", "Empirical", "Fading", "Family", "Gamma", "Gaussian",
    "Geometric", "Jeffreys", "Laplace", "Mixture", "MixtureClassifier", "Multinomial", "NaiveBayes",
    "NeighborsClassifier", "NeighborsRegressor", "Poisson", "RandomProjection", "Rolling", "SelectFeatures",
    "Tally", "TextClassifier", "TextFeatures", "Texts", "Values", "dependence",
}  # fmt: skip


def test_the_exported_names_are_these():
    assert set(deciban.__all__) - {"__version__"} == EXPORTED
    assert set(dir(deciban)) >= EXPORTED


@pytest.mark.parametrize("name", sorted(EXPORTED))
def test_every_exported_name_is_there_and_documented(name):
    assert getattr(deciban, name).__doc__


def test_unknown_names_are_refused_as_usual():
    with pytest.raises(AttributeError, match="no attribute 'Bayes'"):
        _ = deciban.Bayes


def test_a_missing_extra_is_one_line_that_names_it():
    code = """
import sys
sys.modules["numpy"] = None
import deciban
try:
    deciban.NaiveBayes
except ImportError as error:
    print(type(error).__name__, error)
"""
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.startswith("MissingExtra deciban.NaiveBayes needs numpy")
    assert "pip install 'deciban[learn]'" in shown.stdout
    assert shown.stdout.count("\n") == 1


def test_the_error_tree_in_the_docstring_is_the_tree():
    from deciban import errors

    classes = {name for name, value in vars(errors).items() if isinstance(value, type)}
    drawn = {line.strip("│├└─ ").split()[0] for line in errors.__doc__.splitlines() if "──" in line}
    assert classes == drawn | {"DecibanError", "DecibanWarning"}
