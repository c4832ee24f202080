"""``deciban filter``: a message from standard input to standard output, with the verdict in its header.

Law: the message goes on, whatever happens. It is read whole, judged behind a guard that no error passes, and
written once. What the exit code says to a mail server is therefore only whether the message came out: 0 if it
did, and EX_TEMPFAIL (75, "try again later") if it could not be read or written whole.
"""

from __future__ import annotations

import os
import sys

from deciban.cli.complaint import complain
from deciban.cli.database import add_database_flag, add_server_flag
from deciban.cli.decision_flags import add_decision_flags, decide_by
from deciban.cli.journal_flags import add_journal_flag, close_desk
from deciban.cli.parser import Parser
from deciban.cli.terminal import tell_that_it_waits
from deciban.errors import DecibanError, LedgerBusy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from deciban.cli.configuration import Configuration
    from deciban.errors import WrongUsage
    from deciban.filter import Filter, Verdict
    from deciban.journal.desk import Desk

EXAMPLES = (
    ("deciban filter < mail.eml > tagged.eml", "add X-Deciban, X-Spam-Flag and X-Spam-Status"),
    ("deciban filter --db /var/lib/deciban/all.db < mail.eml", "with the filter of a whole site"),
    ("deciban filter --journal < mail.eml > tagged.eml", "keep the verdict; X-Deciban-Id names its entry"),
    (
        "deciban filter --server unix:/run/deciban/http.sock < mail.eml > tagged.eml",
        "by a server; fails open",
    ),
    (
        "deciban filter --exit-code < mail.eml > tagged.eml",
        "exit with the verdict",
    ),
)
NO_VERDICT = 3
TRY_AGAIN = 75  # EX_TEMPFAIL of sysexits.h


class _Signalled(DecibanError):
    """A signal that would end the process came before the message was out."""


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban filter``."""
    parser.add_argument(
        "--exit-code",
        action="store_true",
        help="exit with 0 for spam, 1 for good mail, 2 for unsure, 3 without a verdict, instead of 0",
    )
    add_decision_flags(parser)
    add_journal_flag(parser)
    add_database_flag(parser)
    add_server_flag(parser)


def run(options: Namespace) -> int:
    """Tag the message. Whatever happens, the message itself comes out."""
    message = _read()
    if message is None:
        return TRY_AGAIN
    output, code = message, NO_VERDICT
    desks: list[Desk | None] = []
    try:
        try:
            _raise_on_signals()
            output, code = _judged(message, options, desks)
        except Exception as error:
            complain(error, "the message goes on without a verdict")
            output = _without_tags(message)
        _ignore_signals()
    except _Signalled:  # while another error was dealt with
        pass
    failed = _handed_on(output)
    for desk in desks:
        close_desk(desk)
    return failed or (code if options.exit_code else 0)


def run_misused(error: WrongUsage) -> int:
    """Hand the message on although the command line is wrong: not all look at the exit code."""
    if sys.stdin.isatty():
        raise error
    complain(error)
    message = _read()
    return TRY_AGAIN if message is None else _handed_on(_without_tags(message))


def _read() -> bytes | None:
    """The whole message; None if it cannot be read."""
    tell_that_it_waits()
    try:
        os.set_blocking(0, True)  # or a slow writer would seem to have finished
        with open(0, "rb", buffering=0, closefd=False) as stream:
            return stream.readall()
    except (OSError, MemoryError) as error:
        complain(error, "the message could not be read")
        return None


def _judged(message: bytes, options: Namespace, desks: list[Desk | None]) -> tuple[bytes, int]:
    """The message with its verdict, and the verdict's exit code; its entry waits to be written."""
    # Here, so that what cannot be imported does not keep the message back either.
    from deciban.cli.configuration import Configuration
    from deciban.cli.database import open_filter
    from deciban.cli.journal_flags import optional_desk, wants_journal
    from deciban.cli.verdict_text import exit_code
    from deciban.filter.tag import tagged, tags_of

    configuration = Configuration.load()
    tagging = configuration.tagging() if configuration.changes_tags else None
    if tagging is not None:
        message = tagging.taken_off(message)
    if options.server is not None:
        from deciban.cli.remote import judged

        verdict, identity = judged(options, message)
    else:
        with open_filter(options) as mail_filter:
            decide_by(mail_filter, options)
            if wants_journal(options):
                desks.append(optional_desk(options, mail_filter, "filter", True))
            verdict, identity = _asked(message, mail_filter, desks[0] if desks else None)
            if not verdict.label and mail_filter.labels():
                raise LedgerBusy("there is no state yet, since another process is at it")
    if configuration.value("syslog") != "no":
        from deciban.cli.verdict_log import log_verdict

        log_verdict(configuration.value("syslog"), message, verdict)
    if tagging is None:
        return tagged(message, tags_of(verdict, identity)), exit_code(verdict)
    return tagging.tagged(message, verdict, identity), exit_code(verdict)


def _asked(message: bytes, mail_filter: Filter, desk: Desk | None) -> tuple[Verdict, bytes]:
    """The verdict, and the id of its entry; empty if there is none."""
    if desk is None:
        from deciban.filter.mail import question_of

        return mail_filter.classify(question_of(message, mail_filter.preferences)), b""
    from deciban.journal.journal_entry import TAGGED
    from deciban.sources import RawMessage

    asked = desk.ask(RawMessage("-", message), TAGGED)
    return asked.verdict, asked.id


def _without_tags(message: bytes) -> bytes:
    """The message without a verdict from outside; if even that fails, as it came."""
    try:
        from deciban.text._tags import with_fields  # whatever is wrong with the filter

        configuration = _configuration()
        if configuration is not None and configuration.changes_tags:
            return configuration.tagging().untagged(message)
        return with_fields(message, b"")
    except Exception as error:
        complain(error, "the message goes on as it came")
        return message


def _configuration() -> Configuration | None:
    """What is configured; None if that cannot be followed, of which somebody complained already."""
    from deciban.cli.configuration import Configuration

    try:
        return Configuration.load()
    except DecibanError:
        return None


def _handed_on(output: bytes) -> int:
    """Write the message whole; 0, or what to exit with if that was not possible."""
    try:
        os.set_blocking(1, True)
        rest = memoryview(output)
        while rest:
            rest = rest[os.write(1, rest) :]
        _ask_for_room()
    except OSError as error:
        complain(error, "the message could not be written")
        return TRY_AGAIN
    return 0


def _ask_for_room() -> None:
    """Close the output once: some file systems tell only then that there was no room."""
    from errno import EMFILE

    try:
        copy = os.dup(1)
    except OSError as error:
        if error.errno != EMFILE:  # then this cannot be asked, and the message is out
            raise
    else:
        os.close(copy)


def _raise_on_signals() -> None:
    """Let the first signal that asks for an end be an error, and ignore those that follow."""
    from signal import Signals, signal

    def stop(number: int, _: object) -> None:
        _ignore_signals()
        raise _Signalled(f"{Signals(number).name} before there was a verdict")

    for end in _ending_signals():
        signal(end, stop)


def _ignore_signals() -> None:
    """Let nothing that asks for an end cut the message."""
    from signal import SIG_IGN, signal

    for end in _ending_signals():
        signal(end, SIG_IGN)


def _ending_signals() -> tuple[int, ...]:
    from signal import SIGALRM, SIGHUP, SIGINT, SIGTERM, SIGXCPU

    return SIGALRM, SIGHUP, SIGINT, SIGTERM, SIGXCPU
