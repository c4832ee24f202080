r"""What others found out about a message: SPF, DKIM and DMARC, SpamAssassin, rspamd; as facts to learn from.

Anybody can write such header fields. So nothing counts but what the hosts say whom the administrator named:

>>> head = b'''Received: from mail.shop.example by mx.example.org with ESMTPS; Tue, 3 Nov 2026 10:00:00 +0000
... Authentication-Results: mx.example.org; dkim=pass header.d=shop.example;
...  spf=softfail smtp.mailfrom=shop.example
... X-Spam-Checker-Version: SpamAssassin 4.0.1 (2024-03-25) on mx.example.org
... X-Spam-Status: No, score=1.3 required=5.0 tests=HTML_MESSAGE,
...     MISSING_DATE autolearn=no version=4.0.1
... Subject: hello
...
... '''
>>> for fact in facts_in(head, {"mx.example.org"}): print(fact)
dkim=pass
spf=softfail
spamassassin=HTML_MESSAGE
spamassassin=MISSING_DATE
spamassassin>-3
spamassassin>-1
spamassassin>1
>>> facts_in(head, {"mx.example.com"})
()

How much each fact is worth is learned. Points are told in steps: what has more than five has more than three,
too. With names of tests alone half as much is gained (docs/experiments.md). Which fields count:

- Authentication-Results and Received-SPF are written above what was there. So the head is read from its top,
  and of each method (dkim, spf …) only the topmost field of a named host counts.
- None of them counts below a *foreign hop*: a Received field with "from" and "by" whose "by" is not a named
  host. What stands there was in the hands of somebody else. A Received field without "from", or with LMTP,
  POP3 or IMAP, is no hop: there a message was handed on within a machine, delivered or fetched.
- Fields of SpamAssassin and rspamd stand at the top or at the very end, as a milter adds them. Both programs
  take off fields of the same names that a message brings along. So each must stand there once.
- A sender can still write a field in the name of a host that writes none itself. So the mail server must take
  off what comes with its name, as RFC 8601 demands (docs/beside.md has the lines).

Authentication-Results names its host first (RFC 8601), Received-SPF in "receiver=" or in front of its comment
(RFC 7208), SpamAssassin in X-Spam-Checker-Version, rspamd in X-Rspamd-Server. X-Spam-Status counts only if it
lists tests: ours does not, and the filter must not learn its own opinion. The head is read up to 64 KB, in
time linear in its length; only known methods, known results and names of tests become facts.
"""

from __future__ import annotations

from deciban.errors import BadSetting
from deciban.filter.tagging import MOST_HEAD, fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Set

METHODS = frozenset(("arc", "dkim", "dmarc", "iprev", "spf"))
RESULTS = frozenset(
    ("none", "pass", "fail", "hardfail", "softfail", "neutral", "policy", "temperror", "permerror")
)
# Deliveries and fetches, which are no hops between hosts (text/_canonical.pyx).
INDOORS = ("lmtp", "pop3", "imap")
CHECKER, STATUS, SERVER, RESULT = PROGRAM_FIELDS = (
    "x-spam-checker-version",
    "x-spam-status",
    "x-rspamd-server",
    "x-spamd-result",
)
STEPS = range(-3, 15, 2)
MOST_TESTS = 200
LONGEST_TEST = 60
LONGEST_HOST = 253
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_HOST_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-._")


def facts_in(message: bytes, hosts: Set[str]) -> tuple[str, ...]:
    """What the named hosts found out about a message; ``.example.org`` stands for every host there."""
    found = ForeignResults(hosts)
    for _, _, line in fields_of(message[:MOST_HEAD]):
        name, _, value = line.decode("latin-1").partition(":")
        found.read(name.strip().lower(), value)
    return found.facts()


def host_name(text: str) -> str:
    """A host as it is compared, in lower case; refused if it can be none.

    >>> host_name("MX.Example.org."), host_name(".example.org")
    ('mx.example.org', '.example.org')
    """
    host = text.strip().lower().removesuffix(".")
    if not host.strip(".") or len(host) > LONGEST_HOST or not _HOST_LETTERS.issuperset(host):
        raise BadSetting(f"results_from must be names of hosts such as mx.example.org, got {text!r} instead.")
    return host


class ForeignResults:
    """The results of others in one head, field by field from the top."""

    def __init__(self, hosts: Set[str]) -> None:
        self._hosts = hosts
        self._is_ours = True
        self._results: dict[str, list[str]] = {}
        self._programs: dict[str, list[str]] = {}

    def read(self, name: str, value: str) -> None:
        """Read the next field."""
        if name == "received":
            self._is_ours = self._is_ours and not self._is_foreign_hop(value)
        elif name == "authentication-results" and self._is_ours:
            self._add(*_authentication(value))
        elif name == "received-spf" and self._is_ours:
            self._add(*_received_spf(value))
        elif name in PROGRAM_FIELDS and (name != STATUS or "tests=" in value):
            self._programs.setdefault(name, []).append(value)

    def facts(self) -> tuple[str, ...]:
        """What was found, as names of facts; each once."""
        facts = [f"{method}={result}" for method, results in self._results.items() for result in results]
        if self._believes(self._only(CHECKER).rpartition(" on ")[2].strip()):
            facts += _told("spamassassin", _tests(self._only(STATUS)), _points(self._only(STATUS), "score="))
        if self._believes(self._only(SERVER).strip()):
            facts += _told("rspamd", _symbols(self._only(RESULT)), _points(self._only(RESULT), "["))
        return tuple(dict.fromkeys(facts))

    def _only(self, name: str) -> str:
        """The value of a field that stands there once; empty otherwise."""
        found = self._programs.get(name, ())
        return found[0] if len(found) == 1 else ""

    def _add(self, host: str, results: list[tuple[str, str]]) -> None:
        """The results of one field; methods that a field above has told are left out."""
        if not self._believes(host):
            return
        told = set(self._results)
        for method, result in results:
            if method in METHODS and result in RESULTS and method not in told:
                self._results.setdefault(method, []).append(result)

    def _is_foreign_hop(self, value: str) -> bool:
        words = _without_comments(value).partition(";")[0].lower().split()
        if words[:1] != ["from"] or "by" not in words[2:]:  # the second is a name that the other side chose
            return False
        host, *rest = words[words.index("by", 2) + 1 :] or [""]
        way = rest[rest.index("with") + 1 :] if "with" in rest else []
        return not (way and way[0].startswith(INDOORS)) and not self._believes(host)

    def _believes(self, host: str) -> bool:
        host = host.lower().removesuffix(".")
        if not host or len(host) > LONGEST_HOST:
            return False
        dots = (place for place, letter in enumerate(host) if letter == ".")
        return host in self._hosts or any(host[dot:] in self._hosts for dot in dots)


def _authentication(value: str) -> tuple[str, list[tuple[str, str]]]:
    """The host and the results of an Authentication-Results field.

    >>> _authentication(' mx.example.org 1; spf=pass (a; b=c) smtp.mailfrom="x;dkim=pass"; dkim / 1 = Fail')
    ('mx.example.org', [('spf', 'pass'), ('dkim', 'fail')])
    """
    first, *rest = _without_comments(value).split(";")
    words = first.split()
    results = []
    for part in rest:
        method, _, result = part.lower().partition("=")
        results.append((method.partition("/")[0].strip(), next(iter(result.split()), "")))
    return words[0] if words else "", results


def _received_spf(value: str) -> tuple[str, list[tuple[str, str]]]:
    """The host and the result of a Received-SPF field.

    >>> _received_spf(" pass (mx.example.org: domain of b.example) client-ip=192.0.2.1;")
    ('mx.example.org', [('spf', 'pass')])
    >>> _received_spf(" softfail (b.example: 192.0.2.1 is not) receiver=mx.example.org; identity=mailfrom")
    ('mx.example.org', [('spf', 'softfail')])
    """
    words = _without_comments(value).replace(";", " ").lower().split()
    result = words[0] if words else ""
    receivers = [word.removeprefix("receiver=") for word in words if word.startswith("receiver=")]
    comment = value.partition("(")[2].partition(":")[0].strip().lower()
    return receivers[0] if receivers else comment, [("spf", result)]


def _tests(value: str) -> Iterator[str]:
    r"""The names of the tests in an X-Spam-Status field; the list is folded behind a comma.

    >>> list(_tests(" Yes, score=6.9 required=5.0 tests=[A_B=0.1,\n\tC=3] autolearn=no"))
    ['A_B', 'C']
    >>> list(_tests(" No, score=0.0 tests=none autolearn=no")), list(_tests(" No, tests=x y"))
    ([], ['x'])
    """
    names = []
    for word in value.partition("tests=")[2].lstrip("[ ").replace(",", ", ").split():
        names.append(word.rstrip(",]").partition("=")[0])
        if not word.endswith(","):
            break
    return _names(name for name in names if name != "none")


def _symbols(value: str) -> Iterator[str]:
    r"""The symbols in an X-Spamd-Result field.

    >>> list(_symbols(" default: False [4.58 / 15.00];\n\tMISSING_MID(2.50)[a;b];\n\tR_X(0.00)[]"))
    ['MISSING_MID', 'R_X']
    """
    parts = (part.strip() for part in value.partition(";")[2].split(";"))
    return _names(part.partition("(")[0] for part in parts if "(" in part)


def _points(value: str, begin: str) -> float:
    """The points behind a mark; none if there is no number.

    >>> _points(" Yes, score=6.9 required=5.0", "score="), _points("[-0.10 / 15.00]", "["), _points("", "[")
    (6.9, -0.1, nan)
    """
    found = value.partition(begin)[2].split(maxsplit=1)
    try:
        return float(found[0])
    except (IndexError, ValueError):
        return float("nan")


def _told(program: str, tests: Iterator[str], points: float) -> list[str]:
    """The facts that a program tells; not being a number, no points exceed no step."""
    return [
        *(f"{program}={test}" for test in tests),
        *(f"{program}>{step}" for step in STEPS if points > step),
    ]


def _names(words: Iterator[str]) -> Iterator[str]:
    """Those that can be names of tests, not too many."""
    from itertools import islice

    known = (word for word in words if 0 < len(word) <= LONGEST_TEST and _LETTERS.issuperset(word))
    return islice(known, MOST_TESTS)


def _without_comments(value: str) -> str:
    r"""A structured field without its comments, which nest, and without its quoted strings.

    >>> _without_comments(' a (b (c) \\) d) "e;\\"f" g(')
    ' a   "" g '
    """
    kept: list[str] = []
    depth, quoted, start, place = 0, False, 0, 0
    while place < len(value):
        letter = value[place]
        if letter == "\\":
            place += 1  # it and the next letter mean nothing
        elif quoted:
            if letter == '"':
                quoted, start = False, place
        elif letter == "(":
            if not depth:
                kept += (value[start:place], " ")
            depth += 1
        elif letter == ")" and depth:
            depth -= 1
            start = place + 1
        elif letter == '"' and not depth:
            kept.append(value[start : place + 1])
            quoted = True
        place += 1
    if not depth and not quoted:
        kept.append(value[start:])
    return "".join(kept)
