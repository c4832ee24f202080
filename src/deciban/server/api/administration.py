"""What concerns the folder: its spaces and keys."""

from __future__ import annotations

import asyncio
from time import time
from typing import Any

from msgspec import UNSET

from deciban.errors import BadRequest, NotAllowed, UnknownKey
from deciban.server.api.api_definitions import KeyInput, SpaceChange, SpaceInput
from deciban.server.api.operation import ApiCall, answered, given
from deciban.server.http.http_message import HttpResponse
from deciban.spaces.key import key_record
from deciban.spaces.space_name import space_key
from deciban.spaces.sqlite_key_ring import new_key_id
from deciban.spaces.sqlite_registry import SpaceRecord, new_identity


async def list_spaces(call: ApiCall) -> HttpResponse:
    """The spaces, in the order of their names."""
    reception, behind, limit = call.reception, space_key(call.query.cursor), call.query.limit

    def listed() -> dict[str, Any]:
        found = [each for each in reception.spaces.all() if not behind or space_key(each.name) > behind]
        page = found[:limit]
        return {
            "spaces": [space_record(call, each) for each in page],
            "next": page[-1].name if len(found) > limit else None,
        }

    return answered(await asyncio.to_thread(listed))


def space_record(call: ApiCall, record: SpaceRecord) -> dict[str, Any]:
    """A space; neither its folder nor what it rests on is told."""
    return {
        "name": record.name,
        "made": record.made,
        "bytes": call.reception.spaces.size_of(record),
        "most_lessons": record.quota.lessons,
        "most_bytes": record.quota.bytes,
        "starter": record.begins_with_starter,
    }


async def add_space(call: ApiCall) -> HttpResponse:
    """Make a space."""
    said = await call.json(SpaceInput)
    await call.reception.link.call(
        "add space",
        name=said.name,
        identity=new_identity(),
        lessons=said.most_lessons,
        size=said.most_bytes,
        starter=said.starter,
    )
    return answered(space_record(call, call.reception.spaces.find(said.name)), 201)


async def get_space(call: ApiCall) -> HttpResponse:
    """One space."""
    return answered(space_record(call, call.space))


async def change_space(call: ApiCall) -> HttpResponse:
    """Give a space another name or another quota."""
    said = await call.json(SpaceChange)
    quota = call.space.quota
    if said.most_lessons is not UNSET or said.most_bytes is not UNSET:
        lessons = quota.lessons if said.most_lessons is UNSET else said.most_lessons
        size = quota.bytes if said.most_bytes is UNSET else said.most_bytes
        await call.reception.change("set quota", call.space, lessons=lessons, size=size)
    name = call.space.name
    if isinstance(said.name, str):
        name = (await call.reception.change("rename space", call.space, new=said.name))["name"]
    return answered(space_record(call, call.reception.spaces.find(name)))


async def delete_space(call: ApiCall) -> HttpResponse:
    """Remove a space with all that is in it, for good."""
    await call.reception.change("delete space", call.space)
    return HttpResponse(204)


async def list_keys(call: ApiCall) -> HttpResponse:
    """The keys, without their secrets."""

    def listed() -> dict[str, Any]:
        names = {each.id: each.name for each in call.reception.spaces.all()}
        return {"keys": [key_record(key, names) for key in call.reception.spaces.keys.all()]}

    return answered(await asyncio.to_thread(listed))


async def add_key(call: ApiCall) -> HttpResponse:
    """Make a key; its text is in the answer, and nowhere else."""
    said = await call.json(KeyInput)
    fields = given(said)
    if "space" in fields and "pattern" in fields:
        raise BadRequest("A key is for one space or for a pattern, not for both.")
    if said.expires is not None and said.expires <= time():
        raise BadRequest("The key would have expired already: expires is in seconds since 1970.")
    record = call.reception.spaces.find(said.space) if isinstance(said.space, str) else None
    scope = ["" if record is None else record.id, fields.get("pattern", "")]
    made = await call.reception.link.call(
        "add key",
        rights=said.rights,
        scope=scope,
        expires=said.expires,
        note=said.note,
        by="" if call.key is None else call.key.id,
        name="" if record is None else record.name,
        identity=new_key_id(),
    )
    found = call.reception.spaces.keys.find(made["id"])
    if found is None:
        raise NotAllowed("The key was revoked at once.")
    names = {} if record is None else {record.id: record.name}
    return answered({**key_record(found, names), "key": made["key"]}, 201)


async def revoke_key(call: ApiCall) -> HttpResponse:
    """Let a key open nothing any more."""
    if call.reception.spaces.keys.find(call.tail) is None:
        raise UnknownKey(f"There is no key {call.tail!r}. deciban key list shows them.")
    await call.reception.link.call("revoke key", key_id=call.tail)
    return HttpResponse(204)
