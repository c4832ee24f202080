"""Servers that classify mail, started for a benchmark on loopback: deciban, and Debian's spamd and rspamd.

The peers do Bayes only, as deciban does: no other rules, no network, learned from the same mails.
Everything that is not their default stands here. Each runs as many processes as there are cores, and lives
in a folder that goes with it. A server gives the bytes of a question about a mail, and tells where an
answer ends.
"""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Self

from deciban.spaces import Spaces
from deciban.spaces.key import KeyScope
from deciban.spaces.rights import RIGHTS

CORES = len(os.sched_getaffinity(0))
START_SECONDS = 60
Mail = tuple[str, bytes]

# Only the plug-in that learns; every other rule file is left out of the folder of rules.
SPAMD_RULES = """
loadplugin Mail::SpamAssassin::Plugin::Bayes
use_bayes 1
use_bayes_rules 1
bayes_auto_learn 0
bayes_auto_expire 0
bayes_path {folder}/bayes
bayes_min_ham_num 1
bayes_min_spam_num 1
lock_method flock
body BAYES_00 eval:check_bayes('0.00', '0.01')
body BAYES_50 eval:check_bayes('0.40', '0.60')
body BAYES_99 eval:check_bayes('0.99', '1.00')
tflags BAYES_00 nice learn
tflags BAYES_50 learn
tflags BAYES_99 learn
score BAYES_99 6.0
"""
SPAMD_PLUGIN = "loadplugin Mail::SpamAssassin::Plugin::Check\n"

RSPAMD = """
options {{
  pidfile = "{folder}/rspamd.pid";
  filters = "";
  temp_dir = "{folder}";
  control_socket = "{folder}/control.sock mode=0600";
  dns {{ nameserver = ["127.0.0.1:1"]; timeout = 1s; retransmits = 1; }}
  explicit_modules = [];
}}
logging {{ type = "file"; filename = "{folder}/rspamd.log"; level = "error"; }}
worker "{worker}" {{ bind_socket = "127.0.0.1:{port}"; count = {cores}; {more} }}
worker "controller" {{ bind_socket = "127.0.0.1:{control}"; count = 1; secure_ip = "127.0.0.1"; }}
actions {{ reject = 15; add_header = 6; greylist = 4; }}
group "statistics" {{
  symbols {{ "BAYES_SPAM" {{ weight = 6.0; }} "BAYES_HAM" {{ weight = -3.0; }} }}
}}
classifier "bayes" {{
  tokenizer {{ name = "osb"; }}
  backend = "redis";
  servers = "{folder}/redis.sock";
  min_tokens = 11;
  min_learns = 1;
  statfile {{ symbol = "BAYES_HAM"; spam = false; }}
  statfile {{ symbol = "BAYES_SPAM"; spam = true; }}
}}
"""


SERVED = """
[http]
listen = ["127.0.0.1:{port}"]
[server]
workers = {workers}
open_spaces = {open_spaces}
"""


class ServedFilter:
    """A server in a folder of its own."""

    name = ""
    keeps_connections = True
    half_closes = False
    """Whether a question ends with the end of what the client sends."""
    beginning, part = "HTTP/1.1 200 ", ""
    """How an answer starts that is a verdict, and what is in it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"deciban-{self.name.replace(' ', '-')}-"))
        self.port = free_port()
        self.processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait(60)
        shutil.rmtree(self.folder, ignore_errors=True)

    def question(self, mail: bytes) -> bytes:
        """The bytes that ask about a mail."""
        raise NotImplementedError

    def pids(self) -> list[int]:
        """All processes of the server."""
        found, todo = [], [process.pid for process in self.processes]
        while todo:
            pid = todo.pop()
            try:
                todo += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
            except OSError:  # it has ended
                continue
            found.append(pid)
        return found

    def cpu_seconds(self) -> float:
        """The processor time that they have taken so far, those that ended included."""
        ticks = 0
        for pid in self.pids():
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float:
        """The memory of all of them, each page counted once (PSS)."""
        texts = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in self.pids()]
        lines = "".join(texts).splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1e3

    def _start(self, *command: str, log: IO[bytes] | int = subprocess.DEVNULL) -> None:
        self.processes.append(subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder))

    def _wait_for(self, port: int) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit(f"{self.name} did not start; see {self.folder}")


class ServedDeciban(ServedFilter):
    """deciban serve, as it comes; ``journal`` is what it does by itself and peers do not."""

    def __init__(
        self,
        mails: Iterable[Mail],
        journal: bool = True,
        others: Iterable[str] = (),
        open_spaces: int = 64,
        workers: int = CORES,
    ) -> None:
        """``mails`` are learned by the space ``mail``; ``others`` are spaces beside it."""
        self.name = "deciban" if journal else "deciban without journal"
        super().__init__()
        self.path = "/v1/spaces/mail/classify" + ("" if journal else "?journal=false")
        with Spaces(str(self.folder / "spaces"), create=True) as opened:
            opened.add(["mail", *others])
            self.key = opened.keys.add(RIGHTS, KeyScope())[1]
            self.prepare(opened)
        path = self.folder / "server.toml"
        path.write_text(
            SERVED.format(port=self.port, workers=workers, open_spaces=open_spaces), encoding="utf-8"
        )
        self._start(
            sys.executable, "-m", "deciban", "serve", "--config", str(path),
            "--spaces", str(self.folder / "spaces"),
        )  # fmt: skip
        self._wait_for(self.port)
        self.learn(mails)

    def prepare(self, spaces: Spaces) -> None:
        """Make more of the folder before the server starts."""

    def learn(self, mails: Iterable[Mail], space: str = "mail") -> None:
        """Teach mails through the door."""
        from deciban.client import Client

        with Client(f"http://127.0.0.1:{self.port}", self.key, space, 600.0) as client:
            client.learn_many(mails)

    def question(self, mail: bytes, space: str = "mail") -> bytes:
        """The bytes that ask about a mail."""
        path = self.path.replace("/mail/", f"/{space}/")
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.key}\r\n"
        kind = f"Content-Type: message/rfc822\r\nContent-Length: {len(mail)}\r\n\r\n"
        return (head + kind).encode() + mail


class ServedSpamd(ServedFilter):
    """Debian's spamd: one connection for each message, as its protocol wants it."""

    name = "spamd"
    keeps_connections = False
    half_closes = True
    beginning = "SPAMD/1.1 0 EX_OK"

    def __init__(self, mails: Iterable[Mail]) -> None:
        super().__init__()
        rules = self.folder / "rules"
        rules.mkdir()
        (rules / "bayes.cf").write_text(SPAMD_RULES.format(folder=self.folder))
        (rules / "bayes.pre").write_text(SPAMD_PLUGIN)
        where = ["--configpath", str(rules), "--siteconfigpath", str(rules)]
        for label in ("spam", "ham"):
            kept = self.folder / label
            kept.mkdir()
            for number, (found, data) in enumerate(mails):
                if found == label:
                    (kept / str(number)).write_bytes(data)
            command = [
                "sa-learn",
                *where,
                "--prefspath",
                "/dev/null",
                "-L",
                "--no-sync",
                f"--{label}",
                str(kept),
            ]
            subprocess.run(command, check=True, capture_output=True)
        subprocess.run(
            ["sa-learn", *where, "--prefspath", "/dev/null", "--sync"], check=True, capture_output=True
        )
        user = getpass.getuser()
        if user == "root":  # whom it refuses
            user = "nobody"
            for path in (self.folder, *self.folder.rglob("*")):
                shutil.chown(path, user)
        self._start(
            shutil.which("spamd") or "/usr/sbin/spamd", *where, "-L", "-x", "-u", user,
            "-i", "127.0.0.1", "-p", str(self.port), "-m", str(CORES), "--min-children", str(CORES),
            "--max-spare", str(CORES), "--max-conn-per-child", "100000", "-s", "null",
        )  # fmt: skip
        self._wait_for(self.port)

    def question(self, mail: bytes) -> bytes:
        """The bytes that ask about a mail."""
        return b"CHECK SPAMC/1.5\r\nContent-length: %d\r\n\r\n%b" % (len(mail), mail)


class ServedRspamd(ServedFilter):
    """Debian's rspamd with its own Redis; it closes each connection after its answer."""

    name = "rspamd"
    keeps_connections = False
    part = "BAYES_"
    worker, more = "normal", "mime = true;"
    """The kind of process that is asked, and its settings."""

    def __init__(self, mails: Iterable[Mail]) -> None:
        super().__init__()
        self.folder.chmod(0o755)
        control = free_port(besides=self.port)
        redis = str(self.folder / "redis.sock")
        self._start(
            "redis-server", "--port", "0", "--unixsocket", redis, "--unixsocketperm", "777", "--save", ""
        )
        path = self.folder / "rspamd.conf"
        path.write_text(
            RSPAMD.format(
                folder=self.folder,
                worker=self.worker,
                port=self.port,
                more=self.more,
                control=control,
                cores=CORES,
            )
        )
        user = ["-i"] if os.geteuid() == 0 else []
        self._start("rspamd", "-f", *user, "-c", str(path))
        self._wait_for(self.port)
        self._wait_for(control)
        for label, data in mails:
            request = urllib.request.Request(f"http://127.0.0.1:{control}/learn{label}", data)
            try:
                urllib.request.urlopen(request).read()
            except urllib.error.HTTPError as error:
                error.read()  # too few words, or known already

    def question(self, mail: bytes) -> bytes:
        """The bytes that ask about a mail."""
        return b"POST /checkv2 HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%b" % (
            len(mail),
            mail,
        )


def free_port(besides: int = 0) -> int:
    """A port that nobody listens at now."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        if port != besides:
            return port
