"""The programs and packages that benchmarks compare with: installed if that can be done, else named.

python -m benchmarks.peers
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys

DEBIAN = {"bogofilter": "bogofilter", "spamassassin": "spamassassin"}
PYPI = {
    "sklearn": "scikit-learn",
    "vowpalwabbit": "vowpalwabbit",
    "statsmodels": "statsmodels",
    "vega_datasets": "vega_datasets",
}


def missing() -> tuple[list[str], list[str]]:
    """What is not there, of Debian and of PyPI."""
    debian = [package for program, package in DEBIAN.items() if not shutil.which(program)]
    pypi = [package for module, package in PYPI.items() if importlib.util.find_spec(module) is None]
    return debian, pypi


def install() -> list[str]:
    """Install what is missing; the lines for what could not be."""
    debian, pypi = missing()
    if debian and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for words in (["update"], ["install", "--yes", "--no-install-recommends", *debian]):
            subprocess.run(["apt-get", "-qq", *words], env=quiet, stdout=subprocess.DEVNULL)
    if pypi:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *pypi])
    debian, pypi = missing()
    lines = [f"apt-get install {package}" for package in debian]
    return lines + [f"pip install {package}" for package in pypi]


def versions() -> dict[str, str]:
    """What is compared with, in which version."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for package in ("deciban", "numpy", "scipy", *PYPI.values()):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    for program, question in (("bogofilter", "-V"), ("spamassassin", "-V")):
        if shutil.which(program):
            said = subprocess.run([program, question], capture_output=True, text=True).stdout
            found[program] = next((word for word in said.split() if word[0].isdigit()), "?")
    return found


if __name__ == "__main__":
    for line in install():
        print(f"missing: {line}")
