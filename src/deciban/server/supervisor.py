"""The supervisor: opens the sockets, starts one writer and the workers, and replaces who dies.

It does no work itself and has no threads, so that it can fork at any time and hardly ever fails. Signals:

    SIGTERM, SIGINT   workers finish what they accepted, then the writer writes the rest; exit code 0
    SIGHUP            reload: the configuration is read again, and so is the program itself, which makes it an
                      upgrade too. The supervisor becomes a new program (exec) with the same sockets and
                      starts new processes; the old ones stop once the new ones are ready. The sockets never
                      close, so no connection is refused. A configuration that cannot be followed changes
                      nothing.

Each process beats once per second (lifeline.py). One that is silent for `STUCK_SECONDS` is killed and
replaced. With systemd the supervisor says when all are ready and, if a watchdog is wanted, that it goes on.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from time import monotonic
from typing import Any, NoReturn

from deciban.errors import DecibanError
from deciban.server.attendance import Attendance
from deciban.server.lifeline import Lifeline
from deciban.server.listening import ListeningPlace, address_of, handed_over
from deciban.server.server_configuration import ServerConfiguration
from deciban.server.server_log import ServerLog
from deciban.server.service_manager import ServiceManager
from deciban.server.worker import raise_descriptor_limit, run_worker
from deciban.server.writer import run_writer

STUCK_SECONDS = 60.0
# A process that dies sooner than this after its start is started again only after as long.
SHORT_LIFE_SECONDS = 1.0
# What one supervisor tells the next: descriptors of sockets by door, processes to stop, pipes to close then.
SOCKETS, FORMER = "DECIBAN_SERVE_SOCKETS", "DECIBAN_SERVE_FORMER"
METRICS = "PROMETHEUS_MULTIPROC_DIR"


class Child:
    """A process that we started."""

    def __init__(self, role: str, pid: int, down: int, up: int, place: int) -> None:
        """``place``: of a worker in the attendance (attendance.py)."""
        self.role, self.pid, self.place = role, pid, place
        self.down, self.up = down, up
        self.started = self.beat = monotonic()
        self.is_ready = False

    def close(self) -> None:
        """Let go of its pipes."""
        os.close(self.down)
        os.close(self.up)


class Supervisor:
    """Runs a server until it is told to stop."""

    def __init__(self, configuration: ServerConfiguration, folder: str, restart: list[str]) -> None:
        """``restart``: the command line that becomes the next supervisor."""
        self.configuration, self.folder = configuration, folder
        self._restart = restart
        self.log = ServerLog(configuration.log.form)
        self._children: dict[int, Child] = {}
        self._due: list[tuple[float, str]] = []
        self._attendance = Attendance(configuration.worker_count)
        self._ending = False
        self._manager = ServiceManager(os.environ)
        self._former = _former(os.environ.pop(FORMER, ""))
        self.sockets = self._open_sockets()
        self._runtime = tempfile.mkdtemp(prefix="deciban-")
        self._writer_path = os.path.join(self._runtime, "writer.sock")
        self._writer_socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._writer_socket.bind(self._writer_path)
        self._writer_socket.listen(128)
        os.environ[METRICS] = os.path.join(self._runtime, "metrics")
        os.mkdir(os.environ[METRICS])

    def addresses(self, door: str = "http") -> list[str]:
        """Where a door listens."""
        return [address_of(listening) for listening in self.sockets.get(door, ())]

    def run(self) -> int:
        """Serve until told to stop; the exit code."""
        raise_descriptor_limit()
        wake, awake = socket.socketpair()
        wake.setblocking(False)
        awake.setblocking(False)
        signal.set_wakeup_fd(awake.fileno())
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
            signal.signal(number, lambda *_: None)
        try:
            self._start("writer")
            for _ in range(self.configuration.worker_count):
                self._start("worker")
            while self._children or not self._ending:
                self._step(wake)
            self._manager.tell("STOPPING=1")
            self.log.say("server", "stopped")
            return 0
        finally:
            signal.set_wakeup_fd(-1)
            self._clean()

    def _step(self, wake: socket.socket) -> None:
        """Wait for something to happen, and deal with it."""
        pipes = {child.up: child for child in self._children.values()}
        ready, _, _ = select.select([wake.fileno(), *pipes], [], [], self._patience())
        for pipe in ready:
            if pipe == wake.fileno():
                for number in wake.recv(4096):
                    self._signalled(signal.Signals(number))
            elif os.read(pipe, 4096):
                self._is_alive(pipes[pipe])
        self._reap()
        self._replace_stuck()
        now = monotonic()
        due, self._due = [r for t, r in self._due if t <= now], [(t, r) for t, r in self._due if t > now]
        for role in due:
            if not self._ending:
                self._start(role)
        self._manager.beat()

    def _patience(self) -> float:
        soonest = min((moment for moment, _ in self._due), default=monotonic() + 1.0)
        return max(min(soonest - monotonic(), 1.0), 0.0)

    # Processes

    def _start(self, role: str) -> None:
        below, down = os.pipe()
        up, above = os.pipe()
        sys.stderr.flush()
        sys.stdout.flush()
        taken = {child.place for child in self._children.values() if child.role == "worker"}
        place = min(set(range(self.configuration.worker_count)) - taken, default=0)
        pid = os.fork()
        if pid == 0:
            self._be(role, Lifeline(below, above), (down, up), place)
        os.close(below)
        os.close(above)
        self._children[pid] = Child(role, pid, down, up, place)

    def _be(self, role: str, lifeline: Lifeline, not_ours: tuple[int, int], place: int) -> NoReturn:
        """Be a new process, and leave without what belongs to the supervisor."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            _name_process(f"deciban-{role}")
            for pipe in (*not_ours, *(p for c in self._children.values() for p in (c.down, c.up))):
                os.close(pipe)
            for pipe in self._former[1]:
                os.close(pipe)
            if role == "writer":
                hosts = self.configuration.server.results_from
                run_writer(self.folder, hosts, self._writer_socket, lifeline, self.log)
            else:
                self._writer_socket.close()
                self._attendance.enter(place)
                run_worker(
                    self.configuration,
                    self.folder,
                    self.sockets,
                    self._writer_path,
                    lifeline,
                    self.log,
                    self._attendance,
                )
            code = 0
        except DecibanError as error:
            self.log.say(role, "cannot go on", error=type(error).__name__, text=str(error))
        except BaseException as error:
            self.log.fault(role, error)
        finally:
            sys.stderr.flush()
            os._exit(code)

    def _is_alive(self, child: Child) -> None:
        child.beat = monotonic()
        if not child.is_ready:
            child.is_ready = True
            if all(each.is_ready for each in self._children.values()) and not self._due:
                self._all_ready()

    def _all_ready(self) -> None:
        self._manager.tell("READY=1")
        pids, pipes, folder = self._former
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        for pipe in pipes:
            os.close(pipe)
        self._former = pids, [], folder
        self.log.say(
            "server",
            "ready",
            workers=self.configuration.worker_count,
            listening=",".join(a for door in self.sockets for a in self.addresses(door)),
        )

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            child = self._children.pop(pid, None)
            if child is None:
                self._is_gone_before(pid)
                continue
            child.close()
            if child.role == "worker":
                self._attendance.leave(child.place)
            self._forget_metrics(pid)
            if self._ending:
                self._end_writer_if_alone()
                continue
            lived = monotonic() - child.started
            self.log.say(child.role, "died, is replaced", pid=pid, code=os.waitstatus_to_exitcode(status))
            self._due.append(
                (monotonic() + (SHORT_LIFE_SECONDS if lived < SHORT_LIFE_SECONDS else 0), child.role)
            )

    def _is_gone_before(self, pid: int) -> None:
        """A process of the supervisor before us has ended; with the last one goes their folder."""
        pids, pipes, folder = self._former
        left = [each for each in pids if each != pid]
        if pids and not left and folder:
            shutil.rmtree(folder, ignore_errors=True)
        self._former = left, pipes, folder

    def _replace_stuck(self) -> None:
        for child in self._children.values():
            if monotonic() - child.beat > STUCK_SECONDS and not self._ending:
                self.log.say(child.role, "is stuck, is killed", pid=child.pid)
                child.beat = monotonic()
                os.kill(child.pid, signal.SIGKILL)

    def _forget_metrics(self, pid: int) -> None:
        """Gauges of a process go with it; what it counted stays."""
        from prometheus_client import multiprocess

        multiprocess.mark_process_dead(pid)  # type: ignore[no-untyped-call]

    # Signals

    def _signalled(self, number: signal.Signals) -> None:
        if number in (signal.SIGTERM, signal.SIGINT):
            self._end()
        elif number == signal.SIGHUP and not self._ending:
            self._reload()

    def _end(self) -> None:
        if self._ending:
            return
        self._ending = True
        self._due.clear()
        self.log.say("server", "stopping")
        for child in self._children.values():
            if child.role == "worker":
                os.kill(child.pid, signal.SIGTERM)
        self._end_writer_if_alone()

    def _end_writer_if_alone(self) -> None:
        """The writer goes last: until then workers finish what they accepted."""
        if all(child.role == "writer" for child in self._children.values()):
            for child in self._children.values():
                os.kill(child.pid, signal.SIGTERM)

    def _reload(self) -> None:
        """Become the next supervisor, if it would start."""
        self._manager.tell("RELOADING=1")
        checked = subprocess.run([*self._restart, "--check"], capture_output=True, text=True)
        if checked.returncode:
            self.log.say(
                "server", "not reloaded, since the configuration is wrong", text=checked.stderr.strip()
            )
            self._manager.tell("READY=1")
            return
        self.log.say("server", "reloading")
        os.environ[SOCKETS] = ";".join(
            f"{door}={','.join(str(each.fileno()) for each in sockets)}"
            for door, sockets in self.sockets.items()
        )
        pipes = [pipe for child in self._children.values() for pipe in (child.down, child.up)]
        os.environ[FORMER] = (
            f"{','.join(map(str, self._children))};{','.join(map(str, pipes))};{self._runtime}"
        )
        for descriptor in (*pipes, *(each.fileno() for many in self.sockets.values() for each in many)):
            os.set_inheritable(descriptor, True)
        signal.set_wakeup_fd(-1)
        os.execv(self._restart[0], self._restart)

    # Sockets

    def _open_sockets(self) -> dict[str, list[socket.socket]]:
        """Of the supervisor before us, of systemd, or new; those that no door wants any more are closed."""
        kept = {}
        for part in filter(None, os.environ.pop(SOCKETS, "").split(";")):
            door, _, numbers = part.partition("=")
            kept[door] = [socket.socket(fileno=int(number)) for number in numbers.split(",")]
        handed = handed_over(os.environ)  # type: ignore[arg-type]
        opened: dict[str, list[socket.socket]] = {}
        for door, settings in self.configuration.doors().items():
            known = {address_of(each): each for each in (*kept.get(door, ()), *handed)}
            opened[door] = []
            for text in settings.listen:
                found = known.get(text)
                opened[door] += [found] if found else self._known_or_new(text, kept.get(door, []), settings)
        used = {id(each) for many in opened.values() for each in many}
        for each in (*handed, *(each for many in kept.values() for each in many)):
            if id(each) not in used:
                each.close()
        for many in opened.values():
            for each in many:
                each.setblocking(False)
        return opened

    def _known_or_new(self, text: str, kept: list[socket.socket], settings: Any) -> list[socket.socket]:
        """A name may have several addresses, and port 0 any: those that were opened for it before."""
        place = ListeningPlace.of(text)
        if not place.path:
            same = [each for each in kept if each.family != socket.AF_UNIX and _is_at(each, place)]
            if same:
                return same
        mode, group = getattr(settings, "socket_mode", "0600"), getattr(settings, "socket_group", "")
        return place.open(int(mode, 8), group)

    def _clean(self) -> None:
        shutil.rmtree(self._runtime, ignore_errors=True)
        for many in self.sockets.values():
            for each in many:
                if each.family == socket.AF_UNIX:
                    with suppress(OSError):
                        os.unlink(each.getsockname())
                each.close()


def _name_process(name: str) -> None:
    """Have this process and its threads shown by a name in ps and top, of at most 15 bytes."""
    with suppress(OSError), open("/proc/self/comm", "w", encoding="ascii") as file:
        file.write(name)


def _is_at(listening: socket.socket, place: ListeningPlace) -> bool:
    host, port = listening.getsockname()[:2]
    if place.port not in (0, port):
        return False
    found = socket.getaddrinfo(place.host, port, type=socket.SOCK_STREAM)
    return host in {address[0] for *_, address in found}


def _former(text: str) -> tuple[list[int], list[int], str]:
    """Processes of the supervisor before us, the pipes that keep them alive, and their folder."""
    if not text:
        return [], [], ""
    pids, pipes, folder = text.split(";")
    return _numbers(pids), _numbers(pipes), folder


def _numbers(text: str) -> list[int]:
    return [int(each) for each in text.split(",") if each]
