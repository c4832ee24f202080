"""The header of a mail: who, when, by which way, and what the servers on the way say about it.

Spammers pay for proper hosting too: most of their mail is signed and passes its checks, and some good mail
does not (small hosts without a signature; lists that break it). So no line of the header gives a mail away.
"""

from __future__ import annotations

import base64
from datetime import datetime, timedelta

from deciban.sample.dice import Dice
from deciban.sample.mime import field, mailbox
from deciban.sample.people import LISTS, OWNER, Person

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_HOURS_EAST = {"chinese": 8, "japanese": 9, "russian": 3, "portuguese": 0}
_PROGRAMS = ("Quill 4.2", "Featherpost 102.11", "iPost (21D50)", "Webpost interface 7", "Inkwell 16.0")
_DESK = "mx1.harbourcharts.example"

Fields = list[tuple[str, str]]


def header(
    sender: Person, subject: str, when: datetime, kind: str, language: str, charset: str, dice: Dice
) -> bytes:
    """Every field but those that describe the content; ``kind`` is the letter's ``from=``."""
    letter = "b" if charset in ("gb2312", "gb18030", "iso-2022-jp") else dice.pick("bq")
    hours = _HOURS_EAST.get(language, 1)
    group, _, via = kind.partition(":")
    bulk = group == "shop" or (group == "stranger" and via == "bulk")
    lines: Fields = _trace(sender, when, group, dice)
    to = OWNER.address if bulk or dice.chance(0.3) else mailbox(OWNER.name, OWNER.address)
    if group in LISTS:
        to = mailbox(LISTS[group].name, LISTS[group].address)
    raw = b"".join(field(name, value) for name, value in lines)
    raw += field("Date", f"{dated(when + timedelta(hours=hours))} +{hours:02}00")
    raw += field("From", mailbox(sender.name, sender.address, charset, letter)) + field("To", to)
    raw += field("Subject", subject, charset, letter)
    raw += field("Message-ID", f"<{dice.token(dice.between(10, 24))}@{sender.domain}>")
    more = _list_fields(LISTS[group]) if group in LISTS else []
    if bulk:
        more = _bulk_fields(sender, dice)
    elif subject.lower().startswith(("re:", "aw:", "sv:")) and dice.chance(0.8):
        more += [("In-Reply-To", f"<{dice.token(16)}@{OWNER.domain}>")]
    if not bulk and dice.chance(0.5):
        more += [("X-Mailer", dice.pick(_PROGRAMS))]
    return raw + b"".join(field(name, value) for name, value in more) + field("MIME-Version", "1.0")


def dated(when: datetime) -> str:
    """The date as RFC 5322 has it, without the zone; strftime would speak the user's language.

    >>> dated(datetime(2026, 3, 1, 14, 5, 9))
    'Sun, 1 Mar 2026 14:05:09'
    """
    return f"{_DAYS[when.weekday()]}, {when.day} {_MONTHS[when.month - 1]} {when.year} {when:%H:%M:%S}"


def separator(sender: Person, when: datetime) -> bytes:
    r"""The line before a mail in an mbox.

    >>> separator(Person("", "a@post.example"), datetime(2026, 3, 1, 14, 5, 9))
    b'From a@post.example Sun Mar  1 14:05:09 2026\n'
    """
    day = f"{_DAYS[when.weekday()]} {_MONTHS[when.month - 1]} {when.day:2}"
    return f"From {sender.address} {day} {when:%H:%M:%S} {when.year}\n".encode()


def _trace(sender: Person, when: datetime, group: str, dice: Dice) -> Fields:
    """What the servers on the way wrote, the last one first."""
    passes = dice.chance({"stranger": 0.6, "free": 0.9, "friend": 0.85, "colleague": 0.9}.get(group, 0.95))
    host = LISTS[group].domain if group in LISTS else sender.domain
    relay = f"{dice.pick(['mail', 'out', 'smtp', 'mx', 'mta'])}{dice.between(1, 40)}.{host}"
    spf, dkim = (
        ("pass", "pass") if passes else (dice.pick(["none", "softfail", "fail"]), dice.pick(["none", "fail"]))
    )
    bounce = sender.address
    if group in LISTS:
        bounce = LISTS[group].address.replace("@", "-bounces@")
    lines = [
        ("Return-Path", f"<{bounce}>"),
        ("Received", f"from {relay} ({relay} [{_address(dice)}]) by {_DESK} with ESMTPS id {dice.token(12)};"
                     f" {dated(when)} +0000"),
        ("Authentication-Results", f"{_DESK}; spf={spf} smtp.mailfrom={host}; dkim={dkim} header.d={host}"),
    ]  # fmt: skip
    if dkim == "pass":
        lines.append(("DKIM-Signature", _signature(host, dice)))
    for _ in range(dice.between(0, 2)):
        when -= timedelta(seconds=dice.between(1, 40))
        inner = f"{dice.pick(['app', 'node', 'host', 'pc', 'desk'])}-{dice.token(4)}.{host}"
        hop = f"from {inner} ([{_address(dice)}]) by {relay} with ESMTPSA id {dice.token(9)}"
        lines.append(("Received", f"{hop}; {dated(when)} +0000"))
    return lines


def _address(dice: Dice) -> str:
    """One of the addresses that are set aside for documentation."""
    return f"{dice.pick(['192.0.2', '198.51.100', '203.0.113'])}.{dice.between(1, 254)}"


def _signature(domain: str, dice: Dice) -> str:
    digest, blob = (base64.b64encode(dice.bytes(size)).decode() for size in (32, 128))
    pieces = " ".join(blob[at : at + 60] for at in range(0, len(blob), 60))
    return (
        f"v=1; a=rsa-sha256; c=relaxed/relaxed; d={domain}; s={dice.pick(['s1', 'k2', 'mail', '2026a'])};"
        f" h=from:to:subject:date; bh={digest}; b={pieces}"
    )


def _list_fields(mailing_list: Person) -> Fields:
    name, _, domain = mailing_list.address.partition("@")
    return [
        ("List-Id", f"{mailing_list.name} <{name}.{domain}>"),
        ("List-Post", f"<mailto:{mailing_list.address}>"),
        ("List-Unsubscribe", f"<https://{domain}/options/{name}>"),
        ("Precedence", "list"),
    ]


def _bulk_fields(sender: Person, dice: Dice) -> Fields:
    fields = [
        ("List-Unsubscribe", f"<https://{sender.domain}/unsubscribe/{dice.token(20)}>"),
        ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
        ("Feedback-ID", f"{dice.digits(6)}:{dice.token(5)}:{sender.domain}"),
        ("X-Campaign", dice.token(8)),
        ("Precedence", "bulk"),
    ]
    return dice.some(fields, dice.between(1, 4))
