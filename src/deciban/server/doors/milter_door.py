r"""The milter door: Postfix or Sendmail asks about each message while it receives it.

Law: mail goes on. Whatever goes wrong here, the answer is to accept the message, without a verdict of ours
and without any that it brought along; the reason is logged. Only if we cannot answer at all does the mail
server decide, so it is configured to accept then (``milter_default_action = accept``, docs/postfix.md).

A message for several people is asked about in each of their spaces, and each gets an entry of its own in the
journal. It is called spam only if it is spam for all of them; one who has no space counts as one who does
not call it spam. There is one header for all, so it tells of the verdict that is least for spam, and of no
label but spam and ham:

>>> from deciban.committee.verdict import Verdict
>>> ann = Verdict("spam", 0.999, 30.0, {"spam": 0.999, "ham": 0.001}, unsure=False)
>>> bob = Verdict("work", 0.8, 6.1, {"spam": 0.1, "work": 0.8, "ham": 0.1}, unsure=False)
>>> both = least([ann, bob])
>>> both.label, round(both.probability, 2), round(both.decibans, 1)
('ham', 0.9, 9.5)
>>> least([ann]) is ann, least([ann, ann]).decision
(True, 'spam')
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from deciban.committee.verdict import Verdict
from deciban.decibans import SPAM
from deciban.filter.tag import spam_decibans, tags_of
from deciban.filter.tagging import Tagging
from deciban.journal.journal_entry import TAGGED
from deciban.ledger.lesson import SENT
from deciban.server.doors.milter_protocol import HeaderEdit, MilterProtocol
from deciban.server.doors.stream_door import StreamDoor
from deciban.sources import RawMessage
from deciban.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deciban.server.door_settings import MilterSettings
    from deciban.server.doors.milter_protocol import MilterMessage
    from deciban.server.doors.stream_door import Peer
    from deciban.server.reception import Reception
    from deciban.spaces.sqlite_registry import SpaceRecord

NAME = "milter"
# Mail has one subject. Of the forged ones, those behind a few are left alone.
MOST_SUBJECTS = 10
# One question takes some .3 ms; a message for a whole company is not asked about in every space of it.
MOST_SPACES = 100
GOOD = "ham"


class MilterAnswer(Value):
    """What to do about a message."""

    edits: tuple[HeaderEdit, ...] = ()
    quarantine: str = ""
    reject: str = ""


class MilterDoor(StreamDoor):
    """Answers mail servers."""

    name = NAME

    def __init__(self, reception: Reception, settings: MilterSettings) -> None:
        super().__init__(reception)
        self._settings = settings
        self._tagging = Tagging(subject_tag=settings.subject_tag)
        self._lessons: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """Accept nobody any more, and finish what was begun, lessons too."""
        await super().close()
        if self._lessons:
            await asyncio.wait(list(self._lessons))

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: Peer) -> None:
        """Answer about one message after the other."""
        protocol = MilterProtocol()
        while not protocol.is_over:
            data = await self.read(reader, self._settings.idle_seconds, protocol.is_resting)
            if not data:
                return
            protocol.receive(data)
            while protocol.waiting is not None:
                found = await self._answer(protocol.waiting, peer)
                protocol.answer(found.edits, found.quarantine, found.reject)
            if answer := protocol.to_send():
                await self.send(writer, answer)

    async def _answer(self, message: MilterMessage, peer: Peer) -> MilterAnswer:
        """What to do about a message; whatever breaks, to accept it without a verdict."""
        try:
            async with asyncio.timeout(self._settings.seconds):
                raw = RawMessage(message.queue_id, self._tagging.taken_off(message.raw))
                answer = await self._judged(message, raw)
                self._learn_if_sent(message, raw, peer)
                return answer
        except Exception as error:
            self.tell(error, queue_id=message.queue_id)
            return MilterAnswer((*message.deletions, *self._subject_edits(message, is_spam=False)))

    async def _judged(self, message: MilterMessage, raw: RawMessage) -> MilterAnswer:
        spaces, is_strange = await self._spaces_of(message.recipients)
        answers = [await self.reception.ask(each, raw, door=NAME, done=TAGGED) for each in spaces]
        answers = [each for each in answers if each.address is not None]
        if not answers:
            return MilterAnswer((*message.deletions, *self._subject_edits(message, is_spam=False)))
        verdict = least([each.verdict for each in answers])
        if verdict.decision == SPAM and (is_strange or len(answers) < len(spaces)):
            verdict = verdict.replaced(unsure=True)
        identity = answers[0].id if len(spaces) == 1 else b""
        tags = [HeaderEdit(name, f" {value}") for name, value in tags_of(verdict, identity)]
        is_spam = verdict.decision == SPAM
        edits = (*tags, *message.deletions, *self._subject_edits(message, is_spam))
        return self._with_consequences(MilterAnswer(edits), verdict)

    async def _spaces_of(self, recipients: list[str]) -> tuple[list[SpaceRecord], bool]:
        """The spaces of recipients, each once; and whether somebody has none."""
        found = {}
        is_strange = False
        for recipient in dict.fromkeys(recipients):
            space = await self.reception.space_for(recipient)
            if space is None or len(found) >= MOST_SPACES:
                is_strange = True
            else:
                found[space.id] = space
        return list(found.values()), is_strange

    def _with_consequences(self, answer: MilterAnswer, verdict: Verdict) -> MilterAnswer:
        """Reject or quarantine what is spam and above a bar, if the administrator set one."""
        if verdict.decision != SPAM:
            return answer
        decibans, settings = _spam_decibans(verdict), self._settings
        if settings.reject_decibans and decibans >= settings.reject_decibans:
            return answer.replaced(reject=settings.reject_text)
        if settings.quarantine_decibans and decibans >= settings.quarantine_decibans:
            return answer.replaced(quarantine=f"spam; {decibans:.1f} dB")
        return answer

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
            if space is None:
                return
            answer = await self.reception.ask(space, raw, door=NAME, journal=False)
            # A machine that was broken into sends spam in its owner's name.
            if answer.verdict.label and answer.verdict.decision != SPAM:
                await self.reception.learn(space, [raw], GOOD, door=NAME, origin=SENT)
        except Exception as error:
            self.tell(error, queue_id=message.queue_id)


def least(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict that the header of a message for several spaces tells: the one that is least for spam."""
    if len(verdicts) == 1:
        return verdicts[0]
    lowest = min(verdicts, key=lambda verdict: (verdict.decision == SPAM, _spam_decibans(verdict)))
    if SPAM not in lowest.probabilities or lowest.otherwise is not None:
        return Verdict(GOOD, None, 0.0, {}, unsure=lowest.unsure)
    decibans, spam = spam_decibans(lowest), lowest.probabilities[SPAM]
    both = {SPAM: spam, GOOD: 1 - spam}
    if decibans > 0:
        return Verdict(SPAM, spam, decibans, both, lowest.unsure)
    return Verdict(GOOD, 1 - spam, -decibans, both, lowest.unsure)


def _spam_decibans(verdict: Verdict) -> float:
    return spam_decibans(verdict) if SPAM in verdict.probabilities else 0.0
