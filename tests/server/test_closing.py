"""Whoever has just connected when a worker ends, as at a reload, is answered: nobody else could do it."""

import asyncio
import io
import socket
from collections.abc import Awaitable
from pathlib import Path

import pytest

from deciban.server.attendance import Attendance
from deciban.server.doors.spamd_door import SpamdDoor
from deciban.server.http.http_connection import HttpService
from deciban.server.http.http_message import HttpResponse
from deciban.server.reception import Reception
from deciban.server.server_configuration import LimitSettings, ServerConfiguration, SpamdSettings
from deciban.server.server_log import ServerLog
from deciban.server.writer_link import WriterLink
from deciban.spaces import Spaces

LONG = 60.0


def listening() -> socket.socket:
    made = socket.create_server(("127.0.0.1", 0))
    made.setblocking(False)
    return made


def http_service() -> HttpService:
    attendance = Attendance(1)
    attendance.enter(0)
    return HttpService(
        lambda _: HttpResponse(200, b"{}", "application/json"),
        lambda status, _: HttpResponse(status),
        LimitSettings(),
        1000,
        attendance,
    )


async def answer_to(request: bytes, address: tuple[str, int], door: HttpService | SpamdDoor) -> bytes:
    """What is answered to a request that comes when the door has begun to close."""
    reader, writer = await asyncio.open_connection(*address)
    while not (door.connections if isinstance(door, HttpService) else door._conversations):
        await asyncio.sleep(0)
    closing = asyncio.create_task(door.close())
    while not door.is_closing:
        await asyncio.sleep(0)
    writer.write(request)
    answer = await reader.read()
    writer.close()
    await closing
    return answer


def run(work: Awaitable[bytes]) -> bytes:
    async def bounded() -> bytes:
        return await asyncio.wait_for(work, LONG)

    return asyncio.run(bounded())


async def asked_over_http(request: bytes) -> bytes:
    service, place = http_service(), listening()
    address = place.getsockname()
    await service.open([place])
    return await answer_to(request, address, service)


async def asked_as_spamd(folder: Path, request: bytes) -> bytes:
    Spaces(str(folder), create=True).close()
    attendance, log = Attendance(1), ServerLog("text", io.StringIO())
    link = WriterLink(str(folder / "none"))
    reception = Reception(ServerConfiguration(), str(folder), link, log, attendance)
    door, place = SpamdDoor(reception, SpamdSettings()), listening()
    address = place.getsockname()
    await door.open([place])
    try:
        return await answer_to(request, address, door)
    finally:
        reception.close()


def test_a_request_that_comes_on_a_new_connection_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deciban.server.http.http_connection.SILENT_SECONDS", LONG)
    answer = run(asked_over_http(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"))
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"connection: close" in answer


def test_a_mail_server_that_has_just_connected_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deciban.server.doors.stream_door.NEW_SECONDS", LONG)
    assert run(asked_as_spamd(tmp_path, b"PING SPAMC/1.2\r\n\r\n")).startswith(b"SPAMD/")


def test_who_says_nothing_keeps_no_door_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deciban.server.http.http_connection.SILENT_SECONDS", 0.0)
    monkeypatch.setattr("deciban.server.doors.stream_door.NEW_SECONDS", 0.0)
    assert run(asked_over_http(b"")) == b""
    assert run(asked_as_spamd(tmp_path, b"")) == b""
