"""Filters that others wrote, each driven as its manual says, with its database in a temporary folder.

A peer that is not installed raises `PeerMissing` with the line that installs it; `installed_peers` leaves it
out and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from deciban.errors import PeerMissing
from deciban.evaluate.peers.bogofilter import Bogofilter
from deciban.evaluate.peers.command import CommandPeer
from deciban.evaluate.peers.spamassassin import SpamAssassin
from deciban.evaluate.peers.vowpal_wabbit import VowpalWabbit
from deciban.evaluate.subject import Subject

PEERS: dict[str, Callable[[], Subject]] = {
    peer.name: peer for peer in (Bogofilter, SpamAssassin, VowpalWabbit)
}

__all__ = ["PEERS", "Bogofilter", "CommandPeer", "SpamAssassin", "VowpalWabbit", "installed_peers"]


def installed_peers(
    names: Iterable[str] = tuple(PEERS), on_missing: Callable[[str], object] = print
) -> dict[str, Callable[[], Subject]]:
    """Those of the named peers that can be started; why the others cannot is told."""
    found = {}
    for name in names:
        try:
            PEERS[name]().close()
        except PeerMissing as reason:
            on_missing(f"{name} is left out: {reason}")
        else:
            found[name] = PEERS[name]
    return found
