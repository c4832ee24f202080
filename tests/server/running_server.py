"""A real server in a folder of its own, on a port of loopback that it chooses, for tests."""

import http.client
import json
import os
import re
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from deciban.spaces import Spaces
from deciban.spaces.key import KeyScope
from deciban.spaces.rights import RIGHTS

MAIL = "message/rfc822"
START_SECONDS = 60


class Answered:
    """A response, read whole."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, {k.lower(): v for k, v in headers.items()}, body

    def json(self) -> Any:
        return json.loads(self.body)

    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.body.splitlines()]

    def __repr__(self) -> str:
        return f"{self.status} {self.body[:500]!r}"


class RunningServer:
    """Started by ``with``; told to stop, and waited for, at its end."""

    def __init__(self, folder: Path, configuration: str = "", spaces: tuple[str, ...] = ("mail",)) -> None:
        self.folder = folder / "spaces"
        self.configuration = folder / "server.toml"
        if "[http]" not in configuration:
            configuration += '\n[http]\nlisten = ["127.0.0.1:0"]\n'
        self.configuration.write_text(configuration)
        self.log_path = folder / "server.log"
        with Spaces(str(self.folder), create=True) as opened:
            opened.add(spaces)
            self.key = opened.keys.add(RIGHTS, KeyScope())[1]
        self.port = 0

    def add_key(self, *rights: str, space: str = "", pattern: str = "", expires: int | None = None) -> str:
        with Spaces(str(self.folder)) as opened:
            identity = opened.find(space).id if space else ""
            return opened.keys.add(rights, KeyScope(identity, pattern), expires)[1]

    # Its life

    def __enter__(self) -> "RunningServer":
        self.log = open(self.log_path, "wb")
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "deciban",
                "serve",
                "--config",
                self.configuration,
                "--spaces",
                self.folder,
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self._seen = threading.Condition()
        self._lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        ready = self.wait_for(r'ready.*listening[=": ]+([^" ]+)')
        self.addresses = ready.group(1).strip().split(",")
        ports = [address.rpartition(":")[2] for address in self.addresses if not address.startswith("unix:")]
        self.port = int(ports[0]) if ports else 0
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        self._reader.join(10)
        self.log.close()

    def kill(self) -> None:
        """End all its processes at once, as a lack of power does; ``with`` may start it again."""
        for pid in (self.process.pid, *self.children()):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(60)
        self._reader.join(10)
        self.log.close()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log.write(line)
            with self._seen:
                self._lines.append(line.decode())
                self._seen.notify_all()
        with self._seen:
            self._lines.append("")
            self._seen.notify_all()

    def wait_for(self, pattern: str, after: int = 0, seconds: float = START_SECONDS) -> re.Match[str]:
        """The first line of the log, behind so many, that matches."""
        found: list[re.Match[str]] = []

        def is_there() -> bool:
            found[:] = [match for line in self._lines[after:] if (match := re.search(pattern, line))]
            return bool(found) or "" in self._lines[after:]

        with self._seen:
            self._seen.wait_for(is_there, seconds)
        assert found, f"{pattern} is not in the log: {self._lines}"
        return found[0]

    def wait_for_the_end_of(self, pids: Iterable[int]) -> None:
        """Wait until processes have ended, such as those from before a reload."""
        for pid in pids:
            with suppress(ProcessLookupError):
                handle = os.pidfd_open(pid)
                ended, _, _ = select.select([handle], [], [], START_SECONDS)
                os.close(handle)
                assert ended, f"{pid} does not end"

    @property
    def log_lines(self) -> list[str]:
        return list(self._lines)

    def children(self) -> dict[int, str]:
        """The processes of the server: the id of each, and what it is by the name that `ps` shows."""
        pids = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        found = {}
        for pid in pids:
            with suppress(OSError):  # it has ended meanwhile
                name = Path(f"/proc/{pid}/comm").read_text().strip()
                found[int(pid)] = name.removeprefix("deciban-")
        return found

    # Asking

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = "",
        kind: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> Answered:
        """Send a request: a dictionary as JSON, a list as lines of it, bytes as mail."""
        sent: dict[str, str] = {}
        data: Any = body
        if isinstance(body, dict):
            data, sent["Content-Type"] = json.dumps(body).encode(), "application/json"
        elif isinstance(body, list):
            data = b"".join(json.dumps(each).encode() + b"\n" for each in body)
            sent["Content-Type"] = "application/x-ndjson"
        elif body is not None:
            sent["Content-Type"] = MAIL
        if kind:
            sent["Content-Type"] = kind
        if key is not None:
            sent["Authorization"] = f"Bearer {key or self.key}"
        sent.update(headers or {})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, data, sent)
            response = connection.getresponse()
            return Answered(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()

    def post(self, operation: str, body: Any, *, space: str = "mail", **options: Any) -> Answered:
        return self.request("POST", f"/v1/spaces/{quote(space, safe='')}/{operation}", body, **options)

    def get(self, operation: str, *, space: str = "mail", **options: Any) -> Answered:
        return self.request("GET", f"/v1/spaces/{quote(space, safe='')}/{operation}", **options)


def mail_of(label: str, number: int) -> bytes:
    """A mail that looks like its label."""
    text = "Free money, win big now" if label == "spam" else "Lunch with the team, agenda attached"
    head = f"From: {label}{number}@example.org\nSubject: {text}\nMessage-ID: <{label}{number}@x>"
    return f"{head}\n\n{text} {number}\n".encode()


def teach(server: RunningServer, count: int = 6, space: str = "mail") -> None:
    """Teach some spam and some ham, in one request."""
    lines = [
        {"text": mail_of(label, number).decode(), "label": label}
        for number in range(count)
        for label in ("spam", "ham")
    ]
    answer = server.post("learn", lines, space=space)
    assert answer.status == 200, answer
    assert answer.lines()[-1]["done"], answer
