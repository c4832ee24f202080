"""The spamd door: whatever speaks with SpamAssassin's spamd, such as spamc, Exim or spamass-milter, asks us.

Law: mail goes on. Whatever goes wrong is told as an exit code of sysexits.h, at which every client hands its
message on as it came.

**Who may do what.** ``User:`` is a claim that anybody can make. How a client came decides what is believed:

    a socket in the file system, a trusted user     any space; learn, forget, words
    a socket in the file system, anybody else       the own space only, whatever is claimed; the same there
    TCP from a trusted address                      any space; learn, forget, words
    TCP from elsewhere                              verdicts of the common space; nothing else

Nobody makes a space by claiming a name. A space that a whole domain shares (its name begins with ``@``) is
taught by trusted clients only.
"""

from __future__ import annotations

import asyncio
import os
import re
from typing import TYPE_CHECKING

from deciban.decibans import SPAM
from deciban.errors import BadDialogue, NoSuchSpace, NotAllowed
from deciban.filter.tag import tagged, tags_of
from deciban.filter.tagging import identity_in
from deciban.journal.journal_entry import TAGGED, TOLD
from deciban.journal.sqlite_journal import SqliteJournal
from deciban.server.doors.points import REQUIRED, points_of
from deciban.server.doors.spamd_protocol import (
    NO_USER,
    TROUBLE,
    TRY_AGAIN,
    UNAVAILABLE,
    SpamdProtocol,
    answer,
    refusal,
    verdict_field,
)
from deciban.server.doors.stream_door import StreamDoor
from deciban.server.doors.trust import EVERYBODY, Trust, user_name
from deciban.sources import RawMessage
from deciban.text import read
from deciban.value import Value

if TYPE_CHECKING:
    from deciban.committee.verdict import Verdict
    from deciban.server.doors.spamd_protocol import SpamdRequest
    from deciban.server.doors.stream_door import Peer
    from deciban.server.reception import Reception
    from deciban.server.server_configuration import SpamdSettings
    from deciban.spaces.sqlite_registry import SpaceRecord

NAME = "spamd"
LOCAL = "local"
MOST_EVIDENCE = 16
_HEAD_END = re.compile(rb"\r?\n\r?\n")


class Visitor(Value):
    """The space that a client asks for, and whether it may teach it and see its words."""

    space: SpaceRecord
    is_owner: bool


class SpamdDoor(StreamDoor):
    """Answers clients of spamd."""

    name = NAME

    def __init__(self, reception: Reception, settings: SpamdSettings) -> None:
        super().__init__(reception)
        self._settings = settings
        self._trust = Trust.of(settings.trusted_users, settings.trusted_addresses)

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: Peer) -> None:
        """Answer one request."""
        try:
            request = await self.request(
                reader, SpamdProtocol(self.reception.configuration.limits.body_bytes)
            )
            if request is None:
                return
            reply = await self._reply(request, peer)
        except BadDialogue as error:
            reply = error.refusal or refusal(TROUBLE, str(error))
            self.tell(error)
        await self.send(writer, reply)

    async def _reply(self, request: SpamdRequest, peer: Peer) -> bytes:
        """The answer to a request; whatever breaks, one at which the client hands its message on."""
        try:
            async with asyncio.timeout(self._settings.seconds):
                if request.method == "SKIP":
                    return b""
                if request.method == "PING":
                    return answer(request)
                visitor = await self._visitor(request, peer)
                if request.method == "TELL":
                    return await self._told(request, visitor)
                return await self._judged(request, visitor)
        except NoSuchSpace as error:
            return refusal(NO_USER, str(error))
        except NotAllowed as error:
            return refusal(UNAVAILABLE, f"Service Unavailable: {error}")
        except Exception as error:
            self.tell(error, method=request.method)
            return refusal(TRY_AGAIN, "no verdict now")

    # Who

    async def _visitor(self, request: SpamdRequest, peer: Peer) -> Visitor:
        if self._trust.covers(peer):
            name = request.user or (EVERYBODY if peer.uid is None else user_name(peer.uid))
            space = await self._space_of(name)
            if space is not None:
                return Visitor(space, is_owner=True)
        elif peer.uid is not None:
            space = await self._space_of(user_name(peer.uid))
            if space is not None:
                return Visitor(space, is_owner=not space.name.startswith(EVERYBODY))
        common = self.reception.find(self._settings.space or EVERYBODY)
        if common is None:
            raise NoSuchSpace("there is no space for this user")
        return Visitor(common, is_owner=False)

    async def _space_of(self, user: str) -> SpaceRecord | None:
        found = await self.reception.space_for(user)
        if found is None and self._settings.domain and "@" not in user:
            found = await self.reception.space_for(f"{user}@{self._settings.domain}")
        return found

    # Asking

    async def _judged(self, request: SpamdRequest, visitor: Visitor) -> bytes:
        raw = RawMessage("", request.message)
        is_rewritten = request.method in ("PROCESS", "HEADERS")
        found = await self.reception.ask(visitor.space, raw, door=NAME, done=TAGGED if is_rewritten else TOLD)
        if found.address is None:
            return refusal(TRY_AGAIN, "no verdict now")
        verdict = found.verdict
        body: bytes | None = None
        if is_rewritten:
            body = with_points(request.message, verdict, found.id)
            if request.method == "HEADERS":
                end = _HEAD_END.search(body)
                body = body[: end.end()] if end else body
        elif request.method == "SYMBOLS":
            body = symbol_of(verdict).encode()
        elif request.method == "REPORT" or (request.method == "REPORT_IFSPAM" and verdict.decision == SPAM):
            body = await self._report(raw, verdict, visitor)
        elif request.method == "REPORT_IFSPAM":
            body = b""
        return answer(request, verdict_field(request, verdict), body=body)

    async def _report(self, raw: RawMessage, verdict: Verdict, visitor: Visitor) -> bytes:
        """A verdict in words; with the evidence, if the client may see words of this space."""
        lines = [
            f"deciban: {verdict.decision}, {points_of(verdict):.1f} points, {REQUIRED:.1f} required",
            "(a point is two decibans)",
        ]
        if visitor.is_owner:
            explained = await self.reception.why(visitor.space, raw)
            lines += ["", "  dB  evidence"]
            for each in explained.answer.verdict.evidence[:MOST_EVIDENCE]:
                lines.append(f"{each.decibans:5.1f} {each.name}")
        return "".join(f"{line}\r\n" for line in lines).encode("utf-8", "replace")

    # Learning

    async def _told(self, request: SpamdRequest, visitor: Visitor) -> bytes:
        if not visitor.is_owner:
            raise NotAllowed("this client may not teach: see trusted_users and trusted_addresses of [spamd]")
        fields = []
        raw = RawMessage("", request.message)
        if LOCAL in request.sets and request.label:
            learned = await self.reception.learn(visitor.space, [raw], request.label, door=NAME)
            if learned["learned"] or learned["relearned"]:
                fields.append(f"DidSet: {LOCAL}")
        elif LOCAL in request.removes:
            digests = await asyncio.to_thread(digests_about, self.reception, visitor.space, request.message)
            forgotten = await self.reception.forget(visitor.space, digests)
            if forgotten["forgotten"]:
                fields.append(f"DidRemove: {LOCAL}")
        return answer(request, *fields)


def digests_about(reception: Reception, space: SpaceRecord, data: bytes) -> list[bytes]:
    """The digests under which a message may have been learned: its own, and those of entries about it."""
    message = read(data)
    found = {message.digest}
    if os.path.exists(reception.spaces.journal_path):
        with SqliteJournal(reception.spaces.journal_path) as journal:
            message_id = message.header("message-id")
            entries = journal.about(space.id, identity_in(data), message.digest, message_id)
            found.update(entry.digest for entry in entries)
    return sorted(found)


def with_points(message: bytes, verdict: Verdict, identity: bytes) -> bytes:
    """The message with its tags; X-Spam-Status tells points, as those expect who read it."""
    is_spam = verdict.decision == SPAM
    status = f"{'Yes' if is_spam else 'No'}, score={points_of(verdict):.1f} required={REQUIRED:.1f}"
    tags = [
        (name, status if name == "X-Spam-Status" else value) for name, value in tags_of(verdict, identity)
    ]
    return tagged(message, tags)


def symbol_of(verdict: Verdict) -> str:
    """The one symbol that stands for a verdict.

    >>> from deciban.committee.verdict import Verdict
    >>> symbol_of(Verdict("work", 0.9, 9.5, {"spam": 0.1, "work": 0.9}, unsure=False))
    'DECIBAN_HAM'
    """
    if verdict.unsure:
        return "DECIBAN_UNSURE"
    return "DECIBAN_SPAM" if verdict.decision == SPAM else "DECIBAN_HAM"
