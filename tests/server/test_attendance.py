import os
import signal
from pathlib import Path

from deciban.server.attendance import Attendance
from tests.server.running_server import RunningServer


def test_a_worker_leaves_the_next_connection_to_one_that_is_there_and_has_fewer() -> None:
    attendance = Attendance(3)
    attendance.enter(1)
    attendance.enter(2)
    attendance.count(+1)
    assert attendance.others_have_fewer()
    attendance.leave(1)
    assert not attendance.others_have_fewer()
    attendance.count(-1)
    attendance.enter(0)
    assert not attendance.others_have_fewer()


def test_a_worker_that_does_not_move_keeps_no_connection_from_the_others(tmp_path: Path) -> None:
    with RunningServer(tmp_path, "[server]\nworkers = 2\n") as server:
        stopped = min(pid for pid, role in server.children().items() if role == "worker")
        os.kill(stopped, signal.SIGSTOP)
        try:
            statuses = [server.get("labels").status for _ in range(5)]
        finally:
            os.kill(stopped, signal.SIGCONT)
        assert statuses == [200] * 5
