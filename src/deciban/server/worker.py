"""A worker: one process that answers through every door, on one event loop.

It ends when it gets SIGTERM or when the supervisor is gone: doors stop accepting, what was accepted is
finished within `finish_seconds`, entries are handed to the writer.
"""

from __future__ import annotations

import asyncio
import resource
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

import uvloop

from deciban.server.doors import open_door
from deciban.server.reception import Reception
from deciban.server.writer_link import WriterLink

if TYPE_CHECKING:
    import socket

    from deciban.server.attendance import Attendance
    from deciban.server.lifeline import Lifeline
    from deciban.server.server_configuration import ServerConfiguration
    from deciban.server.server_log import ServerLog

TOUCH_SECONDS = 30.0


def run_worker(
    configuration: ServerConfiguration,
    folder: str,
    sockets: dict[str, list[socket.socket]],
    writer_path: str,
    lifeline: Lifeline,
    log: ServerLog,
    attendance: Attendance,
) -> None:
    """Be a worker until the supervisor ends or says so."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(configuration, folder, sockets, writer_path, lifeline, log, attendance))


def raise_descriptor_limit() -> None:
    """As many open files as we may have: each open space takes some."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        with suppress(OSError, ValueError):  # a hardened unit sets the limit itself, and forbids this
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def _serve(
    configuration: ServerConfiguration,
    folder: str,
    sockets: dict[str, list[socket.socket]],
    writer_path: str,
    lifeline: Lifeline,
    log: ServerLog,
    attendance: Attendance,
) -> None:
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    loop.add_signal_handler(signal.SIGINT, lambda: None)  # of a terminal: the supervisor tells us
    loop.set_exception_handler(lambda _, context: _tell(log, context))
    link = WriterLink(writer_path)
    await link.connect()
    reception = Reception(configuration, folder, link, log, attendance)
    doors = [
        await open_door(name, sockets[name], reception, settings)
        for name, settings in configuration.doors().items()
    ]
    touching = loop.create_task(_tell_used_keys(reception))
    lifeline.watch(ended.set)
    await ended.wait()
    touching.cancel()
    try:
        async with asyncio.timeout(configuration.server.finish_seconds):
            await asyncio.gather(*(door.close() for door in doors))
    except TimeoutError:
        log.say("worker", "requests were cut off, since they took too long to finish")
    await link.close()
    reception.close()


async def _tell_used_keys(reception: Reception) -> None:
    while True:
        await asyncio.sleep(TOUCH_SECONDS)
        await reception.tell_used_keys()


def _tell(log: ServerLog, context: dict[str, object]) -> None:
    error = context.get("exception")
    if isinstance(error, BaseException):
        log.fault("worker", error, event=str(context.get("message", "")))
    else:
        log.say("worker", "fault", event=str(context.get("message", "")))
