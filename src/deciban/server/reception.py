"""What every door works with inside a worker: questions are answered here, changes go to the writer.

    answer = await reception.ask(space, message, door="http")     a verdict, its entry, the state's address
    await reception.learn(space, [RawMessage(...)], "spam", door="spamd")
    await reception.correct(space, identity, "ham")
    space = await reception.space_for("ann+shop@example.org")     None if nobody has that mail

A question is answered on the event loop from the published state, in some .3 ms; only if there is no state
now, because the space is new or its state is being replaced, the writer is asked for one, and the question
waits for at most two seconds. Then the verdict is *unsure*, without a label. Nothing here holds a lock that
keeps the writer waiting for longer than a question takes.

Errors are those of `deciban.errors`. Failing open is the business of doors: they know what a message is to
them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from deciban.committee.label import label_of
from deciban.committee.verdict import Verdict
from deciban.errors import DecibanError
from deciban.filter.address_text import address_text
from deciban.filter.mail import Question, lesson_of, question_of, whereabouts_in
from deciban.journal.journal_entry import ID_BYTES, TOLD, JudgedEntry
from deciban.ledger.lesson import INCOMING
from deciban.server.random_bytes import RandomBytes
from deciban.server.turn import Turn
from deciban.spaces import Spaces
from deciban.spaces.doorkeeper import Doorkeeper
from deciban.spaces.recipients import AliasCommand, Recipients, aliases_in
from deciban.text import read
from deciban.value import Value

if TYPE_CHECKING:
    from deciban.filter import Filter
    from deciban.ledger.records import Address
    from deciban.server.attendance import Attendance
    from deciban.server.server_configuration import ServerConfiguration
    from deciban.server.server_log import ServerLog
    from deciban.server.writer_link import WriterLink
    from deciban.sources import RawMessage
    from deciban.spaces.sqlite_registry import SpaceRecord

Found = TypeVar("Found")
# How long a question waits for a state, and for a state that knows a position.
STATE_SECONDS, AT_LEAST_SECONDS = 2.0, 1.0
FIRST_NAP, LONGEST_NAP = 0.002, 0.05


class Answer(Value):
    """A verdict about a message, and where it is from."""

    verdict: Verdict
    id: bytes
    """Of its entry in the journal; empty if none is kept."""
    digest: bytes
    address: Address | None
    """Of the state that answered; None if there was none."""
    stale: bool = False
    """Whether the state does not know the position that was asked for."""
    entry: JudgedEntry | None = None
    """Of the journal, if it waits for `Reception.note`."""

    @property
    def position(self) -> int:
        """The position of that state."""
        return 0 if self.address is None else self.address.position

    @property
    def address_text(self) -> str:
        """The address of that state, in words."""
        return "" if self.address is None else address_text(self.address)


class Explained(Value):
    """A verdict with its evidence, and what the shared filter has to do with it."""

    answer: Answer
    shared: float | None
    """What the shared filter alone would say, in decibans; None if there is none."""


class Reception:
    """The spaces of the server, as the doors of one worker use them; for its event loop alone."""

    def __init__(
        self,
        configuration: ServerConfiguration,
        folder: str,
        link: WriterLink,
        log: ServerLog,
        attendance: Attendance,
    ) -> None:
        self.configuration = configuration
        self.log, self.attendance = log, attendance
        settings = configuration.server
        self.spaces = Spaces(
            folder, False, settings.open_spaces, True, settings.results_from, settings.state_bytes
        )
        self._turn = Turn(self.spaces)
        self.random_bytes = RandomBytes()
        self.doorkeeper = Doorkeeper(self.spaces)
        self.link = link
        link.when_changed = self.doorkeeper.look_again
        self._recipients = Recipients(self.doorkeeper.find, _aliases(configuration))

    def close(self) -> None:
        """Let go of the files."""
        self._turn.end()
        self.spaces.close()

    # Which space

    async def space_for(self, recipient: str) -> SpaceRecord | None:
        """The space that has the mail for an address; None if none has. Nothing is ever made by looking."""
        if self.configuration.server.aliases_command:  # a program, which may take its time
            return await asyncio.to_thread(self._recipients.space_of, recipient)
        return self._recipients.space_of(recipient)

    def find(self, name: str) -> SpaceRecord | None:
        """The space of a name; None if there is none. The caller has looked at rights."""
        return self.doorkeeper.find(name)

    # Asking

    async def ask(
        self,
        space: SpaceRecord,
        raw: RawMessage,
        *,
        door: str,
        done: str | None = TOLD,
        at_least: int = 0,
        journal: bool = True,
    ) -> Answer:
        """What the filter of a space makes of a message; its entry is written later.

        Whoever does not know yet what is done with the message gives None, and tells by `note` afterwards.
        """
        answer = self.ask_now(space, raw, door=door, done=done, at_least=at_least, journal=journal)
        if answer is not None:
            return answer

        def again() -> Answer | None:
            return self.ask_now(space, raw, door=door, done=done, at_least=at_least, journal=journal)

        answer = await self._when_ready(space, again, AT_LEAST_SECONDS if at_least else STATE_SECONDS)
        if answer is None and at_least:
            late = self.ask_now(space, raw, door=door, done=done, journal=journal)
            answer = None if late is None else late.replaced(stale=True)
        return answer or Answer(Verdict.of({}), b"", read(raw.data).digest, None, at_least > 0)

    def ask_now(
        self,
        space: SpaceRecord,
        raw: RawMessage,
        *,
        door: str,
        done: str | None = TOLD,
        at_least: int = 0,
        journal: bool = True,
    ) -> Answer | None:
        """The same without waiting; None if there is no state that may answer now."""
        found = self._turn.hearing(space, len(raw.data))
        if found is None:
            return None
        _, hearing = found
        if not journal:  # an entry needs names too, which takes half as long again as the features
            message = read(raw.data)
            verdict = hearing.judge(question_of(message, hearing.preferences))
            if verdict is None or not hearing.knows(at_least):
                return None
            return Answer(verdict, b"", message.digest, hearing.address, False, None)
        lesson = lesson_of("", "", hearing.preferences, raw)
        verdict = hearing.weigh(Question(lesson.features, lesson.sender))
        if verdict is None or not hearing.knows(at_least):
            return None
        entry = JudgedEntry(self.random_bytes.take(ID_BYTES), lesson, verdict, door, done or TOLD, space.id)
        waits = entry if done is None else None
        if waits is None:
            self.link.note(entry)
        return Answer(verdict, entry.id, lesson.digest, hearing.address, False, waits)

    def note(self, answer: Answer, done: str) -> None:
        """Have the entry written that waited until it was known what is done with the message."""
        if answer.entry is not None:
            answer.entry.done = done
            self.link.note(answer.entry)

    async def why(self, space: SpaceRecord, raw: RawMessage) -> Explained:
        """The verdict with its evidence; nothing is kept."""
        message = read(raw.data)

        def explained() -> Explained | None:
            found = self._turn.hearing(space, len(raw.data))
            if found is None:
                return None
            mail_filter, hearing = found
            question = question_of(message, hearing.preferences)
            verdict = hearing.explain(question, whereabouts_in(message, hearing.preferences))
            if verdict is None:
                return None
            answer = Answer(verdict, b"", message.digest, hearing.address)
            return Explained(answer, mail_filter.shared_evidence(question, verdict))

        found = await self._when_ready(space, explained, STATE_SECONDS)
        return found or Explained(Answer(Verdict.of({}), b"", message.digest, None), None)

    async def look(self, space: SpaceRecord, question: Callable[[Filter], Found]) -> Found:
        """What a thread finds out about the filter of a space that takes longer, such as its status."""
        if not self.spaces.is_made(space):
            await self._bring_up(space)

        def looked() -> Found:
            with self.spaces.using(space) as opened:
                return question(opened.mail_filter)

        return await asyncio.to_thread(looked)

    async def _when_ready(
        self, space: SpaceRecord, ask: Callable[[], Found | None], seconds: float
    ) -> Found | None:
        """The answer once there is a state, which the writer is asked to make; None after some seconds."""
        answer = ask()
        deadline, nap, making = monotonic() + seconds, FIRST_NAP, None
        while answer is None and monotonic() < deadline:
            if making is None:
                making = asyncio.get_running_loop().create_task(self._bring_up(space))
            await asyncio.wait([making], timeout=nap)
            if making.done():
                making.result()
            nap = min(2 * nap, LONGEST_NAP)
            if making.done():
                await asyncio.sleep(nap)
            answer = ask()
        return answer

    async def _bring_up(self, space: SpaceRecord) -> None:
        await self.link.call("bring up", **_named(space))

    # Changing

    async def learn(
        self,
        space: SpaceRecord,
        messages: Iterable[RawMessage],
        label: str,
        *,
        door: str,
        by: str = "",
        origin: str = INCOMING,
    ) -> dict[str, Any]:
        """Teach a few messages, durably: how many were learned, known or relearned, and the position then."""
        label = label_of(label)
        taught = [(label, origin, raw.id, raw.data) for raw in messages]
        return await self.link.call("learn", messages=taught, by=by, door=door, **_named(space))

    def learn_stream(
        self, space: SpaceRecord, pieces: AsyncIterator[list[Any]], *, door: str, by: str = ""
    ) -> AsyncIterator[tuple[bool, dict[str, Any]]]:
        """Teach many messages as they come, in pieces of (label, origin, id, bytes)."""
        return self.link.stream(pieces, by=by, door=door, **_named(space))

    async def forget(
        self, space: SpaceRecord, digests: Sequence[bytes] = (), **selection: object
    ) -> dict[str, Any]:
        """Erase the lessons of some messages, or those that a selection means, and their entries."""
        selections = [{**selection, "digest": digest} for digest in digests] if digests else [selection]
        return await self.link.call("forget", selections=selections, **_named(space))

    async def correct(self, space: SpaceRecord, identity: bytes, label: str, by: str = "") -> dict[str, Any]:
        """Teach the message of an entry."""
        label = label_of(label)
        return await self.link.call("correct", entry=identity, label=label, by=by, **_named(space))

    async def change(self, operation: str, space: SpaceRecord, **arguments: Any) -> dict[str, Any]:
        """Any other change of a space (changes.py)."""
        return await self.link.call(operation, **arguments, **_named(space))

    async def tell_used_keys(self) -> None:
        """Have the last use of keys written."""
        used = [key.id for key in self.doorkeeper.used()]
        if used:
            try:
                await self.link.call("touch keys", ids=used)
            except DecibanError:  # the registry cannot be written; nobody is let in or kept out by that
                return


def _named(space: SpaceRecord) -> dict[str, str]:
    return {"name": space.name, "identity": space.id}


def _aliases(configuration: ServerConfiguration) -> Callable[[str], str | None]:
    if configuration.server.aliases_command:
        return AliasCommand(list(configuration.server.aliases_command))
    if not configuration.server.aliases:
        return lambda _: None
    with open(configuration.server.aliases, encoding="utf-8", errors="replace") as file:
        return aliases_in(file.read()).get
