"""What asks: classify and why."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from deciban.committee.evidence_map import EvidenceMap
from deciban.errors import BadRequest, DecibanError
from deciban.filter.verdict_record import verdict_record
from deciban.filter.why_record import why_record
from deciban.server.api.api_definitions import MessageInput
from deciban.server.api.message_intake import is_many, many_messages, one_message, whole_mail
from deciban.server.api.operation import NDJSON, Answering, ApiCall, answered, encode
from deciban.server.http.http_message import HttpResponse
from deciban.server.http.problem import problem_of
from deciban.sources import RawMessage
from deciban.text import read

if TYPE_CHECKING:
    from deciban.server.reception import Answer

# So many messages of a stream are answered before others have a turn.
TURN = 4


def classify(call: ApiCall) -> Answering:
    """Say what a message is, or many."""
    if is_many(call):
        return HttpResponse(200, b"", NDJSON, pieces=_classified_lines(call))
    mail = whole_mail(call)
    if mail is None:
        return _classify(call)
    # The usual case: answered here and now, without a task.
    raw = RawMessage("-", mail)
    now = call.reception.ask_now(call.space, raw, **_how(call))
    return _classify_again(call, raw) if now is None else answered(_record("-", now))


async def _classify(call: ApiCall) -> HttpResponse:
    said, data = await one_message(call, MessageInput)
    return await _classify_again(call, RawMessage(said.id, data))


async def _classify_again(call: ApiCall, raw: RawMessage) -> HttpResponse:
    return answered(_record(raw.id, await _asked(call, raw)))


async def _asked(call: ApiCall, raw: RawMessage) -> Answer:
    return await call.reception.ask(call.space, raw, **_how(call))


def _how(call: ApiCall) -> dict[str, Any]:
    query = call.query
    keeps = query.journal and call.reception.configuration.http.journal
    return {"door": call.door, "done": query.done, "at_least": query.at_least, "journal": keeps}


async def _classified_lines(call: ApiCall) -> AsyncIterator[bytes]:
    count = 0
    try:
        async for found in many_messages(call, MessageInput):
            yield await _classified_line(call, found)
            count += 1
            if count % TURN == 0:
                await asyncio.sleep(0)
    except DecibanError as error:
        yield line_of_problem(error, call)


async def _classified_line(call: ApiCall, found: tuple[Any, bytes] | BadRequest) -> bytes:
    if isinstance(found, BadRequest):
        return line_of_problem(found, call)
    said, data = found
    return encode(_record(said.id, await _asked(call, RawMessage(said.id, data)))) + b"\n"


def line_of_problem(error: BaseException, call: ApiCall) -> bytes:
    """What went wrong in the middle of a stream, as a line of it."""
    return encode({"problem": problem_of(error, call.request.id)}) + b"\n"


def _record(name: str, answer: Answer) -> dict[str, Any]:
    return {
        "id": name,
        "digest": answer.digest.hex(),
        **verdict_record(answer.verdict),
        "entry": answer.id.hex(),
        "position": answer.position,
        "address": answer.address_text,
        "stale": answer.stale,
    }


async def why(call: ApiCall) -> HttpResponse:
    """Explain the verdict about a message."""
    said, data = await one_message(call, MessageInput)
    explained = await call.reception.why(call.space, RawMessage(said.id, data))
    answer = explained.answer
    evidence = answer.verdict.evidence
    found = EvidenceMap(read(data), evidence) if evidence else None
    record = why_record(said.id, answer.digest, answer.verdict, found, explained.shared)
    return answered({**record, "position": answer.position, "address": answer.address_text})
