"""What is compared with other libraries holds on other processors too: OpenBLAS takes other kernels there.

Matrix products differ in their last digits between kernels. A comparison that only holds for those of one
processor fails on the next; so the oracles that multiply matrices run once under each of two old kernels.
"""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
# Whatever multiplies matrices, on this side or the other. The other oracles would give the same answer.
ORACLES = ["test_neighbors.py", "test_mixtures.py", "test_scikit_learn.py"]
NEEDS = {"Haswell": "avx2", "Nehalem": "sse4_2"}


def can_run(kernels):
    info = Path("/proc/cpuinfo")
    return platform.machine() == "x86_64" and info.exists() and f" {NEEDS[kernels]} " in info.read_text()


@pytest.mark.parametrize("kernels", NEEDS)
def test_oracles_agree_under_the_kernels_of_other_processors(kernels):
    if not can_run(kernels):
        pytest.skip(f"this processor cannot run the {kernels} kernels")
    shown = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
        + [str(TESTS / "oracles" / name) for name in ORACLES],
        env={**os.environ, "OPENBLAS_CORETYPE": kernels},
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert shown.returncode == 0, shown.stdout[-4000:]
