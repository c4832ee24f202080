"""A real rspamd with Bayes only, in a folder of its own."""

import json
import os
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.server.doors.private_programs import free_port, listens, running, unpacked, wait_until

PASSWORD = "a-password-of-rspamd"
# Its own list of top-level domains takes a minute to compile.
DOMAINS = "com\nexample\nnet\norg\n"
CONFIGURATION = """\
options {{
  pidfile = "{home}/pid"; filters = ""; url_tld = "{home}/domains"; local_addrs = [];
  dns {{ timeout = 1s; nameserver = ["127.0.0.1:1:1"]; }}
  control_socket = "{home}/control mode=0600"; cache_file = "{home}/symbols.cache"; hs_cache_dir = "{home}";
  stats_file = "{home}/stats.ucl"; history_file = "";
}}
lang_detection {{ languages = "{share}/languages"; }}
logging {{ type = "console"; level = "warning"; }}
metric {{
  name = "default"; actions {{ reject = 15; add_header = 6; greylist = 4; }}
  group "statistics" {{ symbol "BAYES_SPAM" {{ weight = 10; }} symbol "BAYES_HAM" {{ weight = -6; }} }}
}}
worker "normal" {{ bind_socket = "127.0.0.1:{port}"; count = 1; }}
worker "controller" {{
  bind_socket = "127.0.0.1:{control}"; count = 1; password = "{password}"; secure_ip = [];
}}
classifier "bayes" {{
  tokenizer {{ name = "osb"; }} backend = "sqlite3"; min_tokens = 1; min_learns = 1;
  cache {{ type = "sqlite3"; path = "{home}/learned.sqlite"; }}
  statfile {{ symbol = "BAYES_HAM"; path = "{home}/ham.sqlite"; spam = false; }}
  statfile {{ symbol = "BAYES_SPAM"; path = "{home}/spam.sqlite"; spam = true; }}
}}
"""


class RspamdServer:
    """An rspamd that is running."""

    def __init__(self, port: int, control: int) -> None:
        self.port, self.control = port, control


def rspamc(*options: str, message: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run the real client."""
    program = unpacked("rspamd")
    environment = {**os.environ, "LD_LIBRARY_PATH": str(program / "usr/lib/rspamd")}
    return subprocess.run(
        [program / "usr/bin/rspamc", *options],
        input=message,
        stdin=None if message is not None else subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        env=environment,
    )


def asked(port: int, path: str, message: bytes | None = None, **headers: str) -> Any:
    """The JSON that a request gets; status and JSON of an error, too."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", message, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        return {"status": error.code, **json.loads(error.read() or b"{}")}


@contextmanager
def running_rspamd(home: Path) -> Iterator[RspamdServer]:
    """An rspamd in a folder."""
    program = unpacked("rspamd", needs_root=True)
    home.mkdir()
    home.chmod(0o777)
    share = program / "usr/share/rspamd"
    port, control = free_port(), free_port()
    (home / "domains").write_text(DOMAINS)
    (home / "rspamd.conf").write_text(
        CONFIGURATION.format(home=home, share=share, port=port, control=control, password=PASSWORD)
    )
    places = {
        "CONFDIR": program / "etc/rspamd",
        "LOCAL_CONFDIR": program / "etc/rspamd",
        "SHAREDIR": share,
        "RULESDIR": share / "rules",
        "LUALIBDIR": share / "lualib",
        "PLUGINSDIR": share / "plugins",
        "RUNDIR": home,
        "DBDIR": home,
        "LOGDIR": home,
    }
    command = [
        str(program / "usr/bin/rspamd"),
        "-f",
        "-u",
        "nobody",
        "-g",
        "nogroup",
        "-c",
        f"{home}/rspamd.conf",
    ]
    command += [f"--var={name}={path}" for name, path in places.items()]
    environment = {"LD_LIBRARY_PATH": str(program / "usr/lib/rspamd")}
    with running(command, home / "output", environment):
        wait_until(lambda: listens(port) and listens(control), lambda: (home / "output").read_text()[-2000:])
        yield RspamdServer(port, control)
