"""Verbs with ``--server``: the same, done by a deciban server instead of by a filter on this machine.

The key is in the variable DECIBAN_KEY, and never on the command line, where everybody on the machine could
read it. What only a filter here can do is refused: --db, --spaces, and decisions for one call.
"""

from __future__ import annotations

import os
import sys
from itertools import islice

from deciban.client.client import Client
from deciban.committee.verdict import Verdict
from deciban.errors import LedgerBusy, WrongUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable
    from typing import Any

    from deciban.cli.intake import Intake, Taught
    from deciban.ledger import Selection

    Record = dict[str, Any]

KEY = "DECIBAN_KEY"
SPACE = "mail"
# A mail that is being delivered waits no longer than this for a verdict.
FILTER_SECONDS = 10.0
BATCH = 32
LESSONS_SHOWN = 20
# Flags that only make sense for a filter on this machine.
ONLY_HERE = ("db", "spaces", "cost", "promise", "sure", "cluster", "jobs", "html")


def client_of(options: Namespace, seconds: float = 120.0) -> Client:
    """A client of the server that was named."""
    given = [name for name in ONLY_HERE if getattr(options, name, None) is not None]
    if given:
        raise WrongUsage(f"--{given[0]} is for a filter on this machine, not for --server")
    space = options.space if options.space is not None else SPACE
    return Client(options.server, os.environ.get(KEY, ""), space, seconds)


def verdict_of(record: Record) -> Verdict:
    """The verdict in an answer of the server."""
    from deciban.committee.evidence import Evidence

    otherwise = record["otherwise"]
    evidence = tuple(
        Evidence(item["name"], item["view"], item["decibans"], tuple(map(tuple, item["places"])))
        for item in record.get("evidence", ())
    )
    return Verdict(
        record["label"],
        record["probability"],
        record["decibans"],
        record["probabilities"],
        record["unsure"],
        evidence,
        None if otherwise is None else verdict_of(otherwise),
    )


def judged(options: Namespace, message: bytes) -> tuple[Verdict, bytes]:
    """What `deciban filter` wants to know: the verdict, and the id of its entry."""
    with client_of(options, FILTER_SECONDS) as client:
        record = client.classify(message, done="tagged")
    verdict = verdict_of(record)
    if not verdict.label and not record["address"]:
        raise LedgerBusy("the server has no state yet")
    return verdict, bytes.fromhex(record["entry"])


def classify(options: Namespace) -> int:
    """Print a verdict for each message."""
    from deciban.cli.classify import VerdictTable
    from deciban.cli.intake import Intake, named_in
    from deciban.cli.terminal import say
    from deciban.cli.verdict_text import exit_code, verdict_line
    from deciban.text import read

    with client_of(options) as client:
        intake = Intake(named_in(options), progress=not sys.stdout.isatty())
        messages = iter(intake)
        table: VerdictTable | None = None
        while batch := list(islice(messages, BATCH)):
            records = list(client.classify_many(raw.data for raw in batch))
            verdicts = [verdict_of(record) for record in records]
            if options.json:
                _say_records({**record, "id": raw.id} for raw, record in zip(batch, records, strict=True))
                if intake.count == 1:
                    return exit_code(verdicts[0])
                continue
            if intake.count == 1:
                say(verdict_line(verdicts[0]))
                return exit_code(verdicts[0])
            table = table or VerdictTable(verdicts[0].probabilities, options, None)
            table.add(batch, [read(raw.data) for raw in batch], verdicts)
    if table is not None:
        intake.note(table.summary())
    return intake.exit_code()


def _say_records(records: Iterable[Record]) -> None:
    import json

    for record in records:
        print(json.dumps(record, separators=(",", ":")))


def why(options: Namespace) -> int:
    """Explain each message."""
    from deciban.cli.intake import Intake, named_in
    from deciban.cli.why import say_why
    from deciban.text import read

    if options.digest is not None:
        raise WrongUsage("--digest is for mail that is kept on this machine, not for --server")
    with client_of(options) as client:
        intake = Intake(named_in(options), progress=False)
        for number, raw in enumerate(intake):
            record = client.why(raw.data)
            say_why(options, number, raw, read(raw.data), verdict_of(record), record["shared"])
    return intake.exit_code()


def learn(options: Namespace, intake: Intake, messages: Iterable[Taught]) -> int:
    """Teach every message, each origin in a request of its own."""
    from itertools import groupby
    from operator import itemgetter

    from deciban.cli.json_output import say_json
    from deciban.cli.learn import learned_text
    from deciban.cli.terminal import say
    from deciban.filter.learned import Learned

    total, labels, last = Learned(), dict[str, int](), {}
    with client_of(options) as client:
        for origin, group in groupby(messages, key=itemgetter(1)):
            taught = ((label, raw.data) for label, _, raw in group)
            last = client.learn_many(taught, by=options.by, origin=origin)
            total += Learned(*(last[name] for name in Learned.field_names))
            for label, count in last["labels"].items():
                labels[label] = labels.get(label, 0) + count
    if options.json:
        numbers = {name: getattr(total, name) for name in Learned.field_names}
        place = {name: last[name] for name in ("position", "address")}
        say_json({"labels": labels, **numbers, **place})
    else:
        say(learned_text(total, labels))
    return intake.exit_code()


def correct(options: Namespace, label: str) -> int:
    """Teach the message of an entry."""
    from deciban.cli.json_output import say_json
    from deciban.cli.terminal import harmless, say

    with client_of(options) as client:
        record = client.correct(options.entry.hex(), label, by=options.by)
    if options.json:
        say_json(record)
    else:
        say(f"{'known already' if record['known'] else 'learned'} as {harmless(record['label'])}")
    return 0


def forget(options: Namespace, selection: Selection) -> int:
    """Show what will go, ask, and forget it."""
    from deciban.cli.agreement import agreed
    from deciban.cli.intake import Intake, named_in
    from deciban.cli.json_output import say_json
    from deciban.cli.terminal import harmless, say
    from deciban.text import read

    wanted = {name: getattr(selection, name) for name in selection.field_names}
    given = {name: value for name, value in wanted.items() if value is not None}
    digests = [given.pop("digest").hex()] if "digest" in given else []
    if options.sources or options.files_from:
        intake = Intake(named_in(options))
        digests = list(dict.fromkeys(read(raw.data).digest.hex() for raw in intake))
        if code := intake.exit_code():
            return code
    with client_of(options) as client:
        found = [{**given, "digest": digest} for digest in digests] if digests else [given]
        lessons = [lesson for each in found for lesson in client.lessons(**each)]
        for lesson in lessons[:LESSONS_SHOWN]:
            say("  ".join(harmless(lesson[name]) for name in ("label", "sender", "subject")))
        if not agreed(options, f"Forget {len(lessons):,} lessons, and the entries about these messages?"):
            print("deciban: nothing was forgotten", file=sys.stderr)
            return 3
        record = client.forget(digests=digests, **given)
    if options.json:
        say_json(record)
    else:
        say(f"forgotten: {len(record['forgotten']):,}, as if never taught")
    return 0
