"""Nobody is left behind: workers end when their parent is interrupted, and when it is killed."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PROGRAM = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from deciban import Poisson
from deciban.engines import Processes, tally
from engines.pieces import Endless

if __name__ == "__main__":
    tally([Endless(Path({folder!r}))], Poisson(), Processes(2))
"""


def is_there(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_worker_outlives_its_parent(tmp_path, ending):
    (tmp_path / "work").mkdir()
    script = tmp_path / "script.py"
    script.write_text(PROGRAM.format(tests=str(TESTS), folder=str(tmp_path / "work")))
    with subprocess.Popen([sys.executable, str(script)], stderr=subprocess.PIPE) as parent:
        while not (working := [int(path.name) for path in (tmp_path / "work").iterdir()]):
            assert parent.poll() is None, parent.stderr.read().decode()
        parent.send_signal(ending)
        told = parent.stderr.read().decode()  # ends when the last process that holds it is gone
    assert parent.returncode in (-ending, 1)
    assert not any(map(is_there, working))
    assert told.count("Traceback") <= 1  # that of the parent, none of the workers


INTERRUPTED_IN_A_RESULT = """
from deciban.engines import Processes

def large(number):
    return bytes(50_000_000)

if __name__ == "__main__":
    with Processes(2).running() as engine:
        for number, _ in enumerate(engine.map(large, range(20))):
            if number == 5:  # by now both are at work
                raise KeyboardInterrupt
"""


def test_an_interrupt_in_the_middle_of_a_result_does_not_wait_for_its_rest(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTED_IN_A_RESULT)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, timeout=60)
    assert done.returncode == -signal.SIGINT, done.stderr.decode()
