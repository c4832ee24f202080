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
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING

from deciban.errors import BadSetting
from deciban.server.doors.stream_door import Peer
from deciban.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable


class Trust(Value):
    """The users and addresses that are believed."""

    users: frozenset[int]
    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    @classmethod
    def of(cls, users: Iterable[str], addresses: Iterable[str]) -> Trust:
        """What settings mean."""
        return cls(frozenset(map(_uid_of, users)) | {os.geteuid()}, tuple(map(_network_of, addresses)))

    def covers(self, peer: Peer) -> bool:
        """Whether a peer is among them."""
        if peer.uid is not None:
            return peer.uid in self.users
        address = ip_address(peer.address.partition("%")[0])
        return any(address in network for network in self.networks)


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


def _network_of(text: str) -> IPv4Network | IPv6Network:
    """An address, or a network such as 192.0.2.0/24."""
    try:
        return ip_network(text, strict=False)
    except ValueError:
        raise BadSetting(
            f"trusted_addresses are such as 192.0.2.1 or 192.0.2.0/24, got {text!r} instead."
        ) from None
