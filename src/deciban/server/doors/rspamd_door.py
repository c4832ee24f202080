"""The rspamd door: whatever asks rspamd over HTTP, or as Exim does, asks us.

    /checkv2                   the verdict, in the JSON that clients of rspamd read
    /learnspam, /learnham      teach the message
    /ping, /stat, /symbols     whether we are there, what was done, what symbols there are
    /auth                      whether a password is right, and how long we run (``rspamc uptime``)

Law: mail goes on. Whatever goes wrong with a verdict, the answer is that the message was skipped and that
there is nothing to do about it.

**Who may do what.** ``Deliver-To``, ``Rcpt`` and ``User`` are claims. They are believed from trusted users
and addresses, and as far as a key goes that comes as the password (``rspamc -P KEY``; `deciban key add`). All
others get verdicts of the common space, and teach nothing. Web pages are refused, whoever looks at them.

The action is *add header* for spam and *no action* for everything else; *reject* only above a bar that the
administrator set. Nothing is ever greylisted.
"""

from __future__ import annotations

import asyncio
from ipaddress import ip_address
from time import monotonic, perf_counter
from typing import TYPE_CHECKING

from deciban import __version__
from deciban.errors import BadDialogue, DecibanError, KeyRefused, NoSuchSpace, NotAllowed
from deciban.filter.tag import tags_of
from deciban.journal.journal_entry import TOLD
from deciban.server.doors.joint_verdict import Circle
from deciban.server.doors.points import points_of
from deciban.server.doors.rspamd_protocol import RspamdProtocol, http_answer, json_answer, legacy_answer
from deciban.server.doors.spamd_door import symbol_of
from deciban.server.doors.stream_door import StreamDoor
from deciban.server.doors.trust import EVERYBODY, Trust, user_name
from deciban.sources import RawMessage
from deciban.text import read

if TYPE_CHECKING:
    from deciban.server.doors.joint_verdict import JointVerdict
    from deciban.server.doors.rspamd_protocol import RspamdRequest
    from deciban.server.doors.stream_door import Peer
    from deciban.server.reception import Reception
    from deciban.server.server_configuration import RspamdSettings

NAME = "rspamd"
# As rspamd comes: 6 points are tagged, 15 are rejected, and from 4 on mail is greylisted.
TAGGED_POINTS, REJECTED_POINTS, GOOD_POINTS = 6.0, 15.0, 3.9
NO_ACTION, ADD_HEADER, REJECT = "no action", "add header", "reject"
LABELS = {"/learnspam": "spam", "/learnham": "ham"}
CHECKS = ("/checkv2", "/check")
WEIGHTS = {"DECIBAN_SPAM": 1.0, "DECIBAN_HAM": -1.0, "DECIBAN_UNSURE": 0.0}


class RspamdDoor(StreamDoor):
    """Answers clients of rspamd."""

    name = NAME

    def __init__(self, reception: Reception, settings: RspamdSettings) -> None:
        super().__init__(reception)
        self._settings = settings
        self._trust = Trust.of(settings.trusted_users, settings.trusted_addresses)
        self._begun = monotonic()
        self._actions = dict.fromkeys(
            (REJECT, "soft reject", "rewrite subject", ADD_HEADER, "greylist", NO_ACTION), 0
        )
        self._learned = 0

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: Peer) -> None:
        """Answer one request."""
        try:
            request = await self.request(
                reader, RspamdProtocol(self.reception.configuration.limits.body_bytes)
            )
            if request is None:
                return
            reply = await self._reply(request, peer)
        except BadDialogue as error:
            self.tell(error)
            reply = error.refusal
        await self.send(writer, reply)

    async def _reply(self, request: RspamdRequest, peer: Peer) -> bytes:
        if not self._is_from_a_program(request):
            return json_answer({"error": "Web pages may not ask here."}, 403)
        if request.path == "/ping":
            return http_answer(b"pong\r\n", "text/plain")
        if request.path in CHECKS:
            record = await self._checked(request, peer)
            return legacy_answer(record) if request.is_legacy else json_answer(record)
        try:
            if request.path in LABELS:
                return await self._taught(request, peer, LABELS[request.path])
            if request.path in ("/stat", "/symbols", "/auth"):
                self._must_know(request, peer)
                if request.path == "/symbols":
                    return json_answer(symbols())
                return json_answer(self._stat() if request.path == "/stat" else self._auth())
        except (KeyRefused, NotAllowed):
            return json_answer({"error": "Unauthorized"}, 401)
        except NoSuchSpace:
            return json_answer({"error": "There is no space for this user."}, 404)
        except (DecibanError, OSError, TimeoutError) as error:
            self.tell(error, path=request.path)
            return json_answer({"error": "not learned now"}, 503)
        return http_answer(b"Not found", "text/plain", 404)

    # Who

    def _is_from_a_program(self, request: RspamdRequest) -> bool:
        """Whether no browser sent it: a page must not teach in the name of whoever looks at it."""
        host = request.header("host").lower()
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        is_ours = not name or name == "localhost" or name in self._settings.hosts or _is_address(name)
        return is_ours and "origin" not in request.headers

    async def _circle(self, request: RspamdRequest, peer: Peer, operation: str) -> Circle:
        """The spaces that are meant, as far as the client may enter them."""
        password = request.header("password")
        key = self.reception.doorkeeper.unlock(password) if password else None
        if key is None and not self._trust.covers(peer):
            if peer.uid is not None:
                circle = await self._named(user_name(peer.uid))
                shared = any(space.name.startswith(EVERYBODY) for space in circle.spaces)
                if circle.spaces and not (shared and operation != "classify"):
                    return circle
            if operation != "classify":
                raise NotAllowed(f"This client may not {operation} here.")
            return self._common()
        claimed = request.recipients or [request.header("user")]
        if claimed == [""]:
            circle = self._common()
        else:
            circle = await Circle.of(self.reception, claimed)
        if key is None:
            return circle
        allowed = tuple(space for space in circle.spaces if key.allows(operation, space.id, space.name))
        if circle.spaces and not allowed:
            raise NotAllowed(f"This key does not open {operation!r} here.")
        return Circle(allowed, circle.is_open or len(allowed) < len(circle.spaces))

    async def _named(self, user: str) -> Circle:
        circle = await Circle.of(self.reception, [user])
        if not circle.spaces and self._settings.domain:
            circle = await Circle.of(self.reception, [f"{user}@{self._settings.domain}"])
        return circle

    def _common(self) -> Circle:
        space = self.reception.find(self._settings.space or EVERYBODY)
        return Circle(() if space is None else (space,))

    def _must_know(self, request: RspamdRequest, peer: Peer) -> None:
        """Let only those see figures who are trusted or have any key."""
        if not self._trust.covers(peer):
            self.reception.doorkeeper.unlock(request.header("password"))

    # Asking

    async def _checked(self, request: RspamdRequest, peer: Peer) -> dict[str, object]:
        began = perf_counter()
        found: JointVerdict | None = None
        try:
            async with asyncio.timeout(self._settings.seconds):
                circle = await self._circle(request, peer, "classify")
                found = await circle.ask(
                    self.reception, RawMessage("", request.message), NAME, lambda _: TOLD
                )
        except Exception as error:
            self.tell(error, path=request.path)
        record = self._record(found, request.message)
        self._actions[str(record["action"])] += 1
        return {**record, "time_real": round(perf_counter() - began, 6)}

    def _record(self, found: JointVerdict | None, message: bytes) -> dict[str, object]:
        record: dict[str, object] = {
            "is_skipped": found is None,
            "score": 0.0,
            "required_score": REJECTED_POINTS,
            "action": NO_ACTION,
            "symbols": {},
            "messages": {},
        }
        message_id = read(message).header("message-id").strip().removeprefix("<").removesuffix(">")
        if message_id:
            record["message-id"] = message_id
        if found is not None:
            score = points_of(found.verdict, TAGGED_POINTS, GOOD_POINTS)
            name = symbol_of(found.verdict)
            symbol = {
                "name": name,
                "score": score,
                "metric_score": score,
                "description": "what deciban decided; a point is two decibans",
                "options": [f"{found.decibans:.1f} dB"],
            }
            record |= {"score": score, "action": self._action(found), "symbols": {name: symbol}}
            record["milter"] = _header_changes(found)
        return record

    def _action(self, found: JointVerdict) -> str:
        if not found.is_spam:
            return NO_ACTION
        bar = self._settings.reject_decibans
        return REJECT if bar and found.decibans >= bar else ADD_HEADER

    # Learning

    async def _taught(self, request: RspamdRequest, peer: Peer, label: str) -> bytes:
        raw = RawMessage("", request.message)
        circle = await self._circle(request, peer, "learn")
        if not circle.spaces:
            raise NoSuchSpace("There is no space for this user.")
        changed = 0
        for space in circle.spaces:
            learned = await self.reception.learn(space, [raw], label, door=NAME)
            changed += learned["learned"] + learned["relearned"]
        self._learned += changed
        if changed:
            return json_answer({"success": True})
        known = read(request.message).header("message-id").strip() or "<undef>"
        text = f"{known} has been already learned as {label}, ignore it"
        return json_answer({"error": text}, 404, text)

    def _auth(self) -> dict[str, object]:
        """That the client may see figures, and the first of them."""
        stat, actions = self._stat(), self._actions
        kept = ("version", "uptime", "scanned", "learned", "read_only", "config_id")
        counts = {"clean": NO_ACTION, "probable": ADD_HEADER, "greylist": "greylist", "reject": REJECT}
        counts["soft_reject"] = "soft reject"
        return (
            {"auth": "ok"}
            | {name: stat[name] for name in kept}
            | {name: actions[action] for name, action in counts.items()}
        )

    def _stat(self) -> dict[str, object]:
        """What this worker did since it began, in the form of rspamd; what we have no figure for is 0."""
        spam = self._actions[ADD_HEADER] + self._actions[REJECT]
        scanned = sum(self._actions.values())
        nothing = ("pools_allocated", "pools_freed", "bytes_allocated", "chunks_allocated",
                   "shared_chunks_allocated", "chunks_freed", "chunks_oversized", "fragmented")  # fmt: skip
        return {
            "version": __version__,
            "config_id": "",
            "uptime": int(monotonic() - self._begun),
            "read_only": False,
            "scanned": scanned,
            "learned": self._learned,
            "actions": self._actions,
            "scan_times": [],
            "spam_count": spam,
            "ham_count": scanned - spam,
            "connections": len(self._conversations),
            "control_connections": 0,
            **dict.fromkeys(nothing, 0),
            "total_learns": self._learned,
            "statfiles": [],
        }


def symbols() -> list[dict[str, object]]:
    """The symbols that a verdict may have, as rspamd lists them."""
    rules = [
        {"symbol": name, "weight": weight, "frequency": 0.0, "frequency_stddev": 0.0, "time": 0.0}
        for name, weight in WEIGHTS.items()
    ]
    return [{"group": "deciban", "rules": rules}]


def _is_address(host: str) -> bool:
    """Whether a host is a number: a name may lead a browser here that was sent elsewhere.

    >>> _is_address("127.0.0.1"), _is_address("[::1]"), _is_address("evil.example")
    (True, True, False)
    """
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def _header_changes(found: JointVerdict) -> dict[str, object]:
    """What a client that rewrites the header is to do: our tags, instead of any that the message brought."""
    tags = tags_of(found.verdict, found.id)
    return {
        "add_headers": {name: {"value": value, "order": 0} for name, value in tags},
        "remove_headers": {name: 0 for name, _ in tags},
    }
