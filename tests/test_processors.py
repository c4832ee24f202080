"""What is computed here is the same on other processors, where libraries take other ways to compute it.

What a filter learns has the same bits everywhere, also where the C library's exp and log do without fused
multiply-add. What is compared with other libraries holds there too: OpenBLAS takes other kernels.

Matrix products differ in their last digits between kernels. A comparison that only holds for those of one
processor fails on the next; so the oracles that multiply matrices run once under each of two old kernels.
"""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recorded import PATH

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


# Before glibc 2.33 these were called otherwise; names that it does not know are passed over.
WITHOUT_FUSING = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable,-FMA4_Usable"
BITS = """
from deciban.sample import sample_mails
from tests.recorded import bits

print(*bits(sample_mails(seed=0)), sep="\\n")
"""


@pytest.mark.parametrize("tunables", ["", WITHOUT_FUSING], ids=["as it is", "without fused multiply-add"])
def test_a_state_and_its_exams_have_the_same_bits_under_every_code_path_of_the_c_library(tunables):
    shown = subprocess.run(
        [sys.executable, "-c", BITS],
        env={**os.environ, "GLIBC_TUNABLES": tunables},
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    recorded = [line for line in PATH.read_text(encoding="utf-8").splitlines() if line.startswith("bits ")]
    assert shown.stdout.splitlines() == recorded
