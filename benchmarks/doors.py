"""The doors for mail servers beside what they stand in for: messages per second, p99 and CPU per message.

    python -m benchmarks doors

The spamd door beside Debian's spamd, the rspamd door beside Debian's rspamd, and the milter door beside
rspamd's milter, each by the client of `serving`, which plays spamc, rspamc and Postfix. All learned the same
1,000 of SpamAssassin's mails and are asked about the same others, on the same cores as the client. Windows of
all of them are interleaved; a figure is the median over windows. CPU is that of the server with all its
processes, divided by the messages that it answered.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from operator import truediv
from struct import pack

from benchmarks.load_client import LoadClient
from benchmarks.measure import Table, show
from benchmarks.serving import WINDOW_SECONDS, WINDOWS, mails_of_benchmark
from benchmarks.serving_peers import (
    CORES,
    Mail,
    ServedDeciban,
    ServedFilter,
    ServedRspamd,
    ServedSpamd,
    free_port,
)
from deciban.server.doors.milter_protocol import packet
from deciban.spaces import Spaces
from deciban.spaces.key import KeyScope
from deciban.spaces.rights import RIGHTS

# What a mail server puts into one packet.
MOST_BODY = 65_535
DOORS = """
[http]
listen = ["127.0.0.1:{http}"]
[{door}]
listen = ["127.0.0.1:{port}"]
[server]
workers = {cores}
"""


class ServedDoor(ServedDeciban):
    """deciban with one door for mail servers; it is taught over HTTP."""

    door = ""
    keeps_connections = False
    half_closes = False

    def __init__(self, mails: Iterable[Mail]) -> None:
        self.name = f"deciban's {self.door} door"
        ServedFilter.__init__(self)
        asked_at, self.port = self.port, free_port(besides=self.port)
        with Spaces(str(self.folder / "spaces"), create=True) as opened:
            opened.add(["@"])
            self.key = opened.keys.add(RIGHTS, KeyScope())[1]
        path = self.folder / "server.toml"
        path.write_text(DOORS.format(http=self.port, door=self.door, port=asked_at, cores=CORES))
        self._start(
            sys.executable, "-m", "deciban", "serve", "--config", str(path),
            "--spaces", str(self.folder / "spaces"),
        )  # fmt: skip
        self._wait_for(asked_at)
        self._wait_for(self.port)
        self.learn(mails, "@")
        self.port = asked_at


class SpamdDoorServed(ServedDoor):
    """Asked as spamc asks."""

    door = "spamd"
    half_closes = True
    beginning = ServedSpamd.beginning

    def question(self, mail: bytes) -> bytes:
        """The bytes that ask about a mail."""
        return b"CHECK SPAMC/1.5\r\nContent-length: %d\r\n\r\n%b" % (len(mail), mail)


class RspamdDoorServed(ServedDoor):
    """Asked as rspamc asks."""

    door = "rspamd"
    part = "DECIBAN_"

    def question(self, mail: bytes) -> bytes:
        """The bytes that ask about a mail."""
        head = b"POST /checkv2 HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(mail)
        return head + mail


class MilterDoorServed(ServedDoor):
    """Asked as Postfix asks: one connection for each message here, as for clients that send one each."""

    door = "milter"
    beginning, part = "", "X-Deciban"

    def question(self, mail: bytes) -> bytes:
        """All packets of one message at once, up to the farewell."""
        if mail.startswith(b"From "):  # a mailbox's line, no field
            mail = mail.partition(b"\n")[2]
        head, _, body = mail.replace(b"\r\n", b"\n").partition(b"\n\n")
        body = body.replace(b"\n", b"\r\n")
        lines = head.replace(b"\n ", b"\0 ").replace(b"\n\t", b"\0\t").split(b"\n")
        fields = [line.replace(b"\0", b"\n").partition(b":") for line in lines]
        return b"".join(
            [
                packet(b"O", pack(">III", 6, 0x1FF, 0x1FFFFF)),
                packet(b"M", b"<joe@example.com>\0"),
                packet(b"R", b"<ann@example.org>\0"),
                *(packet(b"L", name + b"\0" + value + b"\0") for name, colon, value in fields if colon),
                packet(b"N"),
                *(packet(b"B", body[at : at + MOST_BODY]) for at in range(0, len(body), MOST_BODY)),
                packet(b"E"),
                packet(b"Q"),
            ]
        )


class ServedRspamdMilter(ServedRspamd):
    """Asked as Postfix asks, the same bytes; it tells a verdict by a field only if that is spam."""

    name = "rspamd's milter"
    worker, more = "rspamd_proxy", 'milter = true; upstream "local" { default = true; self_scan = true; }'
    beginning = part = ""
    question = MilterDoorServed.question


PAIRS = (
    (SpamdDoorServed, ServedSpamd),
    (RspamdDoorServed, ServedRspamd),
    (MilterDoorServed, ServedRspamdMilter),
)


def main() -> list[Table]:
    taught, asked = mails_of_benchmark()
    with ExitStack() as stack:
        client = stack.enter_context(LoadClient())
        servers = [stack.enter_context(kind(taught)) for pair in PAIRS for kind in pair]
        rates: dict[str, list[float]] = {server.name: [] for server in servers}
        slowest: dict[str, list[float]] = {server.name: [] for server in servers}
        cpu: dict[str, list[float]] = {server.name: [] for server in servers}
        wrong = dict.fromkeys(rates, 0)
        for _ in range(WINDOWS):
            for server in servers:
                before = server.cpu_seconds()
                load = client.put(server, map(server.question, asked), WINDOW_SECONDS)
                cpu[server.name].append(1000 * (server.cpu_seconds() - before) / len(load.times))
                rates[server.name].append(load.rate)
                slowest[server.name].append(load.quantile(0.99))
                wrong[server.name] += load.wrong
    beside = {door.name: original.name for door, original in zip(servers[::2], servers[1::2], strict=True)}
    rows = [
        (
            name,
            statistics.median(rates[name]),
            statistics.median(map(truediv, rates[name], rates[beside[name]])) if name in beside else None,
            statistics.median(slowest[name]),
            statistics.median(cpu[name]),
            wrong[name],
        )
        for name in rates
    ]
    columns = ("", "messages/s", "× the original", "p99 at full load, ms", "CPU ms per message", "no verdict")
    return [Table("asking about SpamAssassin's mails, all on the same cores", columns, rows)]


if __name__ == "__main__":
    show(main())
