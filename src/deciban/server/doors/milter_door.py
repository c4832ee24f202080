r"""The milter door: Postfix or Sendmail asks about each message while it receives it.

Law: mail goes on. Whatever goes wrong here, the answer is to accept the message, without a verdict of ours
and without any that it brought along; the reason is logged. Only if we cannot answer at all does the mail
server decide, so it is configured to accept then (``milter_default_action = accept``, docs/postfix.md).

A message for several people is called spam only if it is spam for all of them (joint_verdict.py).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from deciban.decibans import SPAM
from deciban.errors import NotAllowed
from deciban.filter.tag import tags_of
from deciban.filter.tagging import Tagging
from deciban.journal.journal_entry import HELD, REJECTED, TAGGED
from deciban.ledger.lesson import SENT
from deciban.server.doors.forwarding import Forwarding
from deciban.server.doors.joint_verdict import GOOD, Circle
from deciban.server.doors.milter_protocol import HeaderEdit, MilterProtocol
from deciban.server.doors.stream_door import StreamDoor
from deciban.server.doors.trust import EVERYBODY, Trust
from deciban.sources import RawMessage
from deciban.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deciban.server.doors.joint_verdict import JointVerdict
    from deciban.server.doors.milter_protocol import MilterMessage
    from deciban.server.doors.stream_door import Peer
    from deciban.server.reception import Reception
    from deciban.server.server_configuration import MilterSettings

NAME = "milter"
LOOPBACK = ("127.0.0.0/8", "::1")
# Mail has one subject. Of the forged ones, those behind a few are left alone.
MOST_SUBJECTS = 10


class MilterAnswer(Value):
    """What to do about a message."""

    edits: tuple[HeaderEdit, ...] = ()
    quarantine: str = ""
    reject: str = ""
    discard: bool = False


class MilterDoor(StreamDoor):
    """Answers mail servers."""

    name = NAME

    def __init__(self, reception: Reception, settings: MilterSettings) -> None:
        super().__init__(reception)
        self._settings = settings
        self._trust = Trust.of((), (*LOOPBACK, *settings.trusted_addresses))
        self._tagging = Tagging(subject_tag=settings.subject_tag)
        self._forwarding = Forwarding(reception, settings)
        self._lessons: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """Accept nobody any more, and finish what was begun, lessons too."""
        await super().close()
        if self._lessons:
            await asyncio.wait(list(self._lessons))

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: Peer) -> None:
        """Answer about one message after the other."""
        if not self._trust.covers(peer) and peer.uid is None:
            self.reception.log.say(NAME, "not among trusted_addresses", address=peer.address)
            return
        protocol = MilterProtocol()
        while not protocol.is_over:
            data = await self.read(reader, self._settings.idle_seconds, protocol.is_resting)
            if not data:
                return
            protocol.receive(data)
            while protocol.waiting is not None:
                found = await self._answer(protocol.waiting, peer)
                protocol.answer(found.edits, found.quarantine, found.reject, found.discard)
                self.let_go()
            if answer := protocol.to_send():
                await self.send(writer, answer)

    async def _answer(self, message: MilterMessage, peer: Peer) -> MilterAnswer:
        """What to do about a message; whatever breaks, to accept it without a verdict."""
        try:
            async with asyncio.timeout(self._settings.seconds):
                is_lesson = await self._taught(message, peer)
                others = self._forwarding.others(message)
                if is_lesson and not others and self._settings.discard_lessons:
                    return MilterAnswer(discard=True)
                raw = RawMessage(message.queue_id, self._tagging.taken_off(message.raw))
                answer = await self._judged(message, raw, others)
                if not is_lesson:
                    self._learn_if_sent(message, raw, peer)
                return answer
        except Exception as error:
            self.tell(error, queue_id=message.queue_id)
            return self._untagged(message)

    def _untagged(self, message: MilterMessage) -> MilterAnswer:
        """To accept a message without a verdict, and without any that it brought along."""
        return MilterAnswer((*message.deletions, *self._subject_edits(message, is_spam=False)))

    async def _taught(self, message: MilterMessage, peer: Peer) -> bool:
        """Whether it taught something: what a user forwarded."""
        if not self._forwarding.is_meant(message):
            return False
        try:
            count = await self._forwarding.teach(message, peer, NAME)
        except NotAllowed as error:
            self.reception.log.say(NAME, "nothing learned", why=str(error), queue_id=message.queue_id)
            return False
        self.reception.log.say(NAME, "learned by mail", messages=count, queue_id=message.queue_id)
        return True

    async def _judged(
        self, message: MilterMessage, raw: RawMessage, recipients: Sequence[str]
    ) -> MilterAnswer:
        circle = await Circle.of(self.reception, recipients)
        found = await circle.ask(self.reception, raw, NAME, self._done)
        if found is None:
            return self._untagged(message)
        tags = [HeaderEdit(name, f" {value}") for name, value in tags_of(found.verdict, found.id)]
        edits = (*tags, *message.deletions, *self._subject_edits(message, found.is_spam))
        done = self._done(found)
        if done == REJECTED:
            return MilterAnswer(reject=self._settings.reject_text)
        return MilterAnswer(edits, quarantine=f"spam; {found.decibans:.1f} dB" if done == HELD else "")

    def _done(self, found: JointVerdict) -> str:
        """What is done with a message: more than tagging with spam above a bar that is set."""
        if found.is_spam:
            reject, hold = self._settings.reject_decibans, self._settings.quarantine_decibans
            if reject and found.decibans >= reject:
                return REJECTED
            if hold and found.decibans >= hold:
                return HELD
        return TAGGED

    def _subject_edits(self, message: MilterMessage, is_spam: bool) -> list[HeaderEdit]:
        """What changes the subject: our word in front for spam, none otherwise."""
        if not self._tagging.subject_tag:
            return []
        subjects = [value for name, value in message.fields if name.strip().lower() == b"subject"]
        edits = []
        for occurrence, before in enumerate(subjects[:MOST_SUBJECTS], start=1):
            after = self._tagging.subject(before, is_spam and occurrence == 1)
            if after != before:
                edits.append(HeaderEdit("Subject", after.decode("utf-8", "surrogateescape"), occurrence))
        return edits

    def _learn_if_sent(self, message: MilterMessage, raw: RawMessage, peer: Peer) -> None:
        """Have outgoing mail learned as good, if that was asked for; nobody waits for it."""
        is_believed = peer.uid is not None  # who can open the socket is the mail server
        if self._settings.learn_sent and is_believed and message.authenticated:
            lesson = asyncio.get_running_loop().create_task(self._learn_sent(message, raw))
            self._lessons.add(lesson)
            lesson.add_done_callback(self._lessons.discard)

    async def _learn_sent(self, message: MilterMessage, raw: RawMessage) -> None:
        try:
            space = await self.reception.space_for(message.authenticated)
            if space is None or space.name.startswith(EVERYBODY):  # others are judged by that one, too
                return
            answer = await self.reception.ask(space, raw, door=NAME, journal=False)
            # A machine that was broken into sends spam in its owner's name.
            if answer.address is not None and answer.verdict.decision != SPAM:
                await self.reception.learn(space, [raw], GOOD, door=NAME, origin=SENT)
        except Exception as error:
            self.tell(error, queue_id=message.queue_id)
