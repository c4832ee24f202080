"""Would it start? What can be wrong with a configuration, found before anything is opened.

Each mistake is an error that says what to set instead (``deciban serve --check``).
"""

from __future__ import annotations

import os

from deciban.errors import BadSetting, CannotWrite
from deciban.filter.foreign_results import host_name
from deciban.server.listening import ListeningPlace
from deciban.server.server_configuration import HttpSettings, ServerConfiguration
from deciban.spaces import Spaces
from deciban.spaces.sqlite_registry import FILE


def must_be_startable(configuration: ServerConfiguration, folder: str) -> None:
    """Refuse a configuration with which a server would not start, or would not be safe."""
    if not configuration.doors():
        raise BadSetting('No door is open: set listen in [http], such as ["127.0.0.1:8420"].')
    for settings in configuration.doors().values():
        for text in settings.listen:
            _must_have_a_folder(ListeningPlace.of(text))
    must_be_known(configuration)
    if configuration.http.listen:
        _must_be_safe(configuration.http)
    _must_be_readable(configuration.server.aliases)
    if configuration.server.aliases and configuration.server.aliases_command:
        raise BadSetting("Set aliases or aliases_command in [server], not both.")
    for host in configuration.server.results_from:
        host_name(host)
    _must_be_usable(folder)


def must_be_known(configuration: ServerConfiguration) -> None:
    """Refuse users and networks of the doors for mail servers that are none."""
    from deciban.server.doors.trust import Networks, Trust

    milter, spamd, rspamd = configuration.milter, configuration.spamd, configuration.rspamd
    Trust.of((), milter.trusted_addresses)
    Networks.of(milter.sender_networks, "sender_networks")
    for settings in (spamd, rspamd):
        Trust.of(settings.trusted_users, settings.trusted_addresses)


def _must_have_a_folder(place: ListeningPlace) -> None:
    parent = os.path.dirname(place.path) or "."
    if place.path and not os.access(parent, os.W_OK | os.X_OK):
        raise CannotWrite(f"No socket can be made in {parent!r}. Make that folder, or listen elsewhere.")


def _must_be_safe(http: HttpSettings) -> None:
    """Keys are no secrets if they travel in clear; names must be known where others can reach us."""
    public = [text for text in http.listen if not ListeningPlace.of(text).is_local]
    if public and not (http.certificate or http.proxies or http.cleartext):
        raise BadSetting(
            f"Keys would travel in clear to {public[0]}. Set certificate and private_key in [http], name the "
            "proxies that do TLS, or set cleartext = true if the network is trusted."
        )
    if any(ListeningPlace.of(text).host in ("0.0.0.0", "::") for text in public) and not http.hosts:
        raise BadSetting(
            "Name the hosts in [http] under which clients reach this server, such as its DNS name."
        )
    if bool(http.certificate) != bool(http.private_key):
        raise BadSetting("TLS needs both certificate and private_key in [http].")
    _must_be_readable(http.certificate)
    _must_be_readable(http.private_key)
    if http.certificate:
        import ssl

        from deciban.server.doors.http_door import tls_of

        try:
            tls_of(http)
        except (ssl.SSLError, OSError) as error:
            raise BadSetting(f"certificate and private_key in [http] do not work: {error}.") from None


def _must_be_readable(path: str) -> None:
    if path and not os.access(path, os.R_OK):
        raise BadSetting(f"The file {path!r} of the configuration cannot be read.")


def _must_be_usable(folder: str) -> None:
    if os.path.exists(os.path.join(folder, FILE)):
        Spaces(folder).close()
        return
    parent = folder
    while not os.path.exists(parent):
        parent = os.path.dirname(parent) or "."
    if not os.access(parent, os.W_OK | os.X_OK):
        raise CannotWrite(f"The folder of spaces {folder!r} cannot be made. Choose another by --spaces.")
