r"""Lessons by mail: users who cannot move mail between folders forward it as an attachment.

The administrator names addresses such as ``spam@example.org``. Mail to one of them is a letter about other
mail: each message that is attached to it is taught, known again by the ``X-Deciban-Id`` in its header, then
by its digest.

Whose filter is taught? The sender of a mail is a claim that anybody can make. It is believed only if the user
logged in to send it, or if it comes from a network that the administrator named, and only from a mail server
that asks through a socket in the file system. Nobody teaches a space that a whole domain shares.

A mail that teaches nothing is judged and goes on like any other, and the log says why. Nothing is guessed
from a mail that was forwarded as text: its header is gone, and the words of whoever forwards it are mixed in.

>>> letter = (b"Subject: Fwd: Win\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nlook at this\n"
...           b"--x\nContent-Type: message/rfc822\n\nSubject: Win\nX-Deciban-Id: 00\n\nmoney\n--x--\n")
>>> attached_messages(letter)
[b'Subject: Win\nX-Deciban-Id: 00\n\nmoney']
>>> attached_messages(b"Subject: Fwd: Win\n\n> money\n")
[]
"""

from __future__ import annotations

import binascii
from typing import TYPE_CHECKING

from deciban.errors import NotAllowed
from deciban.server.doors.trust import EVERYBODY, Networks
from deciban.sources import RawMessage
from deciban.text import read

if TYPE_CHECKING:
    from deciban.server.doors.milter_protocol import MilterMessage
    from deciban.server.doors.stream_door import Peer
    from deciban.server.reception import Reception
    from deciban.server.server_configuration import MilterSettings
    from deciban.text import Part

FILE_ENDING = ".eml"
MOST_ATTACHED = 100


class Forwarding:
    """The addresses to which mail is forwarded, and what becomes of it."""

    def __init__(self, reception: Reception, settings: MilterSettings) -> None:
        self._reception = reception
        self._labels = {
            address.casefold(): label
            for label, addresses in (("spam", settings.spam_addresses), ("ham", settings.ham_addresses))
            for address in addresses
        }
        self._networks = Networks.of(settings.sender_networks, "sender_networks")

    def is_meant(self, message: MilterMessage) -> bool:
        """Whether a message is for one of the addresses."""
        return len(self.others(message)) < len(message.recipients)

    def others(self, message: MilterMessage) -> list[str]:
        """The recipients of a message who are people."""
        return [each for each in message.recipients if each.casefold() not in self._labels]

    async def teach(self, message: MilterMessage, peer: Peer, door: str) -> int:
        """Teach what is attached; how many messages that were. NotAllowed says why none."""
        wanted = {self._labels.get(each.casefold(), "") for each in message.recipients} - {""}
        if len(wanted) != 1:
            raise NotAllowed("it was sent to addresses for spam and for good mail")
        space = await self._reception.space_for(self._sender(message, peer))
        if space is None or space.name.startswith(EVERYBODY):
            raise NotAllowed("the sender has no space of their own")
        attached = attached_messages(message.raw)
        if not attached:
            raise NotAllowed("no message is attached; users must forward as attachment")
        if message.is_cut or len(attached) > MOST_ATTACHED:  # all or none, since the mail may be discarded
            raise NotAllowed(f"it is too large, or more than {MOST_ATTACHED} messages are attached")
        raws = [RawMessage("", data) for data in attached]
        await self._reception.learn(space, raws, wanted.pop(), door=door)
        return len(attached)

    def _sender(self, message: MilterMessage, peer: Peer) -> str:
        """The user who sent it, as far as that is known."""
        if peer.uid is None:
            raise NotAllowed("the mail server asks over TCP; it must ask through unix:/path")
        if message.authenticated:
            return message.authenticated
        if self._networks.cover(message.client):
            return message.sender
        raise NotAllowed("the sender did not log in, and comes from no network of sender_networks")


def attached_messages(data: bytes) -> list[bytes]:
    """The messages that are attached to a mail, not those inside of these."""
    letter = read(data)
    found: list[bytes] = []
    attached: set[int] = set()  # with all parts that are inside
    for part in letter.parts:
        if part.parent in attached:
            attached.add(part.number)
        elif part.kind == "message" or part.file_name.lower().endswith(FILE_ENDING):
            attached.add(part.number)
            found.append(_decoded(part, letter.canonical))
    return [each for each in found if each]


def _decoded(part: Part, canonical: bytes) -> bytes:
    """The bytes of an attachment; none if its encoding is broken."""
    start, end = part.place
    body = canonical[start:end]
    try:
        if part.encoding == "base64":
            return binascii.a2b_base64(body)
        if part.encoding == "quoted-printable":
            return binascii.a2b_qp(body)
    except binascii.Error:
        return b""
    return body
