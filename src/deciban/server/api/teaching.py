"""What changes a space: learn, forget, correct, undo, preferences, import."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from msgspec import UNSET

from deciban.committee.label import label_of
from deciban.errors import BadRequest, DecibanError
from deciban.server.api.api_definitions import (
    CorrectInput,
    ForgetInput,
    LessonInput,
    MessageInput,
    PreferencesInput,
    UndoInput,
)
from deciban.server.api.message_intake import is_many, many_messages, one_message, whole_body
from deciban.server.api.operation import JSON, NDJSON, Answering, ApiCall, answered, encode, given
from deciban.server.api.questions import line_of_problem
from deciban.server.http.http_message import HttpResponse
from deciban.sources import RawMessage
from deciban.text import read

# A piece of a stream for the writer: so many messages, or so many bytes.
PIECE_MESSAGES, PIECE_BYTES = 64, 1_000_000


def learn(call: ApiCall) -> Answering:
    """Teach a message, or many."""
    if is_many(call):
        return HttpResponse(200, b"", NDJSON, pieces=_learned_lines(call))
    return _learn(call)


async def _learn(call: ApiCall) -> HttpResponse:
    said, data = await one_message(call, LessonInput)
    label, origin = _label(call, said), _origin(call, said)
    by = call.query.by
    learned = await call.reception.learn(
        call.space, [RawMessage(said.id, data)], label, door=call.door, by=by, origin=origin
    )
    return answered(learned)


async def _learned_lines(call: ApiCall) -> AsyncIterator[bytes]:
    """A line after each batch that is durable, with the counts by then; the last also says where we are."""
    problems: list[BadRequest] = []
    try:
        pieces = _pieces(call, problems)
        async for is_last, record in call.reception.learn_stream(
            call.space, pieces, door=call.door, by=call.query.by
        ):
            yield encode({"done": is_last, **record}) + b"\n"
    except DecibanError as error:
        yield line_of_problem(error, call)
    for problem in problems:
        yield line_of_problem(problem, call)


async def _pieces(call: ApiCall, problems: list[BadRequest]) -> AsyncIterator[list[Any]]:
    piece: list[Any] = []
    size = 0
    async for found in many_messages(call, LessonInput):
        try:
            if isinstance(found, BadRequest):
                raise found
            said, data = found
            piece.append((_label(call, said), _origin(call, said), said.id, data))
        except BadRequest as error:
            if len(problems) < 100:
                problems.append(error)
            continue
        size += len(data)
        if len(piece) == PIECE_MESSAGES or size > PIECE_BYTES:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece


def _label(call: ApiCall, said: LessonInput) -> str:
    label = said.label if said.label is not UNSET else call.query.label
    if not isinstance(label, str):
        raise BadRequest("Say what the message is: label=spam in the address, or a field label in the JSON.")
    return label_of(label)


def _origin(call: ApiCall, said: LessonInput) -> str:
    origin: str = said.origin if isinstance(said.origin, str) else call.query.origin
    return origin


async def forget(call: ApiCall) -> HttpResponse:
    """Take back what was taught: the message in the body, or what is selected."""
    if call.request.content_type != JSON:
        _, data = await one_message(call, MessageInput)
        return answered(await call.reception.forget(call.space, [read(data).digest]))
    wanted = given(await call.json(ForgetInput))
    digests = [bytes.fromhex(digest) for digest in wanted.pop("digests")]
    if not digests and not wanted:
        raise BadRequest("Say what to forget: digests, sender, source, label, by, since or until.")
    if "label" in wanted:
        wanted["label"] = label_of(wanted["label"])
    return answered(await call.reception.forget(call.space, digests, **wanted))


async def correct(call: ApiCall) -> HttpResponse:
    """Teach a message that was judged, without the mail."""
    said = await call.json(CorrectInput)
    identity = bytes.fromhex(said.entry)
    return answered(await call.reception.correct(call.space, identity, said.label, said.by))


async def undo(call: ApiCall) -> HttpResponse:
    """Take back a correction."""
    said = await call.json(UndoInput)
    return answered(await call.reception.change("undo", call.space, entry=bytes.fromhex(said.entry)))


async def prefer(call: ApiCall) -> HttpResponse:
    """Change preferences; the answer has all of them."""
    from deciban.server.api.space_views import preferences

    changes = given(await call.json(PreferencesInput))
    await call.reception.change("prefer", call.space, changes=changes)
    return await preferences(call)


async def import_(call: ApiCall) -> HttpResponse:
    """Take over lessons that were exported, all or none."""
    most = call.reception.configuration.limits.waiting_bytes
    data = await whole_body(call, most)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise BadRequest("An export is text in UTF-8.") from None
    return answered(await call.reception.change("import", call.space, text=text))
