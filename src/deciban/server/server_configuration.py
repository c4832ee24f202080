r"""The configuration of the server: one TOML file, in which every setting has a default and an explanation.

    [server]
    spaces = "/var/lib/deciban/spaces"

    [http]
    listen = ["127.0.0.1:8420", "unix:/run/deciban/http.sock"]

A door is open if it has an address to listen at. ``deciban serve --print-config`` prints everything that
can be set (`explained`), made from the definitions below; the same definitions check the file. A name that
is not known is an error, so that a typing mistake is not a setting that silently has no effect.

>>> configuration = ServerConfiguration.of_text('[http]\nlisten = ["127.0.0.1:0"]')
>>> configuration.http.listen, configuration.limits.body_bytes
(('127.0.0.1:0',), 25000000)
>>> ServerConfiguration.of_text('[http]\nport = 8420')  # doctest: +ELLIPSIS
Traceback (most recent call last):
deciban.errors.BadSetting: The configuration cannot be followed: there is no setting http.port. ...
"""

from __future__ import annotations

import os
import re
import tomllib
from typing import Annotated, Any, Literal, get_type_hints

import msgspec
from msgspec import Meta, Struct

from deciban.errors import BadSetting, NoSuchSource

DEFAULT_LISTEN = "127.0.0.1:8420"
Count = Annotated[int, Meta(ge=1, le=1 << 40)]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]


def _explain(text: str) -> Meta:
    return Meta(description=text)


class Section(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A section of the file; its docstring explains it."""


class ServerSettings(Section, frozen=True):
    """What is served, and by how many processes."""

    spaces: Annotated[
        str, _explain("the folder of spaces; empty for $DECIBAN_SPACES, else the one in your data directory")
    ] = ""
    workers: Annotated[
        int, Meta(ge=0, le=1024), _explain("how many processes answer; 0 for one on each core")
    ] = 0
    open_spaces: Annotated[
        int, Meta(ge=1, le=100_000), _explain("how many spaces each worker keeps open; each takes some files")
    ] = 64
    state_bytes: Annotated[
        Count,
        _explain(
            "how much memory of each worker the states of spaces may take; unused ones give theirs back"
        ),
    ] = 268_435_456
    finish_seconds: Annotated[
        Seconds, _explain("how long requests that were accepted may take to finish when the server stops")
    ] = 30.0
    aliases: Annotated[
        str, _explain("a file of lines ADDRESS = NAME: which space has the mail for an address")
    ] = ""
    aliases_command: Annotated[
        tuple[str, ...],
        _explain("instead: a program that is given an address and prints the name of its space"),
    ] = ()
    results_from: Annotated[
        tuple[str, ...],
        _explain("hosts whose results of SPF, DKIM, SpamAssassin and rspamd are believed (docs/beside.md)"),
    ] = ()


class HttpSettings(Section, frozen=True):
    """HTTP with JSON, for every application. Its address shows documentation in a browser."""

    listen: Annotated[
        tuple[str, ...],
        _explain("addresses: host:port, [::1]:port, or unix:/path, a socket that only you can open"),
    ] = (DEFAULT_LISTEN,)
    hosts: Annotated[
        tuple[str, ...],
        _explain("names under which clients may reach us, beside loopback; all others are refused"),
    ] = ()
    origins: Annotated[
        tuple[str, ...],
        _explain("web pages that may ask us from a browser, such as https://mail.example.org; default: none"),
    ] = ()
    without_key: Annotated[
        tuple[Literal["classify", "read"], ...],
        _explain("what nobody needs a key for: classify, read; learning always needs one"),
    ] = ()
    certificate: Annotated[str, _explain("TLS: a file with the certificate and its chain, in PEM")] = ""
    private_key: Annotated[str, _explain("TLS: a file with its private key, in PEM")] = ""
    proxies: Annotated[
        tuple[str, ...],
        _explain("addresses of proxies that do TLS in front of us; without TLS nobody else may ask"),
    ] = ()
    cleartext: Annotated[
        bool, _explain("listen on other than loopback without TLS and proxies: keys travel in clear")
    ] = False
    journal: Annotated[bool, _explain("keep an entry of each verdict, so that it can be corrected")] = True


class MailSection(Section, frozen=True):
    """What all doors for mail servers can be told."""

    listen: Annotated[
        tuple[str, ...], _explain("addresses: host:port, or unix:/path; none: the door is closed")
    ] = ()
    socket_mode: Annotated[
        str,
        Meta(pattern="^0?[0-7]{3}$"),
        _explain("who can open a socket at unix:/path, in octal: 0600 you, 0660 also its group, 0666 all"),
    ] = "0600"
    socket_group: Annotated[str, _explain("the group of such a socket, by name; empty for your own")] = ""
    seconds: Annotated[
        Seconds, _explain("how long a message waits for its verdict; then it goes on without one")
    ] = 10.0


class MilterSettings(MailSection, frozen=True):
    """The milter door: Postfix and Sendmail ask about each message they receive (docs/postfix.md)."""

    subject_tag: Annotated[str, _explain("what stands in front of the subject of spam, such as [SPAM]")] = ""
    reject_decibans: Annotated[
        float, Meta(ge=0, le=1000), _explain("spam with so much evidence is rejected, such as 60; 0: never")
    ] = 0.0
    reject_text: Annotated[
        str,
        Meta(pattern=r"^[45][0-9]{2} [ -~]{1,400}$"),
        _explain("what the sender of such a message is told"),
    ] = "550 5.7.1 This message looks like spam."
    quarantine_decibans: Annotated[
        float,
        Meta(ge=0, le=1000),
        _explain("spam with so much evidence is put on hold by the mail server, such as 40; 0: never"),
    ] = 0.0
    trusted_addresses: Annotated[
        tuple[str, ...],
        _explain("other machines whose mail servers may ask, such as 192.0.2.1; loopback may"),
    ] = ()
    learn_sent: Annotated[
        bool,
        _explain("learn what users send after they logged in as good mail; only through unix:/path"),
    ] = False
    spam_addresses: Annotated[
        tuple[str, ...],
        _explain("mail to these, such as spam@example.org, teaches as spam what is attached to it"),
    ] = ()
    ham_addresses: Annotated[tuple[str, ...], _explain("and mail to these as good mail")] = ()
    sender_networks: Annotated[
        tuple[str, ...],
        _explain("networks whose users need not log in to teach by mail, such as 192.0.2.0/24"),
    ] = ()
    discard_lessons: Annotated[
        bool, _explain("do not deliver mail to these addresses once what is attached was learned")
    ] = False
    idle_seconds: Annotated[
        Seconds, _explain("until a connection without a message is closed; mail servers keep them open")
    ] = 7200.0


class TrustingSection(MailSection, frozen=True):
    """What doors can be told at which clients only claim for whom they ask."""

    trusted_users: Annotated[
        tuple[str, ...],
        _explain("users of this machine who may ask and teach for everybody, through unix:/path"),
    ] = ()
    trusted_addresses: Annotated[
        tuple[str, ...],
        _explain("addresses or networks that may ask and teach for everybody, such as 127.0.0.1"),
    ] = ()
    space: Annotated[str, _explain("the space that answers everybody else; empty for the one named @")] = ""
    domain: Annotated[
        str, _explain("for users without a domain, such as example.org: ann is then ann@example.org, too")
    ] = ""


class SpamdSettings(TrustingSection, frozen=True):
    """The spamd door: for spamc and all that speaks with SpamAssassin's spamd (docs/spamassassin.md)."""


class RspamdSettings(TrustingSection, frozen=True):
    """The rspamd door: for rspamc and all that asks rspamd over HTTP (docs/rspamd.md)."""

    reject_decibans: Annotated[
        float,
        Meta(ge=0, le=1000),
        _explain("spam with so much evidence has the action reject, such as 60; 0: add header, always"),
    ] = 0.0
    hosts: Annotated[
        tuple[str, ...], _explain("names under which clients reach us, beside localhost and addresses")
    ] = ()


class LimitSettings(Section, frozen=True):
    """Limits, looked at before any work is done. Each has a clear answer."""

    body_bytes: Annotated[Count, _explain("one message, or one line of many (413)")] = 25_000_000
    stream_bytes: Annotated[Count, _explain("a whole body of many messages (413)")] = 10_000_000_000
    header_bytes: Annotated[Count, _explain("request line and header (431)")] = 16_384
    connections: Annotated[Count, _explain("connections to one worker through one door (503)")] = 1_000
    requests: Annotated[Count, _explain("requests in flight in one worker (503)")] = 256
    waiting_bytes: Annotated[
        Count, _explain("bytes of bodies that one worker holds in memory at once (503)")
    ] = 400_000_000
    header_seconds: Annotated[Seconds, _explain("for request line and header to arrive (408)")] = 10.0
    idle_seconds: Annotated[Seconds, _explain("until a connection without a request is closed")] = 75.0
    body_rate: Annotated[
        Count, _explain("bytes per second that a body must arrive with, after ten seconds (408)")
    ] = 1_000
    key_rate: Annotated[
        float, Meta(ge=0, le=1e9), _explain("requests per second and worker for one key; 0: no limit (429)")
    ] = 0.0


class LogSettings(Section, frozen=True):
    """Logs, on standard error. They never contain subjects, addresses or names of spaces."""

    form: Annotated[Literal["text", "json"], _explain("text, or one JSON object on each line")] = "text"
    requests: Annotated[
        Literal["none", "errors", "all"], _explain("which requests are logged: none, errors, all")
    ] = "errors"


class ServerConfiguration(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything that can be configured."""

    server: ServerSettings = ServerSettings()
    http: HttpSettings = HttpSettings()
    milter: MilterSettings = MilterSettings()
    spamd: SpamdSettings = SpamdSettings()
    rspamd: RspamdSettings = RspamdSettings()
    limits: LimitSettings = LimitSettings()
    log: LogSettings = LogSettings()

    @classmethod
    def of_text(cls, text: str) -> ServerConfiguration:
        """The configuration in the text of a file."""
        try:
            return msgspec.convert(tomllib.loads(text), cls)
        except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
            raise BadSetting(f"The configuration cannot be followed: {_complaint(str(error))}") from None

    @classmethod
    def load(cls, path: str | None) -> ServerConfiguration:
        """The configuration in a file; all defaults without one."""
        if path is None:
            return cls()
        try:
            with open(path, encoding="utf-8") as file:
                return cls.of_text(file.read())
        except UnicodeDecodeError:
            raise BadSetting(f"The configuration {path!r} is no text in UTF-8.") from None
        except OSError as error:
            raise NoSuchSource(f"The configuration {path!r} cannot be read: {error.strerror}.") from None

    def with_flags(self, listen: str | None, workers: int | None) -> ServerConfiguration:
        """The same with what the command line says instead."""
        http = self.http if listen is None else msgspec.structs.replace(self.http, listen=(listen,))
        server = self.server if workers is None else msgspec.structs.replace(self.server, workers=workers)
        return msgspec.structs.replace(self, http=http, server=server)

    @property
    def worker_count(self) -> int:
        """How many workers there are."""
        return self.server.workers or len(os.sched_getaffinity(0))

    def doors(self) -> dict[str, Any]:
        """The settings of each door that is open, by its name: those with an address to listen at."""
        sections = {name: getattr(self, name) for name in self.__struct_fields__}
        return {name: section for name, section in sections.items() if getattr(section, "listen", None)}


def explained() -> str:
    """A configuration file with every setting at its default, explained."""
    lines = ["# The configuration of deciban serve. Every setting is at its default."]
    for name, kind in get_type_hints(ServerConfiguration).items():
        lines += ["", f"# {(kind.__doc__ or '').strip()}", f"[{name}]"]
        default = kind()
        for field, hint in get_type_hints(kind, include_extras=True).items():
            lines += [f"# {description_of(hint)}", f"{field} = {_toml(getattr(default, field))}"]
    return "\n".join(lines) + "\n"


def description_of(hint: Any) -> str:
    """What the description among the annotations of a type says."""
    found = [
        each.description for each in getattr(hint, "__metadata__", ()) if getattr(each, "description", None)
    ]
    return found[-1] if found else ""


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:_}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return repr(value) if isinstance(value, float) else '"' + str(value) + '"'


def _complaint(text: str) -> str:
    """What is wrong with a configuration, in words of its file.

    >>> _complaint("Object contains unknown field `port` - at `$.http`")
    'there is no setting http.port. deciban serve --print-config shows all that there are.'
    >>> _complaint("Expected `int`, got `str` - at `$.limits.requests`")
    'Expected `int`, got `str` - at `limits.requests`.'
    """
    text = text.replace("`$.", "`")
    found = re.fullmatch(r"Object contains unknown field `(.+?)`(?: - at `(.+)`)?", text)
    if found is None:
        return text + "."
    name = ".".join(part for part in (found[2], found[1]) if part)
    return f"there is no setting {name}. deciban serve --print-config shows all that there are."
