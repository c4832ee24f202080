"""A name means one thing in the whole house: no two classes and no two files share one."""

import re
from collections import defaultdict
from pathlib import Path

import deciban

ROOT = Path(deciban.__file__).parent
CLASS = re.compile(r"^(?:class|cdef class|cdef struct|ctypedef (?:packed )?struct) (\w+)", re.MULTILINE)
SOURCES = [path for path in ROOT.rglob("*") if path.suffix in (".py", ".pyx", ".pxd")]
# Some verbs of the command line are called after what they show, and their files after the verbs.
CONVENTIONAL = {"cli/filter", "cli/journal", "cli/key", "cli/space", "cli/status", "cli/table"}


def places(names):
    """Where each name is used: places by name."""
    found = defaultdict(set)
    for name, place in names:
        found[name].add(place)
    return found


def module_of(path):
    """The place of a file without the mark of compiled code: _x.pyx, _x.pxd and x.py are one."""
    return path.relative_to(ROOT).with_name(path.stem.removeprefix("_")).as_posix()


def test_no_two_classes_have_one_name():
    defined = places((name, module_of(path)) for path in SOURCES for name in CLASS.findall(path.read_text()))
    assert {name: where for name, where in defined.items() if len(where) > 1} == {}


def test_no_two_files_have_one_name():
    modules = {module_of(path) for path in SOURCES if path.stem != "__init__"} - CONVENTIONAL
    named = places((module.rpartition("/")[2], module) for module in modules)
    assert {name: where for name, where in named.items() if len(where) > 1} == {}
