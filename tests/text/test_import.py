"""What importing deciban.text brings, and what it says when the compiled part is missing."""

import shutil
import subprocess
import sys
from pathlib import Path

import deciban


def python(code: str, path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path.insert(0, {str(path)!r}); {code}"],
        capture_output=True,
        text=True,
    )


def test_reading_needs_nothing_but_the_core() -> None:
    source = Path(deciban.__file__).parents[1]
    done = python("import deciban.text; print(*sorted(sys.modules))", source)
    modules = done.stdout.split()
    assert "deciban.text._reader" in modules
    assert not {"numpy", "scipy", "sklearn", "email"} & set(modules)


def test_a_missing_compiled_part_says_how_to_build_it(tmp_path: Path) -> None:
    package = Path(deciban.__file__).parent
    shutil.copytree(package, tmp_path / "deciban", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    done = python("import deciban.text", tmp_path)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("deciban.errors.NotBuilt: ")
    assert "pip install" in last
