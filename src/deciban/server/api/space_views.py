"""What only looks at a space: lessons, journal, labels, status, preferences, show, export."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import suppress
from io import StringIO
from time import time
from typing import TYPE_CHECKING, Any

from deciban.committee.label import label_of
from deciban.errors import BadRequest, DecibanError, WrongUsage
from deciban.filter.address_text import address_text
from deciban.filter.alerts import alerts_of
from deciban.filter.lesson_record import lesson_record
from deciban.filter.status import status_of
from deciban.filter.status_record import status_record
from deciban.filter.word_evidence import strongest_words, word_evidence, words_record
from deciban.journal.entry_record import entry_record
from deciban.journal.sqlite_journal import EntrySelection, SqliteJournal
from deciban.ledger import Selection
from deciban.ledger.cursor import Cursor
from deciban.ledger.exchange import write_lessons
from deciban.server.api.operation import NDJSON, ApiCall, answered, given
from deciban.server.http.http_message import HttpResponse

if TYPE_CHECKING:
    from deciban.filter import Filter

EXPORTED_AT_ONCE = 500
MOST_WORDS = 100


async def lessons(call: ApiCall) -> HttpResponse:
    """List what was taught, the newest first."""
    wanted = given(call.query)
    limit, behind = wanted.pop("limit"), _cursor(wanted.pop("cursor"))
    if "digest" in wanted:
        wanted["digest"] = bytes.fromhex(wanted["digest"])
    if "label" in wanted:
        wanted["label"] = label_of(wanted["label"])
    selection = Selection(**wanted)

    def listed(mail_filter: Filter) -> dict[str, Any]:
        found = mail_filter.newest_lessons(limit + 1, selection, behind)
        page = found[:limit]
        last = Cursor(page[-1].taught, page[-1].digest).text() if len(found) > limit else None
        return {"lessons": [lesson_record(lesson) for lesson in page], "next": last}

    return answered(await call.reception.look(call.space, listed))


async def journal(call: ApiCall) -> HttpResponse:
    """List what was decided, the newest first."""
    wanted = given(call.query)
    limit, behind = wanted.pop("limit"), _cursor(wanted.pop("cursor"))
    words = tuple(wanted.pop("words").split())
    if len(words) > MOST_WORDS:
        raise BadRequest(f"At most {MOST_WORDS} words can be looked for.")
    selection = EntrySelection(words=words, **wanted)
    path, space = call.reception.spaces.journal_path, call.space.id

    def listed() -> dict[str, Any]:
        if not os.path.exists(path):
            return {"entries": [], "next": None}
        with SqliteJournal(path) as opened:
            page = opened.page(space, limit, selection, behind)
        last = None if page.behind is None else page.behind.text()
        return {"entries": [entry_record(entry) for entry in page.entries], "next": last}

    with suppress(DecibanError):  # what cannot be written now is not listed yet
        await call.reception.link.call("flush journal")
    return answered(await asyncio.to_thread(listed))


def _cursor(text: str) -> Cursor | None:
    try:
        return Cursor.of_text(text) if text else None
    except WrongUsage as error:
        raise BadRequest(str(error)) from None


async def labels(call: ApiCall) -> HttpResponse:
    """The labels, and how many lessons each has."""

    def counted(mail_filter: Filter) -> dict[str, Any]:
        address = mail_filter.address()
        return {
            "labels": mail_filter.labels(),
            "position": address.position,
            "address": address_text(address),
        }

    return answered(await call.reception.look(call.space, counted))


async def status(call: ApiCall) -> HttpResponse:
    """How good the filter is on its own mail."""

    def looked(mail_filter: Filter) -> dict[str, Any]:
        found = status_of(mail_filter)
        doubted = [Selection(digest=doubt.digest) for doubt in found.doubts]
        taught = {lesson.digest: lesson for each in doubted for lesson in mail_filter.lessons(each)}
        record = status_record(found, taught, list(alerts_of(found, time())))
        # Where foundations lie, and which they are, is nobody's business but the administrator's.
        record["shared"] = None if found.shared is None else {"lessons": found.shared.lessons}
        return record

    return answered(await call.reception.look(call.space, looked))


async def preferences(call: ApiCall) -> HttpResponse:
    """What is preferred."""

    def read(mail_filter: Filter) -> dict[str, Any]:
        kept = mail_filter.preferences
        return {
            "cost": kept.cost,
            "promise": kept.promise,
            "sure": kept.sure,
            "contacts": sorted(kept.contacts),
            "allowed": sorted(kept.allowed),
            "keep_mail": kept.keep_mail,
            "results_from": sorted(kept.results_from),
        }

    return answered(await call.reception.look(call.space, read))


async def show(call: ApiCall) -> HttpResponse:
    """The labels with their strongest words, or what was learned about some words."""
    wanted = call.query.words.split()
    if len(wanted) > MOST_WORDS:
        raise BadRequest(f"At most {MOST_WORDS} words can be looked up at once.")
    top = call.query.top

    def looked(mail_filter: Filter) -> dict[str, Any]:
        words = {word: word_evidence(mail_filter, word) for word in wanted}
        strongest = {} if words else strongest_words(mail_filter, top)
        return {"labels": mail_filter.labels(), **words_record(strongest, words)}

    return answered(await call.reception.look(call.space, looked))


async def export(call: ApiCall) -> HttpResponse:
    """All lessons in an open format, line by line."""
    return HttpResponse(200, b"", NDJSON, pieces=_exported(call))


async def _exported(call: ApiCall) -> AsyncIterator[bytes]:
    """The head, then page by page: nothing is held open while the client reads slowly."""
    behind: Cursor | None = None
    while True:
        last = behind

        def page(mail_filter: Filter, after: Cursor | None = last) -> tuple[str, Cursor | None]:
            found = mail_filter.newest_lessons(EXPORTED_AT_ONCE, None, after)
            text = StringIO()
            write_lessons(text, found)
            lines = text.getvalue()
            if after is not None:
                lines = lines.partition("\n")[2]
            end = found[-1] if len(found) == EXPORTED_AT_ONCE else None
            return lines, None if end is None else Cursor(end.taught, end.digest)

        text, behind = await call.reception.look(call.space, page)
        yield text.encode()
        if behind is None:
            return
