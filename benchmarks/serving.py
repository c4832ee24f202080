"""Load on servers that classify mail: messages per second and latencies, beside spamd and rspamd.

    python -m benchmarks serving

SpamAssassin's mails, sent by one client in C for all protocols (load_client.c), which looks at nothing but
where an answer ends; it runs on the same cores, and the table says what it takes. All servers learned the
same 1,000 mails and are asked about the same others. Windows of all of them are interleaved; a figure is the
median over windows. Configurations of the peers are in serving_peers.py.
"""

from __future__ import annotations

import statistics
from contextlib import ExitStack

from benchmarks.corpora import labelled_mail
from benchmarks.load_client import Load, LoadClient
from benchmarks.measure import Table, show
from benchmarks.serving_peers import ServedDeciban, ServedFilter, ServedRspamd, ServedSpamd
from deciban.evaluate import shuffled

TAUGHT, ASKED = 1_000, 1_000
WINDOWS, WINDOW_SECONDS = 5, 3.0


def mails_of_benchmark() -> tuple[list[tuple[str, bytes]], list[bytes]]:
    """What is taught, with labels, and what is asked about."""
    messages = shuffled(labelled_mail("spamassassin"), 1)[: TAUGHT + ASKED]
    mails = [(message.label, message.read()) for message in messages]
    return mails[:TAUGHT], [data for _, data in mails[TAUGHT:]]


class Windows:
    """What all windows of one server showed."""

    def __init__(self, server: ServedFilter, asked: list[bytes]) -> None:
        self.server = server
        self._questions = [server.question(mail) for mail in asked]
        self._full: list[Load] = []
        self._half: list[Load] = []
        self._cpu: list[float] = []

    def at_full_load(self, client: LoadClient) -> None:
        """Ask as fast as answers come."""
        before = self.server.cpu_seconds()
        load = client.put(self.server, self._questions, WINDOW_SECONDS)
        self._cpu.append(1000 * (self.server.cpu_seconds() - before) / len(load.times))
        self._full.append(load)

    def at_half_load(self, client: LoadClient) -> None:
        """Ask at half the rate that it answered at."""
        self._half.append(client.put(self.server, self._questions, WINDOW_SECONDS, self.rate / 2))

    @property
    def rate(self) -> float:
        """Messages per second."""
        return statistics.median(load.rate for load in self._full)

    @property
    def cpu(self) -> float:
        """Milliseconds of processor time per message, of all processes of the server."""
        return statistics.median(self._cpu)

    @property
    def client_cpu(self) -> float:
        """The same of the client."""
        return statistics.median(1000 * load.client_seconds / len(load.times) for load in self._full)

    def slowest(self) -> float:
        """The p99 at half load, in milliseconds."""
        return statistics.median(load.quantile(0.99) for load in self._half)

    def wrong(self) -> float:
        """The share of answers without a verdict."""
        return sum(load.wrong for load in self._full) / sum(len(load.times) for load in self._full)


def main() -> list[Table]:
    taught, asked = mails_of_benchmark()
    with ExitStack() as stack:
        client = stack.enter_context(LoadClient())
        servers = [
            stack.enter_context(ServedDeciban(taught)),
            stack.enter_context(ServedDeciban(taught, journal=False)),
            stack.enter_context(ServedSpamd(taught)),
            stack.enter_context(ServedRspamd(taught)),
        ]
        everybody = [Windows(server, asked) for server in servers]
        for _ in range(WINDOWS):
            for windows in everybody:
                windows.at_full_load(client)
        for _ in range(WINDOWS):
            for windows in everybody:
                windows.at_half_load(client)
    ours = everybody[0]
    rows = [
        (
            each.server.name,
            each.rate,
            ours.rate / each.rate,
            each.cpu,
            each.cpu / ours.cpu,
            each.client_cpu,
            each.slowest(),
            f"{each.wrong():.1%}",
        )
        for each in everybody
    ]
    columns = (
        "", "messages/s", "deciban is × as fast", "CPU ms per message", "× deciban's",
        "CPU ms of the client", "p99 at half load, ms", "no verdict",
    )  # fmt: skip
    note = "rspamd gives no verdict about mails that have too few words for its Bayes."
    return [Table("classifying SpamAssassin's mails, all on the same cores", columns, rows, note)]


if __name__ == "__main__":
    show(main())
