"""Every verb on a disk that is really full, or that can only be read: all or nothing, and one line says so.

The disk is a tmpfs in a mount namespace of its own (small_disk.py). That needs root, or a system that lets
its users have namespaces.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deciban.filter import Filter
from tests.effort import effort
from tests.filter.mails import SPARSE
from tests.filter.test_failing_calls import (  # noqa: F401 (a fixture)
    READING,
    REFUSED,
    ROOT,
    VERBS,
    contents,
    prepared,
)

# What only asks must work where nothing can be written.
ASKING = ("classify", *READING)
ROOMS = [str(kilobytes) for kilobytes in range(0, effort(500, 800), effort(160, 16))]
UNSHARE = ["unshare", "--mount", *(() if os.geteuid() == 0 else ("--map-root-user",))]

Outcome = dict[str, Any]


@pytest.fixture(scope="module")
def _own_disks() -> None:
    """Skip where no disk can be mounted."""
    if shutil.which("unshare") is None or shutil.which("mount") is None:
        pytest.skip("unshare and mount are needed for a disk of one's own")
    command = [*UNSHARE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this system does not let us mount a disk: run as root")


def outcomes(folder: Path, verb: str, *rooms: str) -> tuple[str, Outcome, list[Outcome]]:
    """What the filter holds before, how the verb usually ends, and how with so much room."""
    done = subprocess.run(
        [*UNSHARE, sys.executable, "-m", "tests.filter.small_disk", str(folder), verb, *rooms],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    before, usual, *tried = map(json.loads, done.stdout.splitlines())
    return before, usual, tried


def wrong_with(outcome: Outcome, usual: Outcome, undone: set[str]) -> list[str]:
    """What is wrong with how a verb ended that had too little room."""
    found = []
    if outcome["code"] == usual["code"]:
        if outcome["now"] != usual["now"]:
            found.append("no error, but it was not done")
    elif outcome["code"] != REFUSED:
        found.append("unknown exit code")
    elif outcome["now"] not in undone:
        found.append("an error, and something was done")
    if outcome["error"].count("\n") > 1 or "unforeseen" in outcome["error"]:
        found.append("not one clear line")
    if "permissions" in outcome["error"]:
        found.append("the wrong reason")
    if outcome["left"]:
        found.append("files were left over")
    return found


@pytest.mark.usefixtures("_own_disks")
@pytest.mark.parametrize("verb", VERBS)
def test_on_a_full_disk_a_verb_does_all_or_nothing_and_nobody_is_killed(
    prepared: Path,  # noqa: F811
    tmp_path: Path,
    verb: str,
) -> None:
    before, usual, tried = outcomes(prepared, verb, *ROOMS)
    undone = {before}
    if verb == "make":  # the ledger may have been made, and the lesson refused
        Filter.open(str(tmp_path / "empty"), SPARSE).close()
        undone.add(repr(contents(tmp_path / "empty")))
    wrong = []
    for room, outcome in zip(ROOMS, tried, strict=True):
        found = wrong_with(outcome, usual, undone)
        if verb == "filter":  # the message goes on, with tags or without
            found = [] if "bodywordspam101" in outcome["output"] else ["the message is lost"]
        wrong += [f"{room} KB: {each} ({outcome['code']} {outcome['error']!r})" for each in found]
    assert not wrong, "\n".join(wrong)


@pytest.mark.usefixtures("_own_disks")
@pytest.mark.parametrize("verb", VERBS)
def test_on_a_disk_that_can_only_be_read_who_asks_is_answered_and_who_teaches_is_told(
    prepared: Path,  # noqa: F811
    verb: str,
) -> None:
    before, usual, (outcome,) = outcomes(prepared, verb, "read-only")
    assert outcome["now"] == before
    if verb in ASKING:
        assert (outcome["code"], outcome["error"]) == (usual["code"], usual["error"])
        assert outcome["output"] == usual["output"] or verb in ("status", "check")
    else:
        assert outcome["code"] == REFUSED
        assert outcome["error"].count("\n") == 1
