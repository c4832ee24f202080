"""``deciban prefer``: say what a lost mail costs, ask for a promise, name your contacts."""

from __future__ import annotations

from deciban.cli.database import add_database_flag, open_filter, open_or_create_filter
from deciban.cli.decision_flags import NONE, add_decision_flags, decisions_of
from deciban.cli.json_output import add_json_flag, say_json
from deciban.cli.numbers import refused
from deciban.cli.parser import Parser
from deciban.cli.terminal import harmless, say
from deciban.errors import NoSuchSource
from deciban.filter.preferences import ALWAYS, Preferences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from deciban.filter.shared_filter import SharedFilter

EXAMPLES = (
    ("deciban prefer", "what is preferred now"),
    ("deciban prefer --promise 0.001", "lose at most one good mail in a thousand"),
    ("deciban prefer --cost 99 --promise none", "no promise: spam is what is 99 times as likely spam as not"),
    ("deciban prefer --sure 0.9", "whatever the label: less sure than that is called unsure"),
    ("deciban prefer --contacts contacts.vcf", "that the sender is known becomes a feature"),
    ("deciban prefer --allow friends.txt", "these senders are never called spam"),
    ("deciban prefer --shared /srv/deciban/2026-11.state", "go on from what the site has learned"),
    ("deciban prefer --keep-mail 30", "keep mail that is taught for 30 days, to look at it again"),
)


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban prefer``."""
    add_decision_flags(parser, kept=True)
    parser.add_argument(
        "--contacts", metavar="FILE", help="your contacts, plain text or vCard, instead of those before"
    )
    parser.add_argument(
        "--allow", metavar="FILE", help="senders who are never called spam, instead of those before"
    )
    parser.add_argument(
        "--shared",
        metavar="FILE",
        help=f"rest on what deciban publish wrote there: your lessons are learned on top; {NONE} for nothing",
    )
    parser.add_argument(
        "--keep-mail",
        type=_days,
        metavar="DAYS",
        help="keep the mail itself, too: never (the default), for so many days, or always",
    )
    add_json_flag(parser)
    add_database_flag(parser)


def run(options: Namespace) -> int:
    """Change what is given, and show what is preferred by now."""
    changes = decisions_of(options)
    if options.contacts is not None:
        changes["contacts"] = _addresses(options.contacts)
    if options.allow is not None:
        changes["allowed"] = _addresses(options.allow)
    if options.keep_mail is not None:
        changes["keep_mail"] = options.keep_mail
    # All that can be wrong with the command is found before a database is made or changed.
    Preferences(**changes)  # type: ignore[arg-type]  # it looks at the values itself
    shared_path = None if options.shared == NONE else options.shared
    if shared_path is not None:
        from deciban.filter.shared_filter import look_at

        look_at(shared_path)
    opener = open_filter if options.shared is None else open_or_create_filter
    with opener(options) as mail_filter:
        # Nothing is read after a change: if that failed, it would look as if the change had.
        shared = mail_filter.shared() if options.shared is None else None
        preferences = mail_filter.prefer(**changes) if changes else mail_filter.preferences
        if options.shared is not None:
            from deciban.cli.progress_line import ProgressLine

            with ProgressLine() as line:
                shared = mail_filter.rest_on(shared_path, line.relearning)
    if options.json:
        say_json(_record(preferences, shared))
        return 0
    say(f"cost      {preferences.cost:g}")
    say(f"promise   {NONE if preferences.promise is None else f'{preferences.promise:g}'}")
    say(f"sure      {preferences.sure:g}")
    say(f"contacts  {len(preferences.contacts):,}")
    say(f"allowed   {len(preferences.allowed):,}")
    say(f"shared    {harmless(shared.path) if shared else NONE}")
    say(f"keep-mail {preferences.keep_mail_text}")
    return 0


def _record(preferences: Preferences, shared: SharedFilter | None) -> dict[str, object]:
    return {
        "cost": preferences.cost,
        "promise": preferences.promise,
        "sure": preferences.sure,
        "contacts": sorted(preferences.contacts),
        "allowed": sorted(preferences.allowed),
        "shared": None if shared is None else {"path": shared.path, "digest": shared.digest},
        "keep_mail": preferences.keep_mail,
    }


def _addresses(path: str) -> list[str]:
    from deciban.filter.contacts import read_contacts

    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return sorted(read_contacts(file.read()))
    except OSError as error:
        raise NoSuchSource(f"{path!r} cannot be read: {error.strerror}; nothing was changed") from None


def _days(text: str) -> int:
    named = {"never": 0, "always": ALWAYS}
    if text not in named and not (text.isdecimal() and text.isascii() and 0 < int(text) < ALWAYS):
        raise refused(f"must be never, always or a number of days, got {text!r} instead")
    return named[text] if text in named else int(text)
