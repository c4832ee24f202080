"""What must hold before a message is called spam, or called anything: ``--cost``, ``--promise``, ``--sure``.

`deciban prefer` keeps them in the database; `classify`, `why` and `filter` take them for one call.

>>> promise("none"), promise("0.01"), cost("99")
('none', 0.01, 99.0)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from deciban.cli.parser import Parser
    from deciban.filter import Filter

NONE = "none"
COST_HELP = "call spam what is more than C times as likely spam as not"
PROMISE_HELP = f"lose at most this share of good mail, such as 0.001; {NONE} to decide by cost"
SURE_HELP = "call unsure what no label has probability P of; 0.5 by default"


def add_decision_flags(parser: Parser, kept: bool = False) -> None:
    """Add the three flags; ``kept`` where they are kept for every call."""
    once = "" if kept else "for this call: "
    parser.add_argument("--cost", type=cost, metavar="C", help=once + COST_HELP)
    parser.add_argument("--promise", type=promise, metavar="SHARE", help=once + PROMISE_HELP)
    parser.add_argument("--sure", type=cost, metavar="P", help=once + SURE_HELP)


def decisions_of(options: Namespace) -> dict[str, object]:
    """What was given, as changes of the preferences."""
    given: dict[str, object] = {}
    if options.cost is not None:
        given["cost"] = options.cost
    if options.promise is not None:
        given["promise"] = None if options.promise == NONE else options.promise
    if options.sure is not None:
        given["sure"] = options.sure
    return given


def decide_by(mail_filter: Filter, options: Namespace) -> None:
    """Let a filter decide by what was given, for this call."""
    given = decisions_of(options)
    if "cost" in given:
        given.setdefault("promise", None)  # it would come first
    if given:
        mail_filter.prefer_for_now(**given)


def cost(text: str) -> float:
    """A number."""
    try:
        return float(text)
    except ValueError:
        from deciban.cli.numbers import refused  # every call that classifies would wait for it

        raise refused(f"must be a number, got {text!r} instead") from None


def promise(text: str) -> float | str:
    """A share, or `none`."""
    return NONE if text == NONE else cost(text)
