"""Load on servers that classify mail: messages per second and latencies, beside spamd and rspamd.

    python -m benchmarks serving

SpamAssassin's mails, sent by a client that speaks each protocol over plain sockets and looks at nothing but
where an answer ends; it runs on the same cores, so what it takes is missing to everybody. All servers
learned the same 1,000 mails and are asked about the same others. Windows of all of them are interleaved; a
figure is the median over windows. Configurations of the peers are in serving_peers.py.
"""

from __future__ import annotations

import os
import socket
import statistics
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path

from benchmarks.corpora import labelled_mail
from benchmarks.measure import Table, show
from benchmarks.serving_peers import ServedDeciban, ServedFilter, ServedRspamd, ServedSpamd
from deciban.evaluate import shuffled

TAUGHT, ASKED = 1_000, 1_000
CONNECTIONS = 8
WINDOWS, WINDOW_SECONDS = 5, 3.0


class Load(threading.Thread):
    """One connection that asks again and again, until the window ends, at most at a rate if one is given."""

    def __init__(
        self, server: ServedFilter, questions: Iterator[bytes], end: float, every: float = 0.0
    ) -> None:
        super().__init__()
        self._server, self._questions, self._end, self._every = server, questions, end, every
        self.seconds: list[float] = []
        self.wrong = 0

    def run(self) -> None:
        """Ask."""
        connection: socket.socket | None = None
        due = time.perf_counter()
        while (now := time.perf_counter()) < self._end:
            if self._every:
                due += self._every
                if due > now:
                    time.sleep(due - now)
            began = time.perf_counter()
            if connection is None:
                connection = socket.create_connection(("127.0.0.1", self._server.port), 60)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(next(self._questions))
            if self._server.half_closes:
                connection.shutdown(socket.SHUT_WR)
            answer = b""
            while data := connection.recv(65_536):
                answer += data
                if self._server.is_whole(answer):
                    break
            self.seconds.append(time.perf_counter() - began)
            self.wrong += not self._server.is_right(answer)
            if not self._server.keeps_connections or not data:
                connection.close()
                connection = None
        if connection is not None:
            connection.close()


def window(
    server: ServedFilter, mails: Sequence[bytes], rate: float = 0.0, connections: int = CONNECTIONS
) -> tuple[float, list[float], int]:
    """Messages per second in one window, the time of each, and how many answers were no verdicts."""
    every = connections / rate if rate else 0.0
    began = time.perf_counter()
    loads = []
    for number in range(connections):
        part = [server.question(mail) for mail in mails[number::connections]]
        loads.append(Load(server, cycle(part), began + WINDOW_SECONDS, every))
    for load in loads:
        load.start()
    for load in loads:
        load.join()
    took = time.perf_counter() - began
    seconds = [each for load in loads for each in load.seconds]
    return len(seconds) / took, seconds, sum(load.wrong for load in loads)


def cpu_seconds(server: ServedFilter) -> float:
    """The processor time that the processes of a server have taken so far, those that ended included."""
    ticks = 0
    todo = [process.pid for process in server.processes]
    while todo:
        pid = todo.pop()
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            todo += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def quantile(seconds: Sequence[float], share: float) -> float:
    """The time within which so many are answered, in milliseconds."""
    return 1000 * sorted(seconds)[min(int(share * len(seconds)), len(seconds) - 1)]


def main() -> list[Table]:
    messages = shuffled(labelled_mail("spamassassin"), 1)[: TAUGHT + ASKED]
    mails = [(message.label, message.read()) for message in messages]
    taught, asked = mails[:TAUGHT], [data for _, data in mails[TAUGHT:]]
    with ExitStack() as stack:
        servers: list[ServedFilter] = [
            stack.enter_context(ServedDeciban(taught)),
            stack.enter_context(ServedDeciban(taught, journal=False)),
            stack.enter_context(ServedSpamd(taught)),
            stack.enter_context(ServedRspamd(taught)),
        ]
        full: dict[str, list[float]] = {server.name: [] for server in servers}
        wrong: dict[str, int] = dict.fromkeys(full, 0)
        costs: dict[str, list[float]] = {server.name: [] for server in servers}
        for _ in range(WINDOWS):
            for server in servers:
                before = cpu_seconds(server)
                rate, seconds, errors = window(server, asked)
                costs[server.name].append(1000 * (cpu_seconds(server) - before) / len(seconds))
                full[server.name].append(rate)
                wrong[server.name] += errors
        rates = {name: statistics.median(found) for name, found in full.items()}
        half: dict[str, list[float]] = {server.name: [] for server in servers}
        for _ in range(WINDOWS):
            for server in servers:
                half[server.name].append(quantile(window(server, asked, rates[server.name] / 2)[1], 0.99))
    cost = {name: statistics.median(found) for name, found in costs.items()}
    rows = [
        (
            name,
            rates[name],
            rates["deciban"] / rates[name],
            cost[name],
            cost[name] / cost["deciban"],
            statistics.median(half[name]),
            wrong[name],
        )
        for name in rates
    ]
    columns = (
        "", "messages/s", "deciban is × as fast", "CPU ms per message", "× deciban's", "p99 at half load, ms",
        "no verdict",
    )  # fmt: skip
    return [Table("classifying SpamAssassin's mails, all on the same cores", columns, rows)]


if __name__ == "__main__":
    show(main())
