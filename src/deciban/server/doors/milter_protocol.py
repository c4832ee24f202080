r"""The milter protocol, version 6, without I/O: bytes of a mail server in, messages and answers out.

Postfix and Sendmail ask a *milter* about each message while they receive it. Everything is a packet: four
bytes of length, one letter, data. A mail server negotiates once, then tells of one message after the other:

    server                                  milter
    O version, actions, wishes              O version, actions, what it does not want to hear of
    C client, H helo                        c (go on), or nothing if that was agreed
    D macros of the next command
    M sender, R recipient, R recipient
    L name, value …  N  B body  B body
    E end of the message                    i inserts a field, m changes one, q quarantines; then c, y or d
    A this message is given up
    Q the end, or K: another client follows

A c lets the message go on, a y rejects it, a d takes it without delivering it.

>>> protocol = MilterProtocol()
>>> from struct import pack
>>> protocol.receive(packet(b"O", pack(">III", 6, 0x1FF, 0x1FFFFF)))
>>> protocol.to_send()[4:5]
b'O'
>>> for letter, data in [(b"M", b"<joe@example.com>\0"), (b"R", b"<ann@example.org>\0"),
...                      (b"L", b"Subject\0 Lunch?\0"), (b"L", b"X-Spam-Flag\0 NO\0"), (b"N", b""),
...                      (b"B", b"At one?\r\n"), (b"E", b"")]:
...     protocol.receive(packet(letter, data))
>>> message = protocol.waiting
>>> message.sender, message.recipients, message.raw
('joe@example.com', ['ann@example.org'], b'Subject: Lunch?\r\nX-Spam-Flag: NO\r\n\r\nAt one?\r\n')

Whoever has the message says what to do about it. Here a field is put in front, and the forged one deleted:

>>> protocol.answer([HeaderEdit("X-Deciban", " spam"), *message.deletions])
>>> [body[:1] for body in packets_in(protocol.to_send())]
[b'c', b'm', b'i', b'c']

The first c is the answer to the piece of the body. While a message waits for its answer, what comes behind it
is kept and not looked at. Anything that is no milter dialogue is `BadDialogue`; the caller hangs up, and the
mail server does what its administrator configured.
"""

from __future__ import annotations

from struct import Struct, error, pack

from deciban.errors import BadDialogue
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

VERSION = 6
# What we may want to do (SMFIF_…): add and change fields, quarantine.
ADDS, CHANGES, QUARANTINES = 0x01, 0x10, 0x20
# What we do not want to hear of (SMFIP_NO…): HELO, DATA and unknown commands.
UNHEARD = 0x02 | 0x200 | 0x100
# Commands that we do not answer (SMFIP_NR_…), by their letters: each answer costs a round trip.
# Pieces of the body are answered, because the answer may be that there is enough of it.
UNANSWERED = {b"C": 0x1000, b"M": 0x4000, b"R": 0x8000, b"L": 0x80, b"N": 0x40000}
SKIPS = 0x400
"""Whether the server understands that there is enough of a body."""
LEADING_SPACE = 0x100000
"""Whether the space behind the colon of a field is part of its value."""
# A piece of a body has at most 64 KB unless more was agreed, and a field of Postfix at most 100 KB.
MOST_PACKET = 1 << 20
MOST_RECIPIENTS = 10_000
MOST_FIELDS = 10_000
TAG_NAMES = (b"x-deciban", b"x-spam")
MOST_TAG_NAMES = 1_000
# Of one name. Each deletion makes Postfix read the header again, and our own tags stand in front.
MOST_DELETED = 100
MOST_BYTES = 4 << 20
"""Of head and body together; what follows is not looked at. Features come from 1 MB of text at most."""

_LENGTH = Struct(">I")
_CONTINUE, _SKIP, _DISCARD = b"c", b"s", b"d"


class HeaderEdit(Value):
    """A change of the header: a field that is put in front, or the n-th field of a name that is changed."""

    name: str
    value: str
    """Empty to delete it; otherwise with the space behind the colon."""
    occurrence: int = 0
    """Which of the fields of this name, counted from 1; 0 for a new one in front."""


class MilterMessage:
    """One message as the mail server told of it."""

    def __init__(self, tags: Iterable[bytes] = ()) -> None:
        self.sender = ""
        self.recipients: list[str] = []
        self.authenticated = ""
        """Who logged in to send it; empty if nobody did."""
        self.client = ""
        """The address of the machine that sent it; empty if that is not known."""
        self.queue_id = ""
        self.fields: list[tuple[bytes, bytes]] = []
        """Names and values as they came, the space behind the colon included."""
        self.tags: dict[bytes, int] = dict.fromkeys(tags, 0)
        """How many fields of each name came that tell a verdict; names in small letters."""
        self.is_cut = False
        """Whether there was more of it than is looked at."""
        self._body: list[bytes] = []
        self._size = 0

    @property
    def raw(self) -> bytes:
        """The message as bytes, or its beginning."""
        head = [name + b":" + _with_crlf(value) + b"\r\n" for name, value in self.fields]
        return b"".join([*head, b"\r\n", *self._body])

    @property
    def deletions(self) -> list[HeaderEdit]:
        """What takes the tags off that it brought along."""
        return [
            HeaderEdit(name.decode("utf-8", "surrogateescape"), "", occurrence)
            for name, count in self.tags.items()
            for occurrence in range(1, min(count, MOST_DELETED) + 1)
        ]

    @property
    def is_untouched(self) -> bool:
        """Whether nothing is known of it yet."""
        return not (self.sender or self.recipients or self.fields or self._body)

    @property
    def is_full(self) -> bool:
        """Whether nothing more of it is looked at."""
        return self._size >= MOST_BYTES

    def add_field(self, name: bytes, value: bytes) -> None:
        """Add a field; past the limit only tags are counted."""
        known = name.strip().lower()
        if known in self.tags or (known.startswith(TAG_NAMES) and len(self.tags) < MOST_TAG_NAMES):
            self.tags[known] = self.tags.get(known, 0) + 1
        if self.is_full or len(self.fields) >= MOST_FIELDS:
            self.is_cut = True
            return
        self._size += len(name) + len(value) + 4
        self.fields.append((name, value))

    def add_body(self, piece: bytes) -> None:
        """Add to the body, up to the limit."""
        room = max(MOST_BYTES - self._size, 0)
        self.is_cut |= len(piece) > room
        if room and piece:
            self._body.append(piece[:room])
            self._size += min(len(piece), room)


class MilterProtocol:
    """One connection of a mail server."""

    def __init__(self, tags: Iterable[str] = ()) -> None:
        """``tags``: names of fields that tell a verdict, beside all that begin with X-Deciban and X-Spam."""
        self._tags = [name.lower().encode() for name in tags]
        self.negotiated = False
        self.is_over = False
        """Whether the mail server said goodbye."""
        self.waiting: MilterMessage | None = None
        """A message that is complete and waits for `answer`."""
        self.can_quarantine = False
        self._can_edit = False
        self._skips = self._leading_space = False
        self._silent: frozenset[bytes] = frozenset()
        self._received = bytearray()
        self._out: list[bytes] = []
        self._message = MilterMessage(self._tags)
        self._authenticated = self._client = ""

    @property
    def is_resting(self) -> bool:
        """Whether no message was begun."""
        return self._message.is_untouched and self.waiting is None

    def receive(self, data: bytes) -> None:
        """Take bytes from the mail server; afterwards look at `waiting`, `to_send` and `is_over`."""
        self._received += data
        self._go_on()

    def to_send(self) -> bytes:
        """What has to be sent now; it is given once."""
        out = b"".join(self._out)
        self._out.clear()
        return out

    def answer(
        self,
        edits: Iterable[HeaderEdit] = (),
        quarantine: str = "",
        reject: str = "",
        discard: bool = False,
    ) -> None:
        """Say what to do about the message that waits, and go on with what came behind it.

        ``reject`` is a whole SMTP reply such as ``550 5.7.1 This is spam.``
        """
        if self.waiting is None:
            raise BadDialogue("There is no message that waits for an answer.")
        if reject:
            self._send(b"y", _text(reject.replace("%", "%%")) + b"\0")
        elif discard:
            self._send(_DISCARD)
        else:
            # From the last to the first: Postfix counts anew after each deletion, Sendmail does not. New
            # fields come last, each in front of those before.
            backwards = list(edits)
            backwards.reverse()
            for edit in sorted(backwards, key=_place, reverse=True) if self._can_edit else ():
                self._send_edit(edit)
            if quarantine and self.can_quarantine:
                self._send(b"q", _text(quarantine) + b"\0")
            self._send(_CONTINUE)
        self.waiting = None
        self._forget_message()
        self._go_on()

    def _go_on(self) -> None:
        """Look at all packets that are whole."""
        place, received = 0, self._received
        while self.waiting is None and not self.is_over and len(received) >= place + 4:
            (size,) = _LENGTH.unpack_from(received, place)
            if not 1 <= size <= MOST_PACKET:
                raise BadDialogue(f"A milter packet has 1 to {MOST_PACKET:,} bytes, got {size:,} instead.")
            end = place + 4 + size
            if end > len(received):
                break
            kind, body = bytes(received[place + 4 : place + 5]), bytes(received[place + 5 : end])
            place = end
            self._take(kind, body)
        del received[:place]

    def _take(self, kind: bytes, body: bytes) -> None:
        if kind == b"O":
            self._negotiate(body)
        elif not self.negotiated:
            raise BadDialogue(f"A milter dialogue begins with the packet O, got {kind!r} instead.")
        elif kind == b"D":
            self._take_macros(body)
        elif kind == b"E":
            self._message.add_body(body)
            self.waiting = self._message
        elif kind in (b"A", b"K"):
            self._authenticated = ""
            self._client = self._client if kind == b"A" else ""
            self._forget_message()
        elif kind == b"Q":
            self.is_over = True
        elif kind in _TAKES:
            _TAKES[kind](self, body)
            if kind not in self._silent:
                self._send(_SKIP if kind == b"B" and self._skips and self._message.is_full else _CONTINUE)
        else:
            raise BadDialogue(f"There is no milter command {kind!r}.")

    def _negotiate(self, body: bytes) -> None:
        try:
            version, actions, offered = Struct(">III").unpack_from(body)
        except error:
            raise BadDialogue("A mail server must offer version, actions and steps.") from None
        if version < 2:
            raise BadDialogue(f"Milter versions 2 to {VERSION} are spoken here, not {version}.")
        wanted = UNHEARD | SKIPS | LEADING_SPACE | sum(UNANSWERED.values())
        steps = wanted & offered
        ours = actions & (ADDS | CHANGES | QUARANTINES)
        self._can_edit = actions & (ADDS | CHANGES) == ADDS | CHANGES
        self.can_quarantine = bool(actions & QUARANTINES)
        self._skips, self._leading_space = bool(steps & SKIPS), bool(steps & LEADING_SPACE)
        self._silent = frozenset(kind for kind, flag in UNANSWERED.items() if steps & flag)
        self.negotiated = True
        self._send(b"O", pack(">III", min(version, VERSION), ours, steps))

    def _take_macros(self, body: bytes) -> None:
        """Macros, of which two are of use: who logged in, and the id in the server's queue."""
        command, words = body[:1], body[1:].split(b"\0")
        for name, value in zip(words[::2], words[1::2], strict=False):
            if name == b"{auth_authen}" and command == b"M":
                self._authenticated = _line(value)
            elif name in (b"i", b"{i}"):
                self._message.queue_id = _line(value)

    def _take_client(self, body: bytes) -> None:
        """Name, kind of address (4 or 6), two bytes for the port, address."""
        place = body.find(b"\0") + 1
        is_known = place and body[place : place + 1] in (b"4", b"6")
        self._client = _line(body[place + 3 :].partition(b"\0")[0]) if is_known else ""

    def _take_sender(self, body: bytes) -> None:
        self._forget_message()
        self._message.client = self._client
        self._message.sender = _address(body)
        self._message.authenticated, self._authenticated = self._authenticated, ""

    def _take_recipient(self, body: bytes) -> None:
        if len(self._message.recipients) < MOST_RECIPIENTS:
            self._message.recipients.append(_address(body))

    def _take_field(self, body: bytes) -> None:
        name, found, value = body.partition(b"\0")
        if not found:
            raise BadDialogue("A field must have a name and a value.")
        value = value.removesuffix(b"\0")
        self._message.add_field(name, value if self._leading_space else b" " + value)

    def _take_body(self, body: bytes) -> None:
        self._message.add_body(body)

    def _take_nothing(self, body: bytes) -> None:
        """A command that is only answered."""

    def _forget_message(self) -> None:
        self._message = MilterMessage(self._tags)

    def _send_edit(self, edit: HeaderEdit) -> None:
        value = edit.value if self._leading_space else edit.value.removeprefix(" ")
        data = pack(">I", edit.occurrence) + _text(edit.name) + b"\0" + _text(value) + b"\0"
        self._send(b"m" if edit.occurrence else b"i", data)

    def _send(self, kind: bytes, data: bytes = b"") -> None:
        self._out.append(packet(kind, data))


_TAKES = {
    b"C": MilterProtocol._take_client,
    b"H": MilterProtocol._take_nothing,
    b"M": MilterProtocol._take_sender,
    b"R": MilterProtocol._take_recipient,
    b"T": MilterProtocol._take_nothing,
    b"L": MilterProtocol._take_field,
    b"N": MilterProtocol._take_nothing,
    b"B": MilterProtocol._take_body,
    b"U": MilterProtocol._take_nothing,
}


def packet(kind: bytes, data: bytes = b"") -> bytes:
    r"""One packet.

    >>> packet(b"c")
    b'\x00\x00\x00\x01c'
    """
    return _LENGTH.pack(len(data) + 1) + kind + data


def packets_in(data: bytes) -> Iterator[bytes]:
    """The packets of some bytes, each as its letter and its data; one that is cut off is left out."""
    place = 0
    while len(data) >= place + 4:
        (size,) = _LENGTH.unpack_from(data, place)
        if place + 4 + size > len(data):
            return
        yield data[place + 4 : place + 4 + size]
        place += 4 + size


def _with_crlf(value: bytes) -> bytes:
    """A folded value with the line ends of mail: Postfix tells values with LF, but bodies with CRLF."""
    return value.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _address(body: bytes) -> str:
    """The address of MAIL or RCPT, without brackets and without what follows it."""
    return _line(body.partition(b"\0")[0]).strip().removeprefix("<").removesuffix(">")


def _line(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _place(edit: HeaderEdit) -> int:
    return edit.occurrence


def _text(value: str) -> bytes:
    """What can stand in a packet: nothing that ends it or its line."""
    return value.replace("\0", "").encode("utf-8", "surrogateescape")
