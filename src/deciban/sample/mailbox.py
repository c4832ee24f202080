r"""Mara Lind's mailbox: half a year of mail, good and bad, that nobody ever sent.

    folder/ham.mbox         the good mail of the first months      one file, messages behind "From " lines
    folder/spam.mbox        the spam of the same months
    folder/inbox/new/…      the last weeks, unsorted               a Maildir, one file a message
    folder/index.tsv        what each mail of the inbox truly is   label, tab, path

Good mail and spam are divided by date, not by chance: as in life, the last weeks bring kinds of mail that were
never seen before.

>>> mails = sample_mails(seed=0)
>>> len(mails), sum(mail.label == "spam" for mail in mails)
(0, 0)
"""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from importlib import resources

from deciban.sample import page
from deciban.sample.attachment import invitation, kind_of, made
from deciban.sample.dice import Dice
from deciban.sample.envelope import dated, header, separator
from deciban.sample.letter import Book, Draft, Letter
from deciban.sample.mime import Part, file_part, multipart, text_part
from deciban.sample.people import OWNER, SHOPS, Person, known, strange_host, stranger
from deciban.value import Value

LANGUAGES = ("english", "german", "french", "spanish", "portuguese", "chinese", "japanese", "russian")
_FIRST_DAY = datetime(2026, 1, 5)
_DAYS = 160
_DAYS_OF_INBOX = 34
_QUOTES = {"german": "Am {} schrieb {}:", "french": "Le {}, {} a écrit :", "spanish": "El {}, {} escribió:"}


class Mail(Value):
    """One mail of the mailbox, and what the mailbox knows about it."""

    __slots__ = ("data", "held_out", "kind", "label", "language", "sender", "when")
    label: str
    kind: str
    language: str
    sender: Person
    when: datetime
    held_out: bool
    data: bytes

    def __init__(
        self, label: str, kind: str, language: str, sender: Person, when: datetime, held_out: bool, data: bytes
    ) -> None:
        self._set(
            label=label, kind=kind, language=language, sender=sender, when=when, held_out=held_out, data=data
        )


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
        book = Book.parse(resources.files(__package__).joinpath("letters", f"{language}.txt").read_text("utf-8"))
        for letter in book.letters:
            for number in range(int(letter.manner.get("count", "1"))):
                dice = Dice(f"{seed} {language} {letter.label} {letter.name} {number}")
                mails.append(_mail(letter, book, language, dice))
    return sorted(mails, key=lambda mail: (mail.when, mail.data))


def _mail(letter: Letter, book: Book, language: str, dice: Dice) -> Mail:
    first = _DAYS - _DAYS_OF_INBOX if letter.manner.get("when") == "late" else 0
    day = dice.between(first, _DAYS - 1)
    when = _FIRST_DAY + timedelta(days=day, seconds=dice.between(6 * 3600, 23 * 3600))
    sender = _sender(letter.manner["from"], language, dice)
    draft = letter.write(dice, book.lists, _known_slots(sender, when, dice))
    if draft.name:
        sender = sender.replaced(name=draft.name)
    charset = _charset(letter, draft, sender, dice)
    top = header(sender, draft.subject, when, letter.manner["from"], language, charset, dice)
    content = _content(letter, draft, sender, when, language, charset, dice)
    held_out = day >= _DAYS - _DAYS_OF_INBOX
    return Mail(letter.label, letter.name, language, sender, when, held_out, top + content.written())


def _sender(origin: str, language: str, dice: Dice) -> Person:
    group, _, name = origin.partition(":")
    if group == "shop":
        return SHOPS[name]
    if group in ("stranger", "free"):
        return stranger(language, dice, free=group == "free")
    return known(group, language, dice)


def _known_slots(sender: Person, when: datetime, dice: Dice) -> dict[str, str]:
    """What a letter knows about its mail: {from}, {domain}, {host} …"""
    return {
        "to": OWNER.first, "address": OWNER.address, "from": sender.first, "sender": sender.name,
        "domain": sender.domain, "host": strange_host(dice), "token": dice.token(16), "number": dice.digits(6),
        "amount": f"{dice.between(4, 190)}.{dice.between(10, 99)}", "date": f"{when.day}.{when.month}.{when.year}",
    }  # fmt: skip


def _charset(letter: Letter, draft: Draft, sender: Person, dice: Dice) -> str:
    """One of the letter's charsets in which all of the draft can be written, or UTF-8."""
    text = "\n".join([draft.subject, *draft.paragraphs, draft.quote, draft.signature, sender.name, OWNER.name])
    for charset in dice.shuffled(letter.options("charset", "utf-8")):
        try:
            text.encode(charset)
        except UnicodeEncodeError:
            continue
        return charset
    return "utf-8"


def _content(
    letter: Letter, draft: Draft, sender: Person, when: datetime, language: str, charset: str, dice: Dice
) -> Part:
    """The draft in one of the letter's shapes."""
    shape = dice.pick(letter.options("shape", "plain"))
    boundary = "=_" + dice.token(22)
    encoding = _encoding(charset, dice)
    plain = text_part("plain", _plain_text(draft, when, language), charset, encoding)
    if shape == "plain":
        return plain
    if shape == "mixed":
        return multipart("mixed", [plain, _attachment(letter, draft, dice)], boundary)
    if shape == "invite":
        start = (when + timedelta(days=dice.between(1, 20))).replace(minute=0, second=0)
        times = (f"{time:%Y%m%dT%H%M%S}Z" for time in (start, start + timedelta(hours=1)))
        uid = f"{dice.token(20)}@{sender.domain}"
        event = invitation(draft.subject, sender.address, OWNER.address, *times, uid)
        both = [plain, text_part("calendar; method=REQUEST", event, "utf-8", "base64")]
        file = file_part("application/ics", "invite.ics", event.encode())
        return multipart("mixed", [multipart("alternative", both, boundary + "a"), file], boundary)
    web = text_part("html", _web_text(letter, draft, sender, dice), charset, _html_encoding(encoding))
    if shape == "html":
        return web
    if shape == "picture":
        picture = file_part("image/png", "picture.png", made("png", dice), "inline", f"{dice.token(12)}@{sender.domain}")
        return multipart("related", [web, picture], boundary)
    both = multipart("alternative", [plain, web], boundary)
    if shape == "alternative":
        return both
    return multipart("mixed", [both, _attachment(letter, draft, dice)], boundary + "m")


def _encoding(charset: str, dice: Dice) -> str:
    if charset == "iso-2022-jp":
        return "7bit"
    if charset in ("gb2312", "gb18030", "koi8-r"):
        return dice.pick(["base64", "8bit"])
    return dice.pick(["quoted-printable", "quoted-printable", "base64", "8bit"])


def _html_encoding(encoding: str) -> str:
    # A line of HTML may be longer than the 998 bytes that 8bit allows.
    return encoding if encoding in ("7bit", "base64") else "quoted-printable"


def _plain_text(draft: Draft, when: datetime, language: str) -> str:
    text = page.plain(draft.paragraphs)
    if draft.quote:
        attribution = _QUOTES.get(language, "On {}, {} wrote:").format(dated(when - timedelta(hours=7)), OWNER.name)
        text += "\n" + page.quoted(f"{attribution}\n{draft.quote}")
    if draft.signature:
        text += f"\n-- \n{draft.signature}\n"
    return text


def _web_text(letter: Letter, draft: Draft, sender: Person, dice: Dice) -> str:
    if letter.manner.get("layout") == "newsletter":
        return page.newsletter(draft.subject, draft.paragraphs, dice, sender.domain)
    ends = tuple(text for text in (draft.quote, draft.signature) if text)
    return page.note(draft.paragraphs + ends)


def _attachment(letter: Letter, draft: Draft, dice: Dice) -> Part:
    extension = letter.manner.get("attach", "pdf")
    return file_part(kind_of(extension), f"{draft.file or 'scan'}.{extension}", made(extension, dice))


def _boxed(mail: Mail) -> bytes:
    """The mail as it stands in an mbox: behind its separator, with "From " quoted."""
    lines = mail.data.split(b"\n")
    quoted = [b">" + line if line.lstrip(b">").startswith(b"From ") else line for line in lines]
    return separator(mail.sender, mail.when) + b"\n".join(quoted) + b"\n"
