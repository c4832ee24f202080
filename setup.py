"""Compiles every .pyx below src/ into an extension module; everything else is in pyproject.toml.

Bounds checks stay on: any bytes are a mail, and an index past the end must be an error, never a read.
DECIBAN_SANITIZE=address builds the same code under AddressSanitizer, and DECIBAN_TRACE=1 so that every basic
block reports to fuzz/trace.c when it is run (see fuzz/instrumented.py, which uses both).
"""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

SANITIZE = os.environ.get("DECIBAN_SANITIZE")
# -g1 names the lines of a report, and builds faster than -g.
SANITIZER_FLAGS = [f"-fsanitize={SANITIZE}", "-fno-omit-frame-pointer", "-g1"] if SANITIZE else []
# -O1 builds in half the time; the header makes memchr and memcpy report how many bytes they went over.
TRACE_FLAGS = ["-O1", "-fsanitize-coverage=trace-pc", "-include", str(Path("fuzz/trace.h").resolve())]
# Plain -O3: no -ffast-math and no -march=native, so that a replay gives the same bits on every machine.
COMPILE_FLAGS = ["-O3", "-ffp-contract=off", *SANITIZER_FLAGS]
if os.environ.get("DECIBAN_TRACE"):
    COMPILE_FLAGS += TRACE_FLAGS


def extension(source: Path) -> Extension:
    """The extension module of one .pyx file, named after its place in the package."""
    module = ".".join(source.relative_to("src").with_suffix("").parts)
    return Extension(module, [str(source)], extra_compile_args=COMPILE_FLAGS, extra_link_args=SANITIZER_FLAGS)


setup(
    ext_modules=cythonize(
        [extension(source) for source in sorted(Path("src").rglob("*.pyx"))],
        include_path=["src"],
        compiler_directives={
            "language_level": 3,
            "boundscheck": True,
            "wraparound": False,
            "cdivision": True,
            "embedsignature": True,
        },
        build_dir="build",
    ),
    # One compiler for each core: the extensions do not depend on each other.
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
)
