"""``deciban demo``: a tour on a made-up mailbox, from the first lesson to an explained verdict.

Everything goes through the verbs that a user would type, on a database of its own in a temporary folder.
"""

from __future__ import annotations

import os

from deciban.cli.parser import Parser
from deciban.cli.terminal import harmless, say, shortened
from deciban.cli.verdict_text import verdict_line
from deciban.cli.why import explanation
from deciban.decibans import UNSURE
from deciban.filter.mail import question_of, whereabouts_in
from deciban.sources import RawMessage, open_source
from deciban.text import Message, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from deciban.filter import Filter, Verdict

    Row = tuple[str, RawMessage, Message, Verdict]

EXAMPLES = (("deciban demo", "learn a sample mailbox, classify its inbox, explain two verdicts"),)
ROWS_SHOWN = 12
EVIDENCE_SHOWN = 12


def define(parser: Parser) -> None:
    """``deciban demo`` has no arguments."""


def run(options: Namespace) -> int:  # noqa: ARG001 (every verb takes them)
    """Show the tour in a folder that is gone afterwards."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="deciban-demo-") as folder:
        _tour(folder)
    return 0


def _tour(folder: str) -> None:
    from deciban.cli.learn import learn_sources
    from deciban.filter import Filter
    from deciban.sample import write_mailbox

    say(
        "1. A mailbox of half a year, made up for this: good mail, newsletters and spam in eight languages.\n"
    )
    write_mailbox(folder)
    with Filter.open(os.path.join(folder, "filter.db")) as mail_filter:
        for label in ("ham", "spam"):
            say(f"   $ deciban learn {label} {label}.mbox")
            source = open_source(os.path.join(folder, f"{label}.mbox"))
            say(f"   {learn_sources(mail_filter, label, [source])}")
        say("\n2. The mail of the last weeks, which the filter has never seen.\n")
        rows = list(_classified(mail_filter, folder))
        say("\n".join(_table(rows)))
        say("\n3. Why? Evidence is counted in decibans: 10 dB are odds of 10 to 1, 20 dB of 100 to 1.\n")
        for title, row in _examples(rows):
            _, raw, message, _ = row
            say(f"   $ deciban why   ({title})")
            preferences = mail_filter.preferences
            question = question_of(message, preferences)
            verdict = mail_filter.why(question, whereabouts_in(message, preferences))
            say(_indented(explanation(raw, message, verdict, top=EVIDENCE_SHOWN)) + "\n")
    say("4. On your own mail:\n")
    say("   $ deciban learn ham ~/Mail/inbox        (an mbox, a Maildir, a folder, a tar or zip archive)")
    say("   $ deciban learn spam ~/Mail/junk")
    say("   $ deciban classify ~/Mail/new           (then: deciban why, deciban status, deciban --help)")


def _classified(mail_filter: Filter, folder: str) -> Iterator[Row]:
    """True label, message and verdict of each mail of the inbox."""
    with open(os.path.join(folder, "index.tsv"), encoding="ascii") as index:
        for line in index:
            label, path = line.rstrip("\n").split("\t")[:2]
            with open(os.path.join(folder, path), "rb") as file:
                raw = RawMessage(path, file.read())
            message = read(raw.data)
            yield label, raw, message, mail_filter.classify(question_of(message, mail_filter.preferences))


def _table(rows: list[Row]) -> Iterator[str]:
    """A few verdicts, those that are wrong or unsure first; then how many there were of each kind."""
    yield "   it is   the filter says"
    interesting = [row for row in rows if row[3].decision != row[0]]
    certain = [row for row in rows if row[3].decision == row[0]]
    shown = (interesting[: ROWS_SHOWN - 4] + certain)[:ROWS_SHOWN]
    for label, _, message, verdict in shown:
        mark = " " if verdict.decision == label else "?" if verdict.unsure else "✗"
        subject = shortened(message.header("subject"), 50)
        yield f" {mark} {harmless(label):6}  {verdict_line(verdict, 6):44}  {subject}"
    yield f"   … {len(rows) - len(shown)} more\n"
    yield f"   {'':10}{'says ham':>10}{'unsure':>10}{'says spam':>10}"
    for label in ("ham", "spam"):
        said = [verdict.decision for true, _, _, verdict in rows if true == label]
        counts = "".join(f"{said.count(what):10}" for what in ("ham", UNSURE, "spam"))
        yield f"   {'is ' + label:10}{counts}"


def _examples(rows: list[Row]) -> Iterator[tuple[str, Row]]:
    """The surest spam, and the least sure of all verdicts."""
    spam = [row for row in rows if row[3].decision == "spam"]
    if spam:
        yield "spam", max(spam, key=lambda row: row[3].decibans)
    unsure = [row for row in rows if row[3].unsure]
    if unsure:
        yield "unsure", min(unsure, key=lambda row: row[3].decibans)


def _indented(lines: Iterator[str]) -> str:
    return "\n".join(f"   {line}".rstrip() for line in lines)
