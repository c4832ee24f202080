"""What the user prefers: kept in the ledger, changed at any time, without a replay.

Unlike `Settings`, preferences do not decide what is learned from a lesson, with two exceptions that are kept
in the lesson itself: whether its sender was a contact when it was taught, and what hosts that were named then
found out about the message.

>>> preferences = Preferences(promise=0.01, contacts=["ann@example.org"])
>>> Preferences.from_text(preferences.text()) == preferences
True
"""

from __future__ import annotations

from deciban.errors import BadSetting, DamagedLedger
from deciban.filter.contacts import FACT, is_known
from deciban.filter.threshold import LEAST_COST, MOST_COST, Threshold
from deciban.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# A hundred years, in days.
ALWAYS = 36_500
# A label with a probability below one half may be the best guess, but it is more likely wrong than right.
HALF = 0.5


class Preferences(Value):
    """The threshold and the people whom the user knows."""

    cost: float
    promise: float | None
    contacts: frozenset[str]
    allowed: frozenset[str]
    """The allow list: senders who are never called spam."""
    sure: float
    """The probability below which the verdict is unsure, whatever the label."""
    keep_mail: int
    """For how many days mail itself is kept, beside its lesson; 0 for never, `ALWAYS` for ever."""
    results_from: frozenset[str]
    """Hosts whose results about messages are facts: SPF, DKIM, SpamAssassin … (foreign_results.py)."""

    def __init__(
        self,
        cost: float = 9.0,
        promise: float | None = None,
        contacts: Iterable[str] = (),
        allowed: Iterable[str] = (),
        keep_mail: int = 0,
        sure: float = HALF,
        results_from: Iterable[str] = (),
    ) -> None:
        Threshold(cost, promise)
        if not 0 <= sure < 1:
            raise BadSetting(f"sure must be a probability from 0 to below 1, got {sure!r} instead.")
        if isinstance(keep_mail, bool) or not isinstance(keep_mail, int) or not 0 <= keep_mail <= ALWAYS:
            raise BadSetting(
                f"keep_mail must be a number of days from 0 to {ALWAYS}, got {keep_mail!r} instead."
            )
        self._set(
            cost=cost,
            promise=promise,
            contacts=frozenset(address.lower() for address in contacts),
            allowed=frozenset(address.lower() for address in allowed),
            sure=sure,
            keep_mail=keep_mail,
            results_from=frozenset(map(_host_name, results_from)),
        )

    @property
    def threshold(self) -> Threshold:
        """What must hold before a message is called spam."""
        return Threshold(self.cost, self.promise)

    @property
    def keep_mail_text(self) -> str:
        """For how long mail is kept, in words."""
        named = {0: "never", ALWAYS: "always"}
        return named.get(self.keep_mail, f"{self.keep_mail} days")

    def facts(self, sender: str) -> tuple[str, ...]:
        """What is known about a message from outside, as features."""
        return (FACT,) if self.contacts and is_known(sender, self.contacts) else ()

    def allows(self, sender: str) -> bool:
        """Whether somebody is on the allow list."""
        return bool(self.allowed) and is_known(sender, self.allowed)

    def text(self) -> str:
        """As the ledger keeps it."""
        import json

        people = {"contacts": sorted(self.contacts), "allowed": sorted(self.allowed)}
        numbers = {name: getattr(self, name) for name in ("cost", "promise", "sure", "keep_mail")}
        # Only where there are some: earlier versions do not know the name.
        hosts = {"results_from": sorted(self.results_from)} if self.results_from else {}
        return json.dumps(numbers | people | hosts)

    @classmethod
    def from_text(cls, text: str) -> Preferences:
        """What `text` wrote. Early versions took any cost, even infinity; we take the nearest valid one."""
        import json

        try:
            found = json.loads(text)
            found["cost"] = min(max(found["cost"], LEAST_COST), MOST_COST)
            return cls(**found)
        except (BadSetting, TypeError, ValueError, KeyError, AttributeError, RecursionError):
            raise DamagedLedger(
                "The preferences in the database cannot be read: it is damaged, or of another version. "
                "Set them anew: deciban check --repair, then deciban prefer."
            ) from None


def _host_name(text: str) -> str:
    from deciban.filter.foreign_results import host_name  # only who names hosts needs it

    return host_name(text)
