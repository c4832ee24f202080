"""``deciban serve``: answer other programs over HTTP, on one folder of spaces."""

from __future__ import annotations

import sys

from deciban.cli.database import add_spaces_flag, spaces_folder
from deciban.cli.numbers import whole_number
from deciban.cli.parser import Parser
from deciban.cli.terminal import say
from deciban.errors import MissingExtra

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from deciban.server.server_configuration import ServerConfiguration
    from deciban.server.supervisor import Supervisor

EXAMPLES = (
    ("deciban serve", "on this machine at http://127.0.0.1:8420, with your own folder of spaces"),
    ("deciban serve --listen unix:/run/deciban/http.sock", "at a socket that only you can open"),
    ("deciban serve --print-config > deciban.toml", "everything that can be configured, explained"),
    ("deciban serve --config deciban.toml --check", "would it start?"),
    ("kill -HUP $(pidof -s deciban)", "read the configuration and the program again; no request is lost"),
)
FIRST_SPACE = "mail"


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban serve``."""
    parser.add_argument("--config", metavar="FILE", help="the configuration, in TOML (default: none)")
    parser.add_argument(
        "--listen",
        metavar="ADDRESS",
        help="instead of http.listen: host:port or unix:/path (default: 127.0.0.1:8420)",
    )
    parser.add_argument(
        "--workers", type=whole_number, metavar="N", help="processes that answer (default: one for each core)"
    )
    parser.add_argument("--check", action="store_true", help="only say whether it would start")
    parser.add_argument("--print-config", action="store_true", help="print all settings with explanations")
    add_spaces_flag(parser)


def run(options: Namespace) -> int:
    """Serve until told to stop."""
    try:
        from deciban.server.server_checks import must_be_startable
        from deciban.server.server_configuration import ServerConfiguration, explained
    except ImportError as error:
        raise MissingExtra(f"serve needs more packages: pip install 'deciban[serve]' ({error})") from None
    if options.print_config:
        say(explained().rstrip("\n"))
        return 0
    configuration = ServerConfiguration.load(options.config)
    configuration = configuration.with_flags(options.listen, options.workers)
    folder = spaces_folder(options.spaces or configuration.server.spaces or None)
    must_be_startable(configuration, folder)
    if options.check:
        say("ok: it would start")
        return 0
    from deciban.server.supervisor import Supervisor

    first = _prepare(folder)
    supervisor = Supervisor(configuration, folder, _command())
    if first:
        _welcome(supervisor, configuration, first)
    elif first is None:
        supervisor.log.say("server", "there is no key yet; deciban key add makes one")
    return supervisor.run()


def _command() -> list[str]:
    """What starts us again, as it is installed by then."""
    return [sys.executable, "-m", "deciban", *sys.argv[1:]]


def _prepare(folder: str) -> str | None:
    """Make the folder if there is none; on a terminal also the first key, which is handed back.

    None if there is no key and nobody to show one to; empty if there are keys.
    """
    from deciban.spaces import Spaces
    from deciban.spaces.key import KeyScope
    from deciban.spaces.rights import RIGHTS

    with Spaces(folder, create=True) as spaces:
        if spaces.keys.all():
            return ""
        if not sys.stdout.isatty():
            return None
        if next(iter(spaces.all()), None) is None:
            spaces.add([FIRST_SPACE], starter=True)
        return spaces.keys.add(RIGHTS, KeyScope(), note="made by the first deciban serve")[1]


def _welcome(supervisor: Supervisor, configuration: ServerConfiguration, key: str) -> None:
    """Tell the first key, once, to whoever sits at the terminal."""
    scheme = "https" if configuration.http.certificate else "http"
    where = [each for each in supervisor.addresses() if not each.startswith("unix:")]
    say(f"Serving {supervisor.folder}")
    for address in where:
        say(f"  {scheme}://{address}/  describes the interface")
    say(f"Your first key, with all rights; it is shown only now:\n\n  {key}\n")
    if where:
        say(
            f"Try it:\n  curl -H 'Authorization: Bearer {key}' -H 'Content-Type: message/rfc822' \\\n"
            f"       --data-binary @mail.eml '{scheme}://{where[0]}/v1/spaces/{FIRST_SPACE}/learn?label=spam'"
        )
