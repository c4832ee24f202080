"""The picture in the README is made by a command that runs the real program."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parent.parent


def test_the_picture_of_first_steps_is_made_by_a_command(tmp_path):
    target = tmp_path / "steps.svg"
    command = [sys.executable, str(ROOT / "tools" / "make_first_steps.py"), str(target)]
    subprocess.run(command, check=True, cwd=ROOT)
    drawn, kept = (texts(path) for path in (target, ROOT / "docs" / "pictures" / "first-steps.svg"))
    assert [line for line in drawn if line.startswith("$ ")] == [
        line for line in kept if line.startswith("$ ")
    ]
    assert "learned 126 messages as spam" in drawn
    assert any(line.endswith("as if never taught") for line in drawn)


def texts(path):
    root = ElementTree.parse(path).getroot()
    return ["".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text")]
