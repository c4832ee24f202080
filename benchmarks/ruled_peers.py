"""SpamAssassin and rspamd as they judge by rules: started on loopback, without Bayes and without the network.

Each gives the header fields that it writes into a message. Everything that is not their default stands here.
What asks the network is off: lists of addresses and domains, DKIM, SPF, DMARC, fuzzy hashes.
"""

from __future__ import annotations

import getpass
import json
import os
import shutil
import socket
import urllib.request

from benchmarks.serving_peers import CORES, ServedFilter, free_port

HOST = "mx.example.org"
SPAMASSASSIN = f"""
use_bayes 0
use_auto_welcomelist 0
report_hostname {HOST}
"""
# Modules of rspamd that need the network, Redis, or training.
SILENT = (
    "rbl", "surbl", "spf", "dkim", "dkim_signing", "dmarc", "arc", "asn", "fuzzy_check", "greylist",
    "ratelimit", "replies", "neural", "history_redis", "mx_check", "reputation", "bayes_expiry", "phishing",
    "url_redirector", "dcc", "clickhouse", "elastic", "known_senders", "whitelist", "external_relay",
)  # fmt: skip
MILTER_HEADERS = f"""
use = ["x-spamd-result", "x-rspamd-server"];
routines {{ x-rspamd-server {{ hostname = "{HOST}"; }} }}
skip_local = false;
skip_authenticated = false;
extended_headers_rcpt = [];
"""
OPTIONS = """
pidfile = "{folder}/rspamd.pid";
control_socket = "{folder}/control.sock mode=0600";
dns {{ nameserver = ["127.0.0.1:1"]; timeout = 0.1s; retransmits = 0; }}
"""


class RuledSpamd(ServedFilter):
    """Debian's spamd with all of its rules that need no network."""

    name = "SpamAssassin"

    def __init__(self) -> None:
        super().__init__()
        self.folder.chmod(0o755)
        user = getpass.getuser()
        if user == "root":  # whom it refuses
            user = "nobody"
            shutil.chown(self.folder, user)
        self._start(
            shutil.which("spamd") or "/usr/sbin/spamd", "-L", "-x", "-u", user, "--cf", SPAMASSASSIN,
            "-i", "127.0.0.1", "-p", str(self.port), "-m", str(CORES), "-s", "null",
        )  # fmt: skip
        self._wait_for(self.port)

    def fields(self, mail: bytes) -> bytes:
        """The fields that it writes into a message."""
        with socket.create_connection(("127.0.0.1", self.port), 600) as link:
            link.sendall(b"HEADERS SPAMC/1.5\r\nContent-length: %d\r\n\r\n%b" % (len(mail), mail))
            link.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: link.recv(1 << 16), b""))
        head = answer.partition(b"\r\n\r\n")[2].partition(b"\r\n\r\n")[0].replace(b"\r\n", b"\n")
        return own_fields(head, b"x-spam-")


class RuledRspamd(ServedFilter):
    """Debian's rspamd with its own rules; modules that need the network are off."""

    name = "rspamd"

    def __init__(self) -> None:
        super().__init__()
        self.folder.chmod(0o777)
        local = self.folder / "local.d"
        local.mkdir()
        (local / "options.inc").write_text(OPTIONS.format(folder=self.folder))
        (local / "logging.inc").write_text(
            f'type = "file"; filename = "{self.folder}/log"; level = "error";\n'
        )
        (local / "worker-normal.inc").write_text(f'bind_socket = "127.0.0.1:{self.port}"; count = {CORES};\n')
        control = free_port(self.port)
        (local / "worker-controller.inc").write_text(f'bind_socket = "127.0.0.1:{control}";\n')
        (local / "worker-proxy.inc").write_text("enabled = false;\n")
        (local / "worker-fuzzy.inc").write_text("enabled = false;\n")
        (local / "milter_headers.conf").write_text(MILTER_HEADERS)
        (local / "classifier-bayes.conf").write_text("enabled = false;\n")
        for module in SILENT:
            (local / f"{module}.conf").write_text("enabled = false;\n")
        user = ["-i"] if os.geteuid() == 0 else []
        places = [f"--var={name}={self.folder}" for name in ("LOCAL_CONFDIR", "DBDIR", "RUNDIR", "LOGDIR")]
        self._start("rspamd", "-f", *user, "-c", "/etc/rspamd/rspamd.conf", *places)
        self._wait_for(self.port)

    def fields(self, mail: bytes) -> bytes:
        """The fields that it writes into a message."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/checkv2", mail)
        with urllib.request.urlopen(request, timeout=600) as response:
            added = json.load(response)["milter"]["add_headers"]
        return b"".join(f"{name}: {field['value']}\n".encode() for name, field in added.items())


def own_fields(head: bytes, begin: bytes) -> bytes:
    """The fields of a head whose names begin so, with the lines folded behind them."""
    kept, is_own = [], False
    for line in head.split(b"\n"):
        if line[:1] not in b" \t":
            is_own = line.lower().startswith(begin)
        if is_own:
            kept.append(line + b"\n")
    return b"".join(kept)
