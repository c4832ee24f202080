"""Where the filter's database is: ``--db``, else as configured, else in the user's data directory.

>>> database_path(None, {"HOME": "/home/ann"})
'/home/ann/.local/share/deciban/filter.db'
>>> database_path(None, {"HOME": "/home/ann", "XDG_DATA_HOME": "/data"})
'/data/deciban/filter.db'
>>> database_path(None, {"DECIBAN_DB": "/srv/mail.db"})
'/srv/mail.db'
>>> database_path("my.db", {"DECIBAN_DB": "/srv/mail.db"})
'my.db'

With ``--space NAME`` it is that of a space, in the folder of ``--spaces`` or as configured.
"""

from __future__ import annotations

import os
import sys

from deciban.cli.configuration import DEFAULT, Configuration
from deciban.cli.parser import Parser
from deciban.errors import CannotWrite, NoSuchSource, WrongUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from deciban.filter import Filter
    from deciban.filter.filter import Admission
    from deciban.spaces import Spaces
    from deciban.spaces.recipients import Recipients

VARIABLE = "DECIBAN_DB"
NO_FILTER = (
    "There is no ledger {}. Teach it something first: deciban learn; or begin with what comes with deciban: "
    "deciban prefer --starter."
)


def add_database_flag(parser: Parser) -> None:
    """Add ``--db``, and ``--space`` with ``--spaces``."""
    parser.add_argument(
        "--db",
        metavar="DATABASE",
        help=f"the filter's database (default: ${VARIABLE}, else deciban/filter.db in your data directory)",
    )
    parser.add_argument("--space", metavar="NAME", help="instead of --db: the filter of this space")
    add_spaces_flag(parser)


def add_server_flag(parser: Parser) -> None:
    """Add ``--server``."""
    parser.add_argument(
        "--server",
        metavar="URL",
        help="instead of a filter here: that of --space (default: mail) on a deciban serve at "
        "http://HOST:PORT, https://HOST or unix:/PATH; $DECIBAN_KEY has the key",
    )


def add_spaces_flag(parser: Parser) -> None:
    """Add ``--spaces``."""
    parser.add_argument(
        "--spaces",
        metavar="FOLDER",
        help="the folder of spaces (default: $DECIBAN_SPACES, else deciban/spaces in your data directory)",
    )


def add_starter_flag(parser: Parser) -> None:
    """Add ``--no-starter``, for verbs that may make a filter."""
    parser.add_argument(
        "--no-starter",
        action="store_true",
        help="a new filter begins with nothing, not with the starter that comes with deciban",
    )


def starter_for(options: Namespace) -> str | None:
    """The starter of a new filter, if one is wanted."""
    if options.no_starter or Configuration.load().value("starter") == "no":
        return None
    from deciban.filter.starter import newest_file

    return newest_file()


def database_path(given: str | None, environment: Mapping[str, str] = os.environ) -> str:
    """The path of the database, which need not be there."""
    if given is not None or VARIABLE in environment:
        path = environment[VARIABLE] if given is None else given
        if not path:
            raise WrongUsage(f"the name of the database is empty; check --db and ${VARIABLE}")
        return path
    configured = Configuration.load(environment).value("db")
    if configured:
        return os.path.expanduser(configured)
    return os.path.join(_data_folder(environment), "filter.db")


def spaces_folder(given: str | None, environment: Mapping[str, str] = os.environ) -> str:
    """The folder of the spaces, which need not be there.

    >>> spaces_folder(None, {"HOME": "/home/ann"}), spaces_folder(None, {"DECIBAN_SPACES": "/srv/spaces"})
    ('/home/ann/.local/share/deciban/spaces', '/srv/spaces')
    """
    if given == "":
        raise WrongUsage("the name of the folder of the spaces is empty; check --spaces")
    configured = given or Configuration.load(environment).value("spaces")
    if configured:
        return os.path.expanduser(configured)
    return os.path.join(_data_folder(environment), "spaces")


def _data_folder(environment: Mapping[str, str]) -> str:
    data = environment.get("XDG_DATA_HOME", "")
    if not os.path.isabs(data):  # the XDG specification: a relative path is to be ignored
        home = environment.get("HOME") or os.path.expanduser("~")
        data = os.path.join(home, ".local", "share")
    return os.path.join(data, "deciban")


def recipients_of(spaces: Spaces) -> Recipients:
    """Which space has the mail for an address, with the aliases that are configured."""
    from deciban.spaces.recipients import AliasCommand, Recipients, aliases_in

    configuration = Configuration.load()
    path, command = configuration.value("aliases"), configuration.value("aliases-command")
    if path and command:
        raise WrongUsage("configure aliases or aliases-command, not both; see deciban config")
    if command:
        from shlex import split  # words as a shell has them, but no shell

        return Recipients(spaces.registry.find_if_any, AliasCommand(split(command)))
    if not path:
        return Recipients(spaces.registry.find_if_any)
    try:
        with open(os.path.expanduser(path), encoding="utf-8", errors="replace") as file:
            return Recipients(spaces.registry.find_if_any, aliases_in(file.read()).get)
    except OSError as error:
        raise NoSuchSource(f"the aliases {path!r} cannot be read: {error.strerror}") from None


def chosen_path(options: Namespace) -> str:
    """The path of the database that was chosen, by --space or --db; only that of a space must be there."""
    if options.space is None:
        return database_path(options.db)
    if options.db is not None:
        raise WrongUsage("name the filter one way: by --db, or by --space")
    from deciban.spaces import Spaces

    with Spaces(spaces_folder(options.spaces)) as spaces:
        return spaces.database_of(spaces.find(options.space))


def admission(options: Namespace, mail_filter: Filter) -> Admission:
    """What hands lessons on to the filter for as long as the space that was chosen has room for them."""
    if options.space is None:
        return iter
    from deciban.spaces import Spaces

    with Spaces(spaces_folder(options.spaces)) as spaces:
        record = spaces.find(options.space)
        path = spaces.database_of(record)
    return lambda lessons: record.quota.within(mail_filter, path, lessons)


def open_filter(options: Namespace) -> Filter:
    """The filter that there is; only to be read where it belongs to somebody else, such as a whole site."""
    from deciban.filter import Filter

    path = chosen_path(options)
    _look_at(path)
    if not os.path.exists(path):
        raise NoSuchSource(NO_FILTER.format(path))
    read_only = not os.access(path, os.W_OK)
    if read_only:
        _tell_what_to_mend(path)
    mail_filter = _as_configured(Filter.open(path, create=False, read_only=read_only))
    if sys.stderr.isatty():  # somebody may be waiting, and sees how far it is
        from deciban.cli.progress_line import ProgressLine

        mail_filter.tell_of_replays(ProgressLine().relearning)
    return mail_filter


def _as_configured(mail_filter: Filter) -> Filter:
    """The filter, with the hosts whose results are believed in all filters."""
    hosts = Configuration.load().value("results-from")
    if hosts:
        mail_filter.prefer_for_now(results_from=hosts.replace(",", " ").split())
    return mail_filter


def _tell_what_to_mend(path: str) -> None:
    """Tell who may not read the state of a filter that answers take longer, and why."""
    for part in (".snapshot", ".lock"):
        if os.path.exists(path + part) and not os.access(path + part, os.R_OK):
            from deciban.cli.terminal import harmless

            print(
                f"deciban: {harmless(path + part)} is not yours to read, so answers take longer; "
                f"have its owner run: chmod --reference={harmless(path)} {harmless(path + part)}",
                file=sys.stderr,
            )
            return


def open_or_create_filter(options: Namespace) -> Filter:
    """The filter, made if there is none."""
    from deciban.filter import Filter

    path = database_to_make(options)
    starter = None if os.path.exists(path) else starter_for(options)
    return _as_configured(Filter.open(path, starter=starter))


def existing_database(options: Namespace) -> str:
    """The path of the database, which is there, be it damaged or not."""
    path = chosen_path(options)
    _look_at(path)
    if not os.path.exists(path):
        raise NoSuchSource(NO_FILTER.format(path))
    return path


def database_to_make(options: Namespace) -> str:
    """The path of the database, in a folder that is there; the default one is for its owner's eyes only."""
    path = chosen_path(options)
    _look_at(path)
    if options.space is None and options.db is None and Configuration.load().origin("db") == DEFAULT:
        folder = os.path.dirname(path)
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
        except OSError as error:
            raise CannotWrite(
                f"{folder!r} cannot be made: {error.strerror}; choose a place by --db"
            ) from None
    return path


def _look_at(path: str) -> None:
    """Refuse what is certainly no database: a folder, or a place where nobody lets us look."""
    from stat import S_ISDIR, S_ISREG

    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise NoSuchSource(
            f"{path!r} cannot be opened: {error.strerror}; check its folder, or choose another place by --db"
        ) from None
    if not S_ISREG(mode):
        what = "a folder" if S_ISDIR(mode) else "no regular file"
        raise NoSuchSource(f"{path!r} is {what}, but a database is one file; name the file by --db")
    if not os.access(path, os.R_OK):
        raise NoSuchSource(f"{path!r} is not yours to read; check its permissions, or choose another by --db")
