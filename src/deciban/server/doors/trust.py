"""Whom a door believes when it says for whom it asks: users of this machine, and addresses.

>>> trust = Trust.of(["root"], ["192.0.2.0/24"])
>>> trust.covers(Peer(address="192.0.2.7")), trust.covers(Peer(address="198.51.100.1"))
(True, False)
>>> trust.covers(Peer(uid=0)), trust.covers(Peer(uid=65534))
(True, False)

The user as whom the server runs is always among them: those files are theirs anyway.
"""

from __future__ import annotations

import os
import pwd
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING

from deciban.errors import BadSetting
from deciban.server.doors.stream_door import Peer
from deciban.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

EVERYBODY = "@"
"""The name of the space for all who have none of their own, and the beginning of those that domains share."""


class Networks(Value):
    """Addresses and networks of them.

    >>> Networks.of(["192.0.2.0/24"], "trusted_addresses").cover("IPv6:::ffff:192.0.2.7")
    True
    """

    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    @classmethod
    def of(cls, texts: Iterable[str], setting: str) -> Networks:
        """What a setting means."""
        return cls(tuple(_network_of(text, setting) for text in texts))

    def cover(self, address: str) -> bool:
        """Whether an address is among them; what is no address never is."""
        try:
            known = ip_address(address.removeprefix("IPv6:").partition("%")[0])
        except ValueError:
            return False
        if isinstance(known, IPv6Address) and known.ipv4_mapped is not None:
            known = known.ipv4_mapped
        return any(known in network for network in self.networks)


class Trust(Value):
    """The users and addresses that are believed."""

    users: frozenset[int]
    networks: Networks = Networks()

    @classmethod
    def of(cls, users: Iterable[str], addresses: Iterable[str]) -> Trust:
        """What settings mean."""
        return cls(
            frozenset(map(_uid_of, users)) | {os.geteuid()}, Networks.of(addresses, "trusted_addresses")
        )

    def covers(self, peer: Peer) -> bool:
        """Whether a peer is among them."""
        return self.networks.cover(peer.address) if peer.uid is None else peer.uid in self.users


def user_name(uid: int) -> str:
    """The name of a user; the number, if there is none.

    >>> user_name(0), user_name(4_000_000)
    ('root', '4000000')
    """
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _uid_of(user: str) -> int:
    """The number of a user, who is named or numbered.

    >>> _uid_of("root"), _uid_of("1000")
    (0, 1000)
    """
    if user.isascii() and user.isdecimal():
        return int(user)
    try:
        return pwd.getpwnam(user).pw_uid
    except KeyError:
        raise BadSetting(f"There is no user {user!r} on this machine: see trusted_users.") from None


def _network_of(text: str, setting: str) -> IPv4Network | IPv6Network:
    """An address, or a network such as 192.0.2.0/24."""
    try:
        return ip_network(text, strict=False)
    except ValueError:
        raise BadSetting(f"{setting} are such as 192.0.2.1 or 192.0.2.0/24, got {text!r} instead.") from None
