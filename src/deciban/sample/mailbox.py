r"""Mara Lind's mailbox: half a year of mail, good and bad, that nobody ever sent.

    folder/ham.mbox         the good mail of the first months      one file, messages behind "From " lines
    folder/spam.mbox        the spam of the same months
    folder/inbox/new/…      the last weeks, unsorted               a Maildir, one file per message
    folder/index.tsv        what each mail of the inbox truly is   label, tab, path

The inbox is what came last, not what chance drew: as in life, the last weeks bring kinds of mail that were
never seen before.

>>> mails = sample_mails(seed=0)
>>> len(mails), sum(mail.label == "spam" for mail in mails)
(399, 175)
"""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from importlib import resources

from deciban.sample.body import Body
from deciban.sample.dice import Dice
from deciban.sample.envelope import header, separator
from deciban.sample.letter import Book, Draft, Letter
from deciban.sample.people import OWNER, SHOPS, Person, known, strange_host, stranger
from deciban.value import Value

LANGUAGES = ("english", "german", "french", "spanish", "portuguese", "chinese", "japanese", "russian")
_FIRST_DAY = datetime(2026, 1, 5)
_DAYS = 160
_DAYS_OF_INBOX = 34


class Mail(Value):
    """One mail of the mailbox, and what the mailbox knows about it."""

    label: str
    kind: str
    language: str
    sender: Person
    when: datetime
    held_out: bool
    data: bytes


def write_mailbox(folder: str | os.PathLike[str], seed: int = 0) -> None:
    """Write the mailbox into a folder, which is made where there is none."""
    inbox = os.path.join(folder, "inbox")
    for name in ("new", "cur", "tmp"):
        os.makedirs(os.path.join(inbox, name), exist_ok=True)
    mails = sample_mails(seed)
    for label in ("ham", "spam"):
        with open(os.path.join(folder, f"{label}.mbox"), "wb") as file:
            file.writelines(_boxed(mail) for mail in mails if mail.label == label and not mail.held_out)
    index = []
    for number, mail in enumerate((mail for mail in mails if mail.held_out), 1):
        seconds = int((mail.when - datetime(1970, 1, 1)).total_seconds())
        path = f"inbox/new/{seconds}.M{number}.{OWNER.domain}"
        with open(os.path.join(folder, path), "wb") as file:
            file.write(mail.data)
        index.append(f"{mail.label}\t{path}\n")
    with open(os.path.join(folder, "index.tsv"), "w", encoding="ascii", newline="\n") as table:
        table.writelines(index)


def sample_mails(seed: int = 0) -> list[Mail]:
    """Every mail of the mailbox by date."""
    mails = []
    for language in LANGUAGES:
        book = Book.parse(_letters(language))
        for letter in book.letters:
            for number in range(int(letter.manner.get("count", "1"))):
                dice = Dice(f"{seed} {language} {letter.label} {letter.name} {number}")
                mails.append(_mail(letter, book, language, dice))
    return sorted(mails, key=lambda mail: (mail.when, mail.data))


def _letters(language: str) -> str:
    return resources.files("deciban.sample").joinpath("letters", f"{language}.txt").read_text("utf-8")


def _mail(letter: Letter, book: Book, language: str, dice: Dice) -> Mail:
    first = _DAYS - _DAYS_OF_INBOX if letter.manner.get("when") == "late" else 0
    day = dice.between(first, _DAYS - 1)
    when = _FIRST_DAY + timedelta(days=day, seconds=dice.between(6 * 3600, 23 * 3600))
    sender = _sender(letter.manner["from"], language, dice)
    draft = letter.write(dice, book.lists, _known_slots(sender, dice))
    if draft.name:
        sender = sender.replaced(name=draft.name)
    charset = _charset(letter, draft, sender, dice)
    top = header(sender, draft.subject, when, letter.manner["from"], language, charset, dice)
    content = Body(letter, draft, sender, when, language, charset, dice)
    held_out = day >= _DAYS - _DAYS_OF_INBOX
    return Mail(letter.label, letter.name, language, sender, when, held_out, top + content.part().written())


def _sender(origin: str, language: str, dice: Dice) -> Person:
    group, _, name = origin.partition(":")
    if group == "shop":
        return SHOPS[name]
    if group in ("stranger", "free"):
        return stranger(language, dice, free=group == "free")
    return known(group, language, dice)


def _known_slots(sender: Person, dice: Dice) -> dict[str, str]:
    """What a letter knows about its mail: {from}, {domain}, {host} and so on."""
    return {
        "to": OWNER.first, "address": OWNER.address, "from": sender.first, "sender": sender.name,
        "domain": sender.domain, "host": strange_host(dice), "token": dice.token(16),
        "number": dice.digits(6), "percent": str(5 * dice.between(2, 16)),
        "amount": f"{dice.between(4, 190)}.{dice.between(10, 99)}",
    }  # fmt: skip


def _charset(letter: Letter, draft: Draft, sender: Person, dice: Dice) -> str:
    """One of the letter's charsets in which all of the draft can be written, or UTF-8."""
    text = "\n".join(
        [draft.subject, *draft.paragraphs, draft.quote, draft.signature, sender.name, OWNER.name]
    )
    for charset in dice.shuffled(letter.options("charset", "utf-8")):
        try:
            text.encode(charset)
        except UnicodeEncodeError:
            continue
        return charset
    return "utf-8"


def _boxed(mail: Mail) -> bytes:
    """The mail as it stands in an mbox: behind its separator, with "From " quoted."""
    lines = mail.data.split(b"\n")
    quoted = [b">" + line if line.lstrip(b">").startswith(b"From ") else line for line in lines]
    return separator(mail.sender, mail.when) + b"\n".join(quoted) + b"\n"
