"""``deciban prefer``: say what a lost mail costs, ask for a promise, name your contacts."""

from __future__ import annotations

from deciban.cli.database import add_database_flag, add_starter_flag, open_filter, open_or_create_filter
from deciban.cli.decision_flags import NONE, add_decision_flags, decisions_of
from deciban.cli.json_output import add_json_flag, say_json
from deciban.cli.numbers import refused
from deciban.cli.parser import Parser
from deciban.cli.terminal import harmless, say
from deciban.errors import NoSuchSource, WrongUsage
from deciban.filter.preferences import ALWAYS, Preferences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from deciban.filter.filter import Filter
    from deciban.filter.shared_filter import SharedFilter

EXAMPLES = (
    ("deciban prefer", "what is preferred now"),
    ("deciban prefer --promise 0.001", "lose at most one good mail in a thousand"),
    ("deciban prefer --cost 99 --promise none", "no promise: spam is what is 99 times as likely spam as not"),
    ("deciban prefer --sure 0.9", "whatever the label: less sure than that is called unsure"),
    ("deciban prefer --contacts contacts.vcf", "that the sender is known becomes a feature"),
    ("deciban prefer --allow friends.txt", "these senders are never called spam"),
    ("deciban prefer --shared /srv/deciban/2026-11.state", "go on from what the site has learned"),
    ("deciban prefer --starter", "begin with the starter that comes with deciban, or move to the newest"),
    ("deciban prefer --results-from mx.example.org", "what this host found out about mail becomes features"),
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
        "--starter",
        action="store_true",
        help="rest on the newest starter that comes with deciban: your lessons are learned again beside it",
    )
    add_starter_flag(parser)
    parser.add_argument(
        "--keep-mail",
        type=_days,
        metavar="DAYS",
        help="keep the mail itself, too: never (the default), for so many days, or always",
    )
    parser.add_argument(
        "--results-from",
        metavar="HOSTS",
        help="hosts, with commas between, whose results of SPF, DKIM, DMARC, SpamAssassin and rspamd are "
        f"believed to be theirs; {NONE} for nobody's",
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
    if options.results_from is not None:
        changes["results_from"] = () if options.results_from == NONE else options.results_from.split(",")
    # All that can be wrong with the command is found before a database is made or changed.
    Preferences(**changes)  # type: ignore[arg-type]  # it looks at the values itself
    foundation = _foundation(options)
    opener = open_filter if foundation is None else open_or_create_filter
    with opener(options) as mail_filter:
        # Nothing is read after a change: if that failed, it would look as if the change had.
        shared = mail_filter.shared()
        preferences = mail_filter.prefer(**changes) if changes else mail_filter.preferences
        if foundation is not None:
            shared = _rest(mail_filter, foundation, shared)
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
    say(f"results   {', '.join(sorted(preferences.results_from)) or NONE}")
    return 0


def _foundation(options: Namespace) -> tuple[str, str | None] | None:
    """What the filter is to rest on, found to be usable: a kind and a file; None if that stays as it is."""
    kinds = [options.shared is not None, options.starter, options.no_starter]
    if sum(kinds) > 1:
        raise WrongUsage("a filter rests on one thing: --shared FILE, --starter or --no-starter")
    if options.starter:
        from deciban.filter.starter import newest_file, starter_in

        path = newest_file()
        if path is None:
            raise NoSuchSource("this deciban came without a starter that this machine can read")
        starter_in(path)
        return "starter", path
    if options.no_starter or options.shared == NONE:
        return "shared", None
    if options.shared is not None:
        from deciban.filter.shared_filter import look_at

        look_at(options.shared)
        return "shared", options.shared
    return None


def _rest(
    mail_filter: Filter, foundation: tuple[str, str | None], before: SharedFilter | None
) -> SharedFilter | None:
    """Replay the lessons on what was chosen, unless they are on this starter already; what it is."""
    from deciban.cli.progress_line import ProgressLine

    kind, path = foundation
    with ProgressLine() as line:
        if kind == "shared" or path is None:
            return mail_filter.rest_on(path, line.relearning)
        from deciban.filter.starter import starter_in

        if before == starter_in(path):
            return before
        return mail_filter.rest_on_starter(path, line.relearning)


def _record(preferences: Preferences, shared: SharedFilter | None) -> dict[str, object]:
    return {
        "cost": preferences.cost,
        "promise": preferences.promise,
        "sure": preferences.sure,
        "contacts": sorted(preferences.contacts),
        "allowed": sorted(preferences.allowed),
        "shared": None if shared is None else {"path": shared.path, "digest": shared.digest},
        "keep_mail": preferences.keep_mail,
        "results_from": sorted(preferences.results_from),
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
